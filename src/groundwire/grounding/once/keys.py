"""Business keys: what a deed is about, in the one form in which two calls are the same deed.

Texts are the same without case, white space at the ends and characters that nobody sees, in any of
Unicode's spellings (NFKC). Numbers are the same by value (`120`, `120.0`, `1.2e2`): a whole number
by every digit, any other as the float that a tool gets of it. A text of a plain whole number is
that number, for models write ids either way. A text with a point in it stays a text: `"1.10"` is
another version than `"1.1"`. `true` is no number. Lists and tables are the same if their parts are;
the keys of a table are taken as they stand. White space and signs within a text count, if not how
much or which white space: `INV 7` is another than `INV-7`. Letters of two alphabets that look alike
are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from groundwire.canon import jcs
from groundwire.errors import EncodingError

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NOTHING: Final = (["null"], ["text", ""], ["list"], ["table", {}])

# Unicode's Default_Ignorable_Code_Point, of which only some are of the category Cf, and U+16FE4.
_IGNORABLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U00016fe4"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SPACES: Final = "\t\n\v\f\r\x85"
"""The control characters that are white space; nobody sees the others."""
_BLANKS: Final = {ord(each): " " for each in "\u2800\U00013441\U00013442\U0001d159"}
"""Signs that are drawn as nothing, and as wide as one."""


def business_key(arguments: str, names: Sequence[str]) -> str:
    """The key of a call by these of its arguments: canonical JSON, the same for the same deed.

    `arguments` is the text of the call; `names` are paths of keys joined by stops.

    Raises:
        EncodingError: `once-key-missing`: the call leaves one of them out, or it is null or empty;
            and as `jcs.decode_foreign`.
    """
    given = jcs.decode_foreign((arguments.strip() or "{}").encode()).value
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


def hides(value: jcs.JSON) -> bool:
    """Whether there is something in this text that nobody sees; of another value, never."""
    return isinstance(value, str) and _shown(value) != value


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
            return ["number", _number(repr(value))]
        case Mapping():
            parts = {key: _normal(inner) for key, inner in value.items()}
            return ["table", parts]
        case _:
            return ["list", *(_normal(inner) for inner in value)]


def _text(text: str) -> list[jcs.JSON]:
    seen = _seen(text)
    return ["number", _number(seen)] if _WHOLE.fullmatch(seen) else ["text", seen]


def _seen(text: str) -> str:
    """What is left of a text, in one spelling: done again it changes nothing."""
    while True:
        spaced = " ".join(_shown(text).split())
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", spaced).casefold())
        if folded == text:
            return folded
        text = folded  # a spelling may hold what is dropped, and what is dropped may part another


def _shown(text: str) -> str:
    shown = "".join(each for each in _IGNORABLE.sub("", text) if not _is_control(each))
    return shown.translate(_BLANKS)


def _is_control(each: str) -> bool:
    return unicodedata.category(each) in ("Cc", "Cf") and each not in _SPACES


def _number(text: str) -> str:
    """The digits without zeros at either end, and the power of ten of the last: one text a value.

    `text` is a whole number or what Python writes of a float.
    """
    plain, _, power = text.removeprefix("-").partition("e")
    whole, _, part = plain.partition(".")
    digits = (whole + part).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return "0"
    last = int(power or 0) - len(part) + len(digits) - len(kept)
    return f"{'-' if text.startswith('-') else ''}{kept}e{last}"
