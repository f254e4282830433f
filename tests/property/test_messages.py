"""What is called compatible of parameters and bodies holds for every request that is tried."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.messages.writing.styles import render, written
from tests.unit.contracts.openapi.messages.comparing import body, content, headers, parameters

SCALARS = st.sampled_from([0, 1, 2, -1, 1.5, True, False, "", "a", "ab", "1", "2", "true", "-1"])
NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean"])},
        optional={
            "minLength": st.integers(0, 2),
            "maximum": st.integers(-1, 2),
            "minimum": st.integers(-1, 2),
            "pattern": st.sampled_from(["^[0-9]*$", "a"]),
        },
    ),
    st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=4)}),
    st.fixed_dictionaries(
        {"type": st.lists(st.sampled_from(["string", "integer", "boolean"]), min_size=1, max_size=2, unique=True)}
    ),
)  # fmt: skip
UNIONS = st.builds(
    lambda keyword, parts: {keyword: parts},
    st.sampled_from(["anyOf", "oneOf", "allOf"]),
    st.lists(LEAVES, min_size=1, max_size=2),
)
ARRAYS = st.fixed_dictionaries(
    {"type": st.just("array"), "items": LEAVES},
    optional={"minItems": st.integers(0, 2), "maxItems": st.integers(0, 3)},
)
SCHEMAS = LEAVES | UNIONS | ARRAYS
VALUES = SCALARS | st.lists(SCALARS, min_size=1, max_size=3)


def is_valid(schema: Any, value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


def scalars(text: str) -> Iterator[Any]:
    yield text
    if text in {"true", "false"}:
        yield text == "true"
    # As JSON writes numbers: without zeros in front.
    with contextlib.suppress(msgspec.DecodeError):
        yield msgspec.json.decode(text, type=int | float)


def as_read(fields: tuple[tuple[str, str], ...]) -> Iterator[Any]:
    """Every value that the pairs `q=…` of a query can be read as."""
    for each in itertools.product(*(list(scalars(text)) for _, text in fields)):
        yield list(each)
        if len(each) == 1:
            yield each[0]


@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=5, max_size=20), st.booleans())
@settings(max_examples=400)
def test_no_request_with_a_compatible_parameter_is_refused(
    old: Any, new: Any, values: list[Any], required: bool
) -> None:
    one = {"name": "q", "in": "query", "schema": old}
    other = {"name": "q", "in": "query", "schema": new, "required": required}
    found = parameters([{**one, "required": True}], [other])
    if found:
        # A witness is a request that the old contract takes and the new one does not.
        for each in found:
            if each.grade == "breaking" and each.part is not None:
                texts = each.part.fields
                assert any(is_valid(old, value) for value in as_read(texts)), each
                assert not any(is_valid(new, value) for value in as_read(texts)), each
        return
    for value in values:
        fields = render(written("query", one), "q", value)
        assert fields is not None
        if is_valid(old, value):
            assert any(is_valid(new, each) for each in as_read(fields)), (value, fields)


PROPERTIES = st.dictionaries(
    NAMES, st.builds(lambda leaf, mark: {**leaf, **mark}, LEAVES, st.sampled_from([{}, {"readOnly": True}])), max_size=3
)  # fmt: skip
OBJECTS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": PROPERTIES},
    optional={
        "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": st.booleans(),
    },
)
KINDS = st.dictionaries(st.sampled_from(["A", "B"]), OBJECTS, min_size=1)


def projected(schema: Any, *, sends: bool) -> Any:
    """The schema once what is `readOnly` is not there for who sends, and free for who reads."""
    members = schema["properties"]
    hidden = {name for name, each in members.items() if each.get("readOnly")}
    kept = {name: (not sends) if name in hidden else each for name, each in members.items()}
    wanted = [name for name in schema.get("required", ()) if name not in hidden]
    return {**schema, "properties": kept, "required": wanted}


def described(schema: Any, wrapped: bool) -> Any:
    parts = [{"type": "object"}, schema] if wrapped else None
    return {"content": {"application/json": {"schema": {"allOf": parts} if parts else schema}}}


OBJECT_VALUES = st.dictionaries(NAMES, SCALARS, max_size=3)


@given(OBJECTS, OBJECTS, st.lists(OBJECT_VALUES, min_size=5, max_size=20), st.booleans())
@settings(max_examples=300)
def test_no_request_with_a_compatible_body_is_refused(
    old: Any, new: Any, values: list[Any], wrapped: bool
) -> None:
    found = body(described(old, False), described(new, wrapped))
    sent, read = projected(old, sends=True), projected(new, sends=False)
    for each in found:
        if each.grade in {"breaking", "risky"} and each.part is not None:
            assert is_valid(sent, each.part.value), each
            assert not is_valid(read, each.part.value), each
    if not found:
        for value in values:
            assert not is_valid(sent, value) or is_valid(read, value), value


@given(KINDS, KINDS, st.lists(st.tuples(st.sampled_from(["A", "B", "x"]), OBJECT_VALUES), min_size=5, max_size=20))  # fmt: skip
@settings(max_examples=200)
def test_no_object_of_a_kind_is_refused_that_is_compatible(
    old: Any, new: Any, values: list[tuple[str, Any]]
) -> None:
    """The kinds stand in the document, and the property `t` says of which one an object is."""
    assume(all("t" not in each["properties"] for each in (*old.values(), *new.values())))

    def whole(kinds: Any) -> Any:
        schemas = {name: f"#/here/kinds/{name}" for name in kinds}
        union = {
            "oneOf": [{"$ref": each} for each in schemas.values()],
            "discriminator": {"propertyName": "t", "mapping": schemas},
        }
        opened = {
            name: {**each, "properties": {**each["properties"], "t": {"type": "string"}}}
            for name, each in kinds.items()
        }
        return {"kinds": opened, "content": {"application/json": {"schema": union}}}

    found = body(whole(old), whole(new))
    sides = [
        {name: projected(each, sends=sends) for name, each in whole(kinds)["kinds"].items()}
        for kinds, sends in ((old, True), (new, False))
    ]

    def holds(kinds: Any, value: Any) -> bool:
        return value.get("t") in kinds and is_valid(kinds[value["t"]], value)

    for each in found:
        if each.grade in {"breaking", "risky"} and each.part is not None:
            assert holds(sides[0], each.part.value), each
            assert not holds(sides[1], each.part.value), each
    if not found:
        for kind, rest in values:
            value = {**rest, "t": kind}
            assert not holds(sides[0], value) or holds(sides[1], value), value


WORDS = st.sampled_from(
    ["name", "in", "schema", "content", "style", "explode", "required", "type", "enum", "items",
     "properties", "$ref", "oneOf", "discriminator", "propertyName", "mapping", "readOnly",
     "encoding", "contentType", "headers", "itemSchema", "application/json", "multipart/form-data",
     "a/*", "a", "allOf", "const", "nullable", "additionalProperties"]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["query", "path", "header", "cookie", "form", "deepObject", "string", "object", "array", "null",
     "#/here", "#/components/schemas/Text", "#/components/schemas/Self", "#", "q", "a/b", "a"]
)  # fmt: skip
GARBLED = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | TEXTS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(WORDS, part, max_size=4),
    max_leaves=12,
)
NEARLY = st.builds(
    lambda base, more: {**base, **more},
    st.sampled_from(
        [
            {"name": "q", "in": "query"},
            {"name": "q", "in": "path"},
            {"content": {"application/json": {}}},
            {"content": {"multipart/form-data": {"encoding": {"a": {}}}}},
        ]
    ),
    st.dictionaries(WORDS, GARBLED, max_size=4),
)


@given(NEARLY | GARBLED, NEARLY | GARBLED, st.sampled_from(["accepts", "produces"]), st.sampled_from(["3.0.3", "3.1.0"]))  # fmt: skip
@settings(max_examples=300)
def test_whatever_stands_in_a_description_is_compared_or_undecided(
    old: Any, new: Any, direction: Any, version: str
) -> None:
    for compare in (several, body, content, headers):
        found = compare(old, new, direction, version=version)
        assert compare(old, new, direction, version=version) == found
        itself = compare(old, old, direction, version=version)
        assert {each.grade for each in itself} <= {"undecided"}


def several(old: Any, new: Any, direction: Any, version: str) -> list[Finding]:
    return parameters([old], [new], direction, version=version)
