"""Unknown names: what a policy speaks of and no tool list has shown, with the nearest that one has."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from groundwire.authority.reading.values import nearest, show
from groundwire.canon import jcs
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.grounding.schemas import schema_value

ALIKE: Final = 0.8
"""From here on a name is so like a known one that it is taken for a slip."""

_HIDES = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties"})


class UnknownName(msgspec.Struct, frozen=True):
    """A name in the policy that no tool list has shown.

    `place` is where it stands, `near` the nearest known name (empty where none is like it at all).
    """

    kind: Literal["tool", "argument"]
    place: str
    name: str
    near: str = ""

    @property
    def is_slip(self) -> bool:
        """Whether a known name is so like it that it is hardly another."""
        return bool(self.near) and _alike(self.name, self.near) >= ALIKE

    def words(self) -> str:
        """One sentence for people."""
        near = f"; the nearest is {show(self.near)}" if self.near else ""
        return (
            f"{self.place} names the {self.kind} {show(self.name)}, which no request offered{near}"
        )


def unknown_names(policy: Policy, schemas: Mapping[str, str]) -> Iterator[UnknownName]:
    """Every name of a tool or an argument in the policy that these tools do not have.

    `schemas` are the JSON texts of the tools' input schemas, by name. An argument is not spoken of
    where its tool is unknown, or where the schema does not list what it has (`$ref`, `anyOf`, …).
    """
    for place, name in _tools_named(policy):
        if name not in schemas:
            yield UnknownName("tool", place, name, nearest(name, schemas))
    for tool in policy.tools:
        if tool.name in schemas:
            yield from _unknown_arguments(tool, schema_value(schemas[tool.name]))


def _tools_named(policy: Policy) -> Iterator[tuple[str, str]]:
    for tool in policy.tools:
        place = f"[tools.{tool.name}]"
        yield place, tool.name
        for ground in tool.arguments_from:
            yield f"{place} arguments_from", ground
        for source in tool.arguments:
            if source.tool:
                yield f"{place} arguments.{source.argument}", source.tool
    for group in policy.checks.groups:
        for name in group.tools:
            yield f"[groups.{group.name}]", name
    for line in policy.checks.off:
        if line.tool:
            yield f"[[checks.off]] {line.check}", line.tool


def _unknown_arguments(tool: ToolDeclaration, schema: jcs.JSON) -> Iterator[UnknownName]:
    spoken = [source.argument for source in tool.arguments] + list(tool.volatile)
    for argument in spoken:
        known = _missing(schema, argument.replace("[*]", ".*").split("."))
        if known is not None:
            step, names = known
            place = f"[tools.{tool.name}] {argument}"
            yield UnknownName("argument", place, step, nearest(step, names))


def _missing(schema: jcs.JSON, steps: list[str]) -> tuple[str, tuple[str, ...]] | None:
    """The first step that the schema does not have, and what stands there; None where it has all."""
    for step in steps:
        if not isinstance(schema, dict) or _HIDES.intersection(schema):
            return None
        if step == "*":
            schema = schema.get("items")
            continue
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return None
        if step not in properties:
            return step, tuple(properties)
        schema = properties[step]
    return None


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(a=one.casefold(), b=other.casefold()).ratio()
