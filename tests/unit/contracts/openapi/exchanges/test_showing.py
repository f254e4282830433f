"""A cause is shown once, by a whole exchange, whatever order the descriptions are in."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Asked, Content
from tests.unit.contracts.openapi.exchanges.asking import OK, api, changes, only


def _parameter(place: str, name: str, *, required: bool = True) -> JSON:
    return {"name": name, "in": place, "required": required, "schema": {"type": "integer"}}


def _body(text: str) -> JSON:
    return {"required": True, "content": {"application/json": {"title": text}}}


def _user(body: str, id_: str = "id", **more: JSON) -> dict[str, JSON]:
    parameters: JSON = [
        _parameter("path", id_),
        _parameter("query", "x"),
        _parameter("query", "y", required=False),
        _parameter("header", "X-Trace"),
        _parameter("cookie", "sid"),
    ]
    operation: JSON = {"parameters": parameters, "requestBody": _body(body), "responses": OK}
    return api(
        servers=[{"url": "https://a.example/v1"}],
        paths={f"/users/{{{id_}}}": {"put": operation}},
        **more,
    )


def test_a_request_is_whole_with_all_that_has_to_be_sent() -> None:
    key: JSON = {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    old = _user("a", security=[{"k": []}], components=key)
    new = _user("b", id_="user", security=[{"k": []}], components=key)
    found = only(old, new)
    assert found.rule == "body-accepts"
    assert found.reaches == ("PUT /users/{id}",)
    assert found.witness is not None
    assert found.witness.asked == Asked(
        method="PUT",
        target="/v1/users/1?x=1",
        headers=(("X-Trace", "1"), ("X-Key", "<key>"), ("Cookie", "sid=1")),
        content=Content("application/json", {"side": "old", "direction": "accepts"}),
    )
    assert found.witness.answered is None
    assert found.witness.before == "accepted"
    assert found.witness.after == "refused: The body differs."


def test_a_cause_that_reaches_many_is_shown_by_the_first_by_name() -> None:
    def both(text: str, names: str) -> dict[str, JSON]:
        reference: JSON = {"$ref": "#/components/requestBodies/B"}
        paths: JSON = {f"/{name}": {"put": {"requestBody": reference}} for name in names}
        return api(paths=paths, components={"requestBodies": {"B": _body(text)}})

    found = only(both("a", "dacb"), both("b", "abcd"))
    assert found.reaches == ("PUT /a", "PUT /b", "PUT /c", "PUT /d")
    assert found.witness is not None
    assert found.witness.asked.target == "/a"
    assert found == only(both("a", "abcd"), both("b", "dcba"))
    assert found.before is not None
    assert found.before.pointer == "#/components/requestBodies/B"


def test_a_response_is_shown_with_the_request_that_leads_to_it() -> None:
    def answering(text: str) -> dict[str, JSON]:
        content: JSON = {"application/json": {"schema": {"title": text}}}
        operation: JSON = {
            "parameters": [_parameter("query", "q")],
            "responses": {"2XX": {"description": "", "content": content}},
        }
        return api(paths={"/a": {"get": operation}})

    found = only(answering("a"), answering("b"))
    assert found.witness is not None
    assert found.witness.asked == Asked(method="GET", target="/a?q=1")
    assert found.witness.answered is not None
    assert found.witness.answered.status == "200"
    assert found.witness.answered.content == Content("application/json", {"of": "content"})


def test_texts_that_cannot_be_printed_stay_out_of_sentences() -> None:
    old = api(paths={"/a\x1b[31m\n": {"get": {"responses": OK}}})
    found = changes(old, api())[0]
    assert found.says.isprintable()
    assert found.reaches == ("GET /a\x1b[31m\n",)
