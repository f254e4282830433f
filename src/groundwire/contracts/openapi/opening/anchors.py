"""Where in a file the schema stands that has a name of its own."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.places import Outside


def path_of_anchor(document: JSON, name: str) -> tuple[str, ...]:
    """The names on the way to the schema whose `$anchor` is `name`: the only one, or none.

    Raises:
        Outside: `reference-dangling`.
    """
    found: list[tuple[str, ...]] = []
    seen: set[int] = set()
    waiting: list[tuple[JSON, tuple[str, ...]]] = [(document, ())]
    while waiting:
        value, path = waiting.pop()
        if id(value) in seen:
            continue
        if isinstance(value, dict):
            seen.add(id(value))
            if name in (value.get("$anchor"), value.get("$dynamicAnchor")):
                found.append(path)
            waiting += [(each, (*path, key)) for key, each in value.items() if _holds(each)]
        elif isinstance(value, list):
            seen.add(id(value))
            waiting += [(e, (*path, str(i))) for i, e in enumerate(value) if _holds(e)]
    if len(found) != 1:
        raise Outside("reference-dangling")
    return found[0]


def _holds(value: JSON) -> bool:
    return isinstance(value, dict | list)
