"""What the API itself sends: webhooks, and the callbacks of operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from groundwire.contracts.openapi.exchanges.addresses.operations import (
    Operation,
    Unread,
    in_item,
)
from groundwire.contracts.openapi.exchanges.operations import Operations
from groundwire.contracts.openapi.exchanges.told import Scene, Told, quoted
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.resolving import Resolver, join


class Call(msgspec.Struct, frozen=True):
    """A request that the API sends, what it is called, where it goes, and what became of it."""

    label: str
    target: str
    old: Operation | None
    new: Operation | None
    told: Told


class Called:
    """Compares requests that the API sends: their polarity is the other one.

    Who takes them relies on each that was promised, so that one which never comes again breaks
    them, though nobody refuses it. Says nothing of security that receivers may demand.
    """

    def __init__(
        self, resolvers: tuple[Resolver, Resolver], unchanged: Unchanged, operations: Operations
    ) -> None:
        self._resolvers = resolvers
        self._unchanged = unchanged
        self._operations = operations

    def webhooks(self) -> Iterator[Call]:
        """What became of those of the descriptions."""
        entries = [_entries(resolver, "#", "webhooks") for resolver in self._resolvers]
        for name in dict.fromkeys([*entries[0], *entries[1]]):
            ends = [each.get(name, "") for each in entries]
            yield from self._compare(ends[0], ends[1], name, "webhook", f"webhook {name}")

    def callbacks(self, old: Operation, new: Operation) -> Iterator[Call]:
        """What became of those of an operation. Only the expressions count: names say nothing."""
        ends = [join(each.pointer, "callbacks") for each in (old, new)]
        if all("callbacks" in each.members for each in (old, new)) and self._unchanged.same(*ends):
            return
        entries = [
            _expressions(resolver, each.pointer)
            for resolver, each in zip(self._resolvers, (old, new), strict=True)
        ]
        for expression in dict.fromkeys([*entries[0], *entries[1]]):
            before, after = (each.get(expression, "") for each in entries)
            label = f"{old.label} callback {expression}"
            yield from self._compare(before, after, expression, "callback", label)

    def _compare(
        self, before: str, after: str, named: str, kind: str, label: str
    ) -> Iterator[Call]:
        if before and after and self._unchanged.same(before, after):
            return
        methods: list[dict[str, Operation]] = []
        for resolver, entry in zip(self._resolvers, (before, after), strict=True):
            found: dict[str, Operation] = {}
            for each in in_item(resolver, entry, named) if entry else ():
                if isinstance(each, Unread):
                    yield Call(label, "", None, None, Told(_unread(before, after, kind, each)))
                    return
                found[each.method] = each
            methods.append(found)
        for method in dict.fromkeys([*methods[0], *methods[1]]):
            old, new = (each.get(method) for each in methods)
            for told in self._became(old, new, before, after, kind):
                # Where a webhook is sent to, its receiver says.
                target = "/" if kind == "webhook" else named
                yield Call(f"{label} {method}", target, old, new, told)

    def _became(
        self, old: Operation | None, new: Operation | None, before: str, after: str, kind: str
    ) -> Iterator[Told]:
        if old is not None and new is not None:
            yield from self._operations.compare(old, new, "produces")
        elif old is not None:
            finding = Finding(
                rule=f"{kind}-removed",
                grade="breaking",
                says=f"The {kind} {quoted(old.template)} is sent no more as {old.method}.",
                before=old.pointer if after else before,
                after=after,
                instead="Keep sending it, and say when it goes.",
            )
            yield Told(finding, Scene(before="may be sent", after="never sent"))
        elif new is not None:
            says = f"The {kind} {quoted(new.template)} may be sent as {new.method}."
            pointer = new.pointer if before else after
            yield Told(
                Finding(
                    rule=f"{kind}-added", grade="noted", says=says, before=before, after=pointer
                )
            )


def _unread(before: str, after: str, kind: str, each: Unread) -> Finding:
    return Finding(
        rule=f"{kind}-unread",
        grade="undecided",
        says=f"What the {kind} {quoted(each.template)} is cannot be told.",
        before=before,
        after=after,
        reason=each.reason,
    )


def _entries(resolver: Resolver, owner: str, member: str) -> dict[str, str]:
    """The pointer of each entry of a map, by its name."""
    holder = resolver.at(owner)
    if member not in holder.members:
        return {}
    listed = resolver.below(holder, member)
    return {
        name: join(listed.pointer, name) for name in listed.members if not name.startswith("x-")
    }


def _expressions(resolver: Resolver, operation: str) -> dict[str, str]:
    """The pointer of the path item for each expression of an operation's callbacks.

    One that cannot be read stands by its own name, so that it is met and told of.
    """
    found: dict[str, str] = {}
    for name, pointer in _entries(resolver, operation, "callbacks").items():
        callback = resolver.at(pointer)
        if not isinstance(callback.value, Mapping):
            found.setdefault(name, pointer)
            continue
        for expression in callback.members:
            if not expression.startswith("x-"):
                found.setdefault(expression, join(callback.pointer, expression))
    return found
