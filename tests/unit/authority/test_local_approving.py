"""What an authority signs of approvals: a question to some, and a receipt of their yes."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.attest.people.approvals import REQUESTS
from groundwire.attest.receipts import Held, read_receipt
from groundwire.authority.local import LocalAuthority
from groundwire.canon.digest import sha256
from groundwire.documents.governing import GuardRules, Rule
from groundwire.errors import GuardError
from tests.unit.attest.decisions import IDENTITY, NOW, RECEIPT
from tests.unit.attest.people.test_approvals import ACTION, ADA, KEYRING, approved
from tests.unit.stores.people.test_mailbox import PACKET

AUTHORITY = LocalAuthority(
    GuardRules(
        rules=(
            Rule(id="four-eyes", decide="approve", needed=2),
            Rule(id="one", decide="approve", needed=1),
            Rule(id="whatever", decide="approve"),
        )
    ),
    IDENTITY,
    "/project",
    {},
)


def held(*rules: str, decision: str = "approve") -> Held:
    receipt = msgspec.structs.replace(RECEIPT, decision=decision, rules=tuple(sorted(rules)))
    return Held(receipt, sha256(b"receipt"))


@pytest.mark.parametrize("decision", ["deny", "allow"])
def test_what_is_not_to_be_asked_no_approval_allows(decision: str) -> None:
    with pytest.raises(GuardError) as refused:
        AUTHORITY.approve(held("one", decision=decision), [approved()], NOW)
    assert refused.value.reason == "decision-denied"


def test_the_receipt_of_a_yes_is_about_what_was_held_and_good_from_now() -> None:
    was = held("one")
    receipt = read_receipt(AUTHORITY.approve(was, [approved()], NOW), KEYRING)[0]
    assert receipt.asked == was.receipt.asked
    assert receipt.rules == was.receipt.rules
    assert (receipt.decision, receipt.approvals) == ("allow", (approved(),))
    assert receipt.issued > was.receipt.issued


def test_a_request_ends_no_later_than_the_receipt_it_is_asked_by() -> None:
    for seconds, expires in ((60, "2026-03-01T12:06:00.000000Z"), (9999, RECEIPT.expires)):
        envelope = AUTHORITY.request(
            held("one"), ACTION, PACKET, [ADA.signer.key_id], 1, seconds, NOW, "7" * 32
        )
        assert REQUESTS.read(envelope, KEYRING)[0].expires == expires


def test_as_many_people_are_needed_as_the_strictest_rule_says_that_holds_it() -> None:
    assert AUTHORITY.needed(held("whatever"), 3) == 3
    assert AUTHORITY.needed(held("one"), 3) == 1
    assert AUTHORITY.needed(held("one", "four-eyes"), 1) == 2
