"""Actions: what was done to a schema, told from the keyword that refuses a value now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.refusing import DISCRIMINATOR, FALSE, Refusal
from groundwire.contracts.jsonschema.values import type_of
from groundwire.contracts.openapi.finding import Action
from groundwire.contracts.openapi.places import Schema
from groundwire.contracts.openapi.rules.keywords import CEILINGS, FLOORS, OTHERS
from groundwire.contracts.verdict import Direction

UNSPOKEN: Final = frozenset({"declared", "undeclared"})
"""Actions on a member of which the sender's schemas say nothing."""
_VARIANTS: Final = frozenset({"anyOf", "oneOf"})
_REST: Final = frozenset({"additionalProperties", "unevaluatedProperties"})


def action_of(
    refusal: Refusal,
    sent: Sequence[Schema],
    read: Schema,
    value: JSON,
    direction: Direction,
) -> Action:
    """What was done, by the refusal of the part `value` of a witness.

    `sent` are the schemas that speak of that part for the sender, `read` the one that refuses it.
    """
    keyword = refusal.keyword
    accepts = direction == "accepts"
    before, after = _values(keyword, sent, read, accepts=accepts)
    had = any(_holds(schema, keyword) for schema in sent)
    if refusal.path and isinstance(refusal.path[-1], str) and not sent and keyword != FALSE:
        done = "declared" if accepts else "undeclared"
        return Action(done, of_member=True, member=refusal.path[-1])
    if keyword == "required":
        return _of_required(refusal.name, sent, accepts=accepts)
    if keyword in _REST:
        names = sorted(value) if isinstance(value, Mapping) else []
        return _of_rest(refusal.name or "".join(names[:1]), sent, accepts=accepts)
    if keyword == DISCRIMINATOR:
        return Action("discriminator-value-removed" if accepts else "discriminator-value-added")
    if keyword == FALSE:
        return Action("refused" if accepts else "allowed")
    if keyword == "type":
        name = _of_type(sent, read, value, accepts=accepts)
    elif keyword == "enum":
        gained, lost = ("enum-added", "enum-removed")
        one = "enum-value-removed" if accepts else "enum-value-added"
        name = one if had else (gained if accepts else lost)
    elif keyword in _VARIANTS:
        name = _of_variants(refusal, had=had, accepts=accepts)
    else:
        name = _of_bound(keyword, had=had, accepts=accepts)
    return Action(name, before, after, keyword=keyword)


def _of_bound(keyword: str, *, had: bool, accepts: bool) -> str:
    if keyword in FLOORS:
        noun, moved = FLOORS[keyword], "raised" if accepts else "lowered"
    elif keyword in CEILINGS:
        noun, moved = CEILINGS[keyword], "lowered" if accepts else "raised"
    elif keyword in OTHERS:
        noun, moved = OTHERS[keyword], "changed"
    else:
        return "narrowed" if accepts else "widened"
    if had:
        return f"{noun}-{moved}"
    return f"{noun}-added" if accepts else f"{noun}-removed"


def _of_type(sent: Sequence[Schema], read: Schema, value: JSON, *, accepts: bool) -> str:
    senders = {kind for schema in sent for kind in _types(schema)}
    if not senders:
        return "type-added" if accepts else "type-removed"
    if value is None:
        return "became-not-nullable" if accepts else "became-nullable"
    if senders & _types(read) or (type_of(value) == "number" and "integer" in _types(read)):
        return "type-narrowed" if accepts else "type-widened"
    return "type-changed"


def _of_required(name: str, sent: Sequence[Schema], *, accepts: bool) -> Action:
    if _declares(name, sent):
        done = "became-required" if accepts else "became-optional"
    else:
        done = "added-as-required" if accepts else "removed"
    return Action(done, of_member=True, member=name)


def _of_rest(name: str, sent: Sequence[Schema], *, accepts: bool) -> Action:
    """A member too much for a schema that is closed: it was declared, or came as any other."""
    if _declares(name, sent):
        return Action("withdrawn" if accepts else "added", of_member=True, member=name)
    return Action("closed" if accepts else "opened")


def _of_variants(refusal: Refusal, *, had: bool, accepts: bool) -> str:
    if not refusal.branches:
        return "variants-overlap"
    if had:
        return "variant-removed" if accepts else "variant-added"
    return "variants-added" if accepts else "variants-removed"


def _declares(name: str, schemas: Sequence[Schema]) -> bool:
    members = [schema.get("properties") for schema in schemas]
    return any(isinstance(each, Mapping) and name in each for each in members)


def _types(schema: Schema) -> set[str]:
    said = schema.get("type")
    if isinstance(said, str):
        return {said}
    if isinstance(said, Sequence):
        return {each for each in said if isinstance(each, str)}
    return set()


def _holds(schema: Schema, keyword: str) -> bool:
    return keyword in schema and schema[keyword] is not False


def _values(
    keyword: str, sent: Sequence[Schema], read: Schema, *, accepts: bool
) -> tuple[JSON, JSON]:
    """What the keyword says in the old contract and in the new one; None where it is not there."""
    theirs = next((schema[keyword] for schema in sent if _holds(schema, keyword)), None)
    ours = read.get(keyword)
    return (theirs, ours) if accepts else (ours, theirs)
