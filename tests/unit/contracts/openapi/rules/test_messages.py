"""Each rule about messages, about files of schemas and about libraries explains some change."""

from __future__ import annotations

from typing import Final, TypeAlias

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.rules import messages
from groundwire.contracts.openapi.rules.rule import Rule
from groundwire.contracts.openapi.rules.table import BY_NAME
from groundwire.contracts.verdict import Direction
from tests.unit.contracts.openapi.describing import described
from tests.unit.contracts.openapi.exchanges.asking import OK, api
from tests.unit.contracts.openapi.messages.comparing import parameters

Pair: TypeAlias = tuple[JSON, JSON]

TEXT: Final[JSON] = {"type": "string"}
NUMBER: Final[JSON] = {"type": "integer"}
LIST: Final[JSON] = {"type": "array", "items": TEXT}
NOWHERE: Final[JSON] = {"$ref": "#/components/nothing"}
JSON_TYPE: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"


def _turned(pair: Pair) -> Pair:
    return pair[1], pair[0]


def _asked(*parameters: JSON, body: JSON = None) -> JSON:
    found: dict[str, JSON] = {"responses": OK, "parameters": list(parameters)}
    return found if body is None else found | {"requestBody": body}


def _answered(content: JSON = None, **headers: JSON) -> JSON:
    response: dict[str, JSON] = {"description": "ok", "headers": headers}
    return {"responses": {"200": response | ({} if content is None else {"content": content})}}


def _in_query(name: str = "q", **members: JSON) -> JSON:
    return {"name": name, "in": "query", "schema": TEXT, **members}


def _body(content: JSON, *, required: bool = False) -> JSON:
    return {"content": content, "required": required}


def _media(schema: JSON, kind: str = JSON_TYPE) -> JSON:
    return {kind: {"schema": schema}}


def _form(*, explode: bool) -> JSON:
    schema: JSON = {"type": "object", "properties": {"a": LIST}, "required": ["a"]}
    return {FORM: {"schema": schema, "encoding": {"a": {"style": "form", "explode": explode}}}}


def _header(*, required: bool = False, **members: JSON) -> JSON:
    return {"schema": TEXT, "required": required, **members}


_OBJECT: Final[JSON] = {
    "type": "object",
    "properties": {"a": TEXT, "b": TEXT},
    "required": ["a", "b"],
}
_WRITTEN: Final[Pair] = (
    _header(schema=_OBJECT, explode=False, required=True),
    _header(schema=_OBJECT, explode=True, required=True),
)
_UNREAD: Final[JSON] = {JSON_TYPE: NOWHERE}

ASKED: Final[dict[str, Pair]] = {
    "request-value-refused": (
        _asked(_in_query(schema=NUMBER)),
        _asked(_in_query(schema={"type": "string", "pattern": "^[0-9]+$"})),
    ),
    "request-parameter-serialisation-changed": (
        _asked(_in_query(schema=LIST, explode=True)),
        _asked(_in_query(schema=LIST, explode=False)),
    ),
    "request-parameter-became-required": (
        _asked(_in_query()),
        _asked(_in_query(required=True)),
    ),
    "request-parameter-added-required": (_asked(), _asked(_in_query(required=True))),
    "request-parameter-removed": (_asked(_in_query()), _asked()),
    "request-parameter-deprecated": (_asked(_in_query()), _asked(_in_query(deprecated=True))),
    "request-parameter-moved": (
        _asked(_in_query(required=True)),
        _asked({"name": "q", "in": "header", "schema": TEXT, "required": True}),
    ),
    "request-parameter-empty-value-refused": (
        _asked(_in_query(schema=NUMBER, allowEmptyValue=True)),
        _asked(_in_query(schema=NUMBER)),
    ),
    "request-content-not-read": (
        _asked(body=_body(_media(TEXT))),
        _asked(body=_body(_UNREAD)),
    ),
    "request-encoding-changed": (
        _asked(body=_body(_form(explode=True))),
        _asked(body=_body(_form(explode=False))),
    ),
    "request-body-became-required": (
        _asked(body=_body(_media(TEXT))),
        _asked(body=_body(_media(TEXT), required=True)),
    ),
    "request-body-added-required": (_asked(), _asked(body=_body(_media(TEXT), required=True))),
    "request-body-removed": (_asked(body=_body(_media(TEXT))), _asked()),
    "request-body-not-read": (_asked(body=_body(_media(TEXT))), _asked(body=NOWHERE)),
    "request-media-type-refused": (
        _asked(body=_body({**dict(_media(TEXT)), **dict(_media(TEXT, "text/plain"))})),  # type: ignore[arg-type] # made above
        _asked(body=_body(_media(TEXT))),
    ),
    "response-value-unknown": (
        _answered(X=_header(required=True)),
        _answered(X=_header(schema=LIST, required=True)),
    ),
    "response-header-serialisation-changed": (
        _answered(X=_WRITTEN[0]),
        _answered(X=_WRITTEN[1]),
    ),
    "response-header-not-read": (_answered(X=_header(required=True)), _answered(X=NOWHERE)),
    "response-header-became-optional": (
        _answered(X=_header(required=True)),
        _answered(X=_header()),
    ),
    "response-header-removed": (_answered(X=_header(required=True)), _answered()),
    "response-content-not-read": (_answered(_media(TEXT)), _answered(_UNREAD)),
    "response-encoding-changed": (
        _answered(_form(explode=True)),
        _answered(_form(explode=False)),
    ),
    "response-media-type-added": (
        _answered(_media(TEXT)),
        _answered({**dict(_media(TEXT)), **dict(_media(TEXT, "text/plain"))}),  # type: ignore[arg-type] # made above
    ),
    "response-media-type-removed": (
        _answered({**dict(_media(TEXT)), **dict(_media(TEXT, "text/plain"))}),  # type: ignore[arg-type] # made above
        _answered(_media(TEXT)),
    ),
}

SENT: Final[dict[str, Pair]] = {
    "callback-parameter-serialisation-changed": ASKED["request-parameter-serialisation-changed"],
    "callback-parameter-became-optional": (
        _asked(_in_query(required=True)),
        _asked(_in_query()),
    ),
    "callback-parameter-removed": (_asked(_in_query(required=True)), _asked()),
    "callback-response-header-serialisation-changed": (
        _answered(X=_WRITTEN[0]),
        _answered(X=_WRITTEN[1]),
    ),
    "callback-response-header-not-read": ASKED["response-header-not-read"],
    "callback-response-header-became-required": (
        _answered(X=_header()),
        _answered(X=_header(required=True)),
    ),
    "callback-response-header-added-required": (_answered(), _answered(X=_header(required=True))),
    "callback-content-not-read": ASKED["request-content-not-read"],
    "callback-encoding-changed": ASKED["request-encoding-changed"],
    "callback-response-content-not-read": ASKED["response-content-not-read"],
    "callback-response-encoding-changed": ASKED["response-encoding-changed"],
    "callback-body-became-optional": _turned(ASKED["request-body-became-required"]),
    "callback-body-removed": (_asked(body=_body(_media(TEXT), required=True)), _asked()),
    "callback-body-added": (_asked(), _asked(body=_body(_media(TEXT), required=True))),
    "callback-body-not-read": ASKED["request-body-not-read"],
    "callback-response-media-type-refused": ASKED["response-media-type-removed"],
    "callback-media-type-unknown": _turned(ASKED["request-media-type-refused"]),
}


def _found(name: str) -> tuple[Change, ...]:
    if name in SENT:
        ends = [api(webhooks={"h": {"post": each}}) for each in SENT[name]]
    else:
        ends = [api(paths={"/a": {"post": each}}) for each in ASKED[name]]
    old, new = map(described, ends)
    return compare(old, new)


HELD_BACK: Final[dict[str, Direction]] = {
    "request-parameter-not-read": "accepts",
    "callback-parameter-not-read": "produces",
}
"""What whoever compares whole operations asks for before messages are compared."""


@pytest.mark.parametrize("name", HELD_BACK)
def test_a_parameter_that_cannot_be_read_is_undecided(name: str) -> None:
    (found,) = parameters([_in_query()], [NOWHERE], HELD_BACK[name])
    assert (found.rule, found.grade) == (name, "undecided")


@pytest.mark.parametrize(
    "rule",
    [each for each in messages.RULES if each.name not in HELD_BACK],
    ids=lambda rule: rule.name,
)
def test_a_rule_explains_a_change_of_its_grade(rule: Rule) -> None:
    found = [change for change in _found(rule.name) if change.rule == rule.name]
    assert {change.grade for change in found} == {rule.grade}
    for change in found:
        assert (change.witness is None) >= (rule.grade in {"undecided", "noted"})
        assert change.witness is not None or rule.grade != "breaking"


@pytest.mark.parametrize("name", [*ASKED, *SENT])
def test_every_change_is_explained_by_a_rule_that_is_listed(name: str) -> None:
    assert {change.rule for change in _found(name)} <= BY_NAME.keys()
