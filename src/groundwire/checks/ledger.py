"""The ledger: one row for each registered check, a fold over its encounters."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from groundwire.checks.seams import Check, Disposition, Encounter
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Seam

# How many encounters a tally knows again; there are far fewer that come more than once.
_MOST_KNOWN = 64


class Tally:
    """The encounters of one check so far. Canaries are counted apart from everything else.

    `times` says how often those were met that may be met again, by identity: whoever meets one of
    them may count it there.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self.times: dict[int, int] = {}
        self._known: dict[int, Encounter] = {}
        self._met: dict[tuple[Disposition, str], int] = {}
        self._grades: dict[str, int] = {}
        self._advised = 0
        self._canaries = (0, 0)
        self.suppressed = 0
        self._last_fired_at: str | None = None

    def note(self, encounter: Encounter, at: str) -> None:
        """The encounter is counted; `at` is the time stamp of the event it came with."""
        if encounter.disposition == "checked-fail":
            self._last_fired_at = at or None  # a log has no clock
        elif encounter.findings:
            self._advised += 1
        elif not encounter.grades:
            self._know(encounter)
            return
        self._count(encounter, 1)
        for grade in encounter.grades:
            self._grades[grade] = self._grades.get(grade, 0) + 1

    def note_often(self, encounter: Encounter, times: int) -> None:
        """One that says no more than its disposition and reason is counted so often."""
        self._count(encounter, times)

    def _know(self, encounter: Encounter) -> None:
        name = id(encounter)
        if name in self.times:
            self.times[name] += 1
            return
        if len(self.times) == _MOST_KNOWN:
            self._settle()
        self.times[name] = 1
        self._known[name] = encounter

    def _settle(self) -> None:
        """What is known is counted, and known no more."""
        for name, encounter in self._known.items():
            self._count(encounter, self.times[name])
        self.times.clear()
        self._known.clear()

    def _count(self, encounter: Encounter, times: int) -> None:
        met = (encounter.disposition, encounter.reason)
        self._met[met] = self._met.get(met, 0) + times

    def note_canary(self, *, caught: bool) -> None:
        """A canary was minted for this check, and it filed it or did not."""
        minted, seen = self._canaries
        self._canaries = (minted + 1, seen + caught)

    def row(self) -> Row:
        """The row as it stands now; never to be written to, since others may hold the same."""
        check = self._check
        row = _plain_row(
            (check.kind, check.seam, check.version),
            tuple(self._known.values()),
            tuple(self.times.values()),
            tuple(self._met.items()),
        )
        minted, caught = self._canaries
        if not (
            self._grades
            or self._advised
            or self.suppressed
            or self._last_fired_at is not None
            or minted
        ):
            return row
        return msgspec.structs.replace(
            row,
            grades=dict(sorted(self._grades.items())),
            advised=self._advised,
            minted=minted,
            caught=caught,
            last_fired_at=self._last_fired_at,
            suppressed=self.suppressed,
        )


class Round:
    """Events of one class that the same checks look at, and what those at rest meet at each.

    `looking` are the places of the checks to ask, `latest` what the others met, by kind. `at_rest`
    are these with what they meet, once an event or (True) once a result. `events` and `results` are
    those not counted yet. `none` says why the events hold no answer.
    """

    def __init__(
        self,
        looking: tuple[int, ...],
        at_rest: tuple[tuple[Tally, Encounter, bool], ...],
        latest: dict[str, Encounter],
        none: Encounter | None,
    ) -> None:
        self.looking, self.latest, self.none = looking, latest, none
        self.events = self.results = 0
        self._at_rest = at_rest

    def count(self) -> None:
        """What those at rest met since the last time is in their tallies."""
        if self.events:
            for tally, met, each in self._at_rest:
                tally.note_often(met, self.results if each else self.events)
            self.events = self.results = 0


# Most runs of one log say the same of most checks.
@lru_cache(maxsize=8192)
def _plain_row(
    check: tuple[str, Seam, int],
    known: tuple[Encounter, ...],
    times: tuple[int, ...],
    met: tuple[tuple[tuple[Disposition, str], int], ...],
) -> Row:
    """The row of a check that met these so often, and these dispositions and reasons besides."""
    kind, seam, version = check
    every = [
        ((each.disposition, each.reason), often) for each, often in zip(known, times, strict=True)
    ]
    passed = failed = not_applicable = unreachable = 0
    reasons: dict[str, int] = {}
    for (disposition, reason), often in (*every, *met):
        match disposition:
            case "checked-pass":
                passed += often
            case "checked-fail":
                failed += often
            case "not-applicable":
                not_applicable += often
            case _:
                unreachable += often
        if reason:
            reasons[reason] = reasons.get(reason, 0) + often
    return Row(
        check=kind,
        seam=seam,
        version=version,
        passed=passed,
        failed=failed,
        not_applicable=not_applicable,
        unreachable=unreachable,
        reasons=dict(sorted(reasons.items())) if len(reasons) > 1 else reasons,
        grades={},
    )
