"""Contracts: the engines that say what a change of a contract does to those who use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from groundwire.authority.ruling.engine import Beside, Engine, Judgement
from groundwire.authority.ruling.engines.migrations import KIND as MIGRATIONS
from groundwire.authority.ruling.engines.migrations import MigrationEngine
from groundwire.contracts.compact import compact
from groundwire.documents.contract import DiffRules
from groundwire.documents.governing import Severity
from groundwire.errors import EncodingError

if TYPE_CHECKING:
    from groundwire.contracts.changes import Change, Grade

Kind: TypeAlias = Literal["openapi", "json-schema"]

_SEVERITIES: Final[Mapping[Grade, Severity]] = {
    "breaking": "breaking",
    "exposure": "exposure",
    "undecided": "undecided",
    "risky": "risky",
    "noted": "compatible",
}
_NAME: Final = "contract"
_UNTOLD: Final = frozenset(
    {"callback-parameter-removed", "request-parameter-moved", "request-parameter-removed"}
)
"""What was declared is gone, and no contract says what becomes of who still sends it."""
_MOST_TOLD: Final = 5
_LONGEST: Final = 300


class ContractEngine:
    """Judges changes of one kind of contract, of exactly the files that it is given.

    A reference to a file that is not among them is not followed: what is reached there is
    undecided; and none of a bare schema's is. A description
    that is deleted takes every operation away. Undecided is a schema that is gone, and a contract
    that is new: it may stand where another did.
    """

    def __init__(self, kind: Kind, rules: DiffRules, today: Callable[[], str]) -> None:
        """`today` gives a date such as `2026-12-01`, for sunsets."""
        self._kind: Kind = kind
        self._rules = rules
        self._today = today

    @property
    def version(self) -> str:
        """As `Engine.version`."""
        return f"groundwire-contracts/{version('groundwire')}"

    def judge(
        self, before: bytes | None, after: bytes | None, beside: Beside | None = None
    ) -> Judgement:
        """As `Engine.judge`."""
        # Only where a contract changes: its modules take a tenth of a second to import.
        from groundwire.contracts.openapi.options import Knobs, Options  # noqa: PLC0415 -- see above
        from groundwire.contracts.port import Source, compare  # noqa: PLC0415 -- see above

        if before is None:
            return Judgement("undecided", says="a contract that is new replaces nothing known")
        if self._kind == "json-schema" and after is None:
            return Judgement("undecided", says="a schema is gone")
        knobs = msgspec.convert(self._rules.openapi, Knobs)
        files = beside or Beside(_NAME, {}, {})
        old = Source(files.path, {**files.before, files.path: before}.get)
        new = (
            Source(files.path, {**files.after, files.path: after}.get)
            if after is not None
            else None
        )
        try:
            compared = compare(self._kind, old, new, Options(knobs=knobs, today=self._today()))
        except EncodingError as error:
            return Judgement("undecided", (error.reason,), error.message)
        return judgement_of(compared.changes)


def contract_engines(rules: DiffRules, today: Callable[[], str]) -> Mapping[str, Engine]:
    """The engine of every kind that is judged."""
    kinds: tuple[Kind, ...] = ("openapi", "json-schema")
    engines: dict[str, Engine] = {kind: ContractEngine(kind, rules, today) for kind in kinds}
    return engines | {MIGRATIONS: MigrationEngine()}


def judgement_of(changes: tuple[Change, ...]) -> Judgement:
    """The gravest grade of all, by which rules, and what a person sees of them, gravest first."""
    if not changes:
        return Judgement("none", says="no change that a user could notice")
    gravest = [each for each in changes if each.grade == changes[0].grade]
    told = "; ".join(_told(each) for each in gravest[:_MOST_TOLD])
    more = len(gravest) - _MOST_TOLD
    rules = tuple(dict.fromkeys(each.rule for each in gravest))
    severity = _SEVERITIES[changes[0].grade]
    if severity == "risky" and not _UNTOLD.isdisjoint(rules):
        severity = "undecided"
    return Judgement(severity, rules, told if more <= 0 else f"{told}; and {more} more")


def _told(change: Change) -> str:
    said = change.says.removesuffix(".")
    if change.reason:
        return f"{said} ({change.reason})"
    if change.witness is None:
        return said
    asked, answered = change.witness.asked, change.witness.answered
    shown = f"{asked.method} {asked.target}"
    content = asked.content
    if answered is not None:
        shown, content = f"{shown} answered by {answered.status}", answered.content
    body = "" if content is None else f" {compact(content.value, _LONGEST)}"
    return f"{said}, as {shown}{body} shows"
