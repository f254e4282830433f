"""Shape: what only a JSON Schema says, where it does not say by name that it is one."""

from __future__ import annotations

from collections.abc import Mapping


def speaks_of_values(root: Mapping[str, object]) -> bool:
    """Whether the object says of values what only a schema says."""
    match root.get("type"):
        case "object":
            says = isinstance(root.get("properties"), Mapping)
        case "array":
            says = isinstance(root.get("items"), Mapping)
        case "string" | "integer" | "number":
            says = isinstance(root.get("enum"), list)
        case _:
            says = False
    return says or isinstance(root.get("$defs"), Mapping)
