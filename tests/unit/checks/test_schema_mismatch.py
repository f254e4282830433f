from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.documents.frame import ToolSpec
from tests.stories import Story, call, frame, message, response

KIND = "schema-mismatch"
USER = message("user", "Move the pump to hall B.")
SCHEMA = (
    '{"type":"object","properties":{"pump":{"type":"string","pattern":"^p-[0-9]+$"},'
    '"hall":{"enum":["A","B"]},"speed":{"type":"integer","maximum":9}},'
    '"required":["pump","hall"],"additionalProperties":false}'
)
MOVE = ToolSpec(name="move", schema=SCHEMA)


def told(arguments: str, *, tool: ToolSpec = MOVE, name: str = "move", wire: bool = True) -> Story:
    story = Story()
    story.request(frame(USER, tools=(tool,)), wire=wire)
    story.respond(response(call(name, arguments)))
    return story


@pytest.mark.parametrize(
    ("arguments", "path", "grade"),
    [
        ('{"pump":7,"hall":"B"}', "/pump", "type"),
        ('{"pump":"p-1","hall":"C"}', "/hall", "enum"),
        ('{"pump":"p-1"}', "", "required"),
        ('{"pump":"p-1","hall":"B","why":"x"}', "", "additionalProperties"),
        ('{"pump":"p-1","hall":"B","speed":12}', "/speed", "maximum"),
        ('{"pump":"one","hall":"B"}', "/pump", "pattern"),
        ("{'pump':'p-1'}", "", "json"),
        ('{"pump":"p-1","hall":"B","speed":NaN}', "", "json"),
    ],
)
def test_arguments_that_do_not_fit_are_a_defect(arguments: str, path: str, grade: str) -> None:
    (finding,) = told(arguments).filed(KIND)
    assert (finding.seam, finding.path, finding.grade, finding.advisory) == (
        "choice",
        path,
        grade,
        False,
    )


def test_a_tool_that_was_not_offered_is_a_defect_on_the_wire() -> None:
    (finding,) = told("{}", name="remove").filed(KIND)
    assert finding.grade == "not-offered"
    story = told("{}", name="remove", wire=False)
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"no-schema-served": 1}


@pytest.mark.parametrize(
    "arguments",
    ['{"pump":"p-1","hall":"B"}', '{"hall":"A","pump":"p-22","speed":3.0}'],
)
def test_arguments_that_fit_are_silent(arguments: str) -> None:
    story = told(arguments)
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"passed": 1}


@pytest.mark.parametrize(
    "schema",
    [
        "no schema",
        '"text"',
        '{"type":"strange"}',
        '{"$ref":"https://schemas.invalid/pump.json"}',
        '{"$ref":"file:///etc/hostname"}',
        '{"properties":{"pump":{"pattern":"(?=a)b"}}}',
    ],
)
def test_a_schema_that_cannot_be_held_against_anything_accuses_nobody(schema: str) -> None:
    story = told('{"pump":7}', tool=ToolSpec(name="move", schema=schema))
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"unreadable-schema": 1}


def test_a_schema_in_another_document_is_not_fetched(tmp_path: Path) -> None:
    other = tmp_path / "pump.json"
    other.write_text('{"type":"object"}')
    story = told('{"pump":7}', tool=ToolSpec(name="move", schema=f'{{"$ref":"{other.as_uri()}"}}'))
    assert story.row(KIND)["reasons"] == {"unreadable-schema": 1}


def test_no_schema_is_nothing_to_compare_with() -> None:
    story = told('{"pump":7}', tool=ToolSpec(name="move", schema=""))
    assert story.row(KIND)["reasons"] == {"no-schema-served": 1}


def test_arguments_that_break_off_are_another_finding() -> None:
    assert told('{"pump":"p-').row(KIND)["reasons"] == {"unfinished-call": 1}


def test_what_was_withheld_is_not_judged() -> None:
    story = told('{"pump":"⟦withheld bearer 0123456789ab⟧","hall":"B"}')
    assert story.filed(KIND) == []


def test_empty_arguments_are_an_empty_object() -> None:
    (finding,) = told("").filed(KIND)[:1]
    assert finding.grade == "required"


def test_a_pattern_that_would_take_for_ever_is_matched_in_linear_time() -> None:
    slow = ToolSpec(name="move", schema='{"properties":{"pump":{"pattern":"^(a+)+$"}}}')
    (finding,) = told('{"pump":"' + "a" * 60_000 + '!"}', tool=slow).filed(KIND)
    assert finding.grade == "pattern"


def test_the_schema_of_the_very_request_counts() -> None:
    story = Story()
    story.request(frame(USER, tools=(ToolSpec(name="move", schema="{}"),)))
    story.respond(response(call("move", '{"pump":7}')))
    assert story.filed(KIND) == []
    story.request(frame(USER, tools=(MOVE,)))
    story.respond(response(call("move", '{"pump":7,"hall":"A"}', call_id="c2")))
    assert len(story.filed(KIND)) == 1


def test_arguments_too_deep_to_be_read_are_not_said_to_be_no_json() -> None:
    story = told('{"pump":' + "[" * 100_000 + "]" * 100_000 + "}")
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"too-deep": 1}
