from __future__ import annotations

import pytest

from groundwire.documents.canonical import decode, encode
from groundwire.documents.outcome import Outcome, Passed, Refused
from groundwire.errors import EncodingError

REFUSED = Refused(call="gw1:" + "0" * 64, reason="receipt-expired", rules=("a",))


def test_a_document_is_read_from_its_one_spelling() -> None:
    passed = Passed(because="", call="gw1:" + "0" * 64, error="", reason="observe", would="deny")
    for outcome in (REFUSED, passed):
        assert decode(encode(outcome), Outcome) == outcome


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"rules"', b' "rules"', "not-canonical"),
        (b'"rules":["a"]', b'"rules":["a"],"rules":["a"]', "not-canonical"),
        (b'"rules":["a"]', b'"rules":["a"],"why":1', "bad-document"),
        (b',"rules":["a"]', b"", "bad-document"),
        (b'"refused"', b'"executed"', "bad-document"),
        (b'"refused"', b'"allowed"', "bad-document"),
        (b'"a"', b'"\xff"', "bad-document"),
        (b'["a"]', b"[" * 3000, "bad-document"),
    ],
)
def test_any_other_spelling_is_refused(old: bytes, new: bytes, reason: str) -> None:
    data = encode(REFUSED)
    assert old in data
    with pytest.raises(EncodingError) as refused:
        decode(data.replace(old, new), Outcome)
    assert refused.value.reason == reason


def test_what_is_no_document_is_not_decoded_as_one() -> None:
    with pytest.raises(EncodingError) as refused:
        decode(b"1", int)
    assert refused.value.reason == "not-canonical"
