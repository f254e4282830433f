"""What is not read inside of a schema is found by whoever compares schemas, without looking for it."""

from __future__ import annotations

import pytest

from groundwire.contracts.jsonschema.comparing import Options, Pair
from groundwire.contracts.verdict import Breaking, Compatible, Undecided, Verdict
from tests.unit.contracts.openapi.opening.folders import NEWER, OPEN, opened, part

INEXACT = "0.1000000000000000000000000001"


def verdict(old: str, new: str) -> Verdict:
    """The verdict on schema A of two descriptions, whose other keys are the same."""
    before, after = (
        part(opened({"api.yaml": NEWER + f"components: {{schemas: {{A: {each}}}}}"}))
        for each in (old, new)
    )
    pointer = "#/components/schemas/A"
    return Pair(before, after, Options(dialect="2020-12")).ask(pointer, pointer, "accepts")


def test_a_bound_that_was_rounded_is_not_taken_for_what_it_was_rounded_to() -> None:
    for old, new in ((INEXACT, "0.1"), ("0.1", INEXACT)):
        found = verdict(f"{{minimum: {old}}}", f"{{minimum: {new}}}")
        assert found == Undecided("number-inexact")
    assert isinstance(verdict("{minimum: 0.1}", "{minimum: 0.1}"), Compatible)


def test_two_bounds_that_are_rounded_to_the_same_are_not_the_same() -> None:
    assert isinstance(verdict(f"{{minimum: {INEXACT}}}", f"{{minimum: {INEXACT}1}}"), Undecided)


def test_what_is_not_read_in_the_same_way_on_both_sides_means_the_same() -> None:
    old = f"{{properties: {{p: {{enum: [1, [{INEXACT}]]}}}}, title: a}}"
    assert isinstance(verdict(old, old.replace("title: a", "title: b")), Compatible)


@pytest.mark.parametrize("name", ["example", "default", "x-note", "description"])
def test_what_demands_nothing_may_be_inexact(name: str) -> None:
    old, new = (f"{{type: string, {name}: {number}}}" for number in (INEXACT, "1"))
    assert isinstance(verdict(old, new), Compatible)


def test_a_value_in_data_is_marked_at_the_schema_and_not_in_the_data() -> None:
    found = opened(
        {"api.yaml": NEWER + f"components: {{schemas: {{A: {{const: {{k: {INEXACT}}}}}}}}}"}
    )
    assert part(found, "components", "schemas", "A") == {
        "$ref": "groundwire-unread:number-inexact",
        "x-groundwire-unread": {"places": {"/const/k": INEXACT}, "was": {"const": {"k": 0.1}}},
    }


def test_a_schema_in_another_file_is_marked_too() -> None:
    found = opened(
        {
            "api.yaml": NEWER + "components: {schemas: {A: {$ref: s.yaml#/S}}}",
            "s.yaml": f"S: {{maximum: {INEXACT}}}\nT: {{maximum: {INEXACT}}}",
        }
    )
    schemas = part(found, "x-groundwire-files", "s.yaml")
    assert schemas["S"]["x-groundwire-unread"]["places"] == {"/maximum": INEXACT}
    # What no reference leads to is no schema.
    assert schemas["T"] == {"maximum": 0.1}


def test_a_mapping_with_a_merge_key_is_not_taken_for_one_without() -> None:
    assert verdict("{<<: {minimum: 1}}", "{minimum: 1}") == Undecided("merge-key")
    assert verdict("{minimum: 1}", "{<<: {minimum: 1}}") == Undecided("merge-key")
    properties = "{properties: {<<: {a: {type: string}}}}"
    assert verdict("{properties: {a: {}}}", properties) == Undecided("merge-key")


def test_nobody_can_give_a_schema_the_name_of_what_is_not_read() -> None:
    named = "{minimum: 0.1, $defs: {x: {$id: 'groundwire-unread:number-inexact'}}}"
    found = verdict(f"{{minimum: {INEXACT}, {named[1:-1].partition(', ')[2]}}}", named)
    assert found == Undecided("number-inexact")
    assert verdict("{$ref: 'groundwire-unread:A b'}", "{type: string}") == Undecided(
        "reference-remote"
    )


def test_a_choice_of_null_takes_null_and_nothing_else() -> None:
    roots = [
        part(
            opened(
                {
                    "api.yaml": "swagger: '2.0'\npaths: {}\ndefinitions:\n  B: {type: object}\n"
                    f"  A: {{$ref: '#/definitions/B', x-nullable: {nullable}}}"
                }
            )
        )
        for nullable in ("true", "false")
    ]
    pair = Pair(roots[0], roots[1], Options(dialect="openapi-3.0"))
    pointer = "#/components/schemas/A"
    assert pair.ask(pointer, pointer, "accepts") == Breaking(None)
    assert pair.ask(pointer, pointer, "produces") == Compatible()


def test_the_same_that_is_not_read_is_not_the_same_where_it_refers_to_something_else() -> None:
    old, new = (
        part(
            opened(
                {
                    "api.yaml": NEWER
                    + f"components: {{schemas: {{B: {{type: {kind}}}, A: {{title: {kind}, items: "
                    f"{{maximum: {INEXACT}, items: {{$ref: '#/components/schemas/B'}}}}}}}}}}"
                }
            )
        )
        for kind in ("string", "integer")
    )
    pointer = "#/components/schemas/A"
    verdict = Pair(old, new, Options(dialect="2020-12")).ask(pointer, pointer, "accepts")
    assert verdict == Undecided("number-inexact")


def test_constraints_of_a_parameter_of_2_0_are_marked_in_its_schema() -> None:
    text = (
        "swagger: '2.0'\npaths: {/a: {get: {responses: {}, parameters: [{name: q, in: query,"
        f" type: array, items: {{type: array, items: {{type: number, maximum: {INEXACT}}}}}}}]}}}}}}"
    )
    schema = part(opened({"api.yaml": text}), "paths", "/a", "get", "parameters", 0, "schema")
    assert schema["items"]["$ref"] == "groundwire-unread:collection-format-nested"
    inner = schema["items"]["x-groundwire-unread"]["was"]["items"]
    assert inner["$ref"] == "groundwire-unread:number-inexact"


def test_what_stands_outside_of_schemas_is_only_named() -> None:
    text = OPEN + f"paths: {{/a: {{get: {{x-a: {INEXACT}, responses: {{}}}}}}}}"
    found = opened({"api.yaml": text})
    assert found.unread == {"#/paths/~1a/get/x-a": "number-inexact"}
    assert part(found, "paths", "/a", "get") == {"x-a": 0.1, "responses": {}}
