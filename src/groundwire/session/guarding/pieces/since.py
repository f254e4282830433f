"""Since: what contracts held before the guard's own changes of them, one after another.

A change that breaks somebody may come in steps that do not: the day on which an operation was to go
is written first, and then the operation goes. So each step is judged from the first one's beginning too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable

import msgspec

from groundwire.authority.artifacts.kinds import kinds_of_change
from groundwire.documents.governing import Artifact
from groundwire.documents.outcome import Outcome, Refused, Unknown
from groundwire.documents.question import Question, Ruling
from groundwire.documents.target import Change, TargetName

MOST_BYTES = 64 * 1024 * 1024
"""So much is kept; the contract that was not changed the longest goes first."""


class _Chain(msgspec.Struct):
    """What stood before the first of the changes, and what the last of them left.

    After one of which nobody knows whether it landed, what may stand is more than one.
    """

    first: bytes
    last: tuple[bytes, ...]


class Since:
    """The contracts that a project's guarded calls changed, in this process. `kinds` have an engine.

    A contract that somebody else changed in between begins anew, and so does one of which a person
    allowed a change: they saw what it comes to. Forgets what another process did.
    """

    def __init__(self, kinds: Collection[str], declared: Iterable[Artifact]) -> None:
        self._kinds = frozenset(kinds)
        self._declared = tuple(declared)
        self._lock = threading.Lock()
        self._chains: OrderedDict[TargetName, _Chain] = OrderedDict()

    def added(self, question: Question) -> Question:
        """The question with what stood before earlier changes of what it changes."""
        if not self._chains:
            return question
        with self._lock:
            found = {
                change.name: chain.first
                for change in question.proposal.changes
                if (chain := self._chains.get(change.name)) is not None
                and change.before in chain.last
                and change.before != chain.first
            }
        return msgspec.structs.replace(question, since=found) if found else question

    def came(self, question: Question | None, ruling: Ruling | None, outcome: Outcome) -> None:
        """What the question asked about was carried out, or may have been."""
        if question is None or ruling is None or isinstance(outcome, Refused):
            return
        allowed = ruling.decision.decision == "approve"
        doubtful = isinstance(outcome, Unknown)
        for change in question.proposal.changes:
            if self._is_of_contract(change, question):
                with self._lock:
                    self._change(change, allowed=allowed and not doubtful, doubtful=doubtful)

    def _change(self, change: Change, *, allowed: bool, doubtful: bool) -> None:
        chain = self._chains.pop(change.name, None)
        if change.before is None or change.after is None:
            return
        first = change.before
        if chain is not None and change.before in chain.last:
            first = chain.first
        if allowed:
            first = change.after
        last = (change.before, change.after) if doubtful else (change.after,)
        self._chains[change.to or change.name] = _Chain(first, last)
        while sum(map(_size, self._chains.values())) > MOST_BYTES:
            self._chains.popitem(last=False)

    def _is_of_contract(self, change: Change, question: Question) -> bool:
        if question.reached:  # maybe a part of one
            return True
        kinds = kinds_of_change(change, change.name, self._declared)
        return not self._kinds.isdisjoint(kinds)


def _size(chain: _Chain) -> int:
    return len(chain.first) + sum(map(len, chain.last))
