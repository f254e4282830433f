from __future__ import annotations

import hashlib

import msgspec
import pytest
from msgspec import structs

from groundwire.canon.digest import (
    are_text_commitments,
    commitment,
    frame_digest,
    heads_of,
    leaf_hash,
    leaf_hashes,
    listed,
    raw,
    tagged,
    tagged_raw,
)
from groundwire.canon.merkle import Tree, root_of
from groundwire.errors import EncodingError


def test_many_leaf_hashes_are_those_of_each_line() -> None:
    lines = [b"", b"one", b"\x00" * 200]
    assert leaf_hashes(line + b"\n" for line in lines) == [leaf_hash(line) for line in lines]


def test_digests_are_listed_one_a_line() -> None:
    hashes = [leaf_hash(bytes([number])) for number in range(3)]
    for count in range(4):
        listed_one_by_one = "\n".join("leaf:" + each.hex() for each in hashes[:count])
        assert listed("leaf:", hashes[:count]) == listed_one_by_one


def test_the_heads_of_a_chain_and_a_frame_digest_are_those_that_the_format_says() -> None:
    links = ["gw1:" + 16 * digits for digits in ("0a1b", "2c3d", "4e5f")]
    head, heads = tagged_raw("context"), []
    for link in links:
        head = tagged_raw("context", head, raw(link))
        heads.append(head)
    assert heads_of(tagged_raw("context"), links) == heads
    assert heads_of(head, []) == []
    assert frame_digest(raw(links[0]), head) == tagged("frame", raw(links[0]), head)


@pytest.mark.parametrize("link", ["", "gw1:" + "0" * 63, "gw1:" + "A" * 64, "gw2:" + "0" * 64])
def test_a_chain_over_what_is_no_digest_has_no_heads(link: str) -> None:
    with pytest.raises(EncodingError) as caught:
        heads_of(bytes(32), ["gw1:" + "0" * 64, link])
    assert caught.value.reason == "bad-digest"


@pytest.mark.parametrize("parts", [(b"x" * 31, b"y" * 32), (b"x" * 32, b"y" * 33)])
def test_a_frame_digest_is_over_two_hashes(parts: tuple[bytes, bytes]) -> None:
    with pytest.raises(EncodingError) as caught:
        frame_digest(*parts)
    assert caught.value.reason == "bad-hash-length"


class Line(msgspec.Struct, frozen=True):
    salt: str
    text: str | None
    commitment: str


def opening(text: str, salt: bytes = bytes(range(16))) -> Line:
    return Line(salt.hex(), text, commitment(salt, "text", text.encode()))


def test_commitments_to_texts_hold_where_each_of_them_does() -> None:
    lines = [opening(""), opening("one"), opening("tw\u00f6 \U0001f6a2", bytes(16))]
    assert are_text_commitments([])
    assert are_text_commitments(lines)
    other = "gw1:" + "0" * 64
    for wrong in (
        structs.replace(lines[1], text="onE"),
        structs.replace(lines[1], text=None),
        structs.replace(lines[1], text="\ud800"),
        structs.replace(lines[1], commitment=other),
        structs.replace(lines[1], commitment=lines[1].commitment.upper()),
        structs.replace(lines[1], salt=lines[2].salt),
        structs.replace(lines[1], salt=lines[1].salt.upper()),
        structs.replace(lines[1], salt=" " + lines[1].salt),
        structs.replace(lines[1], salt="no salt"),
    ):
        assert not are_text_commitments([lines[0], wrong, lines[2]])


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_commitment_to_a_text_under_a_salt_of_another_length_does_not_hold(size: int) -> None:
    salt, frames = b"s" * size, [b"groundwire/1/content", b"s" * size, b"text", b"one"]
    # As if the salt's length were 16: what is hashed says so whatever the salt.
    framed = b"".join(
        (16 if part is frames[1] else len(part)).to_bytes(8, "big") + part for part in frames
    )
    stated = "gw1:" + hashlib.sha256(framed).hexdigest()
    assert not are_text_commitments([Line(salt.hex(), "one", stated)])


@pytest.mark.parametrize("cuts", [(0, 200), (1, 63, 64), (64, 64, 1), (10, 54, 128, 3), (63, 1, 0)])
def test_a_tree_extended_in_pieces_is_the_tree_over_all_leaves(cuts: tuple[int, ...]) -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(sum(cuts))]
    tree, taken = Tree(), 0
    for cut in cuts:
        tree.extend(leaves[taken : taken + cut])
        taken += cut
        assert (tree.size, tree.root()) == (taken, root_of(leaves[:taken]))
    tree.append(leaf_hash(b"one more"))
    assert tree.root() == root_of([*leaves, leaf_hash(b"one more")])


def test_a_tree_takes_no_leaf_of_a_list_with_one_that_is_none() -> None:
    tree = Tree()
    with pytest.raises(EncodingError):
        tree.extend([leaf_hash(b"a"), b"short"])
    assert tree.size == 0


@pytest.mark.parametrize("size", [0, 1, 1 << 14, (1 << 14) + 1, 100_000])
def test_a_commitment_is_over_the_same_bytes_at_every_size(size: int) -> None:
    data, salt = b"x" * size, bytes(range(16))
    parts = (b"groundwire/1/content", salt, b"text", data)
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    assert commitment(salt, "text", data) == "gw1:" + hashlib.sha256(framed).hexdigest()
