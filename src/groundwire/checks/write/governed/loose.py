"""Guarded calls that are linked to no call on the wire: which call each may be, and which not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from groundwire.checks.transcript import Chosen, Transcript
from groundwire.documents.event import Guarded, Requested

_REMEMBERED: Final = 4096


class _Unlinked(NamedTuple):
    """A guarded call by the name that the table knows it by, and when it first came there."""

    name: str
    step: int


class Loose:
    """One guarded call without a link stands for one call, and for none that it cannot be.

    A framework may lose ids, know a tool by another name, or change arguments on the way: none of
    these rules a call out. What does: that it came to the table before the model was even asked, and
    that the model was offered a tool of exactly that name beside this one. A call takes one once,
    however often its result comes anew.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._calls: dict[int, _Unlinked] = {}
        self._asked: dict[int, int] = {}
        self._taken: dict[int, str] = {}

    def asked(self, event: Requested) -> None:
        """The request left at its step; its answer came later."""
        self._asked.setdefault(event.exchange, event.step)
        while len(self._asked) > _REMEMBERED:
            del self._asked[next(iter(self._asked))]

    def came(self, event: Guarded) -> None:
        """The guarded call is linked to none on the wire."""
        self._calls.setdefault(event.guarded, _Unlinked(event.name, event.step))

    def take_of_its_name(self, chosen: Chosen) -> bool:
        """Whether one of this very name may be the call; it is used up."""
        own = chosen.call.name
        return self._take(chosen, lambda name: name == own) or self._took(chosen) == own

    def take_of_another_name(self, chosen: Chosen) -> bool:
        """Whether one that the table knows by another name may be the call; it is used up."""
        fits = self._take(chosen, lambda name: self._may_be_called(chosen, name))
        return fits or bool(self._took(chosen))

    def _took(self, chosen: Chosen) -> str:
        return self._taken.get(id(chosen), "")

    def _take(self, chosen: Chosen, fits: Callable[[str], bool]) -> bool:
        if self._took(chosen):
            return False
        asked = -1 if chosen.exchange is None else self._asked.get(chosen.exchange, -1)
        for number, each in self._calls.items():
            if each.step > asked and fits(each.name):
                del self._calls[number]
                self._taken[id(chosen)] = each.name
                return True
        return False

    def _may_be_called(self, chosen: Chosen, name: str) -> bool:
        """Whether the table may know the call's tool as `name`.

        A tool that the model is offered under that name is another one than this, unless the call
        itself names it: some call others.
        """
        return name not in self._transcript.offered or name in chosen.call.arguments
