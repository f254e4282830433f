from __future__ import annotations

from collections.abc import Callable

import pytest

from groundwire.audit.approving.carrying import (
    CarriedAnswer,
    CarriedAnswers,
    CarriedRequest,
    CarriedRequests,
    answers_in,
    as_file,
    requests_in,
)
from groundwire.errors import EncodingError
from tests.askings import ADA, ID, answer_to, packet_of, request_of, trusted_of

REQUEST = CarriedRequest(id=ID, packet=packet_of(), request=request_of())
ANSWER = CarriedAnswer(approver=ADA.key_id, id=ID, kind="answer", said=answer_to(trusted_of()))


def test_what_was_written_is_read_again() -> None:
    assert requests_in(as_file(CarriedRequests(requests=(REQUEST,))), "f") == (REQUEST,)
    assert answers_in(as_file(CarriedAnswers(answers=(ANSWER,))), "f") == (ANSWER,)


@pytest.mark.parametrize("read", [requests_in, answers_in])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"{}",
        b"[" * 100_000,
        as_file(CarriedAnswers(answers=(ANSWER,))).replace(b'"answers"', b' "answers"'),
        as_file(CarriedRequests(requests=(REQUEST,))).replace(b"requests/1", b"requests/2"),
        as_file(CarriedAnswers(answers=(ANSWER,))).replace(b'"kind":"answer"', b'"kind":"order"'),
    ],
)
def test_anything_else_is_no_such_file(read: Callable[[bytes, str], object], data: bytes) -> None:
    with pytest.raises(EncodingError) as caught:
        read(data, "the file")
    assert caught.value.reason == "not-carried"


def test_the_two_kinds_of_file_are_not_taken_for_each_other() -> None:
    with pytest.raises(EncodingError):
        answers_in(as_file(CarriedRequests(requests=(REQUEST,))), "f")
    with pytest.raises(EncodingError):
        requests_in(as_file(CarriedAnswers(answers=(ANSWER,))), "f")
