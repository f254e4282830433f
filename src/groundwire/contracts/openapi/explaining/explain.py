"""Explain: the findings that a broken question about a schema comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Grade
from groundwire.contracts.compact import compact
from groundwire.contracts.jsonschema.refusing import Path
from groundwire.contracts.jsonschema.values import identity
from groundwire.contracts.openapi.explaining.causes import Asker, causes, part_of
from groundwire.contracts.openapi.finding import Cause, Finding, Part
from groundwire.contracts.openapi.options import Knobs
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.openapi.rules.schemas import BY_NAME, Subject, rule_name
from groundwire.contracts.verdict import Breaking, Compatible, Direction, Risky

Carrier: TypeAlias = Literal["body", "parameter", "header"]

_LONGEST: Final = 80
_MOST_LISTED: Final = 5
_MOST_ASKED: Final = 20
_DEFAULTED: Final = frozenset({"added-as-required", "became-required"})


def explain(
    asker: Asker,
    ends: tuple[str, str],
    direction: Direction,
    verdict: Breaking | Risky,
    carrier: Carrier,
    part: Callable[[JSON], Part | None],
    knobs: Knobs,
) -> tuple[Finding, ...]:
    """A finding for each cause. `ends` are the pointers of the old schema and the new one.

    `part` puts a value of the schema into the part of a message that carries it.
    """
    whole: Grade = "breaking" if isinstance(verdict, Breaking) else "risky"
    found = []
    for cause in causes(asker, *ends, direction, verdict):
        rule = rule_name(
            _subject(carrier, direction, cause.path),
            cause.action.name,
            of_member=cause.action.of_member,
        )
        carried = part(cause.value)
        found.append(
            Finding(
                rule=rule,
                grade=_grade(asker, cause, whole, knobs),
                says=f"{_says(asker, cause, direction, _named(carrier, carried))}.",
                before=cause.old,
                after=cause.new,
                instead=BY_NAME[rule].instead,
                part=carried,
                value=part_of(cause.value, cause.path),
            )
        )
    return tuple(found)


def _subject(carrier: Carrier, direction: Direction, path: Path) -> Subject:
    if direction == "produces":
        if carrier != "body":
            return "response-header"
        return "response-property" if path else "response-body"
    if carrier == "body":
        return "request-property" if path else "request-body"
    return "request-parameter-property" if path else "request-parameter"


def _grade(asker: Asker, cause: Cause, whole: Grade, knobs: Knobs) -> Grade:
    """The grade of the verdict, or what a knob says of this kind of change."""
    if whole != "breaking":
        return whole
    name = cause.action.name
    if name == "enum-value-added":
        old = asker.places("old").schema(cause.old)
        return knobs.extensible_enum if _is_extensible(old) else knobs.response_enum_added
    if name in _DEFAULTED:
        new = asker.places("new")
        members = new.below(new.here([cause.new]), cause.action.member)
        if any("default" in new.schema(each) for each in new.here(members)):
            return knobs.required_with_default
    return whole


def _is_extensible(schema: Mapping[str, JSON]) -> bool:
    said = schema.get("x-extensible-enum")
    return said is not None and said is not False


def _named(carrier: Carrier, part: Part | None) -> str:
    """Which parameter or header it is about; of a body the operation says so."""
    if carrier == "body" or part is None:
        return ""
    what = "header" if carrier == "header" else f"{part.location} parameter"
    return f"the {what} {compact(part.name, _LONGEST)}"


def _says(asker: Asker, cause: Cause, direction: Direction, named: str) -> str:
    action = cause.action
    path = (*cause.path, action.member) if action.of_member else cause.path
    inside = "/" + "/".join(map(str, path)) if path else ""
    where = ", ".join(filter(None, (named, inside))) or "the value itself"
    if action.of_member:
        return f"{where} {_OF_MEMBER[action.name]}"
    if action.name in _OF_NULL:
        return f"{where} {_OF_NULL[action.name]}"
    if action.name in _LISTS and (listed := _listed(cause)):
        return f"{where}: `{action.keyword}` {listed}"
    if action.was is None and action.now is None:
        return f"{where}: {'is refused now' if direction == 'accepts' else 'may come now'}"
    if action.name in _CHOICES and action.was is not None and action.now is not None:
        return f"{where}: `{action.keyword}` has the same choices, and {_differing(asker, cause, direction)}"
    was, now = _short(action.was), _short(action.now)
    return f"{where}: `{action.keyword}` was {was}, is {now} now"


_CHOICES: Final = frozenset({"variant-removed", "variant-added", "variants-overlap"})
_LISTS: Final = frozenset({"enum-value-removed", "enum-value-added"}) | _CHOICES
_OF_NULL: Final[Mapping[str, str]] = {
    "became-nullable": "may be null now",
    "became-not-nullable": "may not be null any more",
}
_OF_MEMBER: Final[Mapping[str, str]] = {
    "added-as-required": "has to be sent now, and was not known before",
    "became-required": "has to be sent now, and could be left out before",
    "withdrawn": "is refused now, and could be sent before",
    "removed": "does not come any more, and always came before",
    "became-optional": "may be missing now, and always came before",
    "added": "may come now, where nothing else than was declared could come",
    "declared": "is held to a schema now, and was not declared before",
    "undeclared": "may be anything now, and was declared before",
}


def _listed(cause: Cause) -> str:
    """The values of a list that are gone, or that are new."""
    was, now = _items(cause.action.was), _items(cause.action.now)
    before, after = ({identity(each) for each in items} for items in (was, now))
    gone = [each for each in was if identity(each) not in after]
    new = [each for each in now if identity(each) not in before]
    parts = []
    for what, items in (("lost", gone), ("gained", new)):
        if items:
            more = f", {len(items) - _MOST_LISTED} more" if len(items) > _MOST_LISTED else ""
            parts.append(f"{what} {', '.join(map(_short, items[:_MOST_LISTED]))}{more}")
    return " and ".join(parts)


def _differing(asker: Asker, cause: Cause, direction: Direction) -> str:
    """Which of the choices that both sides have are not the same to who reads them."""
    keyword, was, now = cause.action.keyword, _items(cause.action.was), _items(cause.action.now)
    if not cause.old or not cause.new or len(was) != len(now) or len(was) > _MOST_ASKED:
        return "they differ within"
    places = {repr(identity(each)): index for index, each in enumerate(now)}
    names = []
    for index, each in enumerate(was):
        other = places.get(repr(identity(each)), index)
        ends = (join(end, keyword, str(at)) for end, at in ((cause.old, index), (cause.new, other)))
        if not isinstance(asker.ask(*ends), Compatible):
            names.append(_short(each))
    if not names and cause.action.name == "variants-overlap":
        by_whom = "now" if direction == "accepts" else "for who knows them as they were"
        return f"a value of one of them is of several {by_whom}"
    if not names:
        return "they differ within"
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"{', '.join(names[:_MOST_LISTED])}{more} {'differ' if len(names) > 1 else 'differs'}"


def _items(value: JSON) -> list[JSON]:
    return list(value) if isinstance(value, list | tuple) else []


def _short(value: JSON) -> str:
    """The value in a few words; of a reference the name that it ends in."""
    if value is None:
        return "not set"
    match value:
        case {"$ref": str(reference)}:
            return f"`{compact(reference.rpartition('/')[2], _LONGEST)[1:-1]}`"
        case _:
            return compact(value, _LONGEST)
