"""Words: a comparison as lines for a terminal, the witness as a failing test shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import UNSET

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, Content, Exchange, Field, Where
from groundwire.contracts.compact import compact
from groundwire.contracts.comparison import Comparison, tally

_MOST_OPERATIONS: Final = 5
_MOST_WHOLE: Final = 3
_MOST_SHORT: Final = 10
_LONGEST: Final = 1_000
_LONGEST_FIELD: Final = 300
_LONGEST_TEXT: Final = 60
_MOST_ITEMS: Final = 2


def lines(comparisons: Collection[Comparison], *, noted: bool = False) -> Iterator[str]:
    """A paragraph a change, gravest first, and a line that counts them.

    Of one rule in one file a few are told whole, some more in a line each, and the rest counted:
    the JSON form has them all. What harms nobody is counted only, unless `noted`. Nothing at all
    where nothing changed.
    """
    for comparison in comparisons:
        yield from _of_file(comparison, noted=noted)
    if any(each.changes or each.unreadable for each in comparisons):
        yield summary(comparisons)


def _nearest(change: Change) -> Where | None:
    """The one place to look at: in the new version, unless what is meant stood in the old one only."""
    before, after = change.before, change.after
    if before and after and before.pointer.startswith(f"{after.pointer}/"):
        return before
    return after or before


def summary(comparisons: Collection[Comparison]) -> str:
    """How many changes there are of each grade, in one line."""
    found = tally(comparisons)
    parts = [f"{count} {grade}" for grade, count in found.grades.items() if count]
    if found.pardoned:
        parts.append(f"{found.pardoned} declared")
    if found.unreadable:
        files = "file" if found.unreadable == 1 else "files"
        parts.append(f"{found.unreadable} {files} not read")
    return ", ".join(parts) or "no change that a user could notice"


def _of_file(comparison: Comparison, *, noted: bool) -> Iterator[str]:
    if comparison.unreadable:
        yield f"{comparison.path}: not compared ({comparison.reason})"
        yield f"  {comparison.unreadable}"
        yield ""
    told = (each for each in comparison.changes if each.grade != "noted" or noted)
    for _, alike in groupby(told, key=lambda each: (each.grade, each.rule)):
        yield from _alike(tuple(alike))


def _alike(changes: Sequence[Change]) -> Iterator[str]:
    """Changes of one rule and grade."""
    whole = changes if len(changes) <= _MOST_WHOLE + 1 else changes[:_MOST_WHOLE]
    for change in whole:
        yield from paragraph(change)
        yield ""
    rest = changes[len(whole) :]
    if not rest:
        return
    yield f"{rest[0].grade}: {rest[0].rule}, {len(rest)} more"
    for change in rest[:_MOST_SHORT]:
        pardoned = f" (declared: {change.pardoned})" if change.pardoned else ""
        yield f"  {place(_nearest(change))}: {change.says}{pardoned}"
    if len(rest) > _MOST_SHORT:
        yield f"  and {len(rest) - _MOST_SHORT} that are not listed here; --json has them all"
    yield ""


def paragraph(change: Change) -> Iterator[str]:
    """One change: what, where, whom it reaches, the exchange that shows it, what would do no harm."""
    pardoned = f"  (declared: {change.pardoned})" if change.pardoned else ""
    yield f"{change.grade}: {change.rule}{pardoned}"
    yield f"  {change.says}"
    yield from _places(change)
    if change.reaches:
        yield f"  reaches {reached(change.reaches)}"
    if change.reason:
        yield f"  not decided: {change.reason}"
    if change.witness is not None:
        yield from _witness(change.witness)
    elif change.value is not UNSET:
        yield f"  shown by {brief(change.value)}"
    if change.instead:
        yield f"  instead: {change.instead}"


def place(where: Where | None) -> str:
    """File, line and column, or the pointer where the line is not known."""
    if where is None:
        return "nowhere"
    if where.line:
        return f"{where.file}:{where.line}:{where.column}"
    return f"{where.file}{where.pointer}"


def reached(operations: Sequence[str]) -> str:
    """The first operations, and how many more."""
    listed = ", ".join(operations[:_MOST_OPERATIONS])
    more = len(operations) - _MOST_OPERATIONS
    return f"{listed} and {more} more" if more > 0 else listed


def exchange_lines(exchange: Exchange) -> Iterator[str]:
    """The request, with `>` before each line, and the response, if it is about one, with `<`."""
    asked = exchange.asked
    yield f"> {asked.method} {_cut(asked.target)}"
    yield from _message(">", asked.headers, asked.content)
    if exchange.answered is not None:
        yield f"< {exchange.answered.status}"
        yield from _message("<", exchange.answered.headers, exchange.answered.content)


def _places(change: Change) -> Iterator[str]:
    if change.before is None and change.after is None:
        return
    if change.before is None or change.after is None:
        side = "before" if change.after is None else "after"
        yield f"  at {place(change.before or change.after)} ({side})"
    else:
        yield f"  at {place(change.before)} (before), {place(change.after)} (after)"


def _witness(exchange: Exchange) -> Iterator[str]:
    yield "  shown by"
    for line in exchange_lines(exchange):
        yield f"    {line}"
    yield f"  before: {exchange.before}"
    yield f"  after:  {exchange.after}"


def _message(mark: str, headers: Sequence[Field], content: Content | None) -> Iterator[str]:
    for name, value in headers:
        yield f"{mark} {name}: {_cut(value)}"
    if content is not None:
        yield f"{mark} Content-Type: {content.media_type}"
        yield f"{mark} {brief(content.value)}"


def brief(value: JSON) -> str:
    """The value in one line, with what is long in it cut short and its length said."""
    return compact(_shortened(value), _LONGEST)


def _shortened(value: JSON) -> JSON:
    match value:
        case str() if len(value) > _LONGEST_TEXT:
            return f"{value[: _LONGEST_TEXT // 2]}… ({len(value)} characters)"
        case list() | tuple() if len(value) > _MOST_ITEMS + 1:
            shown = [_shortened(each) for each in value[:_MOST_ITEMS]]
            return [*shown, f"… and {len(value) - _MOST_ITEMS} more"]
        case list() | tuple():
            return [_shortened(each) for each in value]
        case Mapping():
            return {name: _shortened(each) for name, each in value.items()}
        case _:
            return value


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_FIELD:
        return text
    return f"{text[: _LONGEST_FIELD // 2]}… ({len(text)} characters)"
