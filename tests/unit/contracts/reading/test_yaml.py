"""YAML is read by the core schema of 1.2, whichever parser PyYAML has."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest
import yaml

from groundwire.contracts.reading import yaml_events
from groundwire.contracts.reading.text import Text, read
from groundwire.contracts.reading.unreadable import Unreadable


@pytest.fixture(params=["fast", "pure"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "pure":
        monkeypatch.setattr(yaml_events, "_FAST", yaml.BaseLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML has no parser in C here: only the pure one was tried")


def text(data: str) -> Text:
    return read(data.encode(), "a.yaml")


def refused(data: str) -> tuple[str, int, int]:
    with pytest.raises(Unreadable) as caught:
        text(data)
    return caught.value.reason, caught.value.line, caught.value.column


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("+7", 7),
        ("-0", 0),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e+3", 1000.0),
        ("-.5E-1", -0.05),
        ("~", None),
        ("", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("False", False),
        ("'012'", "012"),
        ('"true"', "true"),
        ("!!str 012", "012"),
        ("!!int '3'", 3),
        ("!!float 1", 1.0),
        ("!!bool true", True),
        ("!!null ''", None),
        ("! 12", "12"),
        ("|\n  a\n", "a\n"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_a_scalar_is_what_yaml_1_2_says(scalar: str, value: object) -> None:
    found = text(f"a: {scalar}").value
    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize("key", ["200", "-1", "1.5", "true", "null", "no", "2024-01-01"])
def test_a_key_is_the_text_that_json_has_for_it(key: str) -> None:
    assert text(f"{key}: x").value == {key: "x"}


@pytest.mark.parametrize(
    "data", ["0x1F: x", "012: x", "True: x", "~: x", "? \n: x", "? [a]\n: x", "? {a: b}\n: x"]
)
def test_a_key_that_is_not_plainly_one_text_is_refused(data: str) -> None:
    assert refused(data)[0] == "key-not-text"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("a: 1\nb: 2\na: 3", ("key-repeated", 3, 1)),
        ("200: x\n'200': y", ("key-repeated", 2, 1)),
        ("a: {b: 1, c: 2, b: 3}", ("key-repeated", 1, 17)),
        ("k: &k a\nm:\n  *k : 1\n  a: 2", ("key-repeated", 4, 3)),
        ("a: *x", ("alias-unknown", 1, 4)),
        ("a: &x\n  b: *x", ("alias-cycle", 2, 6)),
        ("a: !foo x", ("yaml-tag", 1, 4)),
        ("a: !!binary aGk=", ("yaml-tag", 1, 4)),
        ("a: !!python/object:os.system {}", ("yaml-tag", 1, 4)),
        ("a: !!int x", ("yaml-tag", 1, 4)),
        ("a: !!set {b}", ("yaml-tag", 1, 4)),
        ("a: 1\n---\nb: 2", ("yaml-documents", 2, 1)),
        ("%YAML 1.1\n---\na: no", ("yaml-version", 1, 1)),
        ("a:\n\tb: 1", ("not-yaml", 2, 1)),
        ("a:\n  - b\n c: 1", ("not-yaml", 3, 2)),
        ("a: .inf", ("number-out-of-range", 1, 4)),
        ("a: -.INF", ("number-out-of-range", 1, 4)),
        ("a: .NaN", ("number-out-of-range", 1, 4)),
        ("a: " + "1" * 5000, ("number-out-of-range", 1, 4)),
        ("é: [\x07", ("not-yaml", 1, 5)),
        ("# nothing", ("empty-file", 0, 0)),
    ],
)
def test_what_is_not_one_value_is_refused_at_its_place(
    data: str, expected: tuple[str, int, int]
) -> None:
    assert refused(data) == expected


@pytest.mark.parametrize("data", ['a: "\\ud800"', '? "\\ud800"\n: 1', 'a: "\\U00110000"'])
def test_half_a_character_is_refused(data: str) -> None:
    assert refused(data)[0] in {"lone-surrogate", "not-yaml"}


def test_a_directive_for_1_2_is_followed() -> None:
    assert text("%YAML 1.2\n---\na: no\n...\n").value == {"a": "no"}


def test_an_alias_stands_for_what_was_anchored() -> None:
    value = text("a: &x {b: [1, &y 2]}\nc: *x\nd: *y").value
    assert value == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}, "d": 2}


def test_a_merge_key_is_a_key_and_its_mapping_is_named_wherever_it_stands() -> None:
    found = text("a: &x {<<: {b: 1}}\nc: [*x]\nd: {'<<': 1}")
    assert found.value == {"a": {"<<": {"b": 1}}, "c": [{"<<": {"b": 1}}], "d": {"<<": 1}}
    assert dict(found.unread) == {"/a": "merge-key", "/c/0": "merge-key"}


def test_a_number_that_no_float_says_is_named_wherever_it_stands() -> None:
    found = text("a: &x [1e400, 0.10000000000000000001]\nb: *x\nc: 0.1")
    assert found.value == {"a": [1.7976931348623157e308, 0.1]} | {
        "b": [1.7976931348623157e308, 0.1],
        "c": 0.1,
    }
    assert dict(found.unread) == dict.fromkeys(("/a/0", "/a/1", "/b/0", "/b/1"), "number-inexact")


def test_line_separators_of_unicode_are_characters_as_they_are_in_json() -> None:
    found = text('a: x\u2028y\nb: "\x85 z\u2029"\nc: |\n  k\u2028l\n')
    assert found.value == {"a": "x\u2028y", "b": "\x85 z\u2029", "c": "k\u2028l\n"}
    assert found.position("/b") == (2, 1)


def test_braces_that_are_no_json_are_yaml_unless_the_name_says_json() -> None:
    assert read(b"{a: b}", "a").value == {"a": "b"}
    with pytest.raises(Unreadable) as caught:
        read(b"{a: b}", "a.JSON")
    assert caught.value.reason == "not-json"


def test_json_in_a_file_that_is_named_yaml_is_json() -> None:
    assert read(b'{"a": 1}', "a.yaml").kind == "json"
    with pytest.raises(Unreadable) as caught:
        read(b'{"a": 1, "a": 2}', "a.yaml")
    assert caught.value.reason == "key-repeated"


@pytest.mark.parametrize("depth", [257, 10_000])
def test_nesting_is_bounded_and_the_bound_has_a_name(depth: int) -> None:
    assert refused("a: " + "[" * depth + "]" * depth)[0] == "too-deep"
    assert refused("a:\n - " + "- " * depth + "x")[0] == "too-deep"


def test_aliases_do_not_nest_deeper_than_the_bound_either() -> None:
    doubled = "a0: &a0 [" + "[" * 100 + "]" * 100 + "]\n"
    doubled += "a1: &a1 " + "[" * 100 + "*a0" + "]" * 100 + "\n"
    assert text(doubled).value
    assert refused(doubled + "a2: " + "[" * 100 + "*a1" + "]" * 100)[0] == "too-deep"


def test_an_alias_bomb_is_refused_while_it_is_small() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    reason, line, _ = refused(bomb)
    assert (reason, line) == ("alias-expansion", 6)


def test_so_many_values_that_no_memory_holds_them_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire.contracts.reading.yaml_text.MAX_NODES", 1_000)
    assert text("a: [" + "x, " * 900 + "]").value
    assert refused("a:\n" + "- x\n" * 1_001)[0] == "too-large"


def test_what_an_alias_repeats_is_counted_with_what_aliases_repeat_in_it() -> None:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert refused("\n".join(lines))[0] == "alias-expansion"


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (2, 1)),
        ("/é", (2, 1)),
        ("/é/b", (3, 3)),
        ("/é/b/0", (4, 7)),
        ("/é/b/1/c", (5, 9)),
        ("/200", (6, 1)),
        ("/200/d", (6, 7)),
        ("/200/d/b/1/c", (5, 9)),
        ("/x", None),
        ("/é/b/2", None),
    ],
)
def test_a_pointer_leads_to_a_key_or_element(pointer: str, place: tuple[int, int] | None) -> None:
    document = "# first\né: &a\n  b:\n    - 1\n    - { c: 2 }\n200: {d: *a}\n"
    assert text(document).position(pointer) == place


def test_without_pyyaml_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = builtins.__import__

    def without_yaml(name: str, *rest: object) -> object:
        if name == "yaml":
            raise ModuleNotFoundError("No module named 'yaml'", name="yaml")
        return real(name, *rest)

    for module in ("yaml_text", "yaml_events"):
        monkeypatch.delitem(sys.modules, f"groundwire.contracts.reading.{module}", raising=False)
        monkeypatch.delattr(f"groundwire.contracts.reading.{module}", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_yaml)
    assert refused("a: 1")[0] == "yaml-not-installed"
    assert read(b'{"a": 1}', "a.json").value == {"a": 1}
