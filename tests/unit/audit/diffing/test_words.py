"""Lines for a terminal: what is told whole, what in brief, and how long values are cut."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.audit.diffing.words import brief, exchange_lines, lines, place, reached, summary
from groundwire.contracts.changes import GRADES, Change, Where
from tests.unit.audit.diffing.showing import RULE, change, compared


def test_nothing_is_said_of_files_that_did_not_change() -> None:
    assert list(lines([compared(), compared()])) == []


def test_a_change_is_told_with_its_place_its_reach_and_its_exchange() -> None:
    told = list(lines([compared(change(answer={"a": 1}, instead="Keep it."))]))
    assert told == [
        f"breaking: {RULE}",
        "  It is gone.",
        "  at api.json:1:3 (before), api.json/paths/1 (after)",
        "  reaches GET /1",
        "  shown by",
        "    > GET /users",
        "    > X-A: It is gone.",
        "    < 200",
        "    < Content-Type: application/json",
        '    < {"a":1}',
        "  before: no such response was allowed",
        "  after:  It is gone.",
        "  instead: Keep it.",
        "",
        "1 breaking",
    ]


def test_a_schema_is_shown_by_a_value_and_what_is_undecided_by_its_reason() -> None:
    bare = Change(
        rule=RULE, grade="breaking", says="It is.", value={"a": None}, after=Where("s", "")
    )
    told = list(lines([compared(bare)]))
    assert told[2:4] == ["  at s (after)", '  shown by {"a":null}']
    unsure = msgspec.structs.replace(bare, grade="undecided", value=None, reason="out-of-steps")
    assert "  not decided: out-of-steps" in lines([compared(unsure)])


@pytest.mark.parametrize(
    ("count", "whole", "brief_ones", "left"),
    [(3, 3, 0, 0), (4, 4, 0, 0), (5, 3, 2, 0), (20, 3, 10, 7)],
)
def test_of_many_changes_of_one_rule_a_few_are_told_whole(
    count: int, whole: int, brief_ones: int, left: int
) -> None:
    told = list(lines([compared(*(change(number=n) for n in range(1, count + 1)))]))
    assert told.count("  shown by") == whole
    assert sum(line.startswith("  api.json/paths/") for line in told) == brief_ones
    assert (f"  and {left} that are not listed here; --json has them all" in told) == bool(left)
    assert told[-1] == f"{count} breaking"


def test_a_change_told_in_brief_still_says_that_it_was_declared() -> None:
    told = list(lines([compared(*(change(number=n, pardoned="a waiver") for n in range(5)))]))
    assert sum("(declared: a waiver)" in line for line in told) == 5
    assert told[-1] == "5 declared"


def test_one_line_leads_to_the_old_file_where_only_that_has_it() -> None:
    gone = [
        msgspec.structs.replace(
            change(), before=Where("old", f"/paths/{n}", n, 1), after=Where("new", "/paths", 9, 9)
        )
        for n in range(1, 7)
    ]
    assert "  old:5:1: It is gone." in lines([compared(*gone)])


def test_what_harms_nobody_is_told_on_demand_only() -> None:
    found = [compared(change(grade="noted"))]
    assert list(lines(found)) == ["1 noted"]
    assert next(lines(found, noted=True)) == f"noted: {RULE}"


def test_counts_are_of_each_grade_and_of_files_not_read() -> None:
    changes = [change(grade=grade) for grade in GRADES]
    unread = compared(unreadable="why", reason="not-json")
    assert summary([compared(*changes), unread]) == (
        "1 breaking, 1 exposure, 1 undecided, 1 risky, 1 noted, 1 file not read"
    )
    assert summary([unread, unread]) == "2 files not read"
    assert summary([compared()]) == "no change that a user could notice"
    assert list(lines([unread]))[:2] == ["api.json: not compared (not-json)", "  why"]


def test_long_values_are_cut_and_say_how_long_they_are() -> None:
    assert brief("a" * 60) == f'"{"a" * 60}"'
    assert brief("a" * 61) == f'"{"a" * 30}… (61 characters)"'
    assert brief([1, 2, 3]) == "[1,2,3]"
    assert brief({"a": [1, 2, 3, 4]}) == '{"a":[1,2,"… and 2 more"]}'
    assert brief([["a" * 99]]) == f'[["{"a" * 30}… (99 characters)"]]'
    assert len(brief({f"member{n}": n for n in range(999)})) == 1000


def test_long_targets_and_headers_are_cut() -> None:
    long = change("x" * 400)
    assert long.witness is not None
    shown = list(exchange_lines(long.witness))
    assert shown[1] == f"> X-A: {'x' * 150}… (400 characters)"


def test_places_and_operations_are_told_shortly() -> None:
    assert place(None) == "nowhere"
    assert place(Where("a", "/b")) == "a/b"
    assert reached([str(n) for n in range(5)]) == "0, 1, 2, 3, 4"
    assert reached([str(n) for n in range(7)]) == "0, 1, 2, 3, 4 and 2 more"
