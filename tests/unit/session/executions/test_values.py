from __future__ import annotations

import dataclasses
import enum
from collections import OrderedDict
from collections.abc import Mapping

import msgspec
import pytest

from groundwire.session.executions import values
from groundwire.session.executions.values import arguments_of, json_of, result_of


@dataclasses.dataclass
class Host:
    name: str
    disks: tuple[int, ...]


class Colour(enum.StrEnum):
    RED = "red"


class Model:
    def model_dump(self, *, mode: str) -> dict[str, str]:
        return {"mode": mode}


class Angry:
    def __repr__(self) -> str:
        raise ValueError

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


class Quitting:
    def __repr__(self) -> str:
        raise SystemExit


class Endless(Mapping[str, object]):
    def __getitem__(self, key: str) -> object:
        return key

    def __iter__(self):
        while True:
            yield "a"

    def __len__(self) -> int:
        return 1


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


def cycle() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ({"b": 1, "a": [1.5, "é"]}, '{"b":1,"a":[1.5,"é"]}'),
        ((1, 2), "[1,2]"),
        (10**400, "1" + "0" * 400),
        (Host("petrel", (1, 2)), '{"name":"petrel","disks":[1,2]}'),
        (OrderedDict(a=Colour.RED), '{"a":"red"}'),
        (Model(), '{"mode":"json"}'),
    ],
)
def test_what_json_has_is_written_so(value: object, text: str) -> None:
    assert json_of(value).text == text
    assert json_of(value).reason == ""


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        [float("inf")],
        b"bytes",
        {1: "a"},
        {"a"},
        object(),
        Angry(),
        Host,
        "\ud800",
        nested(300),
        nested(100_000),
        cycle(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_has_not_is_left_out_and_never_changed_into_something_else(
    value: object,
) -> None:
    assert json_of(value).text is None
    assert json_of(value).reason == "no-json"


def test_a_value_without_an_end_is_too_large() -> None:
    assert json_of(Endless()).reason == "too-large"
    assert json_of([0] * 1_100_000).reason == "too-large"


def test_a_text_over_the_bound_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "LARGEST", 10)
    assert result_of("x" * 11).reason == "too-large"
    assert result_of("x" * 10).text == "x" * 10
    assert json_of(["x" * 11]).reason == "too-large"
    assert result_of(b"x" * 11).reason == "too-large"


def test_a_text_that_is_a_json_object_is_the_arguments_as_it_stands() -> None:
    assert arguments_of('{"a":  1}').text == '{"a":  1}'
    assert arguments_of("plain words").text == '"plain words"'
    assert arguments_of({"a": 1}).text == '{"a":1}'


def test_a_result_is_its_text_else_its_json_else_its_repr() -> None:
    assert result_of("up") == values.Rendered("up", "text")
    assert result_of({"a": 1}) == values.Rendered('{"a":1}', "json")
    assert result_of(b"up") == values.Rendered("b'up'", "repr")


@pytest.mark.parametrize("value", [Angry(), Quitting()], ids=["raises", "exits"])
def test_a_result_that_cannot_be_shown_has_no_text(value: object) -> None:
    assert result_of(value) == values.Rendered(None, "repr", "no-text")


@pytest.mark.parametrize("value", [object(), lambda: 1, (n for n in ())])
def test_the_address_of_an_object_is_no_text_of_it(value: object) -> None:
    assert result_of(value) == values.Rendered(None, "repr", "no-text")


def test_a_text_about_an_address_is_a_text() -> None:
    class Core:
        def __repr__(self) -> str:
            return "<fault at 0x1f>"

    assert result_of(Core()).text == "<fault at 0x1f>"
    assert result_of(b"<fault at 0x1f>").text == "b'<fault at 0x1f>'"


def test_an_interrupt_of_the_user_is_not_swallowed() -> None:
    class Interrupted:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        result_of(Interrupted())


def test_json_reads_back_as_what_went_in() -> None:
    value = {"a": [1, 2.5, None, True, "é\n"], "b": {"c": []}}
    text = json_of(value).text
    assert text is not None
    assert msgspec.json.decode(text) == value
