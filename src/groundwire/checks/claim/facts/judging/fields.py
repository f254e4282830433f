"""Fields: the structured answer, and the value at a declared path of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from groundwire.canon import jcs
from groundwire.canon.jcs import JSON
from groundwire.canon.paths import pointer
from groundwire.errors import EncodingError

_FENCED = re.compile(
    r"^[ ]{0,3}```[ \t]*(?:json|JSON)?[ \t]*\n(.*?)\n[ ]{0,3}```[ \t]*$", re.M | re.S
)
_DEEPEST = 64
_STEP = re.compile(r"\.|\[(\d+)\]\.?")


class Answer(msgspec.Struct, frozen=True):
    """The object that an answer is, or why it is none; `repeated`: pointers of keys standing twice."""

    value: Mapping[str, JSON] | None
    reason: str = ""
    repeated: tuple[str, ...] = ()


class Place(msgspec.Struct, frozen=True):
    """A value in the answer, and its JSON pointer there."""

    pointer: str
    value: JSON


def read_answer(text: str, *, fenced: bool = True) -> Answer:
    """The object that the whole text is; with `fenced` the one that its only JSON fence holds.

    Never raises. NaN, numbers that no float holds and deep nesting are no answer, and say so.
    """
    answer = _read(text)
    if answer.value is not None or not fenced:
        return answer
    inside = [_read(found[1]) for found in _FENCED.finditer(text)]
    objects = [one for one in inside if one.value is not None]
    if len(objects) > 1:
        return Answer(None, "several-objects")
    return objects[0] if objects else answer


def value_at(answer: Mapping[str, JSON], path: str) -> Place | None:
    """The value at a path of names and places joined by stops (`r.0.size`); None where it leads nowhere."""
    value: JSON = answer
    keys: list[str] = []
    for key in _steps(path):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif (
            isinstance(value, list) and key.isdecimal() and key.isascii() and int(key) < len(value)
        ):
            value = value[int(key)]
        else:
            return None
        keys.append(key)
    return Place(pointer(keys), value)


def _steps(path: str) -> list[str]:
    return [step for step in _STEP.split(path) if step]


def _read(text: str) -> Answer:
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return Answer(None, "answer-not-json")
    try:
        found = jcs.decode_foreign(stripped.encode(), max_depth=_DEEPEST)
    except EncodingError as error:
        known = error.reason in {"too-deep", "too-large", "number-out-of-range"}
        return Answer(None, f"answer-{error.reason}" if known else "answer-not-json")
    except UnicodeEncodeError:
        return Answer(None, "answer-not-json")
    if not isinstance(found.value, Mapping):
        return Answer(None, "answer-no-object")
    return Answer(found.value, repeated=found.duplicates)
