"""Libraries: descriptions without any operation, whose components others refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, gravest_first
from groundwire.contracts.jsonschema.values import identity
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.explaining.asking import Asking
from groundwire.contracts.openapi.explaining.explain import explain
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.openapi.schemas import Schemas
from groundwire.contracts.verdict import Compatible, Direction, Undecided

REMOVED: Final = "component-removed"
CHANGED: Final = "component-undecided"
_COMPONENTS: Final = "#/components"
_SILENT: Final = frozenset({"examples", "links"})
"""Components that say nothing of what may be sent."""
_DIRECTIONS: Final[tuple[Direction, ...]] = ("accepts", "produces")


def is_library(description: Description) -> bool:
    """Whether no operation stands in it."""
    return not any(description.root.get(name) for name in ("paths", "webhooks"))


def compare_libraries(old: Description, new: Description, options: Options) -> tuple[Change, ...]:
    """What became of each component of two libraries, for whoever sends it and whoever reads it.

    Which of the two the users of a component do is not known here, so each is asked. A component
    that is no schema is only held against itself.
    """
    schemas = Schemas(old, new, options)
    found: dict[tuple[str, str, str], Change] = {}
    for kind, name in _names(old):
        for finding in _findings(schemas, kind, name, old, new):
            key = (finding.rule, finding.before, finding.after)
            found.setdefault(key, _change(finding, old, new, join(_COMPONENTS, kind, name)))
    return gravest_first(tuple(found.values()))


def _names(description: Description) -> list[tuple[str, str]]:
    return [(kind, name) for kind, members in _kinds(description).items() for name in members]


def _kinds(description: Description) -> Mapping[str, Mapping[str, JSON]]:
    components = description.root.get("components")
    if not isinstance(components, Mapping):
        return {}
    return {
        kind: dict(sorted(members.items()))
        for kind, members in sorted(components.items())
        if isinstance(members, Mapping) and kind not in _SILENT
    }


def _findings(
    schemas: Schemas, kind: str, name: str, old: Description, new: Description
) -> Iterator[Finding]:
    pointer = join(_COMPONENTS, kind, name)
    after = _kinds(new).get(kind, {})
    if name not in after:
        yield Finding(
            rule=REMOVED,
            grade="breaking",
            says=f"The component {name} is gone, and whoever refers to it finds nothing.",
            before=pointer,
            instead="Keep it, and mark it as deprecated.",
        )
        return
    if kind != "schemas":
        if identity(_kinds(old)[kind][name]) != identity(after[name]):
            yield _undecided(pointer, name, "component-not-compared")
        return
    for direction in _DIRECTIONS:
        verdict = schemas.ask(pointer, pointer, direction)
        if isinstance(verdict, Undecided):
            yield _undecided(pointer, name, verdict.reason)
        elif not isinstance(verdict, Compatible):
            asking = Asking(schemas, direction)
            yield from explain(
                asking, (pointer, pointer), direction, verdict, "body", _part, schemas.knobs
            )


def _undecided(pointer: str, name: str, reason: str) -> Finding:
    return Finding(
        rule=CHANGED,
        grade="undecided",
        says=f"Whether whoever refers to the component {name} still fits was not decided.",
        before=pointer,
        after=pointer,
        reason=reason,
    )


def _part(value: JSON) -> Part:
    return Part(location="body", name="application/json", value=value)


def _change(finding: Finding, old: Description, new: Description, reached: str) -> Change:
    """There is no exchange around it: the whole value is what shows it."""
    return Change(
        rule=finding.rule,
        grade=finding.grade,
        says=finding.says,
        before=old.locator.where(finding.before) if finding.before else None,
        after=new.locator.where(finding.after) if finding.after else None,
        reaches=(reached,),
        instead=finding.instead,
        reason=finding.reason,
        value=finding.part.value if finding.part else None,
    )
