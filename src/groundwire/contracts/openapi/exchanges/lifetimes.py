"""How long an operation is promised: deprecated, when it goes, how stable it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.options import Options

_DATE = re.compile(r"(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[Tt ].*)?", re.ASCII)
# RFC 9110's dates, which RFC 8594's Sunset header holds.
_FIELD_DATE = re.compile(
    r"[A-Z][a-z]+, (0[1-9]|[12]\d|3[01])[ -]([A-Z][a-z]{2})[ -](\d{4}) \d\d:\d\d:\d\d GMT", re.ASCII
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEVELS = ("draft", "alpha", "beta", "stable")
_UNPROMISED = frozenset({"draft", "alpha"})


def sunset(members: Mapping[str, JSON]) -> str | None:
    """The day after which an operation may be gone, as `2026-12-01`.

    None where none is said; empty where what is said is no date.
    """
    said = members.get("x-sunset")
    if said is None:
        return None
    if not isinstance(said, str):
        return ""
    found = _DATE.fullmatch(said.strip())
    if found is not None:
        return found[1]
    found = _FIELD_DATE.fullmatch(said.strip())
    if found is None or found[2] not in _MONTHS:
        return ""
    return f"{found[3]}-{_MONTHS.index(found[2]) + 1:02}-{found[1]}"


def is_deprecated(members: Mapping[str, JSON]) -> bool:
    """Whether it says so."""
    return members.get("deprecated") is True


def grade_of_removal(old: Operation, options: Options) -> tuple[Grade, str]:
    """By what grade it goes that an operation is gone, and a clause on what had been said of it.

    Only a day that was named and is past makes a removal expected; that it was deprecated does
    not. What is a draft is promised to nobody.
    """
    level = old.members.get("x-stability-level")
    if isinstance(level, str) and level in _UNPROMISED:
        return "risky", f"; it was {level} only"
    day = sunset(old.members)
    if not is_deprecated(old.members):
        return "breaking", "; it had not been deprecated"
    if day is None:
        return "breaking", "; it was deprecated, but no day was named"
    if not day:
        return "breaking", "; it was deprecated, but the day that was named is none"
    if day < options.today:
        return options.knobs.operation_removed_after_sunset, f", as was said of it from {day} on"
    return "breaking", f"; it was to stay until {day}"


def compare_lifetimes(old: Operation, new: Operation) -> Iterator[Finding]:
    """What is newly said of the time that is left; nothing of it refuses anybody yet."""
    before, after = is_deprecated(old.members), is_deprecated(new.members)
    until, now = sunset(old.members), sunset(new.members)
    if after and not before:
        says = f"It is deprecated, and may be gone after {now}." if now else "It is deprecated."
        yield _finding("operation-deprecated", "noted", says, old, new)
    elif before and not after:
        yield _finding("operation-reactivated", "noted", "It is deprecated no more.", old, new)
    if now == "" and until != "":
        says = "The day on which it may be gone is no date."
        yield _finding("operation-sunset-invalid", "noted", says, old, new)
    elif until and now and now < until:
        says = f"It may be gone after {now}; it was to stay until {until}."
        yield _finding("operation-sunset-moved-earlier", "risky", says, old, new)
    elif until and now is None and after:
        says = f"It was to stay until {until}; now no day is named."
        yield _finding("operation-sunset-removed", "noted", says, old, new)
    yield from _compare_levels(old, new)


def _compare_levels(old: Operation, new: Operation) -> Iterator[Finding]:
    was, now = (each.members.get("x-stability-level") for each in (old, new))
    if was in _LEVELS and now in _LEVELS and _LEVELS.index(now) < _LEVELS.index(was):
        says = f"It was {was} and is {now}: less is promised."
        yield _finding("operation-stability-decreased", "risky", says, old, new)


def _finding(rule: str, grade: Grade, says: str, old: Operation, new: Operation) -> Finding:
    return Finding(rule=rule, grade=grade, says=says, before=old.pointer, after=new.pointer)
