from __future__ import annotations

import pytest

from groundwire.grounding.spellings.plain import plain


@pytest.mark.parametrize(
    ("value", "spelling", "method"),
    [
        ("#w4711", "w4711", "sigil"),
        ("@ivy", "ivy", "sigil"),
        ("$120.50", "120.50", "sigil"),
        ('"blue lamp"', "blue lamp", "quotes"),
        ("https://www.shop.example/", "www.shop.example/", "scheme"),
        ("www.shop.example/", "www.shop.example", "trailing-slash"),
        ("shop.example", "www.shop.example", "www"),
        ("www.shop.example", "shop.example", "www"),
        ("blue lamp.", "blue lamp", "trailing-stop"),
        ("1234567", "1,234,567", "thousands"),
    ],
)
def test_a_value_has_this_other_spelling(value: str, spelling: str, method: str) -> None:
    assert (spelling, method) in list(plain(value))


def test_the_value_itself_comes_first() -> None:
    assert next(plain("#w4711")) == ("#w4711", "exact")


def test_spellings_combine() -> None:
    assert "shop.example/a" in dict(plain("https://www.shop.example/a/"))


@pytest.mark.parametrize("value", ["card_7334", "bkp-4711-delta", "db-7", "v1.2.3", "0012"])
def test_an_identifier_is_spelled_in_one_way_only(value: str) -> None:
    assert dict(plain(value)) == {value: "exact"}


@pytest.mark.parametrize("value", ["#", "##", '""', "...", "://", "$/", "@@@@"])
def test_signs_alone_give_no_empty_spelling(value: str) -> None:
    assert "" not in dict(plain(value))
