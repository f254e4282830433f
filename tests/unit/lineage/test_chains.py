from __future__ import annotations

import hashlib

import pytest

from groundwire.canon import digest
from groundwire.errors import EncodingError
from groundwire.lineage import chains

ONE, TWO, SHELL = (digest.tagged("content", name.encode()) for name in ("one", "two", "shell"))


def framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def by_hand(domain: str, *parts: bytes) -> str:
    """The tagged digest as the page of the format spells it, written a second time."""
    tag = framed(b"groundwire/1/" + domain.encode())
    return "gw1:" + hashlib.sha256(tag + b"".join(map(framed, parts))).hexdigest()


def test_the_empty_chain_is_the_digest_of_its_domain_alone() -> None:
    assert by_hand("context") == chains.EMPTY
    assert chains.context_of([]) == chains.EMPTY


def test_each_step_is_over_the_head_before_and_the_commitment() -> None:
    first = by_hand("context", digest.raw(chains.EMPTY), digest.raw(ONE))
    second = by_hand("context", digest.raw(first), digest.raw(TWO))
    assert chains.context_of([ONE]) == first
    assert chains.context_of([ONE, TWO]) == second


def test_a_chain_goes_on_from_the_head_of_a_prefix() -> None:
    head = chains.context_of([ONE])
    assert chains.context_of([TWO], head) == chains.extend(head, TWO)
    assert chains.context_of([TWO], head) == chains.context_of([ONE, TWO])


def test_order_and_number_of_messages_change_the_head() -> None:
    heads = {
        chains.context_of(messages)
        for messages in ([], [ONE], [TWO], [ONE, TWO], [TWO, ONE], [ONE, ONE])
    }
    assert len(heads) == 6


def test_a_frame_is_over_its_shell_and_its_context() -> None:
    head = chains.context_of([ONE])
    assert chains.frame_of(SHELL, head) == by_hand("frame", digest.raw(SHELL), digest.raw(head))
    assert chains.whole_frame_of(SHELL) == by_hand("frame", digest.raw(SHELL))
    assert chains.frame_of(SHELL, chains.EMPTY) != chains.whole_frame_of(SHELL)


@pytest.mark.parametrize("commitment", ["", "gw1:", "gw1:" + "G" * 64, "x" * 68])
def test_what_is_no_commitment_is_refused(commitment: str) -> None:
    with pytest.raises(EncodingError):
        chains.extend(chains.EMPTY, commitment)
