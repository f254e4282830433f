"""What became of one exchange: its parameters, its body, and what may come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from groundwire.contracts.openapi.exchanges import parameters
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation
from groundwire.contracts.openapi.exchanges.answers.responses import Responses
from groundwire.contracts.openapi.exchanges.messages import Messages
from groundwire.contracts.openapi.exchanges.parameters import Parameters, parameters_of
from groundwire.contracts.openapi.exchanges.told import Scene, Told
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.options import Knobs
from groundwire.contracts.openapi.resolving import Resolver, join
from groundwire.contracts.verdict import Direction

_OTHER: dict[Direction, Direction] = {"accepts": "produces", "produces": "accepts"}
_SAID: dict[Direction, tuple[str, str]] = {
    "accepts": ("accepted", "refused"),
    "produces": ("no such request was allowed", "such a request may be sent"),
}

_GONE: Final = "request-parameter-removed"
_UNHEEDED: Final = Scene(
    before="accepted and heeded", after="accepted, and the parameter is ignored"
)


class Operations:
    """Compares pairs of operations of two descriptions.

    Of what both share by reference each is compared once. Says nothing of where requests go, of
    who may send them, nor of callbacks.
    """

    def __init__(
        self,
        resolvers: tuple[Resolver, Resolver],
        unchanged: Unchanged,
        messages: Messages,
        knobs: Knobs,
    ) -> None:
        self._resolvers = resolvers
        self._unchanged = unchanged
        self._messages = messages
        self._responses = Responses(resolvers, unchanged, messages, knobs)
        self._bodies: dict[tuple[str, str, Direction], tuple[Finding, ...]] = {}

    def same(self, old: Operation, new: Operation) -> bool:
        """Whether both say the same, so that nothing needs to be asked."""
        # What a path is called is part of what its variables mean.
        if old.template != new.template or not self._unchanged.same(old.pointer, new.pointer):
            return False
        listed = [
            join(each.item, "parameters")
            for each, resolver in zip((old, new), self._resolvers, strict=True)
            if "parameters" in resolver.at(each.item).members
        ]
        return not listed or (len(listed) == 2 and self._unchanged.same(listed[0], listed[1]))

    def compare(self, old: Operation, new: Operation, direction: Direction) -> Iterator[Told]:
        """What became of the exchange. `direction` is that of its request.

        `accepts` where clients ask the API, `produces` where the API asks: then it is the answer
        that it has to accept.
        """
        if self.same(old, new):
            return
        scene = Scene(before=_SAID[direction][0], after=_SAID[direction][1])
        both = self.parameters("old", old), self.parameters("new", new)
        if old.template != new.template or not self._have_same(*both):
            for finding in parameters.compare(
                self._resolvers[1], (old, new), both, self._messages, direction
            ):
                yield Told(finding, _UNHEEDED if finding.rule == _GONE else scene)
        for finding in self._body(old, new, direction):
            yield Told(finding, scene)
        responses = join(old.pointer, "responses"), join(new.pointer, "responses")
        if not self._unchanged.same(*responses):
            yield from self._responses.compare(*responses, _OTHER[direction])

    def _have_same(self, old: Parameters, new: Parameters) -> bool:
        """Whether the parameters of both are the same, in the same order."""
        if old.unread or new.unread or len(old.pointers) != len(new.pointers):
            return False
        return all(map(self._unchanged.same, old.pointers, new.pointers))

    def parameters(self, side: str, operation: Operation) -> Parameters:
        """The parameters of an operation of one side."""
        return parameters_of(self._resolvers[side == "new"], operation)

    def _body(self, old: Operation, new: Operation, direction: Direction) -> tuple[Finding, ...]:
        ends = [
            resolver.at(join(each.pointer, "requestBody"))
            if "requestBody" in each.members
            else None
            for each, resolver in zip((old, new), self._resolvers, strict=True)
        ]
        before, after = (each.pointer if each else "" for each in ends)
        if not before and not after:
            return ()
        if before and after and self._unchanged.same(before, after):
            return ()
        key = (before, after, direction)
        if key not in self._bodies:
            self._bodies[key] = tuple(self._messages.body(before, after, direction))
        return self._bodies[key]
