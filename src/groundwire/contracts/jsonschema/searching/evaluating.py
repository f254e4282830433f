"""Whether a value holds to a literal of the graph, as far as that can be told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.graph import (
    All,
    Atom,
    Enum,
    Graph,
    Lit,
    OfType,
    One,
    Opaque,
    Ref,
)
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.values import identity, number, scalar, type_of

# So many references, joins and parts of the value deep it is looked.
MAX_DEPTH = 200


class Evaluator:
    """Tries values on the nodes of one graph; what a format or an opaque node says it leaves open."""

    def __init__(self, graph: Graph, languages: Languages) -> None:
        self._graph = graph
        self._languages = languages

    def holds(self, literal: Lit, value: JSON, depth: int = 0) -> bool | None:
        """Whether `value` holds to `literal`; None where nobody can tell."""
        found = self._positive(abs(literal), value, depth + 1) if depth < MAX_DEPTH else None
        if found is None or literal > 0:
            return found
        return not found

    def _positive(self, number_of_node: int, value: JSON, depth: int) -> bool | None:
        node = self._graph.nodes[number_of_node]
        match node:
            case All(parts):
                return _every(self.holds(part, value, depth) for part in parts)
            case One(parts):
                return _one(self.holds(part, value, depth) for part in parts)
            case Ref():
                target = self._graph.targets.get(number_of_node)
                return None if target is None else self.holds(target, value, depth)
            case OfType(kind):
                return type_of(value) == kind
            case Enum(values):
                return scalar(value) in values
            case Opaque():
                return None
            case Atom():
                return True if type_of(value) != node.of else self._atom(node, value, depth)

    def _atom(self, atom: Atom, value: JSON, depth: int) -> bool | None:
        if isinstance(value, str):
            return self._of_string(atom, value)
        if isinstance(value, Mapping):
            return self._of_object(atom, value, depth)
        if isinstance(value, Sequence):
            return self._of_array(atom, value, depth)
        if isinstance(value, int | float):
            return _of_number(atom, value)
        return None

    def _of_string(self, atom: Atom, text: str) -> bool | None:
        match atom.kind:
            case "min-length":
                return len(text) >= atom.count
            case "max-length":
                return len(text) <= atom.count
            case "pattern":
                return self._languages.matches(atom.text, text)
            case _:
                return None

    def _of_array(self, atom: Atom, items: Sequence[JSON], depth: int) -> bool | None:
        match atom.kind:
            case "min-items":
                return len(items) >= atom.count
            case "max-items":
                return len(items) <= atom.count
            case "item":
                wanted = items[atom.count : atom.count + 1]
                return _every(self.holds(atom.node, each, depth) for each in wanted)
            case "items":
                return _every(self.holds(atom.node, each, depth) for each in items[atom.count :])
            case "unique":
                return len({identity(each) for each in items}) == len(items)
            case "min-contains" | "max-contains":
                told = [self.holds(atom.node, each, depth) for each in items]
                if None in told:
                    return None
                least = atom.kind == "min-contains"
                return (
                    sum(map(bool, told)) >= atom.count
                    if least
                    else sum(map(bool, told)) <= atom.count
                )
            case _:
                return None

    def _of_object(self, atom: Atom, members: Mapping[str, JSON], depth: int) -> bool | None:
        match atom.kind:
            case "required":
                return atom.text in members
            case "min-properties":
                return len(members) >= atom.count
            case "max-properties":
                return len(members) <= atom.count
            case "names":
                return _every(self.holds(atom.node, name, depth) for name in members)
            case "property":
                if atom.text not in members:
                    return True
                return self.holds(atom.node, members[atom.text], depth)
            case "pattern-property" | "additional":
                return _every(self._of_member(atom, *each, depth) for each in members.items())
            case _:
                return None

    def _of_member(self, atom: Atom, name: str, value: JSON, depth: int) -> bool | None:
        """What an atom that speaks of the names of a kind comes to for one member."""
        if atom.kind == "additional" and name in atom.names:
            return True
        patterns = (atom.text,) if atom.kind == "pattern-property" else atom.patterns
        told = [self._languages.matches(pattern, name) for pattern in patterns]
        if None in told:
            return None
        if any(told) != (atom.kind == "pattern-property"):
            return True
        return self.holds(atom.node, value, depth)


def _of_number(atom: Atom, value: float) -> bool | None:
    exact = number(value)
    match atom.kind:
        case "at-least":
            return exact >= atom.number
        case "above":
            return exact > atom.number
        case "at-most":
            return exact <= atom.number
        case "below":
            return exact < atom.number
        case "multiple":
            return (exact / atom.number).denominator == 1
        case _:
            return None


def _every(told: Iterable[bool | None]) -> bool | None:
    open_ = False
    for each in told:
        if each is False:
            return False
        open_ = open_ or each is None
    return None if open_ else True


def _one(told: Iterable[bool | None]) -> bool | None:
    found = list(told)
    if sum(each is True for each in found) > 1:
        return False
    return None if None in found else True in found
