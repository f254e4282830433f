"""Another version of a file is read by way of the first, where only one part is another."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.text import read
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.reading.versions.edits import LEAST
from groundwire.contracts.readings import Readings

PAD = "x" * LEAST


def text(value: JSON) -> bytes:
    return msgspec.json.encode({"pad": PAD, "it": {"a": value, "b": [1]}})


def it(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)
    found = value["it"]
    assert isinstance(found, dict)
    return found


def test_only_what_changed_is_read_anew() -> None:
    readings = Readings()
    old, new = (readings.read(text(each), "a.json").value for each in ({"c": 1}, {"c": 2}))
    assert it(old)["b"] is it(new)["b"]
    assert (it(old)["a"], it(new)["a"]) == ({"c": 1}, {"c": 2})


def test_the_same_bytes_are_read_once() -> None:
    readings = Readings()
    assert readings.read(text(1), "a.json") is readings.read(text(1), "a.json")
    assert readings.read(text(1), "a.json") is readings.read(text(1), "b.JSON")
    assert readings.read(text(1), "a.json") is not readings.read(text(1), "b.yaml")


def test_a_key_that_stands_twice_in_what_is_new_is_refused() -> None:
    readings = Readings()
    readings.read(text({"c": 1}), "a.json")
    with pytest.raises(Unreadable) as caught:
        readings.read(text({"c": 1}).replace(b'{"c":1}', b'{"c":1,"c":2}'), "a.json")
    assert caught.value.reason == "key-repeated"


def test_a_key_that_is_new_beside_its_like_is_refused() -> None:
    readings = Readings()
    readings.read(text(1), "a.json")
    with pytest.raises(Unreadable) as caught:
        readings.read(text(1).replace(b'"b":', b'"a":'), "a.json")
    assert caught.value.reason == "key-repeated"


def test_a_number_that_no_float_says_is_known_in_what_is_new() -> None:
    readings = Readings()
    readings.read(text(1), "a.json")
    found = readings.read(text(1).replace(b'"a":1', b'"a":0.12345678901234567890123'), "a.json")
    assert dict(found.unread) == {"/it/a": "number-inexact"}


def test_what_nests_too_deep_with_all_that_is_around_it_is_refused() -> None:
    readings = Readings()
    readings.read(text(1), "a.json")
    deep = b"[" * 254 + b"]" * 254
    assert readings.read(text(1).replace(b'"a":1', b'"a":' + deep), "a.json").value
    with pytest.raises(Unreadable) as caught:
        readings.read(text(1).replace(b'"a":1', b'"a":[' + deep + b"]"), "a.json")
    assert caught.value.reason == "too-deep"


def test_a_version_that_is_no_json_is_refused_with_its_place() -> None:
    readings = Readings()
    readings.read(text(1), "a.json")
    broken = text(1).replace(b'"a":1', b'"a":')
    with pytest.raises(Unreadable) as alone:
        read(broken, "a.json")
    with pytest.raises(Unreadable) as together:
        readings.read(broken, "a.json")
    assert alone.value.args == together.value.args
    assert (alone.value.line, alone.value.column) == (together.value.line, together.value.column)


def test_of_two_parts_that_changed_both_are_read() -> None:
    readings = Readings()
    readings.read(text(1), "a.json")
    changed = text(2).replace(b'"b":[1]', b'"b":[3]')
    assert it(readings.read(changed, "a.json").value) == {"a": 2, "b": [3]}
