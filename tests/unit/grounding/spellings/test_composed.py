from __future__ import annotations

import pytest

from groundwire.grounding.spellings.composed import (
    elements,
    identifiers,
    is_phrase,
    is_short_phrase,
    path_names,
)


def test_a_list_has_elements() -> None:
    assert elements("db-7, db-8;db-9") == ("db-7", "db-8", "db-9")
    assert elements('["db-7","db-8"]') == ("db-7", "db-8")


@pytest.mark.parametrize("value", ["db-7", "db-7,", ",", "", "db 7"])
def test_one_value_is_no_list(value: str) -> None:
    assert elements(value) == ()


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("/srv/app/log.txt", ("srv", "app", "log.txt")),
        ("./notes/today.md", ("notes", "today.md")),
        ("~/notes", ("notes",)),
        ("../a/b", ("a", "b")),
        ("notes/today.md", ("notes", "today.md")),
        ("today.md", ("today.md",)),
        (r"d:\vault\key.pem", ("d:", "vault", "key.pem")),
    ],
)
def test_a_path_has_names(value: str, names: tuple[str, ...]) -> None:
    assert path_names(value) == names


@pytest.mark.parametrize(
    "value",
    [
        "fc1/3",
        "and/or",
        "https://h.example/a.html",
        "10.2.0.7",
        "v1.2",
        "db-7",
        "2/5/2031",
        "a b/c.txt",
    ],
)
def test_what_is_not_plainly_a_path_has_no_names(value: str) -> None:
    assert path_names(value) == ()


def test_words_make_a_phrase() -> None:
    assert is_phrase("blue lamp")
    assert not is_phrase("db-7")


@pytest.mark.parametrize(
    ("value", "short"),
    [("ivy stone", True), ("12 main street", True), ("a b c d", False), ("12 + 30", False)],
)
def test_a_short_phrase_has_up_to_three_words_with_letters(value: str, *, short: bool) -> None:
    assert is_short_phrase(value) is short


def test_identifiers_in_a_phrase_are_letters_with_digits_and_mail_addresses() -> None:
    text = "refund w4711 to ivy@example.com, see gift_card_7334 and `bkp-0917`."
    assert identifiers(text) == ("w4711", "ivy@example.com", "gift_card_7334", "bkp-0917")


@pytest.mark.parametrize(
    "text",
    [
        "8gb ram and 16gb, 2000ms, 100mm",
        "the 21st and 22nd",
        "a 72-hour window, 100%",
        "q3 of 2031, 1980s",
        "12:30 on 2031-05-02",
        "1,234.50 + 20",
        "step-1 of v2",
        "1920x1080",
        "well-known words_with_joiners",
    ],
)
def test_counts_dates_and_words_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == ()
