"""What a check is: a kind, a seam, a pure rule over events, and a canary that proves it alive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, Protocol, TypeAlias

import msgspec

from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Finding, Seam
from groundwire.errors import GroundwireError

Disposition: TypeAlias = Literal["checked-pass", "checked-fail", "not-applicable", "unreachable"]


class CheckerDeadError(GroundwireError):
    """A registered check did no work in a run that had work for it; reason `checker-dead`."""


class Encounter(msgspec.Struct, frozen=True, kw_only=True):
    """One meeting of a check with something it may have to judge.

    `reason` is a code, set where nothing was compared. `grades` has one word for each single
    thing that was judged within the encounter, for the counts only.
    """

    disposition: Disposition
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    grades: tuple[str, ...] = ()


class Resting(msgspec.Struct, frozen=True):
    """What a check at rest meets without looking: at requests, at responses; None for nothing.

    `fresh` is for requests that bring new results of the host's tools, once or, with `each`, once
    for each of them.
    """

    request: Encounter | None = None
    fresh: Encounter | None = None
    response: Encounter | None = None
    each: bool = False


class Watch(Protocol):
    """A check at work in one run. It remembers what it needs and sees nothing but events.

    A method `rests()` may say what the watch would meet at any request or response as long as no
    event of another class comes; None where it has to look. It is not shown what it rests at, so it
    cannot keep anything of that. Nothing rests under `rules = "original"`.
    """

    def see(self, event: Event) -> Iterable[Encounter]:
        """What this event means to the check; at least one encounter wherever its seam is met."""
        ...


class Check(Protocol):
    """A check as registered; holds no state.

    What it says of itself is the page docs/reference/findings.md. A class attribute `sees`, a tuple
    of event classes, may name the events that it needs; others are then never shown to it. One that
    is `of_answers` judges answers only: a response that holds none (`claim.sentences.answers`) is
    not shown to it, and counts as met with the reason why there is none.
    """

    @property
    def kind(self) -> str:
        """The kind of finding it files."""
        ...

    @property
    def seam(self) -> Seam:
        """The point of the loop it stands at."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever the same events would be judged differently."""
        ...

    @property
    def armed_by(self) -> str:
        """What has to be declared for it to have work, in words for people."""
        ...

    @property
    def catches(self) -> str:
        """One sentence: what it files."""
        ...

    @property
    def fences(self) -> tuple[str, ...]:
        """Each "silent when …, because …"."""
        ...

    @property
    def severity(self) -> str:
        """`defect`, `advisory`, or a sentence that says when which."""
        ...

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run, which may read what the run has shown so far."""
        ...

    def canary(self) -> Sequence[Event]:
        """Events of a made-up run in which it must file exactly its kind of finding."""
        ...


# One for all: most of what is judged passes and says no more.
_PASSED = Encounter(disposition="checked-pass")


def judged(
    findings: Sequence[Finding], grades: Sequence[str] = (), *, spared: bool = False
) -> Encounter:
    """Something was compared: it failed if a finding says so, and passed if all only doubt.

    `spared`: something was passed over because a secret's mark stands there, so it is no pass.
    """
    if not (findings or grades or spared):
        return _PASSED
    failed = any(not finding.advisory for finding in findings)
    passed: Disposition = "unreachable" if spared else "checked-pass"
    return Encounter(
        disposition="checked-fail" if failed else passed,
        reason="withheld" if spared and not failed else "",
        findings=tuple(findings),
        grades=tuple(grades),
    )


@lru_cache(maxsize=256)
def not_applicable(reason: str) -> Encounter:
    """The rule excludes itself here."""
    return Encounter(disposition="not-applicable", reason=reason)


@lru_cache(maxsize=256)
def unreachable(reason: str) -> Encounter:
    """It should have compared and lacked the evidence: silent, not clean."""
    return Encounter(disposition="unreachable", reason=reason)


def at_requests(encounter: Encounter) -> Resting:
    """The same at every request, whatever it brings."""
    return Resting(request=encounter, fresh=encounter)


def no_response(event: Responded) -> Encounter:
    """What a missing response means: none came, or one came that cannot be read."""
    if event.reason == "no-response":
        return not_applicable(event.reason)
    return unreachable(event.reason or "unreadable-response")
