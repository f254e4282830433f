"""Headers of responses: those that came, and always came."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.contracts.openapi.comparing import compare
from tests.unit.contracts.openapi.describing import described
from tests.unit.contracts.openapi.messages.comparing import A, I, S, headers, told


def header(schema: Any = S, **more: Any) -> Any:
    return {"schema": schema, **more}


def test_a_header_that_always_came_is_missed() -> None:
    always = {"X-A": header(required=True)}
    assert told(headers(always, {})) == [("response-header-removed", "breaking")]
    assert told(headers(always, None)) == [("response-header-removed", "breaking")]
    assert told(headers({"X-A": header()}, {})) == [("response-header-removed", "noted")]
    assert told(headers(always, {"X-A": header()})) == [
        ("response-header-became-optional", "breaking")
    ]
    assert headers({"X-A": header()}, always) == []
    assert headers({}, always) == []
    assert headers(None, None) == []


def test_a_header_is_known_in_any_case_and_the_type_of_the_content_is_none() -> None:
    assert headers({"X-A": header(required=True)}, {"x-a": header(required=True)}) == []
    assert headers({"Content-Type": header(required=True)}, {}) == []


def test_a_value_that_never_came_may_come() -> None:
    found = headers({"X-A": header({"enum": ["a"]})}, {"X-A": header({"enum": ["a", "b"]})})
    assert told(found) == [("value", "breaking")]
    assert found[0].part is not None
    assert found[0].part.fields == (("X-A", "b"),)
    # On the wire it is text.
    assert headers({"X-A": header(S)}, {"X-A": header(I)}) == []
    assert told(headers({"X-A": header(I)}, {"X-A": header(S)})) == [("value", "breaking")]


def test_another_way_to_write_it_is_shown() -> None:
    shape = {"type": "object", "properties": {"a": S}}
    found = headers({"X-A": header(shape)}, {"X-A": header(shape, explode=True)})
    assert told(found) == [("response-header-serialisation-changed", "breaking")]
    assert headers({"X-A": header(A)}, {"X-A": header(A, explode=True)}) == []


def test_who_answers_a_call_may_be_asked_for_no_more() -> None:
    required = {"X-A": header(required=True)}
    assert told(headers({"X-A": header()}, required, "accepts")) == [
        ("callback-response-header-became-required", "breaking")
    ]
    assert told(headers({}, required, "accepts")) == [
        ("callback-response-header-added-required", "breaking")
    ]
    assert headers({}, {"X-A": header()}, "accepts") == []
    assert headers(required, {}, "accepts") == []
    shape = {"type": "object", "properties": {"a": S}}
    assert told(headers({"X": header(shape)}, {"X": header(shape, explode=True)}, "accepts")) == [
        ("callback-response-header-serialisation-changed", "breaking")
    ]


@pytest.mark.parametrize("bad", [{"$ref": "#/nowhere"}, 3, {"schema": S, "style": "form"}])
def test_what_is_no_header_is_undecided(bad: Any) -> None:
    for direction, noun in (("produces", "response"), ("accepts", "callback-response")):
        for old, new in (({"X": bad}, {"X": header()}), ({"X": header()}, {"X": bad})):
            found = headers(old, new, direction)  # type: ignore[arg-type]  # a direction
            assert told(found) == [(f"{noun}-header-not-read", "undecided")]
    assert told(headers([], {})) == [("response-header-not-read", "undecided")]


def test_a_reference_is_followed() -> None:
    rate = {"X-Rate": {"$ref": "#/components/headers/Rate"}}
    found = headers(rate, {})
    assert (found[0].before, found[0].grade) == ("#/components/headers/Rate", "breaking")


def test_a_response_is_shown_with_every_header_that_always_comes() -> None:
    def api(body: Any, **more: Any) -> Any:
        response = {
            "description": "ok",
            "headers": {
                "X-Count": header(I, required=True),
                "X-Maybe": header(),
                "Content-Type": header(required=True),
                **more,
            },
            "content": {"application/json": {"schema": body}},
        }
        return described({"paths": {"/a": {"get": {"responses": {"200": response}}}}})

    [change] = compare(api(I), api(S))
    assert change.witness is not None
    assert change.witness.answered is not None
    assert change.witness.answered.headers == (("X-Count", "0"),)
    [change] = compare(api(I, **{"X-Kind": header(I)}), api(I, **{"X-Kind": header(S)}))
    assert change.witness is not None
    assert change.witness.answered is not None
    names = [name for name, _ in change.witness.answered.headers]
    assert names == ["X-Count", "X-Kind"]
