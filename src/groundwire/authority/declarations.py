"""What code declares, held to the rules of `groundwire.toml`; and which declarations are in force."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from groundwire.authority.reading.claims import demand_agreement, read_claim
from groundwire.authority.reading.governing.target import demand_operation
from groundwire.authority.reading.tools import read_tool
from groundwire.authority.reading.values import Misdeclared, show
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import Claim, Off
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError

Read = TypeVar("Read")


def declare_tool(name: str, given: Mapping[str, object]) -> ToolDeclaration:
    """What code declares about one tool. `given` has the keys of `[tools.NAME]`; None is not given.

    Raises:
        PolicyError: as for the same table in `groundwire.toml`.
    """
    table = {key: _as_toml(value) for key, value in given.items() if value is not None}

    def read() -> ToolDeclaration:
        if "output" in table:
            raise Misdeclared(
                "unknown-setting",
                ("tools", name, "output"),
                "only groundwire.toml names a file; give the schema itself as 'output_schema'",
            )
        declared = read_tool(name, table, "full", ("tools", name))
        demand_operation(declared.effect, declared.operation, ("tools", name, "effect"))
        return declared

    return _refusing(f"tool {show(name)}", read)


def declare_claim(claim: Claim) -> Claim:
    """A claim that code makes, every part of which can be what was meant.

    Raises:
        PolicyError: as for the same table in `groundwire.toml`.
    """
    given = msgspec.to_builtins(claim)
    table = {key: value for key, value in given.items() if value not in ("", [], ())}
    return _refusing(
        f"claim {show(claim.answer)}", lambda: read_claim(_as_toml(table), ("claims", 0))
    )


def joined_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Claims from several places as one list; the same one from two places is one.

    Raises:
        PolicyError: `contradictory-claims`, two that differ speak of one field of the answer.
    """
    joined: dict[str, Claim] = {}

    def join() -> tuple[Claim, ...]:
        for claim in claims:
            if joined.get(claim.answer) != claim:
                demand_agreement(joined.get(claim.answer), claim, ("claims", 0))
            joined[claim.answer] = claim
        return tuple(joined.values())

    return _refusing("claims", join)


def in_force(policy: Policy, today: datetime.date) -> tuple[Policy, tuple[Off, ...]]:
    """The policy without the off lines that have run out, and those lines.

    A line holds through its last day, in the zone that `today` is of: by convention UTC.
    """
    ended = tuple(line for line in policy.checks.off if line.until < today.isoformat())
    if not ended:
        return policy, ()
    left = tuple(line for line in policy.checks.off if line not in ended)
    checks = msgspec.structs.replace(policy.checks, off=left)
    return msgspec.structs.replace(policy, checks=checks), ended


def ended_words(line: Off) -> str:
    """What to say of an off line that has run out."""
    tool = f" for {line.tool}" if line.tool else ""
    return (
        f"the line that switched {line.check} off{tool} ended on {line.until} and says nothing any "
        f"more (its reason was: {line.reason}); take it out of groundwire.toml, or set a later day"
    )


def spelled(path: Path) -> str:
    """`("tools", "find_host", "arguments_from", 0)` as `tools.find_host.arguments_from[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if part.isidentifier() else show(part))
    return text


def _refusing(what: str, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except Misdeclared as error:
        place = spelled(error.path[2:])
        raise PolicyError(error.reason, f"{what}: {place}{': ' if place else ''}{error}") from error


def _as_toml(value: object) -> object:
    """Tuples as the lists that a TOML text would hold; mappings as tables.

    A lone text stays one: as a list of its letters it would mean something else.
    """
    if isinstance(value, Mapping):
        return {key: _as_toml(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_as_toml(inner) for inner in value]
    return value
