"""The events of a YAML text, as PyYAML parses them; its complaints become `Unreadable`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import yaml

from groundwire.contracts.reading.plain_text import place as place_in
from groundwire.contracts.reading.unreadable import Unreadable


class Mark(Protocol):
    """A place, from 0."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


Start = Mark | None
_FAST: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# Line breaks to PyYAML, which reads YAML 1.1; plain characters in 1.2, and in JSON.
_NO_BREAKS: Final = "\x85\u2028\u2029"
_PRIVATE: Final = range(0xE000, 0xF8FF)


def events(text: bytes) -> Iterator[yaml.Event]:
    """Each event of `text`, in order.

    Raises:
        Unreadable: `not-yaml`, `too-deep`.
    """
    shield = _shield(text)
    if shield:
        text = text.decode("utf-8").translate(shield).encode("utf-8")
    back = {stand_in: character for character, stand_in in shield.items()}
    try:
        for event in yaml.parse(text, Loader=_FAST):
            if back and isinstance(event, yaml.ScalarEvent):
                event.value = event.value.translate(back)
            yield event
    except yaml.MarkedYAMLError as error:
        line, column = place(error.problem_mark)
        problem = error.problem or "it breaks off"
        if "nesting depth" in problem:
            raise Unreadable("too-deep", "The file nests too deep.", line, column) from error
        raise Unreadable("not-yaml", f"The file is no YAML: {problem}.", line, column) from error
    except yaml.reader.ReaderError as error:
        line, column = place_in(text, _offset(text, error.position))
        message = "The file holds a control character, which YAML does not allow."
        raise Unreadable("not-yaml", message, line, column) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise Unreadable("not-yaml", "The file is no YAML.") from error


def place(mark: Start) -> tuple[int, int]:
    """Line and column of a mark, from 1; 0 without one."""
    return (0, 0) if mark is None else (mark.line + 1, mark.column + 1)


def _shield(text: bytes) -> dict[int, int]:
    """What stands in for the characters that would be taken for line breaks, where there are any."""
    if text.isascii():
        return {}
    decoded = text.decode("utf-8")
    found = [ord(each) for each in _NO_BREAKS if each in decoded]
    free = (code for code in _PRIVATE if chr(code) not in decoded)
    return dict(zip(found, free, strict=False)) if found else {}


def _offset(text: bytes, characters: int) -> int:
    """Which byte begins after so many characters, which only PyYAML's pure reader counts."""
    if text.isascii() or _FAST is not yaml.BaseLoader:
        return characters
    return len(text.decode("utf-8")[:characters].encode("utf-8"))
