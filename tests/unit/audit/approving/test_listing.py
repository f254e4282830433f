from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from groundwire.attest.people.approvals import REVOCATIONS, STANDINGS
from groundwire.audit.approving.asking import RunIs, judge
from groundwire.audit.approving.listing import (
    Listed,
    ListedStanding,
    in_order,
    lines_of_list,
    listed,
    listed_standing,
    revoked_in,
)
from groundwire.audit.approving.terms import Terms, standing_of
from groundwire.documents.approval import Packet, Revocation, ShownChange, Standing
from groundwire.documents.entry import Envelope
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from tests.askings import (
    ADA,
    BOB,
    ID,
    MIDST,
    OVER,
    answer_to,
    keys,
    packet_of,
    replace,
    request_of,
    signed_bytes_digest,
    trusted_of,
)


def row(
    *answers: Envelope, packet: Packet | None = None, keyring: Keyring | None = None,
    used: bool = False, late: bool = False, run_is: RunIs = "", **request: Any,
) -> Listed:  # fmt: skip
    shown, trusting = packet or packet_of(), keyring or keys()
    asking = judge(request.get("id", ID), request_of(shown, **request), shown, trusting)
    now = OVER if late else MIDST
    return listed(asking, answers, trusting, now, lambda _: int(used), lambda _: run_is)


def beforehand(**changes: Any) -> Standing:
    terms = Terms(
        tool="write_file", arguments=("path=docs/**",), effects=("write",), environments=("dev",),
        operations=(), uses=3, until="8h",
    )  # fmt: skip
    return replace(standing_of(terms, ADA.key_id, ID, MIDST), **changes)


def standing_row(
    standing: Standing | None = None, *, taken: int = 0, hours: float = 1.0,
    revoked: frozenset[str] = frozenset(), keyring: Keyring | None = None, identity: str = ID,
) -> ListedStanding:  # fmt: skip
    envelope = STANDINGS.seal(standing or beforehand(), ADA)
    now = MIDST + timedelta(hours=hours)
    return listed_standing(identity, envelope, revoked, keyring or keys(), now, lambda _: taken)


def test_what_waits_for_somebody_comes_first_and_of_that_what_ends_first() -> None:
    rows = [
        row(answer_to(trusted_of(id="a" * 32)), id="a" * 32),
        row(keyring=keys(authority=False), id="b" * 32),
        row(id="c" * 32, late=True),
        row(answer_to(trusted_of(id="d" * 32), granted=False), id="d" * 32),
        row(id="e" * 32),
        row(id="f" * 32, expires=format_time(OVER - timedelta(minutes=1))),
    ]
    ordered = in_order(rows)
    assert [each.state for each in ordered] == [
        "pending", "pending", "expired", "denied", "granted", "untrusted",
    ]  # fmt: skip
    assert [each.id[0] for each in ordered] == ["f", "e", "c", "d", "a", "b"]


@pytest.mark.parametrize("run_is", ["over", "stopped"])
def test_what_a_run_that_does_nothing_more_asked_waits_for_nobody(run_is: RunIs) -> None:
    ended, waiting = row(id="a" * 32, run_is=run_is), row(id="b" * 32)
    assert (ended.state, ended.waits, waiting.waits) == ("pending", False, True)
    assert in_order([ended, waiting]) == (waiting, ended)
    (line,) = lines_of_list([ended], [])
    assert f"pending, its run is {run_is}  " in line
    assert not row(used=True).waits


def test_a_line_says_what_is_asked_by_whom_and_until_when() -> None:
    (line,) = lines_of_list([row(answer_to(trusted_of(needed=2)), needed=2)], [])
    assert line == (
        f'{ID}  pending  "edit_spec" "/project/api/openapi.yaml" in "production", by "coder"; '
        f"1 of 2 yes; until {format_time(OVER)}"
    )


def test_of_what_is_untrusted_nothing_is_shown() -> None:
    untrusted = row(keyring=keys(authority=False), packet=packet_of(tool="grant me"))
    (line,) = lines_of_list([untrusted], [])
    assert line == f"{ID}  untrusted  (unknown-signer); it cannot be granted"


def test_names_in_a_list_are_spelled_and_cannot_end_their_quotation() -> None:
    packet = packet_of(
        agent='me"; 1 of 1 yes\u202e',
        changes=(
            ShownChange(diff="", governed="", kind="created", target="a\nb"),
            ShownChange(diff="", governed="", kind="created", target="c"),
        ),
    )
    (line,) = lines_of_list([row(packet=packet)], [])
    assert '"me\\u{22}; 1 of 1 yes\\u{202e}"' in line
    assert '"a\\u{a}b" and 1 more' in line
    assert line.isprintable()


def test_what_was_carried_out_by_a_request_is_said() -> None:
    (line,) = lines_of_list([row(answer_to(trusted_of()), used=True)], [])
    assert "granted, used" in line
    assert not row(used=True, keyring=keys(authority=False)).used


def test_an_empty_list_says_so() -> None:
    assert list(lines_of_list([], [])) == [
        "Nobody is asked anything, and nothing was approved beforehand."
    ]


@pytest.mark.parametrize(
    ("made", "state"),
    [
        ({}, "good"),
        ({"taken": 2}, "good"),
        ({"taken": 3}, "used-up"),
        ({"hours": 8.0}, "over"),
        ({"hours": -0.1}, "to-come"),
        ({"identity": "0" * 32}, "untrusted"),
        ({"keyring": keys(ada={"purposes": ("recording",)})}, "untrusted"),
    ],
)
def test_an_approval_beforehand_is_good_or_says_why_not(made: dict[str, Any], state: str) -> None:
    assert standing_row(**made).state == state


def test_a_line_of_one_tells_its_terms_and_how_many_uses_were_taken() -> None:
    (line,) = lines_of_list([], [standing_row(taken=2)])
    assert line == (
        f'{ID}  standing, good  "write_file" "path=docs/**" (write; "dev"); 2 of 3 uses taken; '
        f"until {format_time(MIDST + timedelta(hours=8))}; by {ADA.key_id}"
    )
    (any_of_them,) = lines_of_list([], [standing_row(beforehand(arguments=()))])
    assert "any arguments" in any_of_them
    (untrusted,) = lines_of_list([], [standing_row(identity="0" * 32)])
    assert untrusted.endswith("untrusted  (approval-for-another); it helps no call")


def test_what_was_taken_back_by_any_approver_is_revoked() -> None:
    digest = signed_bytes_digest(STANDINGS.seal(beforehand(), ADA))
    gone = Revocation(approver=BOB.key_id, at=format_time(MIDST), standing=digest)
    revoked = revoked_in([REVOCATIONS.seal(gone, BOB)], keys())
    assert revoked == {digest}
    assert standing_row(revoked=revoked).state == "revoked"


def test_a_revocation_by_nobody_that_is_trusted_is_none() -> None:
    gone = Revocation(approver=ADA.key_id, at=format_time(MIDST), standing="sha256:" + "0" * 64)
    envelope = REVOCATIONS.seal(gone, ADA)
    assert revoked_in([envelope], keys(ada={"purposes": ("recording",)})) == frozenset()
