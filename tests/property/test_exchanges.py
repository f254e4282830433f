"""Descriptions of APIs: the same says the same however it is ordered, and nothing read raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.changes import GRADES, Change, gravest_first
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules.table import BY_NAME
from tests.unit.contracts.openapi.describing import described

SOME = settings(max_examples=60, deadline=None)
OPTIONS = Options(steps=500, all_steps=20_000, today="2026-12-01")

SCHEMAS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "string", "enum": ["a", "b"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"$ref": "#/components/schemas/S"},
    ]
)
CONTENT: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {}, optional={"application/json": st.builds(dict, schema=SCHEMAS)}
)
RESPONSES = st.dictionaries(
    st.sampled_from(["200", "201", "2XX", "404", "default"]),
    st.fixed_dictionaries({"description": st.just("")}, optional={"content": CONTENT})
    | st.just({"$ref": "#/components/responses/R"}),
    max_size=3,
)
BODIES = st.fixed_dictionaries({"content": CONTENT}, optional={"required": st.booleans()})
PARAMETERS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["q", "r"]),
            "in": st.sampled_from(["query", "header", "cookie"]),
            "required": st.booleans(),
            "schema": SCHEMAS,
        }
    ),
    max_size=3,
    unique_by=lambda each: (each["in"], each["name"]),
)
SECURITY = st.lists(
    st.dictionaries(
        st.sampled_from(["key", "oauth", "basic", "none"]),
        st.lists(st.sampled_from(["r", "w"]), unique=True, max_size=2),
        max_size=2,
    ),
    max_size=3,
)
SERVERS = st.lists(
    st.sampled_from(["https://a.example/v1", "http://a.example/v1", "https://b.example", "/v1"]),
    unique=True,
    max_size=2,
).map(lambda urls: [{"url": url} for url in urls])
OPERATIONS = st.fixed_dictionaries(
    {"responses": RESPONSES},
    optional={
        "parameters": PARAMETERS,
        "requestBody": BODIES,
        "security": SECURITY,
        "deprecated": st.booleans(),
        "x-sunset": st.sampled_from(["2026-01-01", "2030-01-01", "soon"]),
        "callbacks": st.just({"c": {"{$url}": {"post": {"responses": {"200": {}}}}}}),
    },
)
ITEMS = st.dictionaries(
    st.sampled_from(["get", "put", "delete"]), OPERATIONS, min_size=1, max_size=2
)
COMPONENTS = {
    "schemas": {"S": {"type": "array", "items": {"$ref": "#/components/schemas/S"}}},
    "responses": {"R": {"description": "", "headers": {"X-A": {"schema": {"type": "string"}}}}},
    "securitySchemes": {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "oauth": {"type": "oauth2", "flows": {"implicit": {"authorizationUrl": "https://a"}}},
        "basic": {"type": "http", "scheme": "basic"},
    },
}
ROOTS = st.fixed_dictionaries(
    {
        "openapi": st.just("3.1.0"),
        "paths": st.dictionaries(
            st.sampled_from(["/a", "/a/{x}", "/a/{y}", "/a/me", "/v1/a"]), ITEMS, max_size=3
        ),
        "components": st.just(COMPONENTS),
    },
    optional={
        "security": SECURITY,
        "servers": SERVERS,
        "webhooks": st.dictionaries(st.sampled_from(["w", "v"]), ITEMS, max_size=2),
    },
)
JUNK = st.sampled_from(
    [None, True, 0, -1.5, "", "x", [], {}, [None], {"$ref": "#/paths"}, {"$ref": 1}, {"$ref": "x"}]
)
# Lists whose order says something, by the name that they stand under.
ORDERED = frozenset({"enum", "required"})


def _compared(old: Any, new: Any) -> tuple[Change, ...]:
    return compare(described(old), described(new), OPTIONS)


def _shuffled(value: Any, chance: random.Random, *, lists: bool, name: str = "") -> Any:
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {each: _shuffled(value[each], chance, lists=lists, name=each) for each in names}
    if isinstance(value, list):
        items = [_shuffled(each, chance, lists=lists) for each in value]
        if lists and name not in ORDERED:
            chance.shuffle(items)
        return items
    return value


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        found += [each for name in value for each in _places(value[name], (*path, name))]
    elif isinstance(value, list):
        found += [each for at in range(len(value)) for each in _places(value[at], (*path, at))]
    return found


def _put(value: Any, path: tuple[Any, ...], what: Any) -> Any:
    if not path:
        return what
    if isinstance(value, dict):
        return {**value, path[0]: _put(value[path[0]], path[1:], what)}
    return [_put(each, path[1:], what) if at == path[0] else each for at, each in enumerate(value)]


@SOME
@given(ROOTS, st.randoms(use_true_random=False))
def test_a_description_in_another_order_is_the_same(root: Any, chance: random.Random) -> None:
    again = _shuffled(root, chance, lists=True)
    shapes = {path.replace("{y}", "{x}") for path in root["paths"]}
    assert len(shapes) < len(root["paths"]) or _compared(root, again) == ()
    assert _compared(root, _shuffled(root, chance, lists=False)) == ()


@SOME
@given(ROOTS, ROOTS, st.randoms(use_true_random=False))
def test_the_order_of_keys_changes_nothing_and_that_of_items_no_verdict(
    old: Any, new: Any, chance: random.Random
) -> None:
    found = _compared(old, new)
    keys = [_shuffled(each, chance, lists=False) for each in (old, new)]
    assert _compared(*keys) == found
    items = [_shuffled(each, chance, lists=True) for each in (old, new)]
    told = [
        sorted({(each.grade, each.rule, each.reaches) for each in changes})
        for changes in (found, _compared(*items))
    ]
    assert told[0] == told[1]


@SOME
@given(ROOTS, ROOTS)
def test_a_change_is_explained_shown_and_told_once(old: Any, new: Any) -> None:
    found = _compared(old, new)
    assert found == gravest_first(found)
    causes = [(each.rule, each.grade, each.before, each.after) for each in found]
    assert len(causes) == len(set(causes))
    for change in found:
        assert change.rule in BY_NAME
        assert change.grade in GRADES
        assert list(change.reaches) == sorted(set(change.reaches))
        assert change.reaches
        assert (change.reason != "") == (change.grade == "undecided")
        assert change.grade != "breaking" or change.witness is not None


@SOME
@given(ROOTS, st.data())
def test_junk_at_any_place_is_read_without_an_exception_and_never_differs_from_itself(
    root: Any, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(_places(root)[1:]))
    if place[0] == "openapi":
        return
    broken = _put(root, place, data.draw(JUNK))
    again = _put(root, place, data.draw(JUNK))
    assert _compared(broken, broken) == ()
    for old, new in ((root, broken), (broken, root), (broken, again)):
        assert _compared(old, new) == _compared(old, new)
