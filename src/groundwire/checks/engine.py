"""The engine: events in, findings and the ledger out. The same live and offline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, get_args

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.filing import File, parted
from groundwire.checks.ledger import Round, Tally
from groundwire.checks.registry import ALL_CHECKS, KINDS, ORIGINAL
from groundwire.checks.seams import (
    Check,
    CheckerDeadError,
    Disposition,
    Encounter,
    Resting,
    not_applicable,
    unreachable,
)
from groundwire.checks.transcript import Transcript, answer_text, is_answer
from groundwire.documents.disposition import Row
from groundwire.documents.event import (
    Continued,
    Declared,
    Denied,
    Ended,
    Event,
    Requested,
    Responded,
)
from groundwire.documents.finding import Finding
from groundwire.documents.policy import Posture
from groundwire.errors import PolicyError

_DISPOSITIONS = frozenset(get_args(Disposition))
_POSTURES = frozenset(get_args(Posture))
_See: TypeAlias = Callable[[Event], Iterable[Encounter]]
# The original judges these only where the host let the answer pass.
_AFTER_THE_HOST = frozenset(("unsupported-claim", "prior-turn-evidence"))


class Engine:
    """A run as the checks see it: a fold over its events."""

    def __init__(
        self, checks: Sequence[Check] = ALL_CHECKS, *, posture: Posture = "observe"
    ) -> None:
        """Every check is registered and has a row, whether it is armed or not.

        Raises:
            PolicyError: `unknown-posture`, `checks-collide` (two checks of one kind and seam).
        """
        if posture not in _POSTURES:
            raise PolicyError("unknown-posture", 'The posture is "observe" or "dev".')
        self._checks = tuple(checks)
        self._kinds = _kinds(self._checks)
        self._transcript = Transcript()
        self._watches = [check.watch(self._transcript) for check in self._checks]
        self._tallies = [Tally(check) for check in self._checks]
        self._times = [tally.times for tally in self._tallies]
        self._sees: list[_See] = [watch.see for watch in self._watches]
        self._rounds: dict[tuple[type, bool, int], Round] = {}
        self._file = File()
        self._off = File()
        self._latest: dict[str, Encounter] = {}
        self._waiting: list[_Waiting] = []
        self._synthetic: tuple[Finding, ...] = ()
        self._posture: Posture = "observe"
        self._worked = False
        if posture == "dev":
            self._be_dev()

    @property
    def posture(self) -> Posture:
        """`dev` from the moment it was asked for, by argument or declaration."""
        return self._posture

    @property
    def worked(self) -> bool:
        """Whether a model's response came: a fact of the run, not of the checks."""
        return self._worked

    def feed(self, event: Event) -> tuple[Finding, ...]:
        """Every check that sees events of its kind saw it; the findings that are news.

        Never raises for what a check does: one that raised has `unreachable: raised` in its row
        and is asked again with the next event. Under `rules = "original"` a check that the
        original family does not have judges nothing.
        """
        match event:
            case Declared(posture="dev"):
                self._be_dev()
            case Responded(response=response):
                self._worked |= response is not None and response.error is None
            case Continued():
                self._file.went_on(event.filed)
            case _:
                pass
        self._transcript.see(event)
        news = self._settle(event) if self._waiting else []
        original = self._transcript.rules.rules == "original"
        latest, kinds, times = self._latest, self._kinds, self._times
        for index in self._asked(event, original=original):
            try:
                met = self._sees[index](event)
                answered = met if isinstance(met, tuple) else tuple(met)
                if not answered:
                    continue
                one = answered[0] if len(answered) == 1 and not original else None
                again = id(one) in times[index]
                if not again and not all(map(_is_sound, answered)):
                    answered, one = (unreachable("raised"),), None
            except Exception:  # noqa: BLE001 -- a check is a stranger; this is its one door
                answered, one, again = (unreachable("raised"),), None, False
            if one is not None and (again or not one.findings):
                # Most checks answer one thing at nearly every event.
                if again:
                    times[index][id(one)] += 1
                else:
                    self._tallies[index].note(one, event.at)
                latest[kinds[index]] = one
            else:
                for each in answered:
                    news += self._take(index, each, event, original=original)
        return tuple(news)

    def _take(self, index: int, met: Encounter, event: Event, *, original: bool) -> list[Finding]:
        """What a check met is counted, now or once the host has spoken; the findings that are news."""
        encounter = self._ruled(index, met) if original else met
        if original and self._waits(index, event):
            self._waiting.append(_Waiting(index, encounter, event))
        elif encounter.findings:
            return self._file_of(index, encounter, event.at)
        else:
            self._latest[self._kinds[index]] = encounter
            self._tallies[index].note(encounter, event.at)
        return []

    def latest(self, kind: str) -> Encounter | None:
        """What the check of this kind met last."""
        return self._latest.get(kind)

    @property
    def transcript(self) -> Transcript:
        """What the run has shown so far; for reading."""
        return self._transcript

    def rows(self) -> tuple[Row, ...]:
        """One row for each registered check, in the order of registration."""
        self._count_rests()
        return tuple([tally.row() for tally in self._tallies])

    def findings(self) -> tuple[Finding, ...]:
        """Every finding once, counts and last steps folded in; no synthetic one."""
        return self._file.findings()

    def synthetic(self) -> tuple[Finding, ...]:
        """What the canaries made the checks file. Never real, never counted."""
        return self._synthetic

    def require_alive(self) -> None:
        """Every check did what it is there for; call it where a run ended well, never elsewhere.

        In posture `observe`, and before a model has answered, nothing is required.

        Raises:
            CheckerDeadError: `checker-dead`: a row of a run with work has no encounter at all, or
                a canary was minted and not caught. A caught canary does not excuse the first.
        """
        if self._posture != "dev":
            return
        for row in self.rows():
            name = f"The check {row.check} at the {row.seam} seam"
            if row.minted > row.caught:
                raise CheckerDeadError(
                    "checker-dead",
                    f"{name} did not find its own canary: its rule is broken. Repair the check.",
                )
            if self._worked and not (
                row.passed + row.failed + row.not_applicable + row.unreachable
            ):
                raise CheckerDeadError(
                    "checker-dead",
                    f"{name} was never met although a model answered: nothing feeds it. "
                    "Repair the wiring.",
                )

    def _file_of(self, index: int, encounter: Encounter, at: str) -> list[Finding]:
        """The encounter is counted and its findings are filed; those that are news."""
        encounter, off = parted(encounter, self._transcript)
        self._latest[self._kinds[index]] = encounter
        self._tallies[index].note(encounter, at)
        by_place = self._transcript.rules.rules == "original"
        self._tallies[index].suppressed += sum(
            self._off.add(finding, by_place=by_place) for finding in off
        )
        return [
            finding for finding in encounter.findings if self._file.add(finding, by_place=by_place)
        ]

    def _waits(self, index: int, event: Event) -> bool:
        """Whether the host may still deny the answer that was judged (section 6.8)."""
        return (
            self._kinds[index] in _AFTER_THE_HOST
            and isinstance(event, Responded)
            and event.response is not None
            and is_answer(event.response)
        )

    def _settle(self, event: Event) -> list[Finding]:
        """What waited for the host's word on an answer is counted as soon as it is known."""
        if isinstance(event, Denied):
            for each in self._waiting:
                if each.text == event.text:
                    each.encounter = not_applicable("denied")
        elif not isinstance(event, Requested | Responded | Ended):
            return []
        waiting, self._waiting = self._waiting, []
        return [
            finding
            for each in waiting
            for finding in self._file_of(each.index, each.encounter, each.event.at)
        ]

    def _asked(self, event: Event, *, original: bool) -> Sequence[int]:
        """The places of the checks that have to look at it; of the others it is counted what they met."""
        kind = type(event)
        if original:
            return _watching(self._checks, kind)
        none: Encounter | None = None
        if isinstance(event, Responded):
            said = answer_in(event, self._transcript)
            none = None if isinstance(said, str) else said
        elif kind is not Requested:
            # What was declared or done may give those at rest something to do.
            self._count_rests()
            self._rounds.clear()
            return _watching(self._checks, kind)
        fresh = self._transcript.fresh
        name = (kind, bool(fresh), id(none))
        found = self._rounds.get(name)
        if found is None:
            found = self._rounds[name] = self._round(kind, none, fresh=bool(fresh))
        found.events += 1
        found.results += len(fresh)
        self._latest.update(found.latest)
        return found.looking

    def _round(self, kind: type, none: Encounter | None, *, fresh: bool) -> Round:
        """Who looks at such events, which bring new results or do not, and hold this and no answer."""
        looking: list[int] = []
        at_rest: list[tuple[Tally, Encounter, bool]] = []
        latest: dict[str, Encounter] = {}
        for index in _watching(self._checks, kind):
            met: Encounter | None
            if none is not None and getattr(self._checks[index], "of_answers", False):
                met, each = none, False
            elif (resting := self._resting(index)) is None:
                looking.append(index)
                continue
            else:
                asked = resting.fresh if fresh else resting.request
                met = resting.response if kind is Responded else asked
                each = resting.each and fresh
            if met is not None:
                at_rest.append((self._tallies[index], met, each))
                latest[self._kinds[index]] = met
        return Round(tuple(looking), tuple(at_rest), latest, none)

    def _resting(self, index: int) -> Resting | None:
        """What the check meets while it is at rest; None where it is not, or cannot say so."""
        rests = getattr(self._watches[index], "rests", None)
        try:
            resting = None if rests is None else rests()
        except Exception:  # noqa: BLE001 -- a check that fails here is asked at the next event, and its fault is counted there
            return None
        return resting if isinstance(resting, Resting) else None

    def _count_rests(self) -> None:
        """What those at rest met is in their tallies."""
        for each in self._rounds.values():
            each.count()

    def _ruled(self, index: int, encounter: Encounter) -> Encounter:
        """What is left of it where the original's rules hold."""
        kind = self._kinds[index]
        if kind in ORIGINAL or kind not in KINDS:
            return encounter
        return not_applicable("rules-original")

    def _be_dev(self) -> None:
        if self._posture == "dev":
            return
        self._posture = "dev"
        for check, tally in zip(self._checks, self._tallies, strict=True):
            caught, filed = made_up.release(check, lambda: Engine(self._checks))
            tally.note_canary(caught=caught)
            self._synthetic += filed


class _Waiting:
    """What a check said of an answer that the host may still deny."""

    def __init__(self, index: int, encounter: Encounter, event: Event) -> None:
        self.index, self.encounter, self.event = index, encounter, event

    @property
    def text(self) -> str:
        """The answer."""
        response = self.event.response if isinstance(self.event, Responded) else None
        return "" if response is None else answer_text(response)


@lru_cache(maxsize=8)
def _kinds(checks: tuple[Check, ...]) -> tuple[str, ...]:
    """The kind of each check, which are checks of one run."""
    if len({(check.kind, check.seam) for check in checks}) != len(checks):
        raise PolicyError("checks-collide", "Two checks have the same kind and seam.")
    return tuple(check.kind for check in checks)


@lru_cache(maxsize=64)
def _watching(checks: tuple[Check, ...], kind: type) -> tuple[int, ...]:
    """The places of the checks that are to see events of this class."""
    # Not part of the protocol, so that a check which says nothing sees everything.
    return tuple(
        index
        for index, check in enumerate(checks)
        if (sees := getattr(check, "sees", None)) is None or kind in sees
    )


def _is_sound(encounter: object) -> bool:
    return (
        isinstance(encounter, Encounter)
        and encounter.disposition in _DISPOSITIONS
        and (
            not encounter.findings
            or all(isinstance(finding, Finding) for finding in encounter.findings)
        )
    )
