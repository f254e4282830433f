"""Responses are sets of statuses, of which the most specific name speaks."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Answered, Content
from groundwire.contracts.openapi.exchanges.answers.statuses import Cell, cells
from groundwire.contracts.openapi.options import Knobs, Options
from tests.unit.contracts.openapi.exchanges.asking import api, changes, only, told


def _response(text: str) -> JSON:
    return {"description": "", "content": {"application/json": {"schema": {"title": text}}}}


def _answering(**named: str) -> dict[str, JSON]:
    """A GET that answers; statuses begin with an underscore, their response is called by a text."""
    listed: JSON = {name.removeprefix("_"): _response(text) for name, text in named.items()}
    return api(paths={"/a": {"get": {"responses": listed}}})


def test_the_most_specific_name_speaks_of_a_status() -> None:
    found = cells(["200", "2XX", "default"], ["2xx", "404"])
    assert found == (
        Cell("100", "default", None),
        Cell("200", "200", "2xx"),
        Cell("201", "2XX", "2xx"),
        Cell("300", "default", None),
        Cell("400", "default", None),
        Cell("404", "default", "404"),
        Cell("500", "default", None),
    )


def test_a_class_whose_every_code_is_named_has_no_rest() -> None:
    every = [f"4{n:02}" for n in range(100)]
    assert [cell.status for cell in cells(["4XX"], every)] == every


def test_codes_that_are_said_to_be_what_the_rest_was_are_no_change() -> None:
    old = _answering(_200="a", default="e")
    new = _answering(_200="a", _1XX="e", _2XX="e", _3XX="e", _4XX="e", _5XX="e")
    assert changes(old, new) == ()
    assert changes(new, old) == ()


def test_a_code_that_is_taken_out_of_the_rest_is_compared_with_the_rest() -> None:
    old, new = _answering(_200="a", default="e"), _answering(_200="a", default="e", _404="x")
    found = only(old, new)
    assert (found.grade, found.rule) == ("breaking", "content-produces")
    assert found.before is not None
    assert found.after is not None
    assert found.before.pointer == "#/paths/~1a/get/responses/default/content"
    assert found.after.pointer == "#/paths/~1a/get/responses/404/content"
    assert found.witness is not None
    assert found.witness.answered is not None
    assert found.witness.answered.status == "404"
    assert (found.witness.before, found.witness.after) == (
        "no such response was allowed",
        "such a response may come",
    )


def test_a_status_that_may_come_goes_by_the_policy() -> None:
    old, new = _answering(_200="a"), _answering(_200="a", _409="x")
    found = only(old, new)
    assert (found.grade, found.rule) == ("risky", "response-status-added")
    assert found.witness is not None
    sample = Content("application/json", {"side": "new", "direction": "produces"})
    assert found.witness.answered == Answered(status="409", content=sample)
    strict = Options(knobs=Knobs(response_status_added="breaking"))
    assert told(old, new, strict) == [("breaking", "response-status-added")]


def test_the_rest_is_one_cause_however_many_statuses_it_holds() -> None:
    assert told(_answering(_200="a"), _answering(_200="a", default="e")) == [
        ("risky", "response-status-added")
    ]


def test_a_status_that_comes_no_more_is_noted() -> None:
    assert told(_answering(_200="a", _404="x"), _answering(_200="a")) == [
        ("noted", "response-status-removed")
    ]
    assert told(_answering(_200="a", _201="a"), _answering(_200="a")) == [
        ("noted", "response-status-removed")
    ]


def test_no_success_that_was_promised_is_a_break() -> None:
    found = only(_answering(_200="a"), _answering(_201="a"))
    assert (found.grade, found.rule) == ("breaking", "response-success-removed")
    assert found.witness is not None
    assert found.witness.answered is not None
    assert found.witness.answered.status == "201"
    found = changes(_answering(_200="a"), _answering(_404="x"))[0]
    assert (found.grade, found.rule) == ("breaking", "response-success-removed")
    assert found.witness is not None
    assert found.witness.answered is None
    assert found.witness.before == "answered 200"
    assert told(_answering(_200="a"), _answering(default="a")) == [
        ("risky", "response-status-added")
    ]


def test_a_response_by_reference_is_asked_once_and_reported_once() -> None:
    def named(text: str) -> dict[str, JSON]:
        reference: JSON = {"$ref": "#/components/responses/E"}
        item: JSON = {"get": {"responses": {"400": reference, "200": {"description": ""}}}}
        return api(paths={"/a": item, "/b": item}, components={"responses": {"E": _response(text)}})

    found = only(named("a"), named("b"))
    assert found.reaches == ("GET /a", "GET /b")
    assert found.before is not None
    assert found.before.pointer == "#/components/responses/E/content"


def test_an_operation_that_says_nothing_of_its_answers_promises_none() -> None:
    silent = api(paths={"/a": {"get": {}}})
    odd = api(paths={"/a": {"get": {"responses": {"OK": {}, "x-a": {}}}}})
    assert only(_answering(_200="a"), odd).reason == "responses-not-stated"
    assert changes(odd, _answering(_200="a")) == ()
    found = only(_answering(_200="a"), silent)
    assert (found.grade, found.reason) == ("undecided", "responses-not-stated")
    assert changes(silent, _answering(_200="a")) == ()
    assert changes(silent, api(paths={"/a": {"get": {"tags": ["x"]}}})) == ()


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        ([], "not-an-object"),
        ({"200": {"$ref": "x.yaml"}}, "reference-remote"),
        ({"200": 1}, "not-an-object"),
    ],
)
def test_answers_that_cannot_be_read_are_undecided(listed: JSON, reason: str) -> None:
    broken = api(paths={"/a": {"get": {"responses": listed}}})
    for one, other in ((_answering(_200="a"), broken), (broken, _answering(_200="a"))):
        assert [(each.grade, each.reason) for each in changes(one, other)] == [
            ("undecided", reason)
        ]


def test_links_and_descriptions_of_answers_say_nothing() -> None:
    old = api(paths={"/a": {"get": {"responses": {"200": {"description": "a", "links": {}}}}}})
    new = api(paths={"/a": {"get": {"responses": {"200": {"description": "b", "x-a": 1}}}}})
    assert changes(old, new) == ()
