from __future__ import annotations

from typing import get_args

from groundwire.errors import EncodingError, TrustError
from groundwire.verify.words import TABLE, Broken, Code, located


def test_every_code_has_a_meaning_and_a_next_step() -> None:
    assert set(TABLE) == set(get_args(Code))
    for word in TABLE.values():
        assert word.means.endswith(".")
        assert word.do.endswith(".")
    assert {code for code, word in TABLE.items() if word.state == "holds"} == {"holds"}
    assert {code for code, word in TABLE.items() if word.state == "undecided"} == {
        "no-entries", "nothing-signed", "signer-unknown", "format-unknown", "not-understood",
        "note-malformed", "not-in-mirror", "not-a-recording", "too-costly", "authority-unknown",
        "receipt-expired",
    }  # fmt: skip


def test_an_error_gets_the_line_at_hand_and_keeps_a_line_it_has() -> None:
    assert located(Broken("chain-broken", "x"), 7).line == 7
    assert located(Broken("chain-broken", "x", 3), 7).line == 3
    assert located(Broken("rolled-back", "x", 0), 7).line == 0


def test_a_reason_of_a_room_below_keeps_its_name_and_a_strange_one_is_never_good() -> None:
    assert located(TrustError("bad-signature", "x"), 7).code == "bad-signature"
    assert located(EncodingError("line-not-canonical", "x"), 7).code == "line-not-canonical"
    assert located(EncodingError("something-new", "x"), 7).code == "line-malformed"
    assert located(EncodingError("holds", "x"), 7).code != "holds"
