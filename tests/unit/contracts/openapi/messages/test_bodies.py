"""Bodies: which types are taken and come, what stands in each, and how its parts are written."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.changes import Content
from groundwire.contracts.openapi.finding import Part
from groundwire.contracts.openapi.messages.bodies import sample_content
from groundwire.contracts.openapi.messages.writing.media import media, reading
from tests.unit.contracts.openapi.messages.comparing import (
    A,
    I,
    O,
    S,
    body,
    content,
    schemas,
    told,
)

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def of(*kinds: str, schema: Any = S, **more: Any) -> Any:
    return {"content": {kind: {"schema": schema} for kind in kinds}, **more}


def entry(kind: str, **more: Any) -> Any:
    return {"content": {kind: more}}


# -- whether there is one --------------------------------------------------------------------------


def test_a_body_that_has_to_be_sent_is_missed() -> None:
    assert told(body(of(JSON), of(JSON, required=True))) == [
        ("request-body-became-required", "breaking")
    ]
    assert body(of(JSON, required=True), of(JSON)) == []
    assert told(body(None, of(JSON, required=True))) == [
        ("request-body-added-required", "breaking")
    ]
    assert body(None, of(JSON)) == []
    assert body(None, None) == []


def test_a_body_that_is_not_taken_any_more_is_shown() -> None:
    found = body(of(JSON, schema={"type": "integer", "minimum": 4}), None)
    assert told(found) == [("request-body-removed", "breaking")]
    assert found[0].part == Part(location="body", name=JSON, value=4)


def test_a_call_of_this_side_always_has_the_body_that_it_had() -> None:
    required = of(JSON, required=True)
    assert told(body(required, of(JSON), "produces")) == [
        ("callback-body-became-optional", "breaking")
    ]
    assert told(body(required, None, "produces")) == [("callback-body-removed", "breaking")]
    assert told(body(None, of(JSON), "produces")) == [("callback-body-added", "risky")]
    assert body(of(JSON), None, "produces") == []
    assert told(body(of(JSON), of("text/xml"), "produces")) == [
        ("callback-media-type-unknown", "breaking")
    ]


# -- media types -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ([JSON], [JSON, "application/xml"], []),
        ([JSON, "application/xml"], [JSON], ["application/xml"]),
        ([JSON], ["application/*"], []),
        ([JSON], ["*/*"], []),
        (["text/plain"], ["application/*"], ["text/plain"]),
        (["application/*"], [JSON], ["application/x.anything"]),
        (["*/*"], ["application/*"], ["text/x.anything"]),
        (["*/*", "text/*"], ["application/*", "text/*"], ["image/x.anything"]),
        ([JSON], ["Application/JSON"], []),
        ([JSON], ["application/json; charset=utf-8"], []),
        (["application/json;charset=UTF-8"], [JSON], []),
        (["application/json;charset=utf-8"], ["application/json;charset=utf-16"], ["application/json;charset=utf-8"]),
        ([JSON], ["application/json;version=2"], [JSON]),
        (["application/json;version=2"], [JSON], []),
        (["application/vnd.a+json"], [JSON], ["application/vnd.a+json"]),
    ],
)  # fmt: skip
def test_a_type_is_taken_where_some_range_takes_all_of_it(
    old: list[str], new: list[str], refused: list[str]
) -> None:
    found = body(of(*old), of(*new))
    assert told(found) == [("request-media-type-refused", "breaking")] * len(refused)
    assert [each.part.name for each in found if each.part] == refused


def test_the_most_specific_entry_decides() -> None:
    old = {"content": {JSON: {"schema": I}, "application/*": {"schema": S}}}
    new = {"content": {"*/*": {"schema": S}, JSON: {"schema": I}}}
    assert body(old, new) == []
    one = media("application/json;version=1")
    assert one is not None
    others = [media(each) for each in ("*/*", "application/json;version=1", "application/*", JSON)]
    assert reading(one, [each for each in others if each]) == others[1]
    # What is sent as something of a range may be what the reader has an entry of its own for.
    found = body(
        of("application/*", schema=S),
        {"content": {"application/*": {"schema": S}, JSON: {"schema": I}}},
    )
    assert told(found) == [("value", "breaking")]
    assert [each.part and each.part.name for each in found] == [JSON]


def test_what_a_range_holds_is_shown_as_a_type_that_no_narrower_entry_reads() -> None:
    old = {"content": {"application/*": {}, "*/*": {"schema": S}}}
    found = body(old, {"content": {"application/*": {}, "*/*": {"schema": I}}})
    assert told(found) == [("value", "breaking")]
    assert [each.part and each.part.name for each in found] == ["text/x.anything"]


def test_plain_text_within_a_range_has_no_types() -> None:
    found = body(
        of("*/*", schema=I), {"content": {"*/*": {"schema": I}, "text/plain": {"schema": S}}}
    )
    assert found == []
    found = body(
        of("*/*", schema=I), {"content": {"*/*": {"schema": I}, "text/plan": {"schema": S}}}
    )
    assert told(found) == [("value", "breaking")]


def test_a_type_of_which_there_is_no_body_is_not_missed() -> None:
    nothing = {"allOf": [S, I]}
    assert body({"content": {JSON: {"schema": nothing}, "a/b": {}}}, of("a/b", schema=True)) == []
    assert told(body({"content": {JSON: {"schema": S}, "a/b": {}}}, of("a/b", schema=True))) == [
        ("request-media-type-refused", "breaking")
    ]


def test_a_response_of_another_type_reaches_only_who_does_not_ask() -> None:
    def kinds(*names: str) -> Any:
        return {kind: {"schema": S} for kind in names}

    assert told(content(kinds(JSON), kinds(JSON, "text/csv"))) == [
        ("response-media-type-added", "noted")
    ]
    found = content(kinds(JSON, "text/csv"), kinds(JSON))
    assert told(found) == [("response-media-type-removed", "breaking")]
    moved = content(kinds(JSON), kinds("application/problem+json"))
    assert told(moved) == [
        ("response-media-type-added", "noted"),
        ("response-media-type-removed", "breaking"),
    ]
    assert content(kinds("application/*"), kinds(JSON)) == []
    assert told(content(kinds(JSON), kinds("application/*"))) == [
        ("response-media-type-added", "noted")
    ]


def test_an_answer_to_a_call_is_read_as_a_request_is() -> None:
    old, new = {JSON: {"schema": S}}, {"text/csv": {"schema": S}}
    assert told(content(old, new, "accepts")) == [
        ("callback-response-media-type-refused", "breaking")
    ]
    found = content(old, {JSON: {"schema": {"enum": ["a"]}}}, "accepts")
    assert told(found) == [("value", "breaking")]
    assert found[0].part == Part(location="body", name=JSON, value="")


# -- what stands in them ---------------------------------------------------------------------------


def test_a_body_is_compared_by_its_schema_each_way() -> None:
    enum, wider = of(JSON, schema={"enum": ["a"]}), of(JSON, schema={"enum": ["a", "b"]})
    assert body(enum, wider) == []
    found = body(wider, enum)
    assert told(found) == [("value", "breaking")]
    assert found[0].part == Part(location="body", name=JSON, value="b")
    assert found[0].value == "b"
    assert (found[0].before, found[0].after) == ("#/here/content/application~1json/schema",) * 2
    assert told(content(enum["content"], wider["content"])) == [("value", "breaking")]
    assert content(wider["content"], enum["content"]) == []


def test_a_schema_that_is_a_reference_is_told_where_it_stands() -> None:
    text = {"$ref": "#/components/schemas/Text"}
    found = body(of(JSON), of(JSON, schema={"enum": ["a"]}))
    through = body(of(JSON, schema=text), of(JSON, schema={"enum": ["a"]}))
    assert through[0].before == "#/components/schemas/Text"
    assert through[0].part == found[0].part


def test_json_knows_types_and_a_form_does_not() -> None:
    old = {"type": "object", "properties": {"n": I}}
    new = {"type": "object", "properties": {"n": S}}
    assert told(body(of(JSON, schema=old), of(JSON, schema=new))) == [("value", "breaking")]
    assert body(of(FORM, schema=old), of(FORM, schema=new)) == []
    assert told(body(of(FORM, schema=new), of(FORM, schema=old))) == [("value", "breaking")]
    assert body(of("text/plain", schema=I), of("text/plain", schema=S)) == []


def test_without_a_schema_anything_goes() -> None:
    assert body(of(JSON), {"content": {JSON: {}}}) == []
    found = body({"content": {JSON: {}}}, of(JSON))
    assert told(found) == [("value", "breaking")]
    assert found[0].before == "#/here/content/application~1json"
    assert told(content(of(JSON)["content"], {JSON: {}})) == [("value", "breaking")]
    assert content({JSON: {}}, of(JSON)["content"]) == []


def test_items_of_a_body_without_end_are_compared_one_by_one() -> None:
    kind = "application/jsonl"
    old, new = entry(kind, itemSchema=S), entry(kind, itemSchema={"enum": ["a"]})
    found = body(old, new)
    assert told(found) == [("value", "breaking")]
    assert found[0].part == Part(location="body", name=kind, value=[""])
    assert body(new, old) == []


# -- encodings -------------------------------------------------------------------------------------


def form(kind: str, property_: Any, **encoding: Any) -> Any:
    schema = {"type": "object", "properties": {"p": property_}}
    return entry(kind, schema=schema, encoding={"p": encoding} if encoding else {})


def test_a_part_of_another_type_is_not_taken() -> None:
    old = form(MULTIPART, S, contentType="image/png, image/jpeg")
    found = body(old, form(MULTIPART, S, contentType="image/png"))
    assert told(found) == [("request-encoding-changed", "breaking")]
    assert body(old, form(MULTIPART, S, contentType="image/*")) == []
    assert body(old, old) == []
    by_default = body(old, form(MULTIPART, S))
    assert [each.reason for each in by_default] == ["part-type-by-default"]
    odd = body(old, form(MULTIPART, S, contentType="png"))
    assert {each.reason for each in odd} == {"media-type-invalid"}


def test_a_part_that_is_written_differently_is_shown() -> None:
    found = body(form(FORM, A), form(FORM, A, explode=False))
    assert told(found) == [("request-encoding-changed", "breaking")]
    assert found[0].part is not None
    assert len(found[0].part.fields) == 2
    assert body(form(FORM, S), form(FORM, S, explode=False)) == []
    assert told(body(form(FORM, O), form(FORM, O, style="deepObject"))) == [
        ("request-encoding-changed", "breaking")
    ]
    # JSON has no such parts.
    assert body(form(JSON, A), form(JSON, A, explode=False)) == []


def test_headers_of_parts_and_encodings_of_items_are_not_looked_into() -> None:
    found = body(form(MULTIPART, S), form(MULTIPART, S, headers={"X": {"required": True}}))
    assert [each.reason for each in found] == ["part-headers-changed"]
    old, new = (
        entry("multipart/mixed"),
        entry("multipart/mixed", itemEncoding={"contentType": "a/b"}),
    )
    assert [each.reason for each in body(old, new)] == ["item-encoding-changed"]
    assert body(new, new) == []


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"$ref": "#/components/requestBodies/None"}, "reference-dangling"),
        ({"content": 3}, "content-invalid"),
        ({"content": {"json": {}}}, "media-type-invalid"),
        ({"content": {JSON: {"$ref": "#/nowhere"}}}, "reference-dangling"),
    ],
)
def test_what_cannot_be_read_is_undecided(bad: Any, reason: str) -> None:
    for old, new in ((bad, of(JSON)), (of(JSON), bad)):
        reasons = [each.reason for each in body(old, new)]
        assert reason in reasons


def test_a_schema_that_leads_to_itself_is_undecided() -> None:
    endless = {"$ref": "#/components/schemas/Self"}
    found = body(of(JSON), of(JSON, schema=endless))
    assert [each.grade for each in found] == ["undecided"]


# -- samples ---------------------------------------------------------------------------------------


def test_a_sample_is_of_the_first_type_for_which_there_is_one() -> None:
    never = {"not": {}}
    here = {"application/*": {"schema": never}, "*/*": {"schema": I}}
    asked = schemas(here, here)
    assert sample_content(asked, "old", "#/here", "accepts") == Content("application/x.anything", 0)
    assert sample_content(asked, "old", "", "accepts") is None
    assert sample_content(asked, "old", "#/none", "accepts") is None
    assert sample_content(schemas({JSON: {}}, {}), "old", "#/here", "accepts") == Content(JSON, "")


def test_a_list_of_values_tells_one_from_true() -> None:
    found = body(of(JSON, schema={"enum": ["a", 1]}), of(JSON, schema={"enum": ["a", True]}))
    assert [each.says for each in found] == ["the value itself: `enum` lost 1 and gained true."]
