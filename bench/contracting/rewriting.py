"""Edits of a description that change how it is written and nothing of what it says.

Each is a function of a parsed document, which it leaves as it is. What a schema means by the name it
stands under (where a `discriminator` tells kinds apart by the names of components) is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

Edit = Callable[[Any], Any]

PREFIX = "#/components/schemas/"
VERBATIM = frozenset({"enum", "const", "default", "example", "examples", "required", "mapping"})
# Beside these, members cannot be divided without changing which are additional or unevaluated.
WHOLE = frozenset({"additionalProperties", "unevaluatedProperties", "discriminator", "$ref"})
MOST_INLINED = 400


def reordered(document: Any) -> Any:
    """Every object with its members in the reverse order."""
    if isinstance(document, dict):
        return {name: reordered(document[name]) for name in reversed(document)}
    if isinstance(document, list):
        return [reordered(each) for each in document]
    return document


def renamed(document: Any) -> Any:
    """Component schemas under other names, and every reference to them."""
    fixed = _told_apart(document)

    def other(name: str) -> str:
        return name if name in fixed else f"Renamed.{name}"

    def rewritten(value: Any, within: str) -> Any:
        if isinstance(value, list):
            return [rewritten(each, within) for each in value]
        if not isinstance(value, dict) or within in VERBATIM:
            return value
        found = {name: rewritten(each, name) for name, each in value.items()}
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(PREFIX):
            name, slash, rest = target.removeprefix(PREFIX).partition("/")
            found["$ref"] = PREFIX + other(name) + slash + rest
        return found

    found = rewritten(document, "")
    schemas = found.get("components", {}).get("schemas")
    if schemas:
        found["components"]["schemas"] = {other(name): each for name, each in schemas.items()}
    return found


def hoisted(document: Any) -> Any:
    """Every schema of a body as a component of its own, with a reference in its place."""
    added: dict[str, Any] = {}

    def media(value: Any) -> Any:
        schema = value.get("schema") if isinstance(value, dict) else None
        if not isinstance(schema, dict) or "$ref" in schema:
            return value
        name = f"Hoisted{len(added)}"
        added[name] = schema
        return {**value, "schema": {"$ref": PREFIX + name}}

    found = _at_contents(document, media)
    if not added:
        return found
    components = found.get("components", {})
    schemas = {**components.get("schemas", {}), **added}
    return {**found, "components": {**components, "schemas": schemas}}


def inlined(document: Any) -> Any:
    """What bodies refer to in the reference's place, but for what is told apart by its name.

    At most `MOST_INLINED` references, one step deep each.
    """
    fixed = _told_apart(document)
    schemas = document.get("components", {}).get("schemas", {})
    left = [MOST_INLINED]

    def media(value: Any) -> Any:
        schema = value.get("schema") if isinstance(value, dict) else None
        target = schema.get("$ref") if isinstance(schema, dict) else None
        name = target.removeprefix(PREFIX) if isinstance(target, str) else ""
        if name not in schemas or name in fixed or not left[0]:
            return value
        left[0] -= 1
        return {**value, "schema": schemas[name]}

    return _at_contents(document, media)


def divided(document: Any) -> Any:
    """Every open object's members in two halves, joined by `allOf`."""

    def rewritten(value: Any, within: str) -> Any:
        if isinstance(value, list):
            return [rewritten(each, within) for each in value]
        if not isinstance(value, dict) or within in VERBATIM:
            return value
        found = {name: rewritten(each, name) for name, each in value.items()}
        members = found.get("properties")
        if within == "properties" or value.get("type") != "object" or WHOLE & value.keys():
            return found
        if not isinstance(members, dict) or len(members) < 2 or value.get("allOf"):
            return found
        names = list(members)
        kept = {name: members[name] for name in names[::2]}
        rest = {name: found[name] for name in ("type", "nullable") if name in found}
        rest["properties"] = {name: members[name] for name in names[1::2]}
        return {"allOf": [{**found, "properties": kept}, rest]}

    fixed = _told_apart(document)
    found = rewritten(document, "")
    schemas = document.get("components", {}).get("schemas", {})
    for name in fixed & schemas.keys():
        found["components"]["schemas"][name] = schemas[name]
    return found


def as_yaml(document: Any) -> bytes:
    """The same document in YAML."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    dumper = type("Plain", (dumper,), {"ignore_aliases": lambda *_: True})
    return yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True).encode()


EDITS: Mapping[str, Edit] = {
    "order of keys": reordered,
    "component names": renamed,
    "references made": hoisted,
    "references inlined": inlined,
    "members divided": divided,
}


def _at_contents(document: Any, media: Callable[[Any], Any]) -> Any:
    """The document with `media` done to every media type below a `content`."""

    def rewritten(value: Any, within: str) -> Any:
        if isinstance(value, list):
            return [rewritten(each, within) for each in value]
        if not isinstance(value, dict) or within in VERBATIM:
            return value
        return {
            name: {kind: media(rewritten(each, kind)) for kind, each in found.items()}
            if name == "content" and isinstance(found, dict) and "properties" not in within
            else rewritten(found, name)
            for name, found in value.items()
        }

    return rewritten(document, "")


def _told_apart(document: Any) -> frozenset[str]:
    """Components whose names a discriminator may mean, or that have one."""
    schemas = document.get("components", {}).get("schemas", {})
    having = {
        name for name, each in schemas.items() if isinstance(each, dict) and "discriminator" in each
    }
    found = set(having)
    for value in _objects(document):
        if "discriminator" in value:
            kinds = [*value.get("oneOf", ()), *value.get("anyOf", ())]
            mapped = value["discriminator"]
            targets = [each.get("$ref", "") for each in kinds if isinstance(each, dict)]
            if isinstance(mapped, dict):
                targets += mapped.get("mapping", {}).values()
            found |= {target.rpartition("/")[2] for target in targets}
    for name, each in schemas.items():
        parts = each.get("allOf", ()) if isinstance(each, dict) else ()
        targets = [part.get("$ref", "") for part in parts if isinstance(part, dict)]
        if any(target.removeprefix(PREFIX) in having for target in targets):
            found.add(name)
    return frozenset(found)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
