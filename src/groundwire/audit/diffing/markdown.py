"""Markdown: a comparison as the comment of a pull request, whatever the files say in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import UNSET

from groundwire.audit.diffing.words import brief, exchange_lines, place, reached, summary
from groundwire.contracts.changes import Change
from groundwire.contracts.comparison import Comparison

_MOST: Final = 50
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>+\-!|~&:.])")
_NAMING: Final = re.compile(r"([@#])")
"""What code hosts make a person's name or an issue of after all markup is read: only code is safe."""


def markdown(comparisons: Collection[Comparison], *, noted: bool = False) -> Iterator[str]:
    """Lines of Markdown. Nothing of the files is read as markup, as a link or as a person's name.

    Whoever prints them takes care of characters that do not print, ends of lines among them.
    """
    yield f"**Contract changes:** {summary(comparisons)}"
    shown = 0
    for comparison in comparisons:
        if comparison.unreadable:
            yield ""
            yield f"- **not compared** {code(comparison.path)}: {sentence(comparison.unreadable)}"
        for change in comparison.changes:
            if change.grade == "noted" and not noted:
                continue
            shown += 1
            if shown <= _MOST:
                yield ""
                yield from _change(change)
    if shown > _MOST:
        yield ""
        yield f"{shown - _MOST} more are not shown here."


def _change(change: Change) -> Iterator[str]:
    pardoned = f" (declared: {plain(change.pardoned)})" if change.pardoned else ""
    yield f"- **{change.grade}** {code(change.rule)}{pardoned}: {sentence(change.says)}"
    places = [code(place(each)) for each in (change.before, change.after) if each is not None]
    if places:
        yield f"  at {', '.join(places)}"
    if change.reaches:
        yield f"  reaches {code(reached(change.reaches))}"
    if change.reason:
        yield f"  not decided: {code(change.reason)}"
    if change.witness is not None:
        yield ""
        yield "  ```http"
        for line in exchange_lines(change.witness):  # no line of it begins with a tick
            yield f"  {line}"
        yield "  ```"
        yield ""
        yield f"  before: {sentence(change.witness.before)}"
        yield f"  after: {sentence(change.witness.after)}"
    elif change.value is not UNSET:
        yield f"  shown by {code(brief(change.value))}"
    if change.instead:
        yield f"  instead: {sentence(change.instead)}"


def sentence(text: str) -> str:
    """Text in which nothing is markup but what stands between two ticks, which is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or not all(parts[1::2]):
        return plain(text)
    return "".join(code(part) if at % 2 else plain(part) for at, part in enumerate(parts))


def plain(text: str) -> str:
    """Text in which nothing is markup, no link and nobody's name."""
    return _NAMING.sub(r"`\1`", _SPECIAL.sub(r"\\\1", text))


def code(text: str) -> str:
    """Text as code, whatever ticks it holds."""
    ticks = "`" * (1 + _ticks(text))
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def _ticks(text: str) -> int:
    """The longest row of ticks in it."""
    return max((len(row) for row in re.findall("`+", text)), default=0)
