"""`groundwire doctor` on the people who may say yes: what stands against each one's key here."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundwire.audit.guarding.approvers import examine_approvers
from groundwire.documents.approving import Approver
from groundwire.documents.policy import Policy
from groundwire.errors import HostError
from groundwire.keys.keyring import Key
from tests.unit.keys.samples import IDENTITY, STRANGER, key_of, ring

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
POLICY = Policy(approvers=(Approver(name="ada", key=IDENTITY.key_id),))


def ada(**fields: object) -> Key:
    return key_of(**{"purposes": ("approval",), "custody": "passphrase", **fields})


def line(key: Key, *, lies_open: bool = False) -> tuple[str, str]:
    (found,) = examine_approvers(POLICY, ring(key), lambda _: lies_open, NOW)
    assert found.topic == "approvers"
    assert bool(found.next_step) == (found.state == "todo")
    if found.next_step:
        assert "--purpose approval --name NAME" in found.next_step
    return found.state, found.says


def test_one_who_can_say_yes_is_named_with_the_custody_of_the_key() -> None:
    assert line(ada()) == ("ok", f"ada ({IDENTITY.key_id[:16]}, passphrase) can say yes")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (key_of(STRANGER), "not in your keyring"),
        (ada(state="retired", retired_at="2026-05-01T00:00:00.000000Z"), "retired-key"),
        (ada(state="revoked", compromised_at="2026-05-01T00:00:00.000000Z"), "revoked-key"),
        (ada(purposes=("recording",)), "wrong-purpose"),
        (ada(not_after="2026-05-02T00:00:00.000000Z"), "expired-key"),
        (ada(custody="in-process"), "an agent could sign with it itself"),
    ],
)
def test_one_whose_yes_counts_nothing_is_told_of(key: Key, says: str) -> None:
    state, said = line(key)
    assert state == "todo"
    assert says in said


def test_a_key_that_lies_open_is_told_of_whatever_the_keyring_says() -> None:
    assert line(ada(custody="hardware"), lies_open=True)[0] == "todo"


def test_a_folder_that_cannot_be_looked_at_is_told_of() -> None:
    def fails(_: str) -> bool:
        raise HostError("key-folder-unsafe", "The folder is open to others.")

    (found,) = examine_approvers(POLICY, ring(ada()), fails, NOW)
    assert (found.state, "open to others" in found.says) == ("todo", True)


def test_without_approvers_nothing_is_said() -> None:
    assert list(examine_approvers(Policy(), ring(), lambda _: True, NOW)) == []
