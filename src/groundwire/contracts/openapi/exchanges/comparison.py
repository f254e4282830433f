"""The whole comparison of two descriptions, operation by operation."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from groundwire.contracts.changes import Change
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.exchanges import coming
from groundwire.contracts.openapi.exchanges.addresses.matching import Matched, Pair, match
from groundwire.contracts.openapi.exchanges.addresses.moving import compare_servers
from groundwire.contracts.openapi.exchanges.addresses.operations import (
    SAFE,
    Operation,
    Unread,
    operations,
)
from groundwire.contracts.openapi.exchanges.called import Call, Called
from groundwire.contracts.openapi.exchanges.lifetimes import compare_lifetimes
from groundwire.contracts.openapi.exchanges.messages import Messages
from groundwire.contracts.openapi.exchanges.operations import Operations
from groundwire.contracts.openapi.exchanges.protection.comparing import compare_security
from groundwire.contracts.openapi.exchanges.protection.requirements import Requirement, Requirements
from groundwire.contracts.openapi.exchanges.showing.causes import Causes
from groundwire.contracts.openapi.exchanges.showing.witnesses import Place, Witnesses
from groundwire.contracts.openapi.exchanges.told import Told
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import Resolver

_Part = TypeVar("_Part")
_Sides: TypeAlias = tuple[list[_Part], list[_Part]]


class Comparison:
    """Compares two descriptions, of which `messages` tells what is inside of messages."""

    def __init__(
        self, old: Description, new: Description, options: Options, messages: Messages
    ) -> None:
        self._options = options
        self._locators = old.locator, new.locator
        self._resolvers = Resolver(old), Resolver(new)
        self._unchanged = Unchanged((old, new), self._resolvers)
        self._requirements = tuple(Requirements(each) for each in self._resolvers)
        self._operations = Operations(self._resolvers, self._unchanged, messages, options.knobs)
        self._called = Called(self._resolvers, self._unchanged, self._operations)
        self._witnesses = Witnesses(self._resolvers, self._operations, messages)
        self._causes = Causes()
        self._security: dict[tuple[str, str, bool], tuple[Told, ...]] = {}

    def changes(self) -> tuple[Change, ...]:
        """What changed, gravest first."""
        sides = [list(operations(each)) for each in self._resolvers]
        unread = [[each for each in side if isinstance(each, Unread)] for side in sides]
        known = [[each for each in side if isinstance(each, Operation)] for side in sides]
        hidden = self._tell_unread((unread[0], unread[1]), (known[0], known[1]))
        old, new = ([each for each in side if id(each) not in hidden] for side in known)
        matched = match(old, new)
        for pair in matched.pairs:
            self._compare(pair)
        self._tell_coming(matched, (old, new))
        for call in self._called.webhooks():
            self._causes.add(call.told, _place(call))
        return self._causes.changes(self._locators, self._witnesses)

    def _compare(self, pair: Pair) -> None:
        """What became of an operation that is in both."""
        old, new = pair.old, pair.new
        before, after = (
            requirements.of(each.pointer, each.members)
            for requirements, each in zip(self._requirements, (old, new), strict=True)
        )
        place = Place(label=old.label, old=old, new=new, usual=before.credentials)
        for told in compare_servers(pair):
            self._causes.add(told, place)
        for told in self._secured(before, after, mutating=old.method not in SAFE):
            self._causes.add(told, place)
        if pair.caught:
            self._causes.add(coming.caught(pair, self._resolvers[1]), place)
        for finding in compare_lifetimes(old, new):
            self._causes.add(Told(finding), place)
        for told in self._operations.compare(old, new, "accepts"):
            self._causes.add(told, place)
        for call in self._called.callbacks(old, new):
            self._causes.add(call.told, _place(call))

    def _secured(
        self, before: Requirement, after: Requirement, *, mutating: bool
    ) -> tuple[Told, ...]:
        """What became of what is demanded; of what many operations share once."""
        key = before.pointer, after.pointer, mutating
        if key not in self._security:
            self._security[key] = tuple(compare_security(before, after, mutating=mutating))
        return self._security[key]

    def _tell_unread(self, sides: _Sides[Unread], known: _Sides[Operation]) -> frozenset[int]:
        """Tells of what could not be read; the ids of operations that may be in it."""
        hidden: set[int] = set()
        for old, new in coming.unread(sides[0], sides[1], self._unchanged):
            told = coming.tell_unread(old, new)
            met = [
                each
                for side in known
                for each in side
                if any(part is not None and coming.hides(part, each) for part in (old, new))
            ]
            hidden |= {id(each) for each in met}
            named = next(each.template for each in (old, new) if each is not None)
            for label in sorted({each.label for each in met}) or [named]:
                self._causes.add(told, Place(label=label))
        return frozenset(hidden)

    def _tell_coming(self, matched: Matched, known: _Sides[Operation]) -> None:
        """Tells of operations that are in one of the descriptions only."""
        paths = coming.paths_of(self._resolvers[1])
        for operation, told in coming.removed(
            matched.removed, known[0], known[1], self._options, paths
        ):
            usual = self._requirements[0].of(operation.pointer, operation.members)
            place = Place(label=operation.label, old=operation, usual=usual.credentials)
            self._causes.add(told, place)
        for operation in matched.ambiguous:
            self._causes.add(coming.ambiguous(operation), Place(label=operation.label))
        for operation, told in coming.added(matched.added, known[0]):
            self._causes.add(told, Place(label=operation.label, new=operation))


def _place(call: Call) -> Place:
    """Where something was told of a request that the API sends."""
    return Place(
        label=call.label, old=call.old, new=call.new, direction="produces", target=call.target
    )
