"""The words of a statement, as its database tells them apart."""

from __future__ import annotations

import pytest

from groundwire.contracts.sql.lexing import (
    MOST_CHARACTERS,
    MOST_TOKENS,
    Unlexed,
    folded_name,
    plain_text,
    segments,
    tokens_of,
)
from groundwire.documents.sql import Dialect


def words(text: str, dialect: Dialect = "postgresql") -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens_of(text, dialect)]


def plain(text: str, dialect: Dialect = "postgresql") -> str:
    return plain_text(tokens_of(text, dialect), dialect)


@pytest.mark.parametrize(
    ("text", "dialect", "told"),
    [
        ("'it''s'", "postgresql", [("string", "it's")]),
        (r"'a\'", "postgresql", [("string", "a\\")]),
        (r"E'a\'b'", "postgresql", [("string", r"a\'b")]),
        (r"E'a''b'", "postgresql", [("string", "a'b")]),
        ("x'1f'", "sqlite", [("string", "1f")]),
        ("E'a'", "sqlite", [("word", "E"), ("string", "a")]),
        ("$a$ ' $$ $a$", "postgresql", [("string", " ' $$ ")]),
        ("a$b$", "postgresql", [("word", "a$b$")]),
        ("$1", "postgresql", [("parameter", "$1")]),
        ("a %s", "postgresql", [("word", "a"), ("mark", "%"), ("word", "s")]),
        ("a %s (1)", "postgresql", [("word", "a"), ("mark", "%"), ("word", "s"), ("mark", "("), ("number", "1"), ("mark", ")")]),
        ("?1 :a @b $c", "sqlite", [("parameter", "?1"), ("parameter", ":a"), ("parameter", "@b"), ("parameter", "$c")]),
        ("a?", "postgresql", [("word", "a"), ("mark", "?")]),
        ('"a""b"', "sqlite", [("name", 'a"b')]),
        ("[a b]", "sqlite", [("name", "a b")]),
        ("[1]", "postgresql", [("mark", "["), ("number", "1"), ("mark", "]")]),
        ("`a``b`", "sqlite", [("name", "a`b")]),
        ("1.5e-3", "postgresql", [("number", "1.5e-3")]),
        ("1or", "sqlite", [("number", "1"), ("word", "or")]),
        ("ä", "postgresql", [("word", "ä")]),
        ("a\u00a0b", "postgresql", [("word", "a\u00a0b")]),
    ],
)  # fmt: skip
def test_a_word_is_what_its_database_takes_it_for(
    text: str, dialect: Dialect, told: list[tuple[str, str]]
) -> None:
    assert words(text, dialect) == told


@pytest.mark.parametrize(
    ("text", "dialect", "told"),
    [
        ("1 -- x\r2", "postgresql", ["1", "2"]),
        ("1 -- x\r2", "sqlite", ["1"]),
        ("1 -- x\n2", "sqlite", ["1", "2"]),
        ("1 /* /* */ 2 */ 3", "postgresql", ["1", "3"]),
        ("1 /* /* */ 2", "sqlite", ["1", "2"]),
        ("1 /*/ 2 /*/ 3", "sqlite", ["1", "3"]),
        ("1/**/2", "postgresql", ["1", "2"]),
        ("1 --", "postgresql", ["1"]),
        ("1 +/* x */ 2", "postgresql", ["1", "+", "2"]),
    ],
)
def test_a_comment_ends_where_its_database_ends_it(
    text: str, dialect: Dialect, told: list[str]
) -> None:
    assert [text for _, text in words(text, dialect)] == told


@pytest.mark.parametrize(
    ("text", "dialect", "reason"),
    [
        ("'a", "postgresql", "sql-unclosed"),
        (r"E'a\'", "postgresql", "sql-unclosed"),
        ("$a$ $b$", "postgresql", "sql-unclosed"),
        ("/* /* */", "postgresql", "sql-unclosed"),
        ("[a", "sqlite", "sql-unclosed"),
        ("E'a' 'b'", "postgresql", "sql-spelling"),
        ("E'a' -- x\n 'b'", "postgresql", "sql-spelling"),
        ("U&'a'", "postgresql", "sql-spelling"),
        ('u&"a"', "postgresql", "sql-spelling"),
        (":a(b)", "sqlite", "sql-spelling"),
        ("$a::b", "sqlite", "sql-spelling"),
        ("1\0", "sqlite", "sql-character"),
        ("1\v2", "postgresql", "sql-character"),
        ("{# #}", "postgresql", "sql-character"),
        ("a\\g", "postgresql", "sql-character"),
        ("`a`", "postgresql", "sql-character"),
        ("x" * (MOST_CHARACTERS + 1), "sqlite", "sql-too-long"),
        ("1," * MOST_TOKENS, "sqlite", "sql-too-long"),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_read(
    text: str, dialect: Dialect, reason: str
) -> None:
    with pytest.raises(Unlexed) as error:
        tokens_of(text, dialect)
    assert error.value.reason == reason


def test_the_longest_text_is_read() -> None:
    assert len(tokens_of("x" * MOST_CHARACTERS, "sqlite")) == 1
    assert len(tokens_of("1," * (MOST_TOKENS // 2), "sqlite")) == MOST_TOKENS


def test_a_plain_text_has_no_comment_no_string_and_one_kind_of_quote() -> None:
    assert plain("SELECT/*x*/'a;'||E'b' -- c\n FROM \"T\"\"x\"") == (
        "SELECT 'gw0string' || 'gw0string' FROM \"T\"\"x\""
    )
    assert plain("SELECT [a b], `c`", "sqlite") == 'SELECT "a b" , "c"'


def test_a_word_that_a_parser_could_take_apart_is_quoted_as_it_folds() -> None:
    assert plain("SELECT a$B, Äb") == 'SELECT "a$b" , "Äb"'


def test_marks_that_touch_stay_one_operator_and_those_apart_do_not_become_a_comment() -> None:
    assert plain("a->>'b'") == "a ->> 'gw0string'"
    assert plain("1 - -1") == "1 - - 1"
    assert plain("1 -/**/- 1") == "1 - - 1"
    assert plain("1 / * 1") == "1 / * 1"


def test_a_parameter_is_spelled_as_the_library_reads_it() -> None:
    assert plain("a = $1 AND b = $30") == "a = $1 AND b = $1"
    assert plain("a = ?2 AND b = :c", "sqlite") == "a = ? AND b = ?"


def test_statements_stand_between_semicolons_and_empty_ones_are_none() -> None:
    found = segments(tokens_of(";; SELECT 1 ; /* ; */ SELECT ';' ;", "postgresql"))
    assert [len(each) for each in found] == [2, 2]


@pytest.mark.parametrize(
    ("text", "dialect", "name"),
    [
        ("Orders", "postgresql", "orders"),
        ('"Orders"', "postgresql", "Orders"),
        ("Orders", "sqlite", "orders"),
        ('"Orders"', "sqlite", "orders"),
        ("ÄB", "postgresql", "Äb"),
    ],
)
def test_a_name_is_folded_as_its_database_folds_it(text: str, dialect: Dialect, name: str) -> None:
    (token,) = tokens_of(text, dialect)
    assert folded_name(token, dialect) == name
