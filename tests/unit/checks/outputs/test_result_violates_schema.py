from __future__ import annotations

import json

import pytest

from groundwire.checks.engine import Engine
from groundwire.checks.write.outputs.result_violates_schema import ResultViolatesSchema
from groundwire.documents.declaration import Off, OutputSource
from groundwire.documents.event import Authored
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Media, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "result-violates-schema"
USER = message("user", "Who is user 7?")
SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer"}, "tags": {"items": {"type": "string"}}},
}
MCP = OutputSource(kind="mcp")
OF_API = OutputSource(kind="operation", file="api.yaml", operation="GET /users/{id}", status="200")


def tool(schema: object = SCHEMA, output: OutputSource | None = None) -> ToolDeclaration:
    return ToolDeclaration(name="get_user", output_schema=json.dumps(schema), output=output)


def ran(
    text: str | None,
    schema: object = SCHEMA,
    output: OutputSource | None = None,
    **more: object,
) -> Story:
    """The tool ran, and the host told so."""
    story = Story()
    story.declare(tool(schema, output))
    story.execute("get_user", result=text, **more)  # type: ignore[arg-type]  # shorthand
    return story


def shown(
    text: str, schema: object = SCHEMA, output: OutputSource | None = None, **more: object
) -> Story:
    """A request shows a result, and nobody told what the tool returned."""
    story = Story()
    story.declare(tool(schema, output))
    part = ResultPart("c1", text, **more)  # type: ignore[arg-type]  # shorthand
    story.request(frame(USER, message("assistant", call("get_user")), message("tool", part)))
    return story


def only(story: Story) -> Finding:
    (finding,) = story.filed(KIND)
    return finding


def test_what_a_tool_returned_and_no_longer_fits_is_a_defect() -> None:
    story = ran('{"id":"7","tags":[1]}')
    finding = only(story)
    assert (finding.seam, finding.path, finding.grade, finding.advisory) == (
        "write",
        "/id",
        "type",
        False,
    )
    assert story.row(KIND) == {"failed": 1}
    assert "(call c1)" in finding.message
    assert "the tool's declared output schema" in finding.message
    assert finding.message.endswith("Nothing was blocked.")


def test_what_fits_passes() -> None:
    assert ran('{"id":7,"more":null}').row(KIND) == {"passed": 1}
    assert shown('{"id":7}').row(KIND) == {"passed": 1}


def test_what_only_the_wire_shows_is_an_advisory() -> None:
    story = shown('{"id":"7"}')
    finding = only(story)
    assert finding.advisory
    assert finding.path == "/id"
    assert "The host may have written it otherwise" in finding.message
    assert story.row(KIND)["passed"] == 1


def test_a_result_is_judged_once_by_what_the_tool_returned() -> None:
    story = Story()
    story.declare(tool())
    story.request(frame(USER))
    story.respond(response(call("get_user")))
    story.execute("get_user", result='{"id":7}')
    story.request(frame(USER, message("assistant", call("get_user")), result('{"id":"7"}')))
    assert story.filed(KIND) == []
    assert story.row(KIND)["passed"] == 1
    assert "not_applicable" not in story.row(KIND)


def test_an_execution_of_no_known_call_is_judged() -> None:
    finding = only(ran('{"id":null}', lane=None))
    assert finding.lane == 0
    assert "(call" not in finding.message


def test_the_same_failure_again_is_the_same_finding() -> None:
    story = ran('{"id":"7"}')
    story.execute("get_user", result='{"id":"8"}', call_id="c2")
    assert only(story).count == 2
    story.execute("get_user", result="{}", call_id="c3")
    assert [(each.path, each.grade) for each in story.filed(KIND)] == [
        ("/id", "type"),
        ("", "required"),
    ]


def test_one_result_is_one_finding_however_much_of_it_does_not_fit() -> None:
    rows = {"type": "array", "items": SCHEMA}
    finding = only(ran(json.dumps([{"id": 1}, {"id": "a"}, {"id": "b"}]), rows))
    assert (finding.path, finding.count) == ("/1/id", 1)


@pytest.mark.parametrize(
    ("text", "more", "reason"),
    [
        ("boom", {"outcome": "raised"}, "error"),
        (None, {"outcome": "unknown"}, "error"),
        ('{"error":"no such user"}', {}, "error"),
        ('{"content":[],"isError":true,"structuredContent":{"id":"7"}}', {}, "error"),
    ],
)
def test_an_error_is_no_output(text: str | None, more: dict[str, object], reason: str) -> None:
    assert ran(text, **more).row(KIND) == {"not_applicable": 1, "reasons": {reason: 1}}
    if not more:
        story = shown(text or "", is_error=True)
        assert story.row(KIND) == {"not_applicable": 1, "reasons": {reason: 1}}


@pytest.mark.parametrize(
    ("text", "more", "reason"),
    [
        ("User 7 is Ada.", {}, "no-json"),
        ("7", {}, "no-json"),
        ('{"id":7,"tags":["a', {}, "cut"),
        ("{'id': 7}", {}, "no-json"),
        ('{"id":"⟦withheld bearer 0123456789ab⟧"}', {}, "withheld"),
        (None, {"reason": "redacted"}, "redacted"),
        (None, {}, "no-result"),
        ('{"id":' + "[" * 300 + "]" * 300 + "}", {}, "no-json"),
        ('{"id":"' + "a" * (1 << 20) + '"}', {}, "too-large"),
    ],
)
def test_what_the_schema_does_not_speak_of_is_unreachable(
    text: str | None, more: dict[str, object], reason: str
) -> None:
    story = ran(text, **more)
    assert story.row(KIND) == {"unreachable": 1, "reasons": {reason: 1}}


def test_media_beside_the_text_are_not_looked_into() -> None:
    story = Story()
    story.declare(tool())
    media = Media(media_type="image/png", digest="sha256:00", size=1)
    shows = message("tool", ResultPart("c1", '{"id":"7"}', opaque=1), media)
    story.request(frame(USER, message("assistant", call("get_user")), shows))
    assert story.row(KIND) == {"unreachable": 1, "reasons": {"media": 1}}


def test_what_the_host_wrote_in_a_tool_s_place_is_no_output() -> None:
    story = Story()
    story.declare(tool())
    text = '{"note":"The call was put off."}'
    story.tell(Authored(step=1, at="", text=text, kind="notice"))
    story.request(frame(USER, message("assistant", call("get_user")), result(text)))
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"authored": 1}}


def test_a_repr_is_no_json() -> None:
    story = Story()
    story.declare(tool())
    story.execute("get_user", result='{"id":"7"}')
    told = story.events[-1]
    again = Story()
    again.declare(tool())
    again.tell(type(told)(**{**_fields(told), "rendering": "repr"}))  # type: ignore[arg-type]  # copied
    assert again.row(KIND) == {"unreachable": 1, "reasons": {"no-json": 1}}


def _fields(event: object) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__struct_fields__}  # type: ignore[attr-defined]  # a struct


# -- MCP -----------------------------------------------------------------------------------------


def test_structured_content_is_what_an_mcp_tool_s_schema_speaks_of() -> None:
    story = ran("Ada", SCHEMA, MCP, structured='{"id":"7"}')
    assert "the outputSchema of the MCP tool" in only(story).message
    assert ran('{"id":"7"}', SCHEMA, MCP, structured='{"id":7}').row(KIND) == {"passed": 1}


def test_a_structured_scalar_is_a_value() -> None:
    schema = {"type": "integer"}
    assert ran("7", schema, MCP, structured="7").row(KIND) == {"passed": 1}
    assert only(ran("7", schema, MCP, structured='"7"')).path == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"id":"7"}', "no-structured-content"),
        ('{"content":[],"isError":false,"structuredContent":null}', "no-structured-content"),
    ],
)
def test_the_text_of_an_mcp_tool_is_not_held_against_its_schema(text: str, reason: str) -> None:
    assert ran(text, SCHEMA, MCP).row(KIND) == {"unreachable": 1, "reasons": {reason: 1}}
    assert shown('{"id":"7"}', SCHEMA, MCP).row(KIND)["unreachable"] == 1


def test_the_whole_result_of_an_mcp_call_is_looked_into() -> None:
    whole = {"content": [{"type": "text", "text": '{"id":7}'}], "isError": False}
    assert only(ran(json.dumps(whole | {"structuredContent": {"id": "7"}}), SCHEMA, MCP))
    assert ran(json.dumps(whole), SCHEMA, OF_API).row(KIND) == {"passed": 1}
    two = whole | {"content": whole["content"] * 2}  # type: ignore[operator]  # a list
    assert ran(json.dumps(two), SCHEMA, OF_API).row(KIND)["reasons"] == {"media": 1}


def test_the_operation_that_declares_it_is_named() -> None:
    message = only(ran('{"id":"7"}', SCHEMA, OF_API)).message
    assert "the answer 200 of GET /users/{id} in api.yaml" in message
    of_file = OutputSource(kind="schema", file="user.json")
    assert "the schema in user.json" in only(ran("{}", SCHEMA, of_file)).message


# -- texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": ["string", "number"]}])
def test_a_text_that_happens_to_be_json_may_be_meant_as_a_text(schema: object) -> None:
    assert ran('{"id":7}', schema).row(KIND) == {"passed": 1}


def test_a_schema_that_takes_any_scalar_does_not_speak_of_texts() -> None:
    assert only(ran('{"id":"7"}', {"properties": {"id": {"type": "integer"}}}))


# -- what is shown of a value --------------------------------------------------------------------


def test_no_value_is_quoted_but_for_a_bounded_and_escaped_excerpt() -> None:
    secret = "\u202e\n" + "private " * 500
    finding = only(ran(json.dumps({"id": secret})))
    assert "private" not in finding.message
    assert len(finding.message) < 600
    shows = finding.witnesses[0].value
    assert len(shows) <= 120
    assert "\u202e" not in shows
    assert "\n" not in shows


def test_a_name_that_no_schema_knows_is_quoted_short_and_escaped() -> None:
    schema = {"type": "object", "additionalProperties": False}
    message = only(ran(json.dumps({"\u202e" + "x" * 900: 1}), schema)).message
    assert "\u202e" not in message
    assert len(message) < 600


# -- arming --------------------------------------------------------------------------------------


def test_without_a_declared_output_nothing_is_judged() -> None:
    story = Story()
    story.declare(ToolDeclaration(name="other", output_schema=json.dumps(SCHEMA)))
    story.request(frame(USER, message("assistant", call("get_user")), result('{"id":"7"}')))
    story.execute("get_user", result='{"id":"7"}')
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-armed-result": 1}}


def test_a_run_without_results_says_so() -> None:
    story = Story()
    story.declare(tool())
    story.request(frame(USER))
    story.end()
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-result": 1}}
    story = ran('{"id":7}')
    story.end()
    assert story.row(KIND) == {"passed": 1}


def test_a_result_of_the_provider_is_none_of_a_tool_here() -> None:
    story = Story()
    story.declare(tool())
    story.request(
        frame(USER, message("assistant", call("get_user")), result('{"id":"7"}', by="provider"))
    )
    assert story.row(KIND) == {}


def test_an_off_line_switches_it_off_for_a_tool() -> None:
    story = Story()
    off = Off(check=KIND, reason="known", until="2099-01-01", tool="get_user")
    story.declare(tool(), checks={"off": (off,)})
    story.execute("get_user", result='{"id":"7"}')
    assert story.filed(KIND) == []
    assert story.row(KIND)["suppressed"] == 1


def test_under_the_original_rules_it_judges_nothing() -> None:
    story = Story()
    story.declare(tool(), checks={"rules": "original"})
    story.execute("get_user", result='{"id":"7"}')
    assert story.row(KIND)["reasons"] == {"rules-original": 1}


def test_its_canary_is_caught() -> None:
    engine = Engine([ResultViolatesSchema()], posture="dev")
    (row,) = engine.rows()
    assert (row.minted, row.caught) == (1, 1)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "unreadable-schema"),
        ("[]", "unreadable-schema"),
        ('{"type":"nothing"}', "unreadable-schema"),
        ('{"$ref":"https://example.com/user"}', "unreadable-schema"),
        ('{"$schema":"urn:mine","type":"object"}', "unreadable-schema"),
        ('{"properties":{"id":{"pattern":"(?=a)b"}}}', "pattern-not-linear"),
        ('{"allOf":[{"$ref":"#"},{"$ref":"#"}]}', "too-many-steps"),
        ('{"required":["⟦withheld bearer 0123456789ab⟧"]}', "withheld"),
    ],
)
def test_a_schema_that_cannot_be_held_against_anything_accuses_nobody(
    schema: str, reason: str
) -> None:
    story = Story()
    story.declare(ToolDeclaration(name="get_user", output_schema=schema))
    story.execute("get_user", result='{"id":"7"}')
    assert story.row(KIND) == {"unreachable": 1, "reasons": {reason: 1}}
