from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from groundwire.audit.approving.asking import (
    Asking,
    answer_of,
    digest_to_type,
    judge,
    require_approver,
    require_open,
    require_typed,
    said_to,
    state_of,
    trusted,
)
from groundwire.canon.digest import sha256
from groundwire.documents.approval import Packet
from groundwire.documents.entry import Envelope
from groundwire.errors import GroundwireError
from groundwire.keys.ed25519 import Ed25519Signer
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
    request_of,
    trusted_of,
)
from tests.guarded import AUTHORITY, Call
from tests.recorders import START, seed

MALLORY = Ed25519Signer.from_seed(seed("mallory"))


def judged(
    envelope: Envelope | None = None,
    packet: Packet | None = None,
    keyring: Keyring | None = None,
    identity: str = ID,
) -> Asking:
    shown = packet or packet_of()
    return judge(identity, envelope or request_of(shown), shown, keyring or keys())


def reason_of(act: Callable[[], object]) -> str:
    with pytest.raises(GroundwireError) as caught:
        act()
    return caught.value.reason


def test_a_request_that_its_authority_signed_can_be_answered() -> None:
    asking = judged()
    assert (asking.reason, asking.message) == ("", "")
    given = trusted(asking)
    assert given.request.id == ID
    assert given.digest == asking.digest


@pytest.mark.parametrize(
    ("asking", "reason"),
    [
        (judged(keyring=keys(authority=False)), "unknown-signer"),
        (judged(identity="0" * 32), "approval-for-another"),
        (judged(packet=packet_of(tool="another")), ""),
        (judged(request_of(), packet_of(tool="another")), "packet-mismatch"),
        (judged(packet=packet_of(subject="gw1:" + "0" * 64)), "packet-mismatch"),
        (judged(packet=packet_of(environment="development")), "packet-mismatch"),
        (judged(packet=packet_of(operation="read")), "packet-mismatch"),
        (judged(packet=packet_of(run="another")), "packet-mismatch"),
        (judged(packet=packet_of(changes=())), "packet-mismatch"),
        (judge(ID, request_of(), None, keys()), "packet-mismatch"),
    ],
)
def test_a_request_is_one_only_where_its_signature_and_what_is_shown_hold(
    asking: Asking, reason: str
) -> None:
    assert asking.reason == reason
    if reason:
        assert (asking.request, asking.packet) == (None, None), "nothing of it is shown"
        assert reason_of(lambda: trusted(asking)) == "approval-untrusted"
        assert state_of(asking, (), MIDST) == "untrusted"


def test_bytes_that_are_no_request_are_listed_without_one() -> None:
    asking = judged(Envelope(payload="AAAA", payloadType="x", signatures=()))
    assert asking.request is None
    assert asking.packet is None
    assert asking.reason


def test_a_packet_that_is_not_the_one_is_never_shown() -> None:
    assert judged(request_of(), packet_of(tool="another")).packet is None


def test_a_request_is_open_from_when_it_was_made_until_before_it_expires() -> None:
    request = trusted_of().request
    require_open(request, START)
    require_open(request, OVER - timedelta(microseconds=1))
    assert reason_of(lambda: require_open(request, OVER)) == "approval-expired"
    early = START - timedelta(microseconds=1)
    assert reason_of(lambda: require_open(request, early)) == "approval-not-yet-valid"


def test_only_a_key_that_was_asked_answers() -> None:
    request = trusted_of().request
    require_approver(request, ADA.key_id)
    assert reason_of(lambda: require_approver(request, MALLORY.key_id)) == "approver-unknown"


def test_what_is_typed_is_the_beginning_of_the_digest_whole() -> None:
    digest = digest_to_type([trusted_of().digest])
    assert digest == trusted_of().digest.removeprefix("sha256:")
    require_typed(digest[:8], digest)
    require_typed(f" {digest[:8].upper()} ", digest)
    for typed in ("", digest[:7], digest[:9], "y", "yes", "0" * 8):
        assert reason_of(lambda typed=typed: require_typed(typed, digest)) == "digest-mistyped"


def test_the_digest_of_several_is_that_of_exactly_these_in_any_order() -> None:
    one, two, three = (sha256(bytes([number])) for number in range(3))
    both = digest_to_type([one, two])
    assert digest_to_type([two, one, two]) == both
    assert both not in {one.partition(":")[2], two.partition(":")[2]}
    assert digest_to_type([one, two, three]) != both


def test_an_answer_is_to_the_bytes_that_were_shown_and_ends_with_the_request() -> None:
    given = trusted_of()
    said = answer_of(given, ADA.key_id, granted=True, now=MIDST)
    assert said.request == given.digest
    assert said.shown == given.request.shown
    assert (said.at, said.expires) == (format_time(MIDST), format_time(OVER))
    assert said.answer == "granted"
    assert answer_of(given, ADA.key_id, granted=False, now=MIDST).answer == "denied"


def state(*answers: Envelope, needed: int = 1, late: bool = False) -> str:
    asking = judged(request_of(needed=needed))
    said = said_to(asking, answers, keys())
    return state_of(asking, said, OVER if late else MIDST)


def test_a_request_waits_until_as_many_as_have_to_said_yes() -> None:
    given = trusted_of()
    assert state() == "pending"
    assert state(late=True) == "expired"
    assert state(answer_to(given)) == "granted"
    two = trusted_of(needed=2)
    assert state(answer_to(two), needed=2) == "pending"
    assert state(answer_to(two), answer_to(two), needed=2) == "pending"
    assert state(answer_to(two), answer_to(two, BOB), needed=2) == "granted"
    assert state(answer_to(two), answer_to(two, BOB, granted=False), needed=2) == "denied"


def test_what_is_no_answer_to_it_changes_nothing_in_a_list() -> None:
    given = trusted_of()
    other = trusted_of(id="0" * 32)
    assert state(answer_to(other)) == "pending"
    assert state(answer_to(given, MALLORY)) == "pending"
    assert state(answer_to(given, shown="gw1:" + "0" * 64)) == "pending"
    assert state(answer_to(given, subject="gw1:" + "0" * 64)) == "pending"
    assert state(answer_to(given, expires=format_time(OVER + timedelta(minutes=1)))) == "pending"
    assert state(Envelope(payload="AAAA", payloadType="x", signatures=())) == "pending"


def test_a_yes_by_a_key_that_was_revoked_is_none() -> None:
    asking = judged()
    revoked = keys(ada={"state": "revoked", "compromised_at": format_time(START)})
    assert said_to(asking, [answer_to(trusted_of())], revoked) == ()


def test_a_request_by_a_key_of_another_purpose_is_untrusted() -> None:
    approving = keys()
    (deciding, *others) = approving.keys
    assert deciding.id == AUTHORITY.key_id
    changed = Keyring((type(deciding)(**{**_fields(deciding), "purposes": ("recording",)}), *others), "x")  # fmt: skip
    assert judged(keyring=changed).reason == "wrong-purpose"


def test_a_call_of_the_same_run_with_other_bytes_is_another_question() -> None:
    mine, other = trusted_of(), Call(after=b"something else")
    said = answer_of(mine, ADA.key_id, granted=True, now=MIDST)
    theirs = trusted_of(packet_of(other), asked=other.asked)
    assert said.subject != answer_of(theirs, ADA.key_id, granted=True, now=MIDST).subject


def _fields(key: object) -> dict[str, object]:
    return {name: getattr(key, name) for name in key.__struct_fields__}  # type: ignore[attr-defined]  # a Struct
