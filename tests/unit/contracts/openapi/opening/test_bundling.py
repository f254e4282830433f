"""References to other files lead inside afterwards, and only into the declared root."""

from __future__ import annotations

import pytest

from groundwire.contracts.changes import Where
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.resolving import Resolver
from groundwire.contracts.reading.unreadable import Unreadable
from tests.unit.contracts.openapi.opening.folders import NEWER, OPEN, Folder, opened, part

FILES = "x-groundwire-files"


def refers(reference: str, *, name: str = "api.yaml") -> tuple[Folder, dict[str, str], str]:
    """A description whose one schema is `reference`: what was asked for, is unread, and is left."""
    text = f"{OPEN}paths: {{}}\ncomponents: {{schemas: {{A: {{$ref: '{reference}'}}}}}}"
    folder = Folder({name: text, "other.yaml": "type: string\n$anchor: s", "a b.yaml": "{}"})
    found = open_description(name, folder.read)
    left = part(found, "components", "schemas", "A", "$ref")
    return folder, dict(found.unread), left


def test_a_single_file_is_used_as_it_is() -> None:
    text = OPEN + "paths: {}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/B'}}}"
    found = opened({"api.yaml": text})
    assert FILES not in found.root
    assert part(found, "components", "schemas", "A") == {"$ref": "#/components/schemas/B"}
    assert found.unread == {}


def test_a_file_stands_under_one_key_and_the_reference_leads_there() -> None:
    _, unread, left = refers("other.yaml")
    assert left == f"#/{FILES}/other.yaml"
    assert unread == {}


@pytest.mark.parametrize(
    ("reference", "asked"),
    [
        ("./other.yaml", "other.yaml"),
        ("x/../other.yaml", "other.yaml"),
        ("other.yaml#", "other.yaml"),
        ("%6fther.yaml", "other.yaml"),
        ("a%20b.yaml", "a b.yaml"),
    ],
)
def test_a_way_to_a_file_is_made_plain_before_it_is_asked_for(reference: str, asked: str) -> None:
    folder, unread, _ = refers(reference)
    assert folder.asked == ["api.yaml", asked]
    assert unread == {}


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("../secret.yaml", "reference-outside"),
        ("x/../../secret.yaml", "reference-outside"),
        ("%2e%2e/secret.yaml", "reference-outside"),
        ("%2e%2e%2fsecret.yaml", "reference-outside"),
        ("..\\\\secret.yaml", "reference-outside"),
        ("/etc/passwd", "reference-outside"),
        ("%2Fetc/passwd", "reference-outside"),
        ("file:///etc/passwd", "reference-outside"),
        ("FILE:secret.yaml", "reference-outside"),
        ("a%00b.yaml", "reference-outside"),
        ("%ff.yaml", "reference-outside"),
        ("c%3Asecret.yaml", "reference-outside"),
        ("folder/", "reference-outside"),
        ("https://example.com/a.yaml", "reference-remote"),
        ("//example.com/a.yaml", "reference-remote"),
        ("urn:x:y", "reference-remote"),
        ("C:/secret.yaml", "reference-remote"),
        ("other.yaml?x=1", "reference-remote"),
    ],
)
def test_a_reference_out_of_the_root_is_unread_and_never_asked_for(
    reference: str, reason: str
) -> None:
    folder, unread, left = refers(reference)
    assert folder.asked == ["api.yaml"]
    assert unread == {"#/components/schemas/A": reason}
    assert not left.startswith("#")


def test_a_file_in_a_folder_may_refer_to_the_folder_above_but_not_above_the_root() -> None:
    folder, _, _ = refers("../other.yaml", name="v1/api.yaml")
    assert folder.asked == ["v1/api.yaml", "other.yaml"]
    folder, unread, _ = refers("../../other.yaml", name="v1/api.yaml")
    assert folder.asked == ["v1/api.yaml"]
    assert unread == {"#/components/schemas/A": "reference-outside"}


def test_a_file_that_names_itself_refers_inside() -> None:
    folder, unread, left = refers("api.yaml#/components/schemas/A")
    assert left == "#/components/schemas/A"
    assert (folder.asked, unread) == (["api.yaml"], {})


@pytest.mark.parametrize("reference", ["none.yaml", "other.yaml#/none", "other.yaml#none"])
def test_a_reference_to_what_is_not_there_is_unread(reference: str) -> None:
    _, unread, _ = refers(reference)
    assert unread == {"#/components/schemas/A": "reference-dangling"}


def test_a_file_that_cannot_be_read_is_unread_with_the_reason() -> None:
    text = OPEN + "paths: {}\ncomponents: {schemas: {A: {$ref: b.yaml}, B: {$ref: b.yaml}}}"
    folder = Folder({"api.yaml": text, "b.yaml": "a: 1\na: 2"})
    found = open_description("api.yaml", folder.read)
    assert set(found.unread.values()) == {"reference-unreadable:key-repeated"}
    assert len(found.unread) == 2
    assert folder.asked == ["api.yaml", "b.yaml"]


def test_references_of_another_file_are_seen_from_that_file() -> None:
    found = opened(
        {
            "api.yaml": OPEN
            + "paths: {/a: {$ref: 'paths/a.yaml#/it'}}\ncomponents: {schemas: {N: {}}}",
            "paths/a.yaml": "it: {get: {responses: {'200': {$ref: '#/ok'}}}}\n"
            "ok: {description: d, content: {a/b: {schema: {$ref: ../schemas/s.yaml#/S}}}}",
            "schemas/s.yaml": "S: {properties: {t: {$ref: '#/T'}, n: {$ref: '../api.yaml#/components/schemas/N'}}}\n"
            "T: {$ref: ../paths/a.yaml#/ok/content/a~1b/schema}",
        }
    )
    resolver = Resolver(found)
    item = resolver.at("#/paths/~1a")
    response = resolver.at(item.pointer + "/get/responses/200")
    assert response.pointer == f"#/{FILES}/paths~1a.yaml/ok"
    schema = resolver.at(response.pointer + "/content/a~1b/schema")
    assert schema.pointer == f"#/{FILES}/schemas~1s.yaml/S"
    assert schema.members["properties"] == {
        "t": {"$ref": f"#/{FILES}/schemas~1s.yaml/T"},
        "n": {"$ref": "#/components/schemas/N"},
    }
    assert resolver.at(f"#/{FILES}/schemas~1s.yaml/T").pointer == schema.pointer
    assert found.unread == {}


def test_a_cycle_of_files_ends() -> None:
    found = opened(
        {
            "api.yaml": OPEN + "paths: {}\ncomponents: {schemas: {A: {$ref: a.yaml}}}",
            "a.yaml": "{properties: {b: {$ref: b.yaml}}}",
            "b.yaml": "{properties: {a: {$ref: a.yaml}, self: {$ref: '#'}}}",
        }
    )
    files = part(found, FILES)
    assert files["a.yaml"]["properties"]["b"] == {"$ref": f"#/{FILES}/b.yaml"}
    assert files["b.yaml"]["properties"]["a"] == {"$ref": f"#/{FILES}/a.yaml"}
    assert files["b.yaml"]["properties"]["self"] == {"$ref": f"#/{FILES}/b.yaml"}


def test_another_files_dangling_reference_is_not_taken_for_the_roots() -> None:
    found = opened(
        {
            "api.yaml": OPEN + "paths: {}\ncomponents: {schemas: {A: {$ref: a.yaml}, B: {}}}",
            "a.yaml": "{items: {$ref: '#/components/schemas/B'}}",
        }
    )
    assert found.unread == {f"#/{FILES}/a.yaml/items": "reference-dangling"}
    left = part(found, FILES, "a.yaml", "items", "$ref")
    assert left == f"#/{FILES}/a.yaml/components/schemas/B"
    assert Resolver(found).at(left).reason == "reference-dangling"


def test_data_that_looks_like_a_reference_is_left_alone() -> None:
    schema = (
        "{default: {$ref: d.yaml}, enum: [{$ref: d.yaml}], const: {$ref: d.yaml},"
        " example: {$ref: d.yaml}, examples: [{$ref: d.yaml}], x-y: {$ref: d.yaml},"
        " properties: {default: {$ref: s.yaml}, $ref: {type: string}}}"
    )
    examples = "{e: {externalValue: v.json, value: {$ref: d.yaml}}, f: {$ref: e.yaml}}"
    text = NEWER + f"components: {{schemas: {{A: {schema}}}, examples: {examples}}}"
    folder = Folder({"api.yaml": text, "s.yaml": "{}", "e.yaml": "{value: 1}"})
    found = open_description("api.yaml", folder.read)
    assert sorted(folder.asked) == ["api.yaml", "e.yaml", "s.yaml"]
    kept = part(found, "components", "schemas", "A")
    assert kept["default"] == kept["example"] == kept["const"] == {"$ref": "d.yaml"}
    assert kept["properties"]["$ref"] == {"type": "string"}
    assert found.unread == {}


def test_discriminators_and_links_lead_inside_too() -> None:
    text = NEWER + (
        "components:\n  schemas:\n    A:\n      oneOf: [{$ref: s.yaml#/Cat}]\n"
        "      discriminator: {propertyName: k, mapping: {c: s.yaml#/Cat, d: Dog, e: '#/x', f: ../f.yaml}}\n"
        "  links:\n    L: {operationRef: s.yaml#/op}\n    M: {operationRef: 'https://x/#/op'}\n"
    )
    found = opened({"api.yaml": text, "s.yaml": "Cat: {}\nop: {responses: {}}"})
    mapping = part(found, "components", "schemas", "A", "discriminator", "mapping")
    assert mapping == {"c": f"#/{FILES}/s.yaml/Cat", "d": "Dog", "e": "#/x", "f": "../f.yaml"}
    links = part(found, "components", "links")
    assert links["L"]["operationRef"] == f"#/{FILES}/s.yaml/op"
    assert found.unread == {
        "#/components/links/M": "reference-remote",
        "#/components/schemas/A/discriminator": "reference-outside",
    }


@pytest.mark.parametrize(
    "only",
    [
        "{schemas: {A: {discriminator: {propertyName: k, mapping: {b: '#/x', c: s.yaml#/Cat}}}}}",
        "{links: {L: {operationRef: s.yaml#/op}}}",
    ],
)
def test_the_one_way_to_a_file_may_be_no_reference(only: str) -> None:
    found = opened({"api.yaml": f"{OPEN}paths: {{}}\ncomponents: {only}", "s.yaml": "Cat: {}"})
    assert FILES in found.root


def test_an_anchor_of_another_file_becomes_a_pointer() -> None:
    _, unread, left = refers("other.yaml#s")
    assert left == f"#/{FILES}/other.yaml"
    assert unread == {}


def test_two_anchors_of_one_name_are_none() -> None:
    text = NEWER + "components: {schemas: {A: {$ref: 'o.yaml#s'}}}"
    found = opened({"api.yaml": text, "o.yaml": "a: {$anchor: s}\nb: {$anchor: s}"})
    assert found.unread == {"#/components/schemas/A": "reference-dangling"}


def test_references_under_an_id_belong_to_its_resource() -> None:
    text = NEWER + (
        "components: {schemas: {A: {$ref: o.json#/$defs/P}, B: {$id: 'https://x/b', "
        "properties: {p: {$ref: o.json}, q: {$ref: '#/properties/p'}, r: {$ref: ../z}}}}}"
    )
    other = '{"$id": "https://x/o.json", "$defs": {"P": {"items": {"$ref": "#/$defs/Q"}}, "Q": {}}}'
    found = opened({"api.yaml": text, "o.json": other})
    schemas = part(found, "components", "schemas")
    assert schemas["A"]["$ref"] == f"#/{FILES}/o.json/$defs/P"
    assert schemas["B"]["properties"]["p"] == {"$ref": "o.json"}
    assert schemas["B"]["properties"]["q"] == {"$ref": "#/properties/p"}
    assert found.unread == {}


def test_where_a_description_says_its_own_address_other_files_are_elsewhere() -> None:
    text = (
        "openapi: 3.2.0\n$self: https://x/api.yaml\ncomponents: {schemas: {"
        "A: {$ref: 'https://x/api.yaml#/components/schemas/B'}, B: {}, C: {$ref: other.yaml}}}"
    )
    folder = Folder({"api.yaml": text, "other.yaml": "{}"})
    found = open_description("api.yaml", folder.read)
    assert folder.asked == ["api.yaml"]
    assert found.unread == {"#/components/schemas/C": "reference-remote"}
    resolver = Resolver(found)
    assert resolver.at("#/components/schemas/C").reason == "reference-remote"
    assert resolver.at("#/components/schemas/A").value == {}


def test_maps_and_operations_that_are_references_are_put_in_place() -> None:
    files = {
        "api.yaml": NEWER
        + "paths: {$ref: paths.yaml}\ncomponents: {$ref: c.yaml}\nservers: {$ref: e.yaml}",
        "paths.yaml": "/a: {get: {$ref: get.yaml}}\n/b%c: {$ref: item.yaml}",
        "get.yaml": "{responses: {'200': {$ref: '#/r'}}, r: {description: 1e400}}",
        "item.yaml": "{post: {responses: {}}}",
        "c.yaml": "schemas: {$ref: 'd.yaml'}",
        "e.yaml": "[]",
        "d.yaml": "N: {type: string, items: {$ref: '#/M'}}\nM: {}",
    }
    found = opened(files)
    assert part(found, "paths", "/a", "get", "responses", "200") == {
        "$ref": f"#/{FILES}/get.yaml/r"
    }
    assert part(found, "paths", "/b%c") == {"$ref": f"#/{FILES}/item.yaml"}
    assert part(found, "components", "schemas", "N", "items") == {"$ref": f"#/{FILES}/d.yaml/M"}
    where = found.locator.where
    assert where("#/paths/~1a/get/responses/200") == Where("get.yaml", "/responses/200", 1, 14)
    assert where("#/components/schemas/M") == Where("d.yaml", "/M", 2, 1)
    assert where("#/paths/~1b%25c") == Where("paths.yaml", "/~1b%c", 2, 1)
    reason = "number-inexact"
    assert found.unread == {
        f"#/{FILES}/get.yaml/r/description": reason,
        f"#/{FILES}/paths.yaml/~1a/get/r/description": reason,
        "#/paths/~1a/get/r/description": reason,
    }


def test_an_operation_that_is_to_stand_in_itself_is_refused() -> None:
    files = {
        "api.yaml": NEWER + "paths: {/a: {get: {$ref: 'o.yaml#/a'}}}",
        "o.yaml": "a: {callbacks: {c: {x: {get: {$ref: '#/a'}}}}}",
    }
    with pytest.raises(Unreadable) as caught:
        opened(files)
    assert caught.value.reason == "reference-cycle"


def test_operations_that_repeat_one_another_are_bounded() -> None:
    def operation(number: int) -> str:
        calls = ", ".join(f"c{n}: {{x: {{get: {{$ref: '#/o{number + 1}'}}}}}}" for n in range(8))
        return f"o{number}: {{callbacks: {{{calls}}}}}"

    other = "\n".join([*map(operation, range(12)), "o12: {responses: {}}"])
    files = {"api.yaml": NEWER + "paths: {/a: {get: {$ref: 'o.yaml#/o0'}}}", "o.yaml": other}
    with pytest.raises(Unreadable) as caught:
        opened(files)
    assert caught.value.reason == "too-large"


def test_a_chain_of_references_without_end_is_unread() -> None:
    files = {"api.yaml": NEWER + "paths: {$ref: a.yaml}", "a.yaml": "{$ref: b.yaml}"}
    found = opened({**files, "b.yaml": "{$ref: a.yaml}"})
    assert found.unread["#/paths"] == "reference-cycle"


def test_a_description_that_has_the_key_of_the_files_itself_is_refused() -> None:
    text = NEWER + f"components: {{schemas: {{A: {{$ref: o.yaml}}}}}}\n{FILES}: {{}}"
    with pytest.raises(Unreadable) as caught:
        opened({"api.yaml": text, "o.yaml": "{}"})
    assert caught.value.reason == "key-reserved"


def test_the_number_of_files_is_bounded() -> None:
    many = ", ".join(f"S{n}: {{$ref: s{n}.yaml}}" for n in range(2_001))
    text = NEWER + f"components: {{schemas: {{{many}}}}}"
    with pytest.raises(Unreadable) as caught:
        open_description("api.yaml", lambda name: text.encode() if name == "api.yaml" else b"{}")
    assert caught.value.reason == "too-large"


def test_the_bytes_of_all_files_together_are_bounded() -> None:
    text = NEWER + "components: {schemas: {A: {$ref: a.json}, B: {$ref: b.json}}}"
    big = b"{}" + b" " * (33 << 20)
    with pytest.raises(Unreadable) as caught:
        open_description("api.yaml", lambda name: text.encode() if name == "api.yaml" else big)
    assert caught.value.reason == "too-large"


def test_a_place_in_another_file_is_told_by_that_file() -> None:
    found = opened(
        {
            "v1/api.yaml": OPEN + "paths: {}\ncomponents: {schemas: {A: {$ref: s.json#/B~1C}}}",
            "v1/s.json": '{\n  "B/C": {"type": "string"}\n}',
        },
        "v1/api.yaml",
    )
    pointer = f"#/{FILES}/v1~1s.json/B~1C/type"
    assert found.locator.where(pointer) == Where("v1/s.json", "/B~1C/type", 2, 11)
    assert found.locator.where(pointer + "/x/y") == Where("v1/s.json", "/B~1C/type", 2, 11)
    assert found.locator.where("#/components/schemas/A") == Where(
        "v1/api.yaml", "/components/schemas/A", 4, 24
    )
    assert found.locator.where("nonsense") == Where("v1/api.yaml", "", 1, 1)


def test_an_alias_and_what_it_repeats_are_led_inside_together() -> None:
    text = NEWER + "components: {schemas: {A: &a {items: {$ref: o.yaml}}, B: *a}}"
    schemas = part(opened({"api.yaml": text, "o.yaml": "{}"}), "components", "schemas")
    assert schemas["B"] == schemas["A"] == {"items": {"$ref": f"#/{FILES}/o.yaml"}}


def test_a_file_needs_no_ending_to_be_one() -> None:
    text = NEWER + "components: {schemas: {A: {$ref: other}}}"
    found = opened({"api.yaml": text, "other": "type: string"})
    assert part(found, "components", "schemas", "A", "$ref") == f"#/{FILES}/other"


@pytest.mark.parametrize(
    "version", ["openapi: 3.0.3", "openapi: 3.2.0", "swagger: '2.0'", "openapi: 3"]
)
def test_a_description_of_another_version_is_not_read_as_one_of_this(version: str) -> None:
    text = NEWER + "components: {schemas: {A: {$ref: o.yaml#/components/schemas/A}}}"
    other = f"{version}\ncomponents: {{schemas: {{A: {{type: string}}}}}}"
    found = opened({"api.yaml": text, "o.yaml": other})
    assert found.unread == {"#/components/schemas/A": "reference-unreadable:openapi-version"}
    same = opened({"api.yaml": text, "o.yaml": other.replace(version, "openapi: 3.1.1")})
    assert same.unread == {}


def test_a_schema_of_another_dialect_is_not_read_by_that_of_the_description() -> None:
    files = {
        "api.yaml": NEWER + "components: {schemas: {A: {$ref: a.json}, B: {$ref: b.json}}}",
        "a.json": '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}',
        "b.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema"}',
    }
    found = opened(files)
    assert found.unread == {f"#/{FILES}/a.json": "dialect-embedded"}
    assert part(found, FILES, "a.json", "$ref") == "groundwire-unread:dialect-embedded"
    assert (
        opened(
            {**files, "api.yaml": files["api.yaml"].replace("3.1", "3.0") + "\npaths: {}"}
        ).unread
        == {}
    )
