"""Declaring: which breaks were agreed to beforehand, and by what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from groundwire.contracts.changes import Change, Grade
from groundwire.contracts.comparison import Comparison
from groundwire.documents.contract import DiffRules, Waiver
from groundwire.targets.places.patterns import is_covered

_BY_INTENT: Final[frozenset[Grade]] = frozenset({"breaking", "risky"})
_MAJOR: Final = re.compile(r"v?([0-9]{1,9})(?:[.\-+]|$)")


class Declarations(msgspec.Struct, frozen=True, kw_only=True):
    """What was declared. `labels` are those that the change has, `today` a date as `2026-12-01`.

    A label and a version whose first number rises pardon what breaks users or may; of weakened
    protection and of what is undecided they say nothing. A waiver pardons what it names.
    """

    rules: DiffRules
    today: str
    labels: Collection[str] = ()

    def apply(self, comparison: Comparison, versions: tuple[str, str] = ("", "")) -> Comparison:
        """The comparison with the changes that are pardoned marked so. `versions`: old and new."""
        changes = tuple(
            self._judged(each, comparison.path, versions) for each in comparison.changes
        )
        return msgspec.structs.replace(comparison, changes=changes)

    def ended(self) -> Iterator[Waiver]:
        """The waivers that have run out; they hold through their last day, in UTC."""
        return (each for each in self.rules.waivers if each.until < self.today)

    def _judged(self, change: Change, path: str, versions: tuple[str, str]) -> Change:
        if change.grade == "noted":
            return change
        by = self._pardon(change, path, versions)
        return msgspec.structs.replace(change, pardoned=by) if by else change

    def _pardon(self, change: Change, path: str, versions: tuple[str, str]) -> str:
        for waiver in self.rules.waivers:
            if waiver.until >= self.today and _names(waiver, change, path):
                return f"{waiver.reason} (until {waiver.until})"
        if change.grade not in _BY_INTENT:
            return ""
        for label in sorted(set(self.labels) & set(self.rules.labels)):
            return f"label {label}"
        if self.rules.version_bump == "major" and _rises(*versions):
            return f"version {versions[0]} to {versions[1]}"
        return ""


def _names(waiver: Waiver, change: Change, path: str) -> bool:
    if waiver.rule != change.rule:
        return False
    if waiver.file and not is_covered(f"/{path}", waiver.file):
        return False
    return not waiver.operation or change.reaches == (waiver.operation,)


def _rises(old: str, new: str) -> bool:
    before, after = _MAJOR.match(old), _MAJOR.match(new)
    return before is not None and after is not None and int(after[1]) > int(before[1])
