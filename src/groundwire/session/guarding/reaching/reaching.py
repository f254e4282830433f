"""Reaching: what a proposal reaches besides its own files, and that it still stands so."""

from __future__ import annotations

import msgspec

from groundwire.documents.question import Question, Reached
from groundwire.documents.target import Change, Proposal
from groundwire.errors import GuardError
from groundwire.session.guarding.guard import Guard
from groundwire.session.guarding.reaching.derived import Derived, derived_of
from groundwire.session.guarding.reaching.descriptions import is_described, reached_descriptions
from groundwire.session.guarding.reaching.laying import Laid
from groundwire.targets.stopping import Stop


class Reaching:
    """The contracts of one call that are read of several files, or made of others."""

    def __init__(self, guard: Guard, stop: Stop | None = None) -> None:
        self._guard = guard
        self._stop = stop or Stop()
        self._read: tuple[Reached, ...] = ()
        self._derived: tuple[Derived, ...] = ()

    def added(self, question: Question, *, run: bool = True) -> Question:
        """The question with what the proposal reaches. `run`: programs that make contracts are run.

        Raises:
            HostError: `target-unreadable`, `no-state-home`, `call-cancelled`.
        """
        self._read = self._descriptions(question.proposal)
        if self._guard.contracts:
            self._derived = tuple(
                derived_of(self._guard, self._laid(question.proposal), self._stop, run=run)
            )
        reached = (*self._read, *(each.reached for each in self._derived))
        return self._guard.since.added(msgspec.structs.replace(question, reached=reached))

    def recheck(self, proposal: Proposal) -> None:
        """All that was read beside the changed files still stands as it was read (T2).

        Of a derived contract: its inputs, and what stands at its path. What else its program read
        is not looked at again.

        Raises:
            GuardError: `state-drifted`.
        """
        if self._descriptions(proposal) != self._read:
            raise _drifted("a file of a description")
        if not self._derived:
            return
        laid = self._laid(proposal)
        for each in self._derived:
            if each.standing(laid) != each.stood:
                raise _drifted(f"an input of {each.reached.name.path}")

    def _descriptions(self, proposal: Proposal) -> tuple[Reached, ...]:
        if not any(map(_may_be_described, proposal.changes)):
            return ()  # most calls: nothing has to be looked up for them
        return tuple(
            reached_descriptions(
                self._laid(proposal), self._guard.rules.artifacts, self._guard.described
            )
        )

    def _laid(self, proposal: Proposal) -> Laid:
        return Laid(self._guard.folder, proposal.changes)


def _may_be_described(change: Change) -> bool:
    """Whether either name of the change is one that a description, or a part of one, may have."""
    return any(is_described(name.path) for name in (change.name, change.to) if name is not None)


def _drifted(what: str) -> GuardError:
    return GuardError(
        "state-drifted",
        f"Somebody changed {what} after it was judged; nothing was written. Make the call again.",
    )
