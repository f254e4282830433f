"""What the engines of contracts say of a change, and what comes of it."""

from __future__ import annotations

import json

import pytest

from groundwire.authority.ruling.contracts import contract_engines
from groundwire.canon.jcs import JSON
from groundwire.documents.contract import DiffRules
from groundwire.documents.governing import Severity
from tests.unit.authority.guarding.questions import change, question, ruled

ENGINES = contract_engines(DiffRules(), lambda: "2026-12-01")


def api(
    schema: JSON, *, security: JSON = None, path: str = "/users", described: str = "users"
) -> bytes:
    operation: dict[str, JSON] = {
        "responses": {
            "200": {"description": described, "content": {"application/json": {"schema": schema}}}
        }
    }
    if security is not None:
        operation["security"] = security
    schemes: JSON = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "t", "version": "1"},
            "paths": {path: {"get": operation}},
            "components": {"securitySchemes": schemes},
        }
    ).encode()


NAMED: JSON = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
OPEN: JSON = {"type": "object", "properties": {"id": {"type": "string"}}}
MORE: JSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        (api(NAMED), api(OPEN), "breaking"),
        (api(NAMED), api(NAMED, described="all users"), "none"),
        (api(NAMED), json.dumps(json.loads(api(NAMED)), indent=3, sort_keys=True).encode(), "none"),
        (api(NAMED, security=[{"key": []}]), api(NAMED, security=[]), "exposure"),
        (api(NAMED), None, "breaking"),
        (None, api(NAMED), "undecided"),
        (api(NAMED), b"openapi: [", "undecided"),
        (b"openapi: [", api(NAMED), "undecided"),
        (api(NAMED), b"", "undecided"),
        (api(NAMED), b"{}", "undecided"),
    ],
)
def test_a_description_is_judged_by_what_its_change_does(
    before: bytes | None, after: bytes | None, severity: Severity
) -> None:
    assert ENGINES["openapi"].judge(before, after).severity == severity


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        (b'{"type": "string"}', b'{"type": "string", "title": "x"}', "none"),
        (b'{"type": "string"}', b'{"type": "integer"}', "breaking"),
        (b'{"type": "string"}', None, "undecided"),
        (None, b'{"type": "string"}', "undecided"),
        (b'{"type": "string"}', b"[]", "undecided"),
    ],
)
def test_a_schema_is_judged_for_who_sends_and_for_who_reads(
    before: bytes | None, after: bytes | None, severity: Severity
) -> None:
    assert ENGINES["json-schema"].judge(before, after).severity == severity


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ("required: [a, b]", "required: [a]", "breaking"),
        ("nullable: false\n      type: string", "nullable: true\n      type: string", "breaking"),
        ("type: string", "type: string\n      title: x", "none"),
        ("type: string\n    B:\n      type: string", "type: string", "breaking"),
        ("type: string", "type: string\n    B:\n      type: string", "none"),
    ],
)
def test_a_description_without_operations_is_judged_by_its_components(
    before: str, after: str, severity: Severity
) -> None:
    head = "openapi: 3.0.3\npaths: {}\ncomponents:\n  schemas:\n    A:\n      "
    ends = [f"{head}{each}\n".encode() for each in (before, after)]
    assert ENGINES["openapi"].judge(*ends).severity == severity


def test_a_person_is_shown_the_exchange_that_breaks() -> None:
    judgement = ENGINES["openapi"].judge(api(NAMED), api(OPEN))
    assert judgement.rules == ("response-property-removed",)
    assert "GET /users answered by 200 {}" in judgement.says


def test_a_change_that_harms_nobody_passes_and_one_that_breaks_is_held() -> None:
    edits = {"fine": api(MORE), "breaks": api(OPEN)}
    words = {
        name: ruled(question(change("openapi.json", api(NAMED), after)), engines=ENGINES)
        for name, after in edits.items()
    }
    assert words["breaks"].decision.decision == "approve"
    assert any(
        "response-property-removed" in str(each) for each in words["breaks"].decision.witnesses
    )
    assert words["fine"].decision.decision == "allow"
    assert words["fine"].engines["openapi"].startswith("groundwire-contracts/")


def test_the_policy_says_how_grave_a_value_more_in_a_response_is() -> None:
    one, two = api({"enum": ["a"]}), api({"enum": ["a", "b"]})
    lenient = contract_engines(DiffRules(openapi={"response_enum_added": "noted"}), str)
    assert ENGINES["openapi"].judge(one, two).severity == "breaking"
    assert lenient["openapi"].judge(one, two).severity == "compatible"


def test_a_parameter_that_is_gone_is_asked_about_and_a_member_newly_declared_is_not() -> None:
    limit: JSON = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    with_it = json.loads(api(NAMED))
    with_it["paths"]["/users"]["get"]["parameters"] = [limit]
    gone = ENGINES["openapi"].judge(json.dumps(with_it).encode(), api(NAMED))
    assert (gone.severity, gone.rules) == ("undecided", ("request-parameter-removed",))
    taken: dict[str, JSON] = {"type": "object", "properties": {"a": {"type": "string"}}}
    wider: JSON = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    }
    ends = [json.dumps(each).encode() for each in (taken, wider)]
    assert ENGINES["json-schema"].judge(*ends).severity == "risky"
