"""Terms: an approval beforehand from what a person typed, before anybody signs it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, get_args

import msgspec

from groundwire.attest.people.approvals import LONGEST_STANDING
from groundwire.canon.digest import sha256
from groundwire.documents.approval import ArgumentPattern, Standing
from groundwire.documents.canonical import encode
from groundwire.documents.declaration import Effect
from groundwire.documents.receipt import TOOL_CALL
from groundwire.errors import PolicyError
from groundwire.keys.times import format_time

_EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
_UNITS: Final = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_DIGITS: Final = 6
_MOST_USES: Final = 1_000_000


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed of an approval beforehand, as it was typed."""

    tool: str
    arguments: Sequence[str]
    effects: Sequence[str]
    environments: Sequence[str]
    operations: Sequence[str]
    uses: int
    until: str


def standing_of(terms: Terms, approver: str, identity: str, now: datetime) -> Standing:
    """The approval beforehand that these terms are, good from now on; not signed by anybody.

    Nothing that was not typed is taken to be meant, but for the operation: without one it is that of
    a tool that declares none.

    Raises:
        PolicyError: `bad-standing-terms`: what is missing, or cannot be meant.
    """
    if not terms.tool:
        raise _bad("name a tool with --tool")
    if not terms.environments or not all(terms.environments):
        raise _bad("name each environment with --environment")
    if not 1 <= terms.uses <= _MOST_USES:
        raise _bad(f"--uses is a number from 1 to {_MOST_USES}")
    since = format_time(now)
    return Standing(
        approver=approver,
        arguments=_patterns(terms.arguments),
        at=since,
        effects=_effects(terms.effects),
        environments=tuple(sorted(set(terms.environments))),
        id=identity,
        operations=tuple(sorted(set(terms.operations))) or (TOOL_CALL,),
        since=since,
        tool=terms.tool,
        until=moment_of(terms.until, now),
        uses=terms.uses,
    )


def joined(standing: Standing, approver: str, now: datetime) -> Standing:
    """The same approval beforehand, word for word, by another approver as well."""
    return msgspec.structs.replace(standing, approver=approver, at=format_time(now))


def standing_digest(standing: Standing) -> str:
    """The hex SHA-256 of the document, of which a person types the beginning."""
    return sha256(encode(standing)).removeprefix("sha256:")


def moment_of(text: str, now: datetime) -> str:
    """`30m`, `8h` or `7d` from now, or a moment with its zone; as documents write times.

    Raises:
        PolicyError: `bad-standing-terms`: neither, over, or more than 31 days away.
    """
    number, unit = text[:-1], text[-1:]
    if unit in _UNITS and number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        moment = now + int(number) * _UNITS[unit]
    else:
        moment = _moment(text)
    if not timedelta(0) < moment - now <= timedelta(days=LONGEST_STANDING):
        raise _bad(f"--until has to be at most {LONGEST_STANDING} days away, and still to come")
    return format_time(moment)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _bad("write --until as 30m, 8h, 7d, or as 2031-12-24T18:00:00Z") from error
    raise _bad("--until needs its zone: 2031-12-24T18:00:00Z")


def _patterns(given: Sequence[str]) -> tuple[ArgumentPattern, ...]:
    found: dict[str, str] = {}
    for each in given:
        name, mark, pattern = each.partition("=")
        if not name or not mark:
            raise _bad("write --argument as NAME=PATTERN, as in path=docs/**")
        if name in found:
            raise _bad("an argument is named once; a call has to fit every one that is named")
        found[name] = pattern
    return tuple(ArgumentPattern(name=name, pattern=found[name]) for name in sorted(found))


def _effects(given: Sequence[str]) -> tuple[Effect, ...]:
    effects = tuple(each for each in _EFFECTS if each in given)
    if not effects or len(effects) != len(set(given)):
        raise _bad(f"name each effect with --effect: {', '.join(_EFFECTS)}")
    return tuple(sorted(effects))


def _bad(what: str) -> PolicyError:
    return PolicyError("bad-standing-terms", f"No approval beforehand was made: {what}.")
