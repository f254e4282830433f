"""Whatever sinks make of a notice: a call goes on exactly where none of them failed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.attest.receipts import Permit, open_receipt, seal_receipt
from groundwire.documents.canonical import decode, encode
from groundwire.documents.notice import Notified, is_consistent
from groundwire.errors import HostError
from groundwire.guard.steps import Denied, Noticed
from groundwire.session.guarding.notices.giving import Notices, answer_of
from tests.unit.attest.decisions import ASKED, KEYRING, NOW, RECEIPT
from tests.unit.keys.samples import IDENTITY

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
_SEALED = seal_receipt(msgspec.structs.replace(RECEIPT, decision="warn"), IDENTITY)
_OPENED = open_receipt(_SEALED, ASKED, KEYRING, NOW)
assert isinstance(_OPENED, Permit)
WARNED: Permit = _OPENED


async def _later(answer: object) -> object:
    await asyncio.sleep(0)
    if isinstance(answer, BaseException):
        raise answer
    return answer


GOOD = st.none() | st.text(min_size=1) | st.binary(min_size=1)
BAD = st.sampled_from(
    ["", b"", True, False, 0, 1.5, [], {}, ValueError("x"), KeyboardInterrupt(), SystemExit(1)]
)
ANSWERS = st.lists(st.tuples(GOOD | BAD, st.booleans()), max_size=5)


def _callback(answer: object, *, awaited: bool) -> Any:
    def callback(_: object) -> object:
        if awaited:
            return _later(answer)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return callback


def _is_good(answer: object) -> bool:
    return answer is None or (isinstance(answer, str | bytes) and bool(answer))


@settings(deadline=None, max_examples=150)
@given(answers=ANSWERS, recorded=st.booleans())
def test_a_call_goes_on_exactly_where_no_sink_failed(
    answers: list[tuple[object, bool]], recorded: bool
) -> None:
    kept: list[Notified] = []

    def record(notified: Notified) -> None:
        if not recorded:
            raise HostError("guard-not-recorded", "x")
        kept.append(notified)

    callbacks = [_callback(answer, awaited=awaited) for answer, awaited in answers]
    notified = Notices((), lambda: AT).give(WARNED, callbacks, record)
    good = recorded and all(_is_good(answer) for answer, _ in answers)
    answer = answer_of(notified)
    assert isinstance(answer, Noticed) is good
    assert isinstance(answer, Denied) is not good
    assert (notified.state == "failed") is not good
    assert is_consistent(notified)
    assert decode(encode(notified), Notified) == notified
    assert kept == ([notified] if recorded else [])
    states = ["acknowledged" if given else "sent" for given, _ in answers]
    if good:
        assert [each.state for each in notified.deliveries[1:]] == states
