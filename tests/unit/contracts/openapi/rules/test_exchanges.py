"""Each rule about exchanges explains some change, and no change is explained by another."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules.exchanges import RULES
from groundwire.contracts.openapi.rules.rule import Rule
from tests.unit.contracts.openapi.exchanges.asking import GET, OK, api, changes

Pair: TypeAlias = tuple[dict[str, JSON], dict[str, JSON]]

_LATE = "2027-02-01"
_BODY: JSON = {"requestBody": {"content": {"application/json": {}}}, "responses": OK}


def _get(**members: JSON) -> dict[str, JSON]:
    return api(paths={"/a": {"get": {"responses": OK, **members}}})


def _at(*urls: str) -> dict[str, JSON]:
    return api(servers=[{"url": url} for url in urls], paths={"/a": GET})


def _variable(*described: JSON) -> dict[str, JSON]:
    return api(paths={"/a/{x}": {"get": {"responses": OK, "parameters": list(described)}}})


def _sent(member: str, name: str, item: JSON) -> dict[str, JSON]:
    if member == "webhooks":
        return api(webhooks={name: item})
    return _get(callbacks={name: {"{$url}": item}})


def _secured(*alternatives: JSON, method: str = "post", **schemes: JSON) -> dict[str, JSON]:
    operation: JSON = {"responses": OK, "security": list(alternatives)}
    known: dict[str, JSON] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "basic": {"type": "http", "scheme": "basic"},
        "bearer": {"type": "http", "scheme": "bearer"},
        "oauth": _oauth("https://a.example"),
    }
    components: JSON = {"securitySchemes": {**known, **schemes}}
    return api(paths={"/a": {method: operation}}, components=components)


def _oauth(url: str) -> JSON:
    return {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": url, "scopes": {}}}}


_INTEGER: JSON = {"name": "x", "in": "path", "required": True, "schema": {"type": "integer"}}
_ME: dict[str, JSON] = {"/a/{x}": {"get": {"responses": OK, "parameters": [_INTEGER]}}}
_HOOK: JSON = {"post": {"responses": OK}}
_NO_HOOK: JSON = {"$ref": "other.yaml"}
_KEY: JSON = {"key": []}
_DRAFT = {"x-stability-level": "draft"}
_STABLE = {"x-stability-level": "stable"}

CASES: dict[str, Pair] = {
    "path-removed": (_get(), api()),
    "operation-removed": (
        api(paths={"/a": {"get": _BODY, "put": _BODY}}),
        api(paths={"/a": {"put": _BODY}}),
    ),
    "path-taken-by-template": (api(paths={**_ME, "/a/me": GET}), api(paths=_ME)),
    "path-ambiguous": (api(paths={"/a/{x}": GET, "/a/{y}": GET}), api(paths={"/a/{z}": GET})),
    "path-unread": (_get(), api(paths={"/a": 1})),
    "operation-added": (api(), _get()),
    "operation-added-over-template": (api(paths=_ME), api(paths={**_ME, "/a/me": GET})),
    "server-removed": (_at("https://a", "https://b"), _at("https://a")),
    "server-base-path-changed": (_at("https://a/v1"), _at("https://a/v2")),
    "server-became-open": (_at("https://a"), _at("http://a")),
    "server-became-secure": (_at("http://a"), _at("https://a")),
    "server-added": (_at("https://a"), _at("https://a", "https://b")),
    "request-path-variable-described": (_variable(), _variable(_INTEGER)),
    "request-parameter-unread": (_variable(), _variable({"$ref": "other.yaml"})),
    "operation-deprecated": (_get(), _get(deprecated=True)),
    "operation-reactivated": (_get(deprecated=True), _get()),
    "operation-sunset-invalid": (_get(), _get(**{"x-sunset": "soon"})),
    "operation-sunset-moved-earlier": (
        _get(**{"x-sunset": _LATE}),
        _get(**{"x-sunset": "2027-01-01"}),
    ),
    "operation-sunset-removed": (
        _get(deprecated=True, **{"x-sunset": _LATE}),
        _get(deprecated=True),
    ),
    "operation-stability-decreased": (_get(**_STABLE), _get(**_DRAFT)),
    "response-status-added": (_get(), _get(responses={"200": {"description": ""}, "409": {}})),
    "response-status-removed": (_get(responses={"200": {"description": ""}, "409": {}}), _get()),
    "response-success-removed": (_get(), _get(responses={"201": {}})),
    "response-unread": (_get(), _get(responses=1)),
    "callback-response-status-removed": (
        _sent("webhooks", "w", {"post": {"responses": {"200": {}, "204": {}}}}),
        _sent("webhooks", "w", {"post": {"responses": {"200": {}}}}),
    ),
    "callback-response-status-added": (
        _sent("callbacks", "c", {"post": {"responses": {"200": {}}}}),
        _sent("callbacks", "c", {"post": {"responses": {"200": {}, "204": {}}}}),
    ),
    "webhook-removed": (_sent("webhooks", "w", _HOOK), api()),
    "webhook-added": (api(), _sent("webhooks", "w", _HOOK)),
    "webhook-unread": (_sent("webhooks", "w", _HOOK), _sent("webhooks", "w", _NO_HOOK)),
    "callback-removed": (_sent("callbacks", "c", _HOOK), _get()),
    "callback-added": (_get(), _sent("callbacks", "c", _HOOK)),
    "callback-unread": (_sent("callbacks", "c", _HOOK), _sent("callbacks", "c", _NO_HOOK)),
    "security-added": (_secured(), _secured(_KEY)),
    "security-scope-added": (_secured({"oauth": []}), _secured({"oauth": ["w"]})),
    "security-scheme-added": (_secured(_KEY), _secured({"key": [], "bearer": []})),
    "security-scheme-changed": (_secured(_KEY), _secured(_KEY, key={"type": "mutualTLS"})),
    "security-flow-removed": (
        _secured({"oauth": []}),
        _secured({"oauth": []}, oauth=_oauth("https://b.example")),
    ),
    "security-alternative-removed": (_secured(_KEY, {"bearer": []}), _secured(_KEY)),
    "security-removed": (_secured(_KEY), _secured()),
    "security-scheme-removed": (_secured({"key": [], "bearer": []}), _secured(_KEY)),
    "security-scope-removed": (_secured({"oauth": ["w"]}), _secured({"oauth": []})),
    "security-weakened": (_secured(_KEY), _secured(_KEY, {"basic": []})),
    "security-url-became-open": (
        _secured({"oauth": []}),
        _secured({"oauth": []}, oauth=_oauth("http://a.example")),
    ),
    "security-alternative-added": (_secured(_KEY), _secured(_KEY, {"bearer": []})),
    "security-changed": (_secured({"bearer": []}), _secured({"oauth": []})),
}


def _found(pair: Pair) -> tuple[Change, ...]:
    return changes(*pair, Options(today="2026-12-01"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_explains_a_change_of_its_grade(rule: Rule) -> None:
    found = [change for change in _found(CASES[rule.name]) if change.rule == rule.name]
    assert {change.grade for change in found} == {rule.grade}


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_change_is_explained_by_a_rule_that_is_listed(name: str) -> None:
    listed = {rule.name for rule in RULES}
    assert name in listed
    for old, new in (CASES[name], CASES[name][::-1]):
        assert {change.rule for change in _found((old, new))} <= listed


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_break_or_an_exposure_of_a_request_is_shown_and_an_undecided_change_has_its_reason(
    name: str,
) -> None:
    for change in _found(CASES[name]):
        shown = change.grade in {"breaking", "risky"} and not change.rule.startswith("operation-s")
        assert (change.witness is not None) >= shown, change
        assert (change.reason != "") == (change.grade == "undecided")
        assert change.says.endswith(".")
        assert change.before is not None or change.after is not None
