from __future__ import annotations

import pytest

from groundwire.checks.write.results.column_types import is_date
from groundwire.documents.declaration import Column
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, result

TYPE, MISSING = "column-type-mismatch", "missing-column"
USER = message("user", "Which disks are full?")
COLUMNS = (
    Column(name="used", type="number"),
    Column(name="id", type="string"),
    Column(name="since", type="date", nullable=True),
)


def told(text: str, *columns: Column, **more: object) -> Story:
    story = Story()
    tool = ToolDeclaration(name="disks", columns=columns or COLUMNS, **more)  # type: ignore[arg-type]  # shorthand
    story.declare(tool)
    story.request(frame(USER, message("assistant", call("disks")), result(text)))
    return story


@pytest.mark.parametrize(
    ("rows", "path", "grade"),
    [
        ('[{"used":"412","id":"d1","since":null}]', "/used", "string"),
        ('[{"used":true,"id":"d1","since":null}]', "/used", "boolean"),
        (
            '[{"used":null,"id":"d1","since":null},{"used":1,"id":"d2","since":null}]',
            "/used",
            "null",
        ),
        ('[{"used":1,"id":"d1","since":null},{"id":"d2","since":null}]', "/used", "missing"),
        ('[{"used":1,"id":7,"since":null}]', "/id", "number"),
        ('[{"used":1,"id":"d1","since":1790000000}]', "/since", "number"),
        ('[{"used":1,"id":"d1","since":"soon"}]', "/since", "string"),
        ('[{"used":1,"id":["d1"],"since":null}]', "/id", "array"),
        ('[{"used":1,"id":{"a":1},"since":null}]', "/id", "object"),
    ],
)
def test_another_type_than_declared_is_a_defect(rows: str, path: str, grade: str) -> None:
    story = told(rows)
    (finding,) = story.filed(TYPE)
    assert (finding.seam, finding.path, finding.grade, finding.advisory) == (
        "write",
        path,
        grade,
        False,
    )
    assert story.filed(MISSING) == []
    assert story.row(MISSING)["passed"] == 1


def test_a_column_that_no_row_has_is_missing_and_never_a_mismatch_too() -> None:
    story = told('[{"used":1,"id":"d1"},{"used":2,"id":"d2"}]')
    (finding,) = story.filed(MISSING)
    assert (finding.path, finding.grade) == ("/since", "missing")
    assert story.filed(TYPE) == []
    story = told('[{"id":"d1"}]', *COLUMNS[:2])
    assert [finding.path for finding in story.filed(MISSING)] == ["/used"]
    assert story.filed(TYPE) == []


@pytest.mark.parametrize(
    "rows",
    [
        '[{"used":0.0,"id":"","since":"2031-05-02T10:00:00Z","more":[]}]',
        '[{"used":1,"id":"d1","since":null},{"used":2,"id":"d2"}]',
    ],
)
def test_rows_as_declared_pass_whatever_they_mean(rows: str) -> None:
    story = told(rows)
    assert story.row(TYPE) == {"passed": 1}
    assert story.row(MISSING) == {"passed": 1}


@pytest.mark.parametrize(
    "text", ["[]", '{"rows":[{"used":""}]}', "[1,2]", "prose", '[{"used":1},2]']
)
def test_rows_that_cannot_be_seen_are_not_guessed(text: str) -> None:
    for kind in (TYPE, MISSING):
        assert told(text).row(kind)["reasons"] == {"unreadable-rows": 1}


def test_rows_at_a_declared_path_are_seen() -> None:
    assert (
        len(
            told('{"d":{"rows":[{"used":"x","id":"a","since":null}]}}', rows_at="$.d.rows").filed(
                TYPE
            )
        )
        == 1
    )
    assert (
        len(told('{"d":[{"used":"x","id":"a","since":null}]}', rows_at="$.d[*]").filed(TYPE)) == 1
    )


def test_what_was_withheld_is_not_judged() -> None:
    story = told('[{"used":"⟦withheld bearer 0123456789ab⟧","id":"d","since":null}]')
    assert story.row(TYPE)["reasons"] == {"withheld": 1}


def test_an_error_has_no_rows() -> None:
    assert told("Error: no").row(TYPE)["reasons"] == {"error": 1}


def test_the_checks_can_be_switched_off() -> None:
    story = Story()
    story.declare(ToolDeclaration(name="disks", columns=COLUMNS), checks={"columns": "off"})
    story.request(frame(USER, message("assistant", call("disks")), result('[{"used":"x"}]')))
    assert story.row(TYPE)["reasons"] == {"switched-off": 1}


@pytest.mark.parametrize(
    "text",
    ["2031-05-02", "2031-05-02T10:00:00Z", "2031-05-02 10:00", "2031-05-02T10:00:00.25+02:00",
     "Fri, 02 May 2031 10:00:00 +0000"],
)  # fmt: skip
def test_the_spellings_of_a_date(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize(
    "text", ["", "soon", "1790000000", "2031-13-02", "2031-05-40", "2031", "10:00"]
)
def test_what_is_no_date(text: str) -> None:
    assert not is_date(text)
