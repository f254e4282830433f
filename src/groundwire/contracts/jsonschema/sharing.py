"""Which definitions are the same in both documents, with all they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.references import Unresolved
from groundwire.contracts.jsonschema.compiling.schemas import Document
from groundwire.contracts.jsonschema.values import identity


def shared_pointers(old: Document, new: Document) -> frozenset[str]:
    """The pointers, of those referred to, that lead to the same in both.

    Only by pointers from the root; where a part has an identifier of its own, none is shared.
    """
    if old.dialect != new.dialect or old.formats != new.formats:
        return frozenset()
    if _has_resources(old) or _has_resources(new):
        return frozenset()
    inside: dict[str, frozenset[str]] = {}
    for reference in sorted(set(_references(old.root))):
        found = _same(reference, old, new)
        if found is not None:
            inside[found[0]] = found[1]
    while True:
        broken = {pointer for pointer, others in inside.items() if not others <= inside.keys()}
        if not broken:
            return frozenset(inside)
        inside = {pointer: others for pointer, others in inside.items() if pointer not in broken}


def _same(reference: str, old: Document, new: Document) -> tuple[str, frozenset[str]] | None:
    """The pointer of a reference, and those inside what it leads to, where both have the same."""
    try:
        before = old.references.resolve(reference, ())
        after = new.references.resolve(reference, ())
        if before.path != after.path or identity(before.schema) != identity(after.schema):
            return None
        others = [
            "/".join(("#", *old.references.resolve(each, ()).path))
            for each in _references(before.schema)
        ]
    except Unresolved:
        return None
    return "/".join(("#", *before.path)), frozenset(others)


def _parts(value: JSON) -> Iterator[Mapping[str, JSON]]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        # Documents were checked: objects are dictionaries, arrays lists or tuples.
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part


def _references(value: JSON) -> list[str]:
    named = [each.get("$ref") for each in _parts(value)]
    return [reference for reference in named if isinstance(reference, str)]


def _has_resources(document: Document) -> bool:
    return any(
        document.references.is_resource(part)
        for part in _parts(document.root)
        if part is not document.root
    )
