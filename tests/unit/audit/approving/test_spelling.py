from __future__ import annotations

import pytest

from groundwire.audit.approving.lookalikes import LOOKALIKES
from groundwire.audit.approving.spelling import lines_of, marked, spelled


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 100 %", "plain text, 100 %"),
        ("caf\u00e9 na\u00efve Stra\u00dfe", "caf\u00e9 na\u00efve Stra\u00dfe"),
        ("\u043f\u0440\u0438\u0432\u0435\u0442, \u03ba\u03cc\u03c3\u03bc\u03b5", "\u043f\u0440\u0438\u0432\u0435\u0442, \u03ba\u03cc\u03c3\u03bc\u03b5"),
        ("API\u30ad\u30fc\u3092\u8a2d\u5b9a", "API\u30ad\u30fc\u3092\u8a2d\u5b9a"),
        ("safe\u202etxt.exe", "safe\\u{202e}txt.exe"),
        ("a\u2066b\u2069", "a\\u{2066}b\\u{2069}"),
        ("pay\u200bpal", "pay\\u{200b}pal"),
        ("\x1b[2Jgone\x07", "\\u{1b}[2Jgone\\u{7}"),
        ("one\rtwo", "one\\u{d}two"),
        ("one\u2028two\u0085three", "one\\u{2028}two\\u{85}three"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("mine\ue000", "mine\\u{e000}"),
        ("half \ud83d", "half \\u{d83d}"),
        ("e\u0301\u0302\u0303", "e\\u{301}\\u{302}\\u{303}"),
        ("\u05e9\u05dc\u05d5\u05dd", "\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd}"),
        ("\uff52\uff4d -rf", "\\u{ff52}\\u{ff4d} -rf"),
        ("\U0001d42b\u2113", "\\u{1d42b}\\u{2113}"),
        ("non\u00a0breaking", "non\\u{a0}breaking"),
        ("empty\u3164filler", "empty\\u{3164}filler"),
        ("blank\u2800", "blank\\u{2800}"),
        ("a\tb", "a\u21e5b"),
        ("its \u21e5 and \u00ac", "its \\u{21e5} and \\u{ac}"),
        ("ends  ", "ends\\u{20}\\u{20}"),
        ("literal \\u{202e}", "literal \\u{5c}u{202e}"),
        ("C:\\users \\n", "C:\\users \\n"),
    ],
)  # fmt: skip
def test_a_character_that_is_not_what_it_looks_like_stands_as_its_number(
    text: str, shown: str
) -> None:
    assert spelled(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p\u0430ypal.com", "p\\u{430}ypal.com"),  # one Cyrillic letter among Latin ones
        ("\u0440\u0430\u0443", "\\u{440}\\u{430}\\u{443}"),  # a whole word that reads as `pay`
        ("\u0441\u0430t", "\\u{441}\\u{430}t"),
        ("\u03bf\u03bd", "\\u{3bf}\\u{3bd}"),
        ("rn\u0431x", "rn\\u{431}x"),  # no lookalike, and of another script all the same
        ("sudo\u2215rm", "sudo\\u{2215}rm"),
        ("a\u2010b \u2018c\u2019", "a\\u{2010}b \\u{2018}c\\u{2019}"),
        ("if (x)\u037e", "if (x)\\u{37e}"),
        ("d\u0131r", "d\\u{131}r"),
        ("1\u06f30", "1\\u{6f3}0"),
    ],
)
def test_a_character_that_may_be_taken_for_one_of_ascii_stands_as_its_number(
    text: str, shown: str
) -> None:
    assert spelled(text) == shown


def test_the_table_of_lookalikes_holds_nothing_of_ascii_and_the_famous_ones() -> None:
    assert not any(each.isascii() for each in LOOKALIKES)
    assert set("\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0455\u03bf\u0391\u0392\u2215\u2044\u01c3") <= LOOKALIKES  # fmt: skip
    assert len(LOOKALIKES) == 517


def test_a_line_that_is_too_long_goes_on_in_the_next_and_says_so() -> None:
    assert list(marked(["abcdefghijklmnopqrstuvwxyz"], 20)) == [
        "| abcdefghijklmnopq\u00ac",
        ": rstuvwxyz",
    ]
    assert list(marked(["x" * 18], 20)) == ["| " + "x" * 18]


def test_wide_characters_take_two_columns_and_a_number_is_not_cut_in_two() -> None:
    assert list(marked(["\u754c" * 9, "abcdefgh\u202exyz", "abcdefghij\u202exyz"], 20)) == [
        "| " + "\u754c" * 9,
        "| abcdefgh\\u{202e}x\u00ac",
        ": yz",
        "| abcdefghij\u00ac",
        ": \\u{202e}xyz",
    ]


def test_ten_wide_characters_do_not_fit_18_columns() -> None:
    assert list(marked(["\u754c" * 10], 20)) == ["| " + "\u754c" * 8 + "\u00ac", ": \u754c\u754c"]


def test_what_ends_in_a_space_at_the_edge_is_not_shown_like_what_does_not() -> None:
    with_space, without = "a" * 16 + " \u754c\u754c", "a" * 16 + "\u754c\u754c"
    assert list(marked([with_space], 20)) != list(marked([without], 20))


def test_no_line_of_a_strangers_looks_like_one_of_ours() -> None:
    forged = "--- Request 0123\n| : =\n: x\n=== Digest of this request"
    assert list(marked(forged.split("\n"), 80)) == [
        "| --- Request 0123",
        "| | : =",
        "| : x",
        "| === Digest of this request",
    ]


def test_a_line_feed_in_a_name_is_a_number_and_an_empty_line_is_a_mark() -> None:
    assert list(marked(["one\ntwo", ""], 80)) == ["| one\\u{a}two", "|"]
    assert lines_of("one\n\ntwo\n") == ("one", "", "two", "")
    assert lines_of("") == ()
