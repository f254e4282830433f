"""Each rule about schemas is what some change is called, in both directions and for each part."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Grade
from groundwire.contracts.jsonschema.refusing import Refusal
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.explaining.asking import Asking as Real
from groundwire.contracts.openapi.explaining.explain import Carrier, explain
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.options import Knobs, Options
from groundwire.contracts.openapi.rules.schemas import RULES
from groundwire.contracts.openapi.schemas import Schemas, Side
from groundwire.contracts.verdict import Breaking, Direction, Risky
from tests.unit.contracts.openapi.describing import described as plainly
from tests.unit.contracts.openapi.explaining.asking import Asking


class Edit(msgspec.Struct, frozen=True):
    """A schema and a stricter one; what the way there is called of a request, and back of a response."""

    asked: str
    answered: str
    loose: JSON
    strict: JSON


def bound(keyword: str, noun: str, low: JSON, high: JSON, **beside: JSON) -> list[Edit]:
    """A bound that comes, and one that moves; `high` is the stricter."""
    up, down = ("raised", "lowered") if keyword.lower().find("max") < 0 else ("lowered", "raised")
    return [
        Edit(f"{noun}-added", f"{noun}-removed", beside, {**beside, keyword: high}),
        Edit(
            f"{noun}-{up}",
            f"{noun}-{down}",
            {**beside, keyword: low},
            {**beside, keyword: high},
        ),
    ]


def other(keyword: str, noun: str, wide: JSON, narrow: JSON, **beside: JSON) -> list[Edit]:
    return [
        Edit(f"{noun}-added", f"{noun}-removed", beside, {**beside, keyword: narrow}),
        Edit(
            f"{noun}-changed",
            f"{noun}-changed",
            {**beside, keyword: wide},
            {**beside, keyword: narrow},
        ),
    ]


TEXT: dict[str, JSON] = {"type": "string"}
NUMBER: dict[str, JSON] = {"type": "number"}
LIST: dict[str, JSON] = {"type": "array"}
MAP: dict[str, JSON] = {"type": "object"}
KNOWN: dict[str, JSON] = {**MAP, "properties": {"q": {"type": "string"}}}

ITEM_REFUSED = Edit(
    "refused",
    "allowed",
    {"prefixItems": [TEXT], **LIST},
    {"prefixItems": [TEXT], **LIST, "items": False},
)
EDITS = [
    *bound("minimum", "minimum", 1, 5, **NUMBER),
    *bound("exclusiveMinimum", "exclusive-minimum", 1, 5, **NUMBER),
    *bound("maximum", "maximum", 5, 1, **NUMBER),
    *bound("exclusiveMaximum", "exclusive-maximum", 5, 1, **NUMBER),
    *bound("minLength", "min-length", 1, 5, **TEXT),
    *bound("maxLength", "max-length", 5, 1, **TEXT),
    *bound("minItems", "min-items", 1, 2, **LIST),
    *bound("maxItems", "max-items", 2, 1, **LIST),
    *bound("minProperties", "min-properties", 1, 2, **MAP, additionalProperties=TEXT),
    *bound("maxProperties", "max-properties", 2, 1, **MAP, additionalProperties=TEXT),
    *bound("minContains", "min-contains", 2, 3, **LIST, contains=TEXT),
    *bound("maxContains", "max-contains", 3, 2, **LIST, contains=TEXT),
    *other("multipleOf", "multiple-of", 5, 10, **NUMBER),
    *other("pattern", "pattern", "^a", "^ab", **TEXT),
    *other("format", "format", "date", "uuid", **TEXT),
    *other("const", "const", "a", "b", **TEXT),
    *other("contains", "contains", TEXT, {"const": "a"}, **LIST),
    *other("propertyNames", "property-names", {"pattern": "^a"}, {"pattern": "^ab"}, **MAP, additionalProperties=TEXT),
    *other("dependentRequired", "dependent-required", {"a": ["b"]}, {"a": ["b", "c"]}, **MAP, properties={"a": TEXT, "b": TEXT, "c": TEXT}),
    *other("not", "not", {"const": "a"}, {"enum": ["a", "b"]}, **TEXT),
    *other("unevaluatedItems", "unevaluated-items", {"type": ["string", "number"]}, False, **LIST, prefixItems=[TEXT]),
    Edit("unique-items-added", "unique-items-removed", LIST, {**LIST, "uniqueItems": True}),
    Edit("type-added", "type-removed", {}, TEXT),
    Edit("type-narrowed", "type-widened", {"type": ["string", "number"]}, TEXT),
    Edit("type-narrowed", "type-widened", NUMBER, {"type": "integer"}),
    Edit("type-changed", "type-changed", NUMBER, TEXT),
    Edit("became-not-nullable", "became-nullable", {"type": ["string", "null"]}, TEXT),
    Edit("enum-added", "enum-removed", TEXT, {"enum": ["a", "b"]}),
    Edit("enum-value-removed", "enum-value-added", {"enum": ["a", "b"]}, {"enum": ["a"]}),
    Edit("variants-added", "variants-removed", {"type": ["string", "array", "number"]}, {"anyOf": [TEXT, LIST]}),
    Edit("variant-removed", "variant-added", {"anyOf": [TEXT, LIST]}, {"anyOf": [TEXT, NUMBER]}),
    Edit("variants-overlap", "variants-overlap", {"anyOf": [NUMBER, {"type": "integer"}]}, {"oneOf": [NUMBER, {"type": "integer"}]}),
    Edit("closed", "opened", KNOWN, {**KNOWN, "additionalProperties": False}),
    Edit("refused", "allowed", TEXT, False),
    ITEM_REFUSED,
]  # fmt: skip


WAYS: list[tuple[Direction, Carrier, bool]] = [
    ("accepts", "body", False),
    ("accepts", "body", True),
    ("accepts", "parameter", False),
    ("accepts", "parameter", True),
    ("produces", "body", False),
    ("produces", "body", True),
    ("produces", "header", False),
]
SUBJECTS = {
    ("accepts", "body", False): "request-body",
    ("accepts", "body", True): "request-property",
    ("accepts", "parameter", False): "request-parameter",
    ("accepts", "parameter", True): "request-parameter-property",
    ("produces", "body", False): "response-body",
    ("produces", "body", True): "response-property",
    ("produces", "header", False): "response-header",
}
OF_MEMBERS: list[tuple[str, JSON, JSON]] = [
    ("request-property-added-as-required", KNOWN, {**MAP, "properties": {"p": TEXT, "q": TEXT}, "required": ["p"]}),
    ("request-property-became-required", {**MAP, "properties": {"p": TEXT}}, {**MAP, "properties": {"p": TEXT}, "required": ["p"]}),
    ("request-property-withdrawn", {**MAP, "properties": {"p": TEXT}}, {**KNOWN, "additionalProperties": False}),
    ("request-property-declared", KNOWN, {**MAP, "properties": {"p": NUMBER, "q": TEXT}}),
    ("response-property-undeclared", {**MAP, "properties": {"p": NUMBER, "q": TEXT}}, KNOWN),
    ("response-property-removed", {**MAP, "properties": {"p": TEXT}, "required": ["p"]}, KNOWN),
    ("response-property-became-optional", {**MAP, "properties": {"p": TEXT}, "required": ["p"]}, {**MAP, "properties": {"p": TEXT}}),
    ("response-property-added", {**KNOWN, "additionalProperties": False}, {**MAP, "properties": {"p": TEXT, "q": TEXT}}),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=SUBJECTS.values())
@pytest.mark.parametrize("edit", EDITS, ids=[f"{each.asked}/{each.loose}" for each in EDITS])
def test_an_edit_has_its_name_in_each_part_of_a_message(
    edit: Edit, way: tuple[Direction, Carrier, bool]
) -> None:
    direction, carrier, nested = way
    [finding] = found(edit, direction, carrier, nested=nested)
    subject = SUBJECTS[way]
    if edit == ITEM_REFUSED and carrier != "header":
        inside = {"body": "property", "parameter": "parameter-property"}[carrier]
        subject = f"{subject.partition('-')[0]}-{inside}"
    assert finding.rule == f"{subject}-{edit.asked if direction == 'accepts' else edit.answered}"
    assert finding.grade == ("risky" if edit.asked == "closed" else "breaking")
    assert finding.instead


@pytest.mark.parametrize(("rule", "old", "new"), OF_MEMBERS, ids=[each[0] for each in OF_MEMBERS])
def test_what_is_done_to_a_member_is_called_so_and_names_it(
    rule: str, old: JSON, new: JSON
) -> None:
    direction: Direction = "accepts" if rule.startswith("request") else "produces"
    [finding] = asked({"it": old}, {"it": new}, direction)
    assert finding.rule == rule
    assert finding.says.startswith("/p ")
    if direction == "accepts":
        [finding] = asked({"it": old}, {"it": new}, direction, "parameter")
        assert finding.rule == rule.replace("request-", "request-parameter-")


def test_every_rule_about_schemas_is_what_some_change_is_called() -> None:
    fired = {
        finding.rule
        for edit in EDITS
        for direction, carrier, nested in WAYS
        for finding in found(edit, direction, carrier, nested=nested)
    }
    for rule, old, new in OF_MEMBERS:
        direction: Direction = "accepts" if rule.startswith("request") else "produces"
        fired |= {each.rule for each in asked({"it": old}, {"it": new}, direction)}
        if direction == "accepts":
            fired |= {each.rule for each in asked({"it": old}, {"it": new}, direction, "parameter")}
    for direction, carrier, nested in WAYS:
        fired |= {
            each.rule for each in found(EDITS[0], direction, carrier, nested=nested, mute=True)
        }
    for direction, carrier, nested in WAYS:
        fired |= {each.rule for each in kinds(direction, carrier, nested=nested)}
    assert {rule.name for rule in RULES} == fired


def test_all_that_one_schema_demands_now_is_told_at_once() -> None:
    old: JSON = {**MAP, "properties": {"a": TEXT, "b": TEXT}}
    new: JSON = {**MAP, "properties": {"a": TEXT, "b": TEXT, "c": TEXT}, "required": ["b", "c"]}
    findings = asked({"it": old}, {"it": new}, "accepts")
    assert [(each.rule, each.says.split()[0]) for each in findings] == [
        ("request-property-became-required", "/b"),
        ("request-property-added-as-required", "/c"),
    ]


def test_each_member_that_breaks_is_told_with_a_value_of_its_own() -> None:
    old: JSON = {**MAP, "properties": {"a": TEXT, "b": {**LIST, "items": NUMBER}, "c": TEXT}}
    new: JSON = {
        **MAP,
        "properties": {
            "a": {**TEXT, "maxLength": 3},
            "b": {**LIST, "items": {**NUMBER, "minimum": 0}},
            "c": TEXT,
        },
    }
    findings = {each.rule: each for each in asked({"it": old}, {"it": new}, "accepts")}
    assert set(findings) == {"request-property-max-length-added", "request-property-minimum-added"}
    minimum = findings["request-property-minimum-added"]
    assert minimum.before == "#/schemas/it/properties/b/items"
    assert minimum.after == "#/schemas/it/properties/b/items"
    for each in findings.values():
        assert each.part is not None
        assert judged(old, each.part.value)
        assert not judged(new, each.part.value)


def test_a_change_behind_a_choice_is_not_told_as_a_cause_of_its_own() -> None:
    """The other branch takes what the one refuses: nobody is harmed by that member."""
    old: JSON = {"anyOf": [{**MAP, "properties": {"a": TEXT}}, {**MAP, "required": ["z"]}]}
    new: JSON = {"anyOf": [{**MAP, "properties": {"a": NUMBER}}, {**MAP, "required": ["z"]}]}
    findings = asked({"it": old}, {"it": new}, "accepts")
    for each in findings:
        assert each.part is not None
        assert judged(old, each.part.value)
        assert not judged(new, each.part.value)


def test_the_branch_that_a_value_was_meant_for_says_why_it_is_refused() -> None:
    old: JSON = {"oneOf": [{"type": "null"}, {**MAP, "properties": {"a": TEXT}}]}
    new: JSON = {
        "oneOf": [{"type": "null"}, {**MAP, "properties": {"a": {**TEXT, "maxLength": 2}}}]
    }
    [finding] = asked({"it": old}, {"it": new}, "accepts")
    assert finding.rule == "request-property-max-length-added"
    assert finding.after == "#/schemas/it/oneOf/1/properties/a"


def test_a_choice_of_the_same_kinds_leads_to_what_changed_in_the_one_that_was_sent() -> None:
    """Each kind refuses the value by a member of its own; only one of them changed."""
    kind: dict[str, JSON] = {**MAP, "properties": {"a": TEXT}, "required": ["a"]}
    old: dict[str, JSON] = {
        "it": {"anyOf": [{"$ref": "#/schemas/one"}, {"$ref": "#/schemas/two"}]},
        "one": kind,
        "two": {**MAP, "properties": {"a": TEXT, "b": NUMBER}, "required": ["b"]},
    }
    turned: JSON = {"anyOf": [{"$ref": "#/schemas/two"}, {"$ref": "#/schemas/one"}]}
    new: dict[str, JSON] = {**old, "it": turned, "one": {**kind, "required": []}}
    [finding] = asked(old, new, "produces")
    assert finding.rule == "response-property-became-optional"
    assert (finding.before, finding.after) == ("#/schemas/one", "#/schemas/one")
    removed: JSON = {**MAP, "additionalProperties": False}
    [finding] = asked(old, {**new, "one": removed}, "produces")
    assert finding.rule == "response-property-removed"


def test_the_one_kind_of_a_choice_that_is_written_otherwise_is_the_same_kind() -> None:
    same: JSON = {**MAP, "properties": {"b": NUMBER}, "required": ["b"]}
    kind: dict[str, JSON] = {**MAP, "properties": {"a": TEXT}}
    old: JSON = {"anyOf": [{**kind, "required": ["a"]}, same]}
    new: JSON = {"anyOf": [kind, same]}
    [finding] = asked({"it": old}, {"it": new}, "produces")
    assert finding.rule == "response-property-became-optional"
    assert finding.before == finding.after == "#/schemas/it/anyOf/0"
    more: JSON = {"anyOf": [same, kind, {**MAP, "required": ["c"]}]}
    [finding] = asked({"it": old}, {"it": more}, "produces")
    assert finding.rule == "response-body-variant-added"


def test_a_cause_in_a_component_is_told_at_the_component() -> None:
    old: dict[str, JSON] = {
        "it": {**MAP, "properties": {"a": {"$ref": "#/schemas/part"}}},
        "part": TEXT,
    }
    new: dict[str, JSON] = {**old, "part": {**TEXT, "pattern": "^x"}}
    [finding] = asked(old, new, "accepts")
    assert (finding.before, finding.after) == ("#/schemas/part", "#/schemas/part")


def test_a_schema_that_holds_itself_is_followed_to_an_end() -> None:
    tree: JSON = {**MAP, "properties": {"next": {"$ref": "#/schemas/it"}, "n": NUMBER}}
    less: JSON = {**MAP, "properties": {"next": {"$ref": "#/schemas/it"}, "n": {"type": "integer"}}}
    findings = asked({"it": tree}, {"it": less}, "accepts")
    assert [each.rule for each in findings] == ["request-property-type-narrowed"]


@pytest.mark.parametrize("grade", ["breaking", "risky", "noted"])
def test_a_value_more_in_a_response_goes_by_what_the_policy_says(grade: Grade) -> None:
    old: dict[str, JSON] = {"enum": ["a"]}
    new: JSON = {"enum": ["a", "b"]}
    [finding] = asked({"it": old}, {"it": new}, "produces", knobs=Knobs(response_enum_added=grade))
    assert finding.grade == grade
    grown: JSON = {"enum": ["a"], "x-extensible-enum": True}
    knobs = Knobs(response_enum_added="breaking", extensible_enum=grade)
    [finding] = asked({"it": grown}, {"it": new}, "produces", knobs=knobs)
    assert finding.grade == grade
    [finding] = asked({"it": {**old, "x-extensible-enum": False}}, {"it": new}, "produces")
    assert finding.grade == "breaking"


def test_a_demanded_member_that_has_a_default_goes_by_what_the_policy_says() -> None:
    plain: JSON = {**MAP, "properties": {"p": TEXT}, "required": ["p"]}
    kept: JSON = {**MAP, "properties": {"p": {**TEXT, "default": "x"}}, "required": ["p"]}
    lenient = Knobs(required_with_default="noted")
    [finding] = asked({"it": KNOWN}, {"it": kept}, "accepts", knobs=lenient)
    assert finding.grade == "noted"
    [finding] = asked({"it": KNOWN}, {"it": plain}, "accepts", knobs=lenient)
    assert finding.grade == "breaking"
    [finding] = asked({"it": KNOWN}, {"it": kept}, "accepts")
    assert finding.grade == "breaking"


def found(
    edit: Edit, direction: Direction, carrier: Carrier, *, nested: bool, mute: bool = False
) -> tuple[Finding, ...]:
    old, new = (edit.loose, edit.strict) if direction == "accepts" else (edit.strict, edit.loose)
    if nested:
        old, new = holding(old), holding(new)
    return asked({"it": old}, {"it": new}, direction, carrier, mute=mute)


def kinds(direction: Direction, carrier: Carrier, *, nested: bool) -> tuple[Finding, ...]:
    """The findings where a discriminator names one kind less, or one more."""
    more, fewer = described(["cat", "dog"], nested=nested), described(["cat"], nested=nested)
    ends = (more, fewer) if direction == "accepts" else (fewer, more)
    asking = Real(Schemas(*ends, Options()), direction)
    pointer = "#/components/schemas/it"
    verdict = asking.ask(pointer, pointer)
    assert isinstance(verdict, Breaking), verdict
    return explain(asking, (pointer, pointer), direction, verdict, carrier, body, Knobs())


def described(names: list[str], *, nested: bool, length: int = 9) -> Description:
    animals: dict[str, JSON] = {
        name: {
            **MAP,
            "properties": {"kind": TEXT, "name": {**TEXT, "maxLength": length}},
            "required": ["kind"],
        }
        for name in ("cat", "dog")
    }
    some: JSON = {
        "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in names],
        "discriminator": {"propertyName": "kind"},
    }
    schemas = {**animals, "it": holding(some) if nested else some}
    return plainly({"openapi": "3.0.3", "paths": {}, "components": {"schemas": schemas}})


def test_a_kind_that_a_discriminator_names_is_told_by_its_own_schema() -> None:
    old, new = (
        described(["cat", "dog"], nested=False),
        described(["cat", "dog"], nested=False, length=2),
    )
    asking = Real(Schemas(old, new, Options()), "accepts")
    pointer = "#/components/schemas/it"
    verdict = asking.ask(pointer, pointer)
    assert isinstance(verdict, Breaking)
    findings = explain(asking, (pointer, pointer), "accepts", verdict, "body", body, Knobs())
    assert {each.rule for each in findings} == {"request-property-max-length-lowered"}
    assert findings[0].after.startswith("#/components/schemas/")
    assert findings[0].after.endswith("/properties/name")


def test_a_kind_that_is_gone_is_called_so() -> None:
    [finding] = kinds("accepts", "body", nested=True)
    assert finding.rule == "request-property-discriminator-value-removed"


def holding(schema: JSON) -> JSON:
    return {"type": "object", "properties": {"p": schema}, "required": ["p"]}


def asked(
    old: Mapping[str, JSON],
    new: Mapping[str, JSON],
    direction: Direction,
    carrier: Carrier = "body",
    *,
    knobs: Knobs | None = None,
    mute: bool = False,
) -> tuple[Finding, ...]:
    """The findings; `mute`: the judge does not say why."""
    asking = (Mute if mute else Asking)(old, new, direction)
    ends = ("#/schemas/it", "#/schemas/it")
    verdict = asking.ask(*ends)
    assert isinstance(verdict, Breaking | Risky), verdict
    return explain(asking, ends, direction, verdict, carrier, body, knobs or Knobs())


def body(value: JSON) -> Part:
    return Part(location="body", name="application/json", value=value)


def judged(schema: JSON, value: JSON) -> bool:
    return Asking({"it": schema}, {}, "accepts").accepts("old", "#/schemas/it", value) is True


class Mute(Asking):
    """A judge that cannot tell why, or names a keyword that nobody knows at a member."""

    def refusals(self, side: Side, pointer: str, value: JSON) -> tuple[Refusal, ...]:
        if isinstance(value, dict) and "p" in value:
            return (Refusal("x-unknown", f"{pointer}/properties/p", ("p",)),)
        return ()


def test_of_a_choice_with_the_same_branches_it_is_told_what_became_of_them() -> None:
    def choice(other: JSON) -> dict[str, JSON]:
        named: list[JSON] = [{"$ref": f"#/schemas/{each}"} for each in ("kind", "other")]
        kind: JSON = {**MAP, "required": ["a"], "properties": {"a": TEXT}}
        return {"it": {"oneOf": named}, "kind": kind, "other": other}

    narrow: JSON = {**MAP, "required": ["b"], "properties": {"b": NUMBER}}
    wide: JSON = {**MAP, "properties": {"b": NUMBER}}
    [finding] = asked(choice(narrow), choice(wide), "accepts")
    assert finding.rule == "request-body-variants-overlap"
    assert finding.says == (
        "the value itself: `oneOf` has the same choices, and a value of one of them is of several now."
    )
    [finding] = asked(choice(wide), choice(narrow), "produces")
    assert finding.says.endswith("is of several for who knows them as they were.")


def test_of_a_choice_with_the_same_branches_those_are_named_that_differ() -> None:
    def choice(most: int, least: int) -> dict[str, JSON]:
        return {
            "it": {"oneOf": [{"$ref": "#/schemas/kind"}, {"$ref": "#/schemas/other"}]},
            "kind": {"type": "integer", "minimum": 0, "maximum": most},
            "other": {"type": "integer", "minimum": least, "maximum": 20},
        }

    # What was of one alone is of both; and one of them takes less besides.
    [finding] = asked(choice(5, 10), choice(15, 12), "accepts")
    assert finding.says == ("the value itself: `oneOf` has the same choices, and `other` differs.")
    [finding] = asked(choice(5, 10), choice(15, 10), "accepts")
    assert finding.says.endswith("a value of one of them is of several now.")
