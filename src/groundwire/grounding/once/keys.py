"""Business keys: what a deed is about, in the one form in which two calls are the same deed.

Texts are the same without case, surrounding white space and characters that nobody sees, in any of
Unicode's spellings (NFKC). Numbers are the same by value (`120`, `120.0`, `1.2e2`), every digit of
them; a text of a plain whole number is that number, for models write ids either way. A text with a
point in it stays a text: `"1.10"` is another version than `"1.1"`. `true` is no number. Lists and
tables are the same if their parts are; the keys of a table are taken as they stand. White space and
signs within a text count: `INV 7` is another than `INV-7`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from groundwire.canon import jcs
from groundwire.errors import EncodingError

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,30})")
_NUMBER: Final = re.compile(
    r"(?P<sign>-?)(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?(?:[eE](?P<power>[+-]?[0-9]{1,9}))?"
)
_NOTHING: Final = (["null"], ["text", ""], ["list"], ["table", {}])


class _Spelled(float):
    """A number with its text, of which a float cannot hold every digit."""

    def __new__(cls, text: str) -> _Spelled:
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str


_DECODER: Final = msgspec.json.Decoder(float_hook=_Spelled)


def business_key(arguments: str, names: Sequence[str]) -> str:
    """The key of a call by these of its arguments: canonical JSON, the same for the same deed.

    `arguments` is the text of the call; `names` are paths of keys joined by stops.

    Raises:
        EncodingError: `once-key-missing`: the call leaves one of them out, or it is null or empty;
            and as `exactly`.
    """
    given = exactly((arguments.strip() or "{}").encode())
    found = [_normal(_at(given, name)) for name in names]
    for name, value in zip(names, found, strict=True):
        if value in _NOTHING:
            raise EncodingError(
                "once-key-missing",
                f"The call says nothing in {name!r}, by which it is told from others of its tool;"
                " nothing ran. Make the call with it.",
            )
    return jcs.encode(found).decode()


def same_value(value: jcs.JSON) -> str:
    """A value in the form in which two of them are the same."""
    return jcs.encode(_normal(value)).decode()


def exactly(data: bytes) -> jcs.JSON:
    """The value of a stranger's JSON; numbers keep every digit for `same_value`.

    Raises:
        EncodingError: as `jcs.decode_foreign`.
    """
    jcs.decode_foreign(data)
    value: jcs.JSON = _DECODER.decode(data)
    return value


def _at(value: jcs.JSON, name: str) -> jcs.JSON:
    for step in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def _normal(value: jcs.JSON) -> list[jcs.JSON]:
    match value:
        case None:
            return ["null"]
        case bool():
            return ["boolean", value]
        case str():
            return _text(value)
        case int():
            return ["number", _number(str(value))]
        case float():
            return ["number", _number(value.text if isinstance(value, _Spelled) else repr(value))]
        case Mapping():
            parts = {key: _normal(inner) for key, inner in value.items()}
            return ["table", parts]
        case _:
            return ["list", *(_normal(inner) for inner in value)]


def _text(text: str) -> list[jcs.JSON]:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(each for each in folded if unicodedata.category(each) != "Cf").strip()
    return ["number", _number(seen)] if _WHOLE.fullmatch(seen) else ["text", seen]


def _number(text: str) -> str:
    """The digits without zeros at either end, and the power of ten of the last: one text a value."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    part = found["part"] or ""
    digits = (found["whole"] + part).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return "0"
    power = int(found["power"] or 0) - len(part) + len(digits) - len(kept)
    return f"{found['sign']}{kept}e{power}"
