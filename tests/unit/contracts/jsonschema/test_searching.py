"""Unions of schemas that are much alike: what is most alike is asked of first, and decides soon."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema import confirming
from groundwire.contracts.jsonschema.comparing import Options, Pair, compare
from groundwire.contracts.jsonschema.compiling.dialects import DIALECTS
from groundwire.contracts.jsonschema.compiling.references import References
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Document
from groundwire.contracts.jsonschema.compiling.table import KEYWORDS
from groundwire.contracts.jsonschema.confirming import Judges
from groundwire.contracts.jsonschema.graph import Graph, Lit
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.searching.evaluating import Evaluator
from groundwire.contracts.jsonschema.searching.likeness import Likeness
from groundwire.contracts.verdict import Breaking, Compatible, Risky, Undecided
from tests.unit.contracts.jsonschema.judging import verdict

S: dict[str, JSON] = {"type": "string"}
URI: dict[str, JSON] = {"type": "string", "format": "uri"}
KINDS = 16


def event(number: int, actor: str = "actor") -> dict[str, JSON]:
    """One of many kinds of events, which nothing but their own member tells apart."""
    return {
        "type": "object",
        "properties": {
            "actor": {"$ref": f"#/$defs/{actor}"},
            "event": S,
            f"of{number}": {"type": "integer"},
            **{f"m{each}": URI for each in range(12)},
        },
        "required": ["actor", "event", f"of{number}", "m0", "m1"],
    }


def events(*, name_is_sent: bool) -> dict[str, Any]:
    person: dict[str, JSON] = {
        "type": "object",
        "properties": {"name": S, **{f"u{each}": URI for each in range(12)}},
        "required": ["u0", *(["name"] if name_is_sent else [])],
    }
    return {
        "$defs": {"actor": person, **{f"e{each}": event(each) for each in range(KINDS)}},
        "type": "array",
        "items": {"anyOf": [{"$ref": f"#/$defs/e{each}"} for each in range(KINDS)]},
    }


def steps(old: JSON, new: JSON) -> tuple[Any, int]:
    pair = Pair(old, new, Options())
    return pair.ask("#", "#", "accepts"), pair.spent


def test_a_change_in_what_many_kinds_share_is_found_in_few_steps() -> None:
    old, new = (events(name_is_sent=each) for each in (False, True))
    found, spent = steps(old, new)
    assert isinstance(found, Breaking)
    assert spent < 1_500
    kept, spent = steps(new, old)
    assert kept == Compatible()
    assert spent < 1_500


def test_a_value_that_another_kind_takes_is_no_witness() -> None:
    """Of the denied kinds the second takes what the first alone refuses."""
    many = {**{f"m{each}": S for each in range(8)}}
    kind: dict[str, JSON] = {"type": "object", "properties": {**many, "n": S}, "required": ["m0"]}
    first = {**kind, "required": ["m0", "n"]}
    second: dict[str, JSON] = {"type": "object", "properties": {"m0": {"maxLength": 3}}}
    assert compare(kind, {"anyOf": [first, second]}, "accepts", Options(formats=False)) == Breaking(
        {"m0": "aaaa"}
    )
    third: dict[str, JSON] = {"type": "object", "properties": {"m0": {"minLength": 2}}}
    assert verdict(kind, {"anyOf": [first, second, third]}) == "compatible"


def test_what_is_not_understood_in_another_kind_leaves_it_undecided() -> None:
    kind: dict[str, JSON] = {"type": "object", "properties": {"n": S, "m": S}, "required": ["m"]}
    first = {**kind, "required": ["m", "n"]}
    other: dict[str, JSON] = {"type": "object", "required": ["m"], "properties": {"m": {"q": 1}}}
    found = compare(kind, {"anyOf": [first, other]}, "accepts")
    assert found == Undecided("keyword-unknown:q")


def choice(prefix: str, *, narrower: int = -1) -> dict[str, Any]:
    """Exactly one of many kinds that nothing tells apart but the members that have to be there."""

    def kind(number: int) -> dict[str, JSON]:
        more = {"maxLength": 3} if number == narrower else {}
        return {
            "type": "object",
            "properties": {f"of{number}": {**S, **more}, f"or{number}": S},
            "required": [f"of{number}"],
        }

    return {
        "$defs": {f"{prefix}{each}": kind(each) for each in range(KINDS)},
        "oneOf": [{"$ref": f"#/$defs/{prefix}{each}"} for each in range(KINDS)],
    }


def test_kinds_that_only_have_other_names_are_the_same_kinds() -> None:
    found, spent = steps(choice("a"), choice("b"))
    assert found == Compatible()
    assert spent < 2_500
    found, spent = steps(choice("a"), choice("b", narrower=5))
    assert isinstance(found, Breaking)
    assert spent < 4_000
    assert steps(choice("a"), choice("a", narrower=5))[0] == found
    # What one kind does not take any more is of just one kind where it was of two.
    old, new = choice("a"), choice("b", narrower=5)
    sent = compare(old, new, "produces")
    assert isinstance(sent, Risky)
    assert jsonschema_rs.is_valid(new, sent.witness)
    assert not jsonschema_rs.is_valid(old, sent.witness)


def graph_of(*schemas: JSON) -> tuple[Graph, list[Lit], Languages]:
    root: JSON = {"$defs": {str(index): each for index, each in enumerate(schemas)}}
    graph, languages, dialect = Graph(), Languages(), DIALECTS["2020-12"]
    references = References(root, dialect.id_keyword)
    document = Document("old", root, dialect, references, True, False)
    compiler = Compiler(graph, document, KEYWORDS, languages)
    targets = [references.resolve(f"#/$defs/{index}", ()) for index in range(len(schemas))]
    return graph, [compiler.at(each, declared=False) for each in targets], languages


def kind_of(values: list[JSON], *, required: bool = True) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": values}},
        **({"required": ["kind"]} if required else {}),
    }


def test_kinds_are_apart_where_a_member_that_must_be_there_has_other_values() -> None:
    graph, [a, b, ab, c, optional], _ = graph_of(
        kind_of(["a"]),
        kind_of(["b"]),
        kind_of(["a", "b"]),
        {**kind_of(["c"], required=False)},
        kind_of(["a"], required=False),
    )
    likeness = Likeness(graph)
    assert likeness.apart([a], b)
    assert likeness.apart([a], c)
    assert not likeness.apart([a], ab)
    assert not likeness.apart([optional], c)
    assert not likeness.apart([], a)


def test_what_has_most_in_common_stands_first() -> None:
    graph, [a, far, near], _ = graph_of(
        {"type": "object", "properties": {"x": S, "y": S}, "required": ["x"]},
        {"type": "object", "properties": {"z": S}},
        {"type": "object", "properties": {"x": S, "y": S}},
    )
    assert Likeness(graph).nearest_first([a], [far, near]) == [near, far]


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"format": "uri"}, "a", None),
        ({"format": "uri"}, 1, True),
        ({"anyOf": [{"format": "uri"}, S]}, "a", True),
        ({"oneOf": [S, S, {"format": "uri"}]}, "a", False),
        ({"oneOf": [S, {"format": "uri"}]}, "a", None),
        ({"contains": {"format": "uri"}}, ["a"], None),
        ({"not": {"format": "uri"}}, "a", None),
        ({"not": {"format": "uri"}}, 1, False),
    ],
)
def test_of_what_is_not_known_it_is_not_told(schema: JSON, value: JSON, told: object) -> None:
    graph, [literal], languages = graph_of(schema)
    assert Evaluator(graph, languages).holds(literal, value) is told


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"format": "uri", "type": "string"}, "https://example.com/a"),
        (
            {"format": "uri-reference", "type": "string", "pattern": "^https"},
            "https://example.com/a",
        ),
        ({"format": "int64", "type": "integer", "minimum": 5}, 5),
    ],
)
def test_a_sample_of_a_known_format_is_certain(schema: dict[str, JSON], value: JSON) -> None:
    assert Pair(schema, schema).sample("old", "#", "accepts") == value
    # Nothing is left open, so that the sender's other kinds are not gone through for more.
    assert compare(schema, False, "accepts") == Breaking(value)


@pytest.mark.parametrize("name", ["uuid", "of-our-own"])
def test_of_a_format_without_a_sample_that_fits_nothing_is_certain(name: str) -> None:
    old: JSON = {"type": "string", "format": name, "maxLength": 3}
    new: JSON = {"type": "string", "maxLength": 3, "format": "another"}
    assert compare(old, new, "accepts") == Undecided("format")


def test_a_value_that_is_no_sample_is_a_guess() -> None:
    # No text of three signs is a UUID; but that nobody here can tell.
    assert compare({"type": "string", "format": "uuid", "maxLength": 3}, False, "accepts") == (
        Undecided("format")
    )


def test_validators_are_kept_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirming, "MAX_KEPT", 3)
    root: JSON = {"components": {"schemas": {f"S{each}": {"minLength": each} for each in range(6)}}}
    dialect = DIALECTS["openapi-3.0"]
    references = References(root, dialect.id_keyword)
    judges = Judges(Document("old", root, dialect, references, True, True))
    targets = [references.resolve(f"#/components/schemas/S{each}", ()) for each in range(6)]
    first = judges.validator(targets[0])
    assert judges.validator(targets[0]) is first
    for each, target in enumerate(targets):
        assert judges.at(target).accepts("a" * each) is True
        assert judges.at(target).accepts("a" * (each - 1)) is (each == 0)
    assert judges.validator(targets[0]) is not first
    assert judges.read == 7
