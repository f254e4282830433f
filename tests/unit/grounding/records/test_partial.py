"""Partial results: cut by the host, a prefix, fewer rows than the total, a next page, content only."""

from __future__ import annotations

import pytest

from groundwire.documents.event import Executed
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.records.partial import partial_reason, row_count

WHOLE = '{"total":3,"rows":[{"id":1},{"id":2},{"id":3}]}'
DECLARED = ToolDeclaration(name="t", rows_at="$.rows", total_at="$.total", next_at="$.next")


def ran(result: str, structured: str | None = None) -> Executed:
    return Executed(
        step=0,
        at="",
        execution=0,
        call_id="c1",
        link="id",
        exchange=0,
        lane=0,
        name="t",
        arguments="{}",
        result=result,
        structured=structured,
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (WHOLE[:30] + "\n[output cut at 30 characters]", "cut"),
        ("a,b\n1,2\n... (truncated)", "cut"),
        ("line\n[120 more lines omitted]", "cut"),
        ('{"total":3,"rows":[{"id":1},{"id":2}', "cut"),
        ('{"total":3,"rows":[{"id":1}]}', "total"),
        ('{"total":1,"rows":[{"id":1}],"next":"p2"}', "next-page"),
    ],
)
def test_a_part_is_told_with_its_reason(text: str, reason: str) -> None:
    found = partial_reason(text, None, DECLARED)
    assert found is not None
    assert found.reason == reason


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "The rope was cut.",
        '{"total":1,"rows":[{"id":1}],"next":null}',
        "Everything was truncated to two places, as asked. All is well.",
        "[1, 2, 3]",
    ],
)
def test_a_whole_is_no_part(text: str) -> None:
    assert partial_reason(text, None, DECLARED) is None


def test_what_the_tool_returned_shows_a_prefix() -> None:
    found = partial_reason("first lines\nof", ran("first lines\nof many"))
    assert found is not None
    assert (found.reason, found.whole) == ("prefix", "first lines\nof many")


def test_content_without_its_structured_content_is_a_part() -> None:
    found = partial_reason("12 rows", ran("12 rows", structured='{"rows": []}'))
    assert found is not None
    assert found.reason == "content-only"
    assert partial_reason('{"rows":[]}', ran('{"rows":[]}', structured='{"rows": []}')) is None


def test_rows_shown_and_rows_there_are_told() -> None:
    found = partial_reason(WHOLE[:33] + "[cut]", ran(WHOLE), DECLARED)
    assert found is not None
    assert found.total == 3
    assert row_count(WHOLE, "$.rows") == 3
    assert row_count("no rows") == -1
