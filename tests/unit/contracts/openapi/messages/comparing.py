"""Two small descriptions that differ in one message, compared in one direction."""

from __future__ import annotations

from typing import Any

from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.messages.bodies import compare_body, compare_content
from groundwire.contracts.openapi.messages.headers import compare_headers
from groundwire.contracts.openapi.messages.parameters import compare_parameters
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules import schemas as of_schemas
from groundwire.contracts.openapi.rules.table import BY_NAME
from groundwire.contracts.openapi.schemas import Schemas
from groundwire.contracts.verdict import Direction
from tests.unit.contracts.openapi.describing import described

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 -- short beside S
A = {"type": "array", "items": {"type": "string"}}
O = {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}  # noqa: E741 -- short beside S
PARTS: dict[str, Any] = {
    "schemas": {"Text": S, "Self": {"$ref": "#/components/schemas/Self"}},
    "parameters": {"Page": {"name": "page", "in": "query", "schema": I}},
    "headers": {"Rate": {"schema": I, "required": True}},
}


def schemas(old: Any, new: Any, version: str = "3.1.0", options: Options | None = None) -> Schemas:
    roots = [{"openapi": version, "here": here, "components": PARTS} for here in (old, new)]
    return Schemas(described(roots[0]), described(roots[1]), options or Options())


def checked(found: list[Finding]) -> list[Finding]:
    """The findings, of which each is of a rule that is known and carries what its grade needs."""
    for each in found:
        assert each.rule in BY_NAME, each.rule
        assert (each.grade == "undecided") == bool(each.reason), each
        assert each.before or each.after, each
        assert each.says, each
    return found


def parameters(
    old: list[Any],
    new: list[Any],
    direction: Direction = "accepts",
    renamed: dict[str, str] | None = None,
    **more: Any,
) -> list[Finding]:
    asked = schemas(old, new, **more)
    ends = [[f"#/here/{index}" for index in range(len(each))] for each in (old, new)]
    return checked(list(compare_parameters(asked, *ends, direction, renamed or {})))


def body(old: Any, new: Any, direction: Direction = "accepts", **more: Any) -> list[Finding]:
    ends = ["#/here" if each is not None else "" for each in (old, new)]
    return checked(list(compare_body(schemas(old, new, **more), *ends, direction)))


def content(old: Any, new: Any, direction: Direction = "produces", **more: Any) -> list[Finding]:
    ends = ["#/here" if each is not None else "" for each in (old, new)]
    return checked(list(compare_content(schemas(old, new, **more), *ends, direction)))


def headers(old: Any, new: Any, direction: Direction = "produces", **more: Any) -> list[Finding]:
    ends = ["#/here" if each is not None else "" for each in (old, new)]
    return checked(list(compare_headers(schemas(old, new, **more), *ends, direction)))


def told(found: list[Finding]) -> list[tuple[str, str]]:
    """Rules and grades; what a rule about schemas says is `value`, which of them is tested there."""
    names = [*of_schemas.BY_NAME, "request-value-refused", "response-value-unknown"]
    return [("value" if each.rule in names else each.rule, each.grade) for each in found]
