"""The ledger: one row for each registered check, a fold over its encounters."""

from __future__ import annotations

from typing import TypeVar

from groundwire.checks.seams import Check, Encounter
from groundwire.documents.disposition import Row


class Tally:
    """The encounters of one check so far. Canaries are counted apart from everything else."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._met: dict[tuple[str, str], int] = {}
        self._grades: dict[str, int] = {}
        self._advised = 0
        self._canaries = (0, 0)
        self.suppressed = 0
        self.latest: Encounter | None = None
        self._again = 0
        self._last_fired_at: str | None = None

    def note(self, encounter: Encounter, at: str) -> None:
        """The encounter is counted; `at` is the time stamp of the event it came with."""
        if encounter is self.latest and not encounter.findings:
            self._again += 1
        else:
            self._settle()
            self.latest = encounter
            _count(self._met, (encounter.disposition, encounter.reason), 1)
        for grade in encounter.grades:
            _count(self._grades, grade, 1)
        if encounter.disposition == "checked-fail":
            self._last_fired_at = at or None  # a log has no clock
        elif encounter.findings:
            self._advised += 1

    def _settle(self) -> None:
        """What was met again is counted."""
        if self.latest is not None and self._again:
            _count(self._met, (self.latest.disposition, self.latest.reason), self._again)
            self._again = 0

    def note_canary(self, *, caught: bool) -> None:
        """A canary was minted for this check, and it filed it or did not."""
        minted, seen = self._canaries
        self._canaries = (minted + 1, seen + caught)

    def row(self) -> Row:
        """The row as it stands now."""
        self._settle()
        minted, caught = self._canaries
        dispositions: dict[str, int] = {}
        reasons: dict[str, int] = {}
        for (disposition, reason), times in self._met.items():
            _count(dispositions, disposition, times)
            if reason:
                _count(reasons, reason, times)
        return Row(
            check=self._check.kind,
            seam=self._check.seam,
            version=self._check.version,
            passed=dispositions.get("checked-pass", 0),
            failed=dispositions.get("checked-fail", 0),
            not_applicable=dispositions.get("not-applicable", 0),
            unreachable=dispositions.get("unreachable", 0),
            reasons=dict(sorted(reasons.items())) if len(reasons) > 1 else reasons,
            grades=dict(sorted(self._grades.items())) if self._grades else {},
            advised=self._advised,
            minted=minted,
            caught=caught,
            last_fired_at=self._last_fired_at,
            suppressed=self.suppressed,
        )


_Word = TypeVar("_Word", str, tuple[str, str])


def _count(counts: dict[_Word, int], word: _Word, times: int) -> None:
    counts[word] = counts.get(word, 0) + times
