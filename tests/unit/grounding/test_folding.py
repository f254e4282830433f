from __future__ import annotations

import re
import sys

import pytest

from groundwire.grounding.folding import fold, lowers_alike, readings, unescape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("North-Gate  12", "north-gate 12"),
        ("  db-7\n", "DB-7"),
        ("Straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),
        ("rack\u20114", "rack-4"),
        ("O\u2019Neil", "O'Neil"),
        ("\u201cblue\u201d", '"blue"'),
        ("vol\u00adume\u200b", "volume"),
        ("a\u00a0b\tc", "a b c"),
        ("\u0149", "'n"),
    ],
)
def test_two_spellings_of_one_text_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("db-7", "db7"), ("db_7", "db-7"), ("7", "07")])
def test_two_different_values_do_not_fold_alike(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_json_in_json_is_read_to_its_value() -> None:
    text = r'{"inner":"{\"path\":\"D:\\\\vault\\\\x\"}"}'
    assert any(r"d:\vault\x" in reading for reading in readings(text))


def test_the_text_as_it_stands_is_always_one_of_the_readings() -> None:
    assert readings(r"D:\new\table")[0] == r"d:\new\table"


def test_escapes_of_json_and_of_other_programs_are_read() -> None:
    assert unescape(r"a\u00e9\n\"b\" \/ \ud83d\ude80 \xe9 \'c\'") == "aé\n\"b\" / 🚀 é 'c'"


def test_a_lone_surrogate_and_an_unknown_escape_stay_as_they_are() -> None:
    assert unescape(r"\ud83d \q \u12") == r"\ud83d \q \u12"


def test_doubled_quotes_of_yaml_are_read_as_one() -> None:
    assert "it's here" in readings("'it''s here'")[1]


def test_entities_of_html_and_backslashes_of_markdown_are_read() -> None:
    assert unescape("AT&amp;T &#39;x&#39; &quot;&#x41;&quot; &copy &unknown;") == (
        "AT&T 'x' \"A\" &copy &unknown;"
    )
    assert unescape(r"job\_name\-7 \[x\]") == "job_name-7 [x]"
    assert readings("&amp;lt;b&amp;gt;")[-1] == "<b>"


def test_plain_text_has_one_reading() -> None:
    assert readings("nothing to read twice") == ("nothing to read twice",)


def test_every_letter_that_counts_as_another_case_of_an_ascii_letter_is_known() -> None:
    letter = re.compile("[a-z]", re.I)
    odd = [chr(code) for code in range(128, sys.maxunicode + 1) if letter.fullmatch(chr(code))]
    assert odd
    assert not any(map(lowers_alike, odd))
    assert lowers_alike("Caf\u00e9 \u2014 \u65e5\u672c")
