"""Each cause once, however many operations it reaches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from groundwire.contracts.changes import Change, Where, gravest_first
from groundwire.contracts.openapi.description import Locator
from groundwire.contracts.openapi.exchanges.showing.witnesses import Place, Witnesses
from groundwire.contracts.openapi.exchanges.told import Told

_Key: TypeAlias = tuple[str, str, str, str]
_Rank: TypeAlias = tuple[str, str, str]


class _Cause(msgspec.Struct):
    """The telling that is shown, which is the first by `rank`, and all that it reaches."""

    rank: _Rank
    told: Told
    place: Place
    reaches: set[str]


class Causes:
    """Gathers what is told, and keeps of each cause what is first by its name, not by its place."""

    def __init__(self) -> None:
        self._causes: dict[_Key, _Cause] = {}

    def add(self, told: Told, place: Place) -> None:
        """Take in that this was told of the operation at `place`."""
        finding = told.finding
        key = (finding.rule, finding.grade, finding.before, finding.after)
        rank = (place.label, told.scene.answered if told.scene else "", finding.says)
        known = self._causes.get(key)
        if known is None:
            self._causes[key] = _Cause(rank, told, place, {place.label})
            return
        known.reaches.add(place.label)
        if rank < known.rank:
            known.rank, known.told, known.place = rank, told, place

    def changes(
        self, locators: tuple[Locator, Locator], witnesses: Witnesses
    ) -> tuple[Change, ...]:
        """The changes, gravest first; exchanges are made and places looked up for these alone."""
        return gravest_first(
            tuple(_change(each, locators, witnesses) for each in self._causes.values())
        )


def _change(cause: _Cause, locators: tuple[Locator, Locator], witnesses: Witnesses) -> Change:
    finding = cause.told.finding
    return Change(
        rule=finding.rule,
        grade=finding.grade,
        says=finding.says,
        before=_where(locators[0], finding.before),
        after=_where(locators[1], finding.after),
        reaches=tuple(_sorted(cause.reaches)),
        instead=finding.instead,
        reason=finding.reason,
        witness=witnesses.exchange(cause.told, cause.place),
        value=finding.value if finding.part or finding.value is not None else UNSET,
    )


def _where(locator: Locator, pointer: str) -> Where | None:
    return locator.where(pointer) if pointer else None


def _sorted(labels: Iterable[str]) -> list[str]:
    return sorted(label for label in labels if label)
