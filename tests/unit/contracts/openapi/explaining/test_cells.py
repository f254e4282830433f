"""Each keyword, coming or changing, in each place and direction, has a test or a written waiver.

What comes in one direction goes in the other, so `comes` stands for both.
"""

from __future__ import annotations

import tomllib

import msgspec
import pytest
from bench.contracting.pairs import VECTORS

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.table import KEYWORDS
from groundwire.contracts.openapi.comparing import compare
from tests.unit.contracts.openapi.describing import described
from tests.unit.contracts.openapi.explaining.test_explain import EDITS, OF_MEMBERS

DATA = tomllib.loads((VECTORS / "cells.toml").read_text("utf-8"))
ADDED: dict[str, tuple[JSON, JSON]] = {
    name: (msgspec.json.decode(edit["loose"]), msgspec.json.decode(edit["strict"]))
    for name, edit in DATA["edits"].items()
}
PAIRS = {
    **ADDED,
    **{f"{each.asked}/{index}": (each.loose, each.strict) for index, each in enumerate(EDITS)},
}
PLACES = ("body", "property", "parameter", "parameter-property", "response", "member", "header")


def cells(loose: JSON, strict: JSON) -> set[str]:
    """What an edit is about, as `maxLength-comes`."""
    if not isinstance(loose, dict) or not isinstance(strict, dict):
        return set()
    changed = {name for name in {*loose, *strict} if loose.get(name) != strict.get(name)}
    return {
        f"{name}-{'changes' if name in loose and name in strict else 'comes'}" for name in changed
    }


def api(place: str, schema: JSON) -> dict[str, JSON]:
    """A description that has the schema in one place; parameters and headers hold JSON."""
    if place in {"property", "parameter-property", "member"}:
        schema = {"type": "object", "properties": {"it": schema}}
    content: JSON = {"application/json": {"schema": schema}}
    answer: dict[str, JSON] = {"description": ""}
    operation: dict[str, JSON] = {"responses": {"200": answer}}
    if place in {"body", "property"}:
        operation["requestBody"] = {"required": True, "content": content}
    elif place.startswith("parameter"):
        operation["parameters"] = [{"in": "query", "name": "q", "content": content}]
    elif place == "header":
        answer["headers"] = {"X-It": {"required": True, "content": content}}
    else:
        answer["content"] = content
    return {"openapi": "3.1.0", "paths": {"/it": {"post": operation}}}


def test_every_keyword_that_comes_or_changes_has_an_edit_or_a_waiver() -> None:
    edited = set[str]().union(
        *(cells(*pair) for pair in PAIRS.values()), *(cells(*each[1:]) for each in OF_MEMBERS)
    )
    wanted = {f"{name}-{edit}" for name in KEYWORDS for edit in ("comes", "changes")}
    assert wanted - edited == set(DATA["waived"])
    assert all(len(why) > 40 for why in DATA["waived"].values())
    assert all(name in cells(*pair) for name, pair in ADDED.items())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", PAIRS)
def test_an_edit_breaks_in_one_direction_and_not_in_the_other(name: str, place: str) -> None:
    loose, strict = (described(api(place, schema)) for schema in PAIRS[name])
    both = {
        way: {change.grade for change in compare(*ends)} - {"noted"}
        for way, ends in (("narrower", (loose, strict)), ("wider", (strict, loose)))
    }
    answered = place in {"response", "member", "header"}
    harmful, harmless = ("wider", "narrower") if answered else ("narrower", "wider")
    assert both[harmful] & {"breaking", "risky"}
    if name.split("/", maxsplit=1)[0] in BOTH_WAYS:
        return
    assert both[harmless] == set()


BOTH_WAYS = {"const-changed", "format-changed", "type-changed", "variant-removed"}
"""Edits after which some values are new and others are gone."""
