"""What the API itself sends has the other polarity."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from tests.unit.contracts.openapi.exchanges.asking import OK, api, changes, only, told


def _body(text: str) -> JSON:
    return {"required": True, "content": {"application/json": {"schema": {"title": text}}}}


def _item(text: str = "a", **responses: JSON) -> dict[str, JSON]:
    return {"post": {"requestBody": _body(text), "responses": responses or OK}}


def _hooks(**named: JSON) -> dict[str, JSON]:
    return api(webhooks=named)


def _calling(callbacks: JSON, method: str = "post") -> dict[str, JSON]:
    return api(paths={"/a": {method: {"responses": OK, "callbacks": callbacks}}})


def test_a_webhooks_body_is_what_the_api_sends_and_its_response_what_it_takes() -> None:
    found = only(_hooks(new=_item("a")), _hooks(new=_item("b")))
    assert (found.rule, found.reaches) == ("body-produces", ("webhook new POST",))
    assert found.witness is not None
    assert (found.witness.before, found.witness.after) == (
        "no such request was allowed",
        "such a request may be sent",
    )
    old, new = _item("a", **{"200": _body("x")}), _item("a", **{"200": _body("y")})
    found = only(_hooks(new=old), _hooks(new=new))
    assert found.rule == "content-accepts"
    assert found.witness is not None
    assert found.witness.answered is not None
    assert found.witness.answered.status == "200"
    assert found.witness.asked.content is not None
    assert found.witness.asked.content.value == {"side": "new", "direction": "produces"}


def test_parameters_of_a_webhook_are_sent_by_the_api() -> None:
    def with_(text: str) -> JSON:
        parameter: JSON = {"name": "X-A", "in": "header", "schema": {"title": text}}
        return {**_item(), "parameters": [parameter]}

    assert told(_hooks(new=with_("a")), _hooks(new=with_("b"))) == [
        ("breaking", "parameter-produces")
    ]


def test_an_answer_that_is_taken_no_more_breaks_who_gives_it() -> None:
    both, one = _item("a", **{"200": {}, "204": {}}), _item("a", **{"200": {}})
    found = only(_hooks(new=both), _hooks(new=one))
    assert (found.grade, found.rule) == ("breaking", "callback-response-status-removed")
    assert found.witness is not None
    assert found.witness.answered is not None
    assert found.witness.answered.status == "204"
    assert told(_hooks(new=one), _hooks(new=both)) == [("noted", "callback-response-status-added")]


def test_a_webhook_that_never_comes_again_breaks_who_waits_and_a_new_one_is_noted() -> None:
    old, new = _hooks(a=_item(), b=_item()), _hooks(a=_item())
    found = only(old, new)
    assert (found.grade, found.rule) == ("breaking", "webhook-removed")
    assert found.before is not None
    assert found.before.pointer == "#/webhooks/b"
    assert found.witness is not None
    assert found.witness.after == "never sent"
    assert (found.witness.asked.method, found.witness.asked.target) == ("POST", "/")
    assert told(new, old) == [("noted", "webhook-added")]
    other = _hooks(a=_item(), b={"put": _item()["post"]})
    assert told(old, other) == [("breaking", "webhook-removed"), ("noted", "webhook-added")]


def test_a_callback_is_told_by_its_expression_whatever_it_is_called() -> None:
    url = "{$request.body#/url}"
    old, new = _calling({"onEvent": {url: _item("a")}}), _calling({"told": {url: _item("b")}})
    found = only(old, new)
    assert found.rule == "body-produces"
    assert found.reaches == (f"POST /a callback {url} POST",)
    assert found.witness is not None
    assert found.witness.asked.target == url
    assert changes(old, _calling({"told": {url: _item("a")}})) == ()
    assert told(old, _calling({})) == [("breaking", "callback-removed")]
    assert told(_calling({}), old) == [("noted", "callback-added")]
    other = _calling({"onEvent": {"{$request.query.url}": _item("a")}})
    assert told(old, other) == [("breaking", "callback-removed"), ("noted", "callback-added")]


def test_a_callback_by_reference_is_what_it_leads_to() -> None:
    url = "{$request.body#/url}"
    plain = _calling({"c": {url: _item()}})
    hoisted = {
        **_calling({"c": {"$ref": "#/components/callbacks/C"}}),
        "components": {"callbacks": {"C": {url: _item()}}},
    }
    assert changes(plain, hoisted) == ()


def test_what_the_api_sends_and_cannot_be_read_is_undecided() -> None:
    for broken, kind in (
        (_calling({"c": {"$ref": "x.yaml"}}), "callback-unread"),
        (_calling({"c": {"{$url}": 1}}), "callback-unread"),
    ):
        found = only(_calling({}), broken)
        assert (found.grade, found.rule) == ("undecided", kind)
    found = only(_hooks(new=_item()), _hooks(new={"$ref": "x.yaml"}))
    assert (found.grade, found.rule, found.reason) == (
        "undecided",
        "webhook-unread",
        "reference-remote",
    )
