"""Styles: how the value of a parameter or header is written on the wire.

In a path and a query, what is not unreserved is percent-encoded, and where `allow_reserved`, what
is reserved is not. A cookie and a header stand as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON, encode
from groundwire.contracts.changes import Field
from groundwire.contracts.openapi.finding import Location
from groundwire.errors import EncodingError

Style: TypeAlias = Literal[
    "matrix", "label", "simple", "form", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"
]
STYLES: Final[Mapping[Location, tuple[Style, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "body": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
}
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
_RESERVED: Final = frozenset(b":/?#[]@!$&'()*+,;=")
_BETWEEN: Final[Mapping[str, str]] = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


class Written(msgspec.Struct, frozen=True):
    """How a parameter is written. `style` is None where the description names none that is known."""

    location: Location
    style: Style | None
    explode: bool
    allow_reserved: bool = False


def written(location: Location, parameter: Mapping[str, JSON]) -> Written:
    """How a parameter, header or part of a form is written, by what it says and by default."""
    styles = STYLES[location]
    named = parameter.get("style", styles[0])
    style = next((each for each in styles if each == named), None)
    explode = parameter.get("explode")
    if not isinstance(explode, bool):
        explode = style in {"form", "cookie"}
    return Written(location, style, explode, parameter.get("allowReserved") is True)


def render(how: Written, name: str, value: JSON) -> tuple[Field, ...] | None:
    """The fields of `value`; None where the style has no way to write it.

    Those of a query and a cookie are its pairs; of a path and a header there is one, whose second
    part is the text of the variable or the header.
    """
    if how.style is None:
        return None
    if isinstance(value, Mapping):
        return _object(how, name, [(key, _text(each)) for key, each in value.items()])
    if isinstance(value, list | tuple):
        return _array(how, name, [_text(each) for each in value])
    return _scalar(how, name, _text(value))


def _scalar(how: Written, name: str, text: str) -> tuple[Field, ...] | None:
    escaped = _escaped(how, text)
    match how.style:
        case "form" | "cookie":
            return ((_escaped(how, name), escaped),)
        case "matrix":
            return ((name, f";{name}={escaped}" if escaped else f";{name}"),)
        case "label":
            return ((name, f".{escaped}"),)
        case "simple":
            return ((name, escaped),)
        case _:
            return None


def _array(how: Written, name: str, texts: list[str]) -> tuple[Field, ...] | None:
    items = [_escaped(how, text) for text in texts]
    key = _escaped(how, name)
    match how.style:
        case "form" | "spaceDelimited" | "pipeDelimited" | "cookie" if how.explode:
            return tuple((key, item) for item in items)
        case "form" | "spaceDelimited" | "pipeDelimited":
            return ((key, _BETWEEN.get(how.style, ",").join(items)),)
        case "simple" | "label" | "matrix":
            return ((name, _one_text(how, name, items, (items, [f"{name}={i}" for i in items]))),)
        case _:
            return None


def _object(how: Written, name: str, pairs: list[Field]) -> tuple[Field, ...] | None:
    members = [(_escaped(how, key), _escaped(how, text)) for key, text in pairs]
    equals = [f"{key}={text}" for key, text in members]
    flat = [each for pair in members for each in pair]
    key = _escaped(how, name)
    match how.style:
        case "form" | "cookie" if how.explode:
            return tuple(members)
        case "form" | "spaceDelimited" | "pipeDelimited" if not how.explode:
            return ((key, _BETWEEN.get(how.style, ",").join(flat)),)
        case "deepObject":
            return tuple((f"{key}[{member}]", text) for member, text in members)
        case "simple" | "label" | "matrix":
            return ((name, _one_text(how, name, flat, (equals, equals))),)
        case _:
            return None


def _one_text(
    how: Written, name: str, flat: list[str], exploded: tuple[list[str], list[str]]
) -> str:
    """Several texts as one; `exploded` are those of each part, and those with a name for each."""
    if how.style == "matrix":
        return (
            "".join(f";{each}" for each in exploded[1])
            if how.explode
            else f";{name}=" + ",".join(flat)
        )
    if how.style == "label":
        return "." + (".".join(exploded[0]) if how.explode else ",".join(flat))
    return ",".join(exploded[0] if how.explode else flat)


def text_of(value: JSON) -> str:
    """How a value is written where there is only text: a string as it is, all else as JSON."""
    return _text(value)


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else json_of(value)


def json_of(value: JSON) -> str:
    """A value as JSON."""
    try:
        return encode(value).decode()
    except EncodingError:
        # Numbers past what JSON's canonical form holds.
        return str(value)


def _escaped(how: Written, text: str) -> str:
    if how.location in {"header", "cookie"}:
        return text
    plain = _UNRESERVED | _RESERVED if how.allow_reserved else _UNRESERVED
    return "".join(
        chr(byte) if byte in plain else f"%{byte:02X}"
        for byte in text.encode("utf-8", "surrogatepass")
    )
