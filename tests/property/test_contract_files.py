"""A contract means the same however it is written down: as JSON or YAML, in one file or in many."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.resolving import Resolver, join
from groundwire.contracts.reading import yaml_events
from groundwire.contracts.reading.text import read
from groundwire.contracts.reading.unreadable import Unreadable

ODD = ["no", "on", "~", "null", "012", "0o14", "1:30", "2024-01-01", ".5", "1e3", "<<", "=", "- a"]
ODD += ["a: b", "# c", "*x", "&y z", "!t", "", " ", "'", '"', "{", "true", "1_0", "0x1F", ".inf"]
ODD += ["a\nb", "a\u2028b", "\x85", "\t", "%", "@", "`", "é", "\U0001f600", "---", "...", "?"]
TEXTS = st.sampled_from(ODD) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=12
)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(TEXTS, part, max_size=4),
    max_leaves=20,
)
PARSERS = [yaml.BaseLoader, *([yaml.CBaseLoader] if yaml.__with_libyaml__ else [])]


def quoted(value: Any, indent: str = "") -> str:
    """YAML in block style, with every text quoted as JSON does."""
    inside = indent + "  "
    match value:
        case dict() if value:
            return "".join(
                f"\n{indent}{spelled(key)}: {quoted(each, inside)}" for key, each in value.items()
            )
        case list() if value:
            return "".join(f"\n{indent}- {quoted(each, inside)}" for each in value)
        case _:
            return spelled(value)


def spelled(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same types: 1 is not 1.0 here, nor True."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


@pytest.mark.parametrize("parser", PARSERS)
@settings(deadline=None, max_examples=150)
@given(VALUES)
@example({"no": ["012", 1e22, "1e3"], "~": None, "\u2028": "\x85"})
def test_the_same_document_as_json_and_as_yaml_is_the_same_value(parser: Any, value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_events, "_FAST", parser)
        as_yaml = read(b"--- " + quoted(value).encode(), "a.yaml")
    as_json = read(spelled(value).encode(), "a.json")
    assert as_yaml.kind == "yaml"
    assert same(as_yaml.value, as_json.value)
    assert same(as_json.value, value)


@settings(deadline=None, max_examples=100)
@given(VALUES)
def test_both_parsers_of_yaml_give_the_same_value_and_the_same_places(value: Any) -> None:
    if len(PARSERS) == 1:
        pytest.skip("PyYAML has no parser in C here: there is nothing to compare")
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False).encode()
    found = []
    for parser in PARSERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml_events, "_FAST", parser)
            try:
                one = read(b"# c\n" + text, "a.yaml")
                found.append((one.value, [one.position(each) for each in pointers(one.value)]))
            except Unreadable as error:
                found.append((error.reason, [(error.line, error.column)]))
    assert found[0] == found[1]


@settings(deadline=None, max_examples=150)
@given(VALUES, st.sampled_from([None, 1, 2]))
def test_at_its_place_stands_what_a_pointer_leads_to(value: Any, indent: int | None) -> None:
    text = spelled(value)
    if indent:
        text = msgspec.json.format(text, indent=indent)
    found = read(text.encode(), "a.json")
    lines = text.split("\n")
    for pointer in pointers(value):
        place = found.position(pointer)
        assert place is not None
        rest = lines[place[0] - 1][place[1] - 1 :]
        last = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        inner, outer = at(value, pointer), at(value, pointer.rpartition("/")[0])
        if pointer and isinstance(outer, dict):
            assert rest.startswith(spelled(last))
        else:
            assert rest[0] == spelled(inner)[0]


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.sampled_from("yj"))
def test_any_bytes_are_read_or_refused_by_name(data: bytes, kind: str) -> None:
    try:
        found = read(data, "a.json" if kind == "j" else "a.yaml")
    except Unreadable:
        return
    assert found.position("") is not None


def pointers(value: Any, before: str = "") -> list[str]:
    found = [before]
    if isinstance(value, dict):
        for key, each in value.items():
            found += pointers(each, f"{before}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            found += pointers(each, f"{before}/{index}")
    return found


def at(value: Any, pointer: str) -> Any:
    for name in pointer.split("/")[1:]:
        step = name.replace("~1", "/").replace("~0", "~")
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


# --- one file or many -----------------------------------------------------------------------

NAMES = ["A", "B/C", "D%20", "é"]
FILES = ["api.yaml", "s.yaml", "sub/t.yaml", "sub/deep/u u.yaml"]
SCHEMAS = st.fixed_dictionaries(
    {name: st.sampled_from([*NAMES, ""]) for name in NAMES},
)
HOMES = st.fixed_dictionaries({name: st.sampled_from(FILES) for name in NAMES})


@settings(deadline=None, max_examples=100)
@given(SCHEMAS, HOMES, st.booleans())
def test_a_description_in_many_files_is_the_one_in_a_single_file(
    refers: dict[str, str], homes: dict[str, str], dotted: bool
) -> None:
    whole = open_description(
        "api.yaml", split(refers, dict.fromkeys(NAMES, "api.yaml"), dotted).get
    )
    parts = open_description("api.yaml", split(refers, homes, dotted).get)
    assert parts.unread == whole.unread == {}
    one, other = Resolver(whole), Resolver(parts)
    for name in NAMES:
        pointer = join("#", "components", "schemas", name)
        assert expanded(one, pointer) == expanded(other, pointer)


def split(refers: dict[str, str], homes: dict[str, str], dotted: bool) -> dict[str, bytes]:
    """A description whose schemas each stand in a file; the root refers to those elsewhere."""
    files: dict[str, Any] = {name: {} for name in FILES}
    files["api.yaml"] = {"openapi": "3.1.0", "components": {"schemas": {}}}
    for name in NAMES:
        schema: Any = {"title": name}
        if refers[name]:
            schema["items"] = {"$ref": way(homes[name], homes, refers[name], dotted)}
        home = files[homes[name]]
        if homes[name] == "api.yaml":
            home["components"]["schemas"][name] = schema
        else:
            home[name] = schema
            reference = {"$ref": way("api.yaml", homes, name, dotted)}
            files["api.yaml"]["components"]["schemas"][name] = reference
    return {name: msgspec.json.encode(value) for name, value in files.items()}


def way(start: str, homes: dict[str, str], name: str, dotted: bool) -> str:
    """A reference from the file `start` to the schema `name`."""
    target = homes[name]
    inside = "/components/schemas" if target == "api.yaml" else ""
    fragment = f"#{inside}/{name.replace('/', '~1').replace('%', '%25')}"
    if target == start:
        return fragment
    up = "../" * start.count("/")
    return ("./" if dotted else "") + up + target.replace(" ", "%20") + fragment


def expanded(resolver: Resolver, pointer: str, depth: int = 6) -> Any:
    """What stands there with references followed, so many levels deep."""
    found = resolver.at(pointer)
    assert found.reason == ""
    if depth == 0 or "items" not in found.members:
        return dict(found.members).get("title")
    return [
        found.members["title"],
        expanded(resolver, join(found.pointer, "items"), depth - 1),
    ]
