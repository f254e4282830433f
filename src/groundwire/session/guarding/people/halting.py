"""Halting: what a person stopped does nothing more, and a run that only plans does nothing but read.

Each guarded call asks before it is looked at, while it waits for a person, and again just before its
effect. What was seen once stays in force in this process until a lift of it is seen: a file that
somebody takes away lifts nothing. A process that begins afterwards has not seen it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from groundwire.attest.people.stops import LIFTS, OPENINGS, STOPS
from groundwire.documents.declaration import Effect
from groundwire.documents.entry import Envelope
from groundwire.documents.stop import EVERY_RUN
from groundwire.errors import GroundwireError, GuardError
from groundwire.keys.keyring import Keyring
from groundwire.session.clock import now
from groundwire.stores.people.stops import Mark, Paper, StopFolder

STOPS_FOLDER: Final = "stops"
_SETTLED: Final = timedelta(seconds=2)
"""So long after it was changed a folder is read at each look: its clock may tick slowly."""

Judges: TypeAlias = Callable[[], tuple[Keyring, frozenset[str]]]
"""The keyring of now, and the ids of the keys that lift and open."""


class Seen(msgspec.Struct, frozen=True):
    """What lay in the folder at the last look, and every stop that ever did in this process.

    `blind` says why it cannot be known what lies there; "" where it is. One object stands until
    something has changed.
    """

    stops: tuple[Paper, ...]
    lifts: tuple[Envelope, ...]
    openings: tuple[Envelope, ...]
    blind: str


_NOTHING: Final = Seen((), (), (), "")


class Watch:
    """One folder of stops, as one process sees it. Any thread may look."""

    def __init__(self, folder: StopFolder, now: Callable[[], datetime] = now) -> None:
        self.folder = folder
        self._now = now
        self._lock = threading.Lock()
        self._stops: dict[str, Paper] = {}
        self._seen = _NOTHING
        self._mark: Mark | None = None
        self._fresh = False

    def look(self) -> Seen:
        """What is there now. Costs one look at the folder where nothing has changed."""
        try:
            mark = self.folder.mark()
        except GroundwireError as error:
            return Seen((*self._stops.values(),), (), (), error.message)
        if mark == self._mark and not self._fresh:
            return self._seen
        with self._lock:
            self._read(mark)
            return self._seen

    def after_fork(self) -> None:
        """The child's own: another thread of the parent may have been reading."""
        self._lock = threading.Lock()

    def _read(self, mark: Mark | None) -> None:
        # What comes in while this reads makes the mark of the next look differ, or is read again.
        fresh = (
            mark is not None and self._now().timestamp() < mark[2] / 1e9 + _SETTLED.total_seconds()
        )
        blind = ""
        try:
            papers = self.folder.papers()
        except GroundwireError as error:
            papers, blind, fresh = (), error.message, True
        for paper in papers:
            if paper.kind == "stop" and paper.digest:
                self._stops[paper.digest] = paper
            elif paper.kind == "stop":
                blind, fresh = f"{self.folder.folder / paper.name} cannot be read.", True
        seen = Seen(
            tuple(self._stops.values()),
            _envelopes(papers, "lift"),
            _envelopes(papers, "opening"),
            blind,
        )
        # In this order: whoever looks without the lock finds the old mark, or all of the new.
        if seen != self._seen:
            self._seen = seen
        self._mark, self._fresh = mark, fresh


class Halts:
    """The stops and openings that hold under one policy. `judges` says who lifts and opens."""

    def __init__(self, watch: Watch, judges: Judges) -> None:
        self._watch = watch
        self._judges = judges
        self._lifted: set[str] = set()
        self._opened: set[str] = set()
        self._judged: tuple[Seen, frozenset[str]] | None = None

    def look(self) -> Seen:
        """What lies there now; the same object as long as nothing has changed."""
        return self._watch.look()

    def stopped(self, runs: tuple[str, ...], seen: Seen) -> str:
        """Why nothing is done any more in the first of these runs, of which each began the one before.

        "" where nothing stops it.
        """
        if not seen.stops and not seen.blind:
            return ""
        if seen.blind:
            return f"It cannot be known whether a person stopped it: {seen.blind}"
        judged = self._judged
        if judged is None or judged[0] is not seen or not judged[1].isdisjoint((EVERY_RUN, *runs)):
            # Where it would hold, it is asked anew: a keyring may have come that knows the lifter.
            judged = self._judged = (seen, self._in_force(seen))
        if EVERY_RUN in judged[1]:
            return "A person stopped every run."
        return "" if judged[1].isdisjoint(runs) else "A person stopped this run."

    def opened(self, runs: tuple[str, ...]) -> bool:
        """Whether a person opened one of these runs, which only planned."""
        if self._opened.isdisjoint(runs):
            self._note_openings(self._watch.look())
        return not self._opened.isdisjoint(runs)

    # -- inside -------------------------------------------------------------------------------

    def _in_force(self, seen: Seen) -> frozenset[str]:
        """The scopes of the stops that nobody lifted; of one that nobody vouches for: every run."""
        try:
            keyring, lifters = self._judges()
        except GroundwireError:
            keyring, lifters = Keyring((), "nothing"), frozenset()
        for envelope in seen.lifts:
            try:
                lift, _ = LIFTS.read(envelope, keyring)
            except GroundwireError:
                continue
            if lift.approver in lifters:
                self._lifted.add(lift.stop)
        return frozenset(
            _scope(each, keyring) for each in seen.stops if each.digest not in self._lifted
        )

    def _note_openings(self, seen: Seen) -> None:
        if not seen.openings:
            return
        try:
            keyring, openers = self._judges()
        except GroundwireError:
            return
        for envelope in seen.openings:
            try:
                opening, _ = OPENINGS.read(envelope, keyring)
            except GroundwireError:
                continue
            if opening.approver in openers:
                self._opened.add(opening.run)


class Halting:
    """One run's: `runs` is its id and those of the runs above it; `plans`: it only reads as yet."""

    def __init__(self, halts: Halts, runs: tuple[str, ...], *, plans: bool) -> None:
        self._halts = halts
        self._runs = runs
        self._plans = plans
        self._free: Seen | None = None

    def refuse(self, effect: Effect) -> None:
        """Nobody stopped the run, and it may do what has this effect.

        Raises:
            GuardError: `stopped`, `plan-phase`.
        """
        error = self.found(effect)
        if error is not None:
            raise error

    def found(self, effect: Effect) -> GuardError | None:
        """As `refuse`; why not, where not."""
        seen = self._halts.look()
        if seen is not self._free:
            stopped = self._halts.stopped(self._runs, seen)
            if stopped:
                return GuardError(
                    "stopped",
                    f"{stopped} Nothing was changed; `groundwire stop --list` shows what stops it,"
                    " and an approver lifts it.",
                )
            self._free = seen
        if self._plans and effect != "read" and not self._halts.opened(self._runs):
            return GuardError(
                "plan-phase",
                "This run only plans: nothing was changed. A person lets it act with `groundwire"
                f" plan open {self._runs[0]}`.",
            )
        return None


def _scope(paper: Paper, keyring: Keyring) -> str:
    """What the stop holds for, by whom this machine's authority vouches; else every run."""
    if paper.envelope is None:
        return EVERY_RUN
    try:
        return STOPS.read(paper.envelope, keyring)[0].scope
    except GroundwireError:
        return EVERY_RUN


def _envelopes(papers: tuple[Paper, ...], kind: str) -> tuple[Envelope, ...]:
    return tuple(
        each.envelope for each in papers if each.kind == kind and each.envelope is not None
    )


_watches: dict[str, Watch] = {}
_watches_lock = threading.Lock()


def watch_of(folder: Path) -> Watch:
    """The watch of this folder of stops; one a process, so that what one run saw all have seen."""
    with _watches_lock:
        return _watches.setdefault(os.fspath(folder), Watch(StopFolder(folder)))


def _forked() -> None:
    global _watches_lock  # noqa: PLW0603 -- the parent may have held it when it forked
    _watches_lock = threading.Lock()
    for watch in _watches.values():
        watch.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
