"""Parameters of an operation: its own and those of its path, and which variable is which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation
from groundwire.contracts.openapi.exchanges.addresses.templates import variables
from groundwire.contracts.openapi.exchanges.messages import Messages
from groundwire.contracts.openapi.exchanges.told import quoted
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.resolving import Resolved, Resolver, join
from groundwire.contracts.verdict import Direction

# Of these types no text in a path is but one that reads as such.
_NUMBERS = frozenset({"integer", "number", "boolean"})
_PLAIN = frozenset({"type", "description", "title", "example", "examples", "deprecated"})


class Parameters(msgspec.Struct, frozen=True):
    """Those of one operation. `unread` are pointers of what is none that can be told, and why."""

    of_path: Mapping[str, str]
    """By the variable's name; of those only that the template has."""
    others: tuple[str, ...]
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def pointers(self) -> tuple[str, ...]:
        """All that could be read."""
        return (*self.of_path.values(), *self.others)


def parameters_of(resolver: Resolver, operation: Operation) -> Parameters:
    """Those that the operation has; what it says itself counts before what its path says."""
    found: dict[tuple[str, str], str] = {}
    unread: list[tuple[str, str]] = []
    for owner in (operation.item, operation.pointer):
        for each in _listed(resolver, owner):
            place, name = each.members.get("in"), each.members.get("name")
            if isinstance(place, str) and isinstance(name, str):
                # A header's name means the same in any case.
                key = name.lower() if place == "header" else name
                found[(place, key)] = each.pointer
            else:
                unread.append((each.pointer, each.reason or "not-a-parameter"))
    named = dict.fromkeys(variables(operation.template))
    of_path = {name: found[("path", name)] for name in named if ("path", name) in found}
    others = tuple(pointer for (place, _), pointer in found.items() if place != "path")
    return Parameters(of_path, others, tuple(unread))


def _listed(resolver: Resolver, owner: str) -> Iterator[Resolved]:
    holder = resolver.at(owner)
    if "parameters" not in holder.members:
        return
    listed = resolver.below(holder, "parameters")
    if not isinstance(listed.value, list | tuple):
        yield Resolved(None, listed.pointer, listed.reason or "not-an-array")
        return
    for index in range(len(listed.value)):
        yield resolver.at(join(listed.pointer, str(index)))


def may_be(resolver: Resolver, parameter: str, text: str | None) -> bool | None:
    """Whether a path's variable may be `text`, or any where it is None; None if not known.

    Known for plain types alone.
    """
    schema: Mapping[str, JSON] = {}
    holder = resolver.at(parameter)
    if "schema" in holder.members:
        schema = resolver.below(holder, "schema").members
    named = schema.get("type")
    if isinstance(named, str) and named in _NUMBERS and text is not None:
        # No text with letters reads as one, but those that are spelt as a boolean or an exponent.
        plain = text.isidentifier() and text.lower() not in {"true", "false", "infinity", "nan"}
        return False if plain else None
    return True if named == "string" and not set(schema) - _PLAIN else None


def compare(
    resolver: Resolver,
    operations: tuple[Operation, Operation],
    both: tuple[Parameters, Parameters],
    messages: Messages,
    direction: Direction,
) -> Iterator[Finding]:
    """What became of the parameters; variables of the path are the same by their position.

    A variable of which one side says nothing may be any text there. `resolver` is of the new side.
    """
    old, new = both
    for before, after in _unread(old, new):
        yield Finding(
            rule="request-parameter-unread",
            grade="undecided",
            says="What the parameter is cannot be told.",
            before=before[0],
            after=after[0],
            reason=before[1] or after[1],
        )
    were, are = (variables(each.template) for each in operations)
    names = zip(were, are, strict=True) if len(were) == len(are) else ()
    renamed: dict[str, str] = {}
    mine, theirs = list(old.others), list(new.others)
    for was, now in names:
        if was in old.of_path and now in new.of_path:
            renamed[now] = was
            mine.append(old.of_path[was])
            theirs.append(new.of_path[now])
        elif now in new.of_path and not may_be(resolver, new.of_path[now], None):
            yield Finding(
                rule="request-path-variable-described",
                grade="undecided",
                says=f"What the variable {quoted(now)} may be was not said, and now is.",
                before=operations[0].path,
                after=new.of_path[now],
                reason="path-variable-not-described",
            )
    yield from messages.parameters(
        list(dict.fromkeys(mine)), list(dict.fromkeys(theirs)), direction, renamed
    )


def _unread(old: Parameters, new: Parameters) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """What is unread on both sides in pairs, by position; with nothing where there is no more."""
    nothing = ("", "")
    for index in range(max(len(old.unread), len(new.unread))):
        before, after = (
            each.unread[index] if index < len(each.unread) else nothing for each in (old, new)
        )
        yield before, after
