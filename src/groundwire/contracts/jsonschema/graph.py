"""Both documents as one graph of shared nodes; what is said of a value is a signed node.

A *literal* is a node's number, negative for its negation, so no schema is rewritten to negate it.
`any` is the negation of `all` of negations. An atom speaks of one type: of a value of another type
it is true, and its negation is false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from groundwire.contracts.jsonschema.values import TYPES, Scalar, Type, scalar_order

Lit: TypeAlias = int

_BITS: dict[str, int] = {kind: 1 << index for index, kind in enumerate(TYPES)}
EVERY_TYPE = (1 << len(TYPES)) - 1
# Why a schema that denies itself is opaque.
PARADOX = "reference-paradox"
# So many references and joins deep it is looked which types are possible.
MAX_FOLLOWED = 60
# Joins of more parts stay nested.
MAX_FLAT = 400

AtomKind: TypeAlias = Literal[
    "at-least", "above", "at-most", "below", "multiple",
    "min-length", "max-length", "pattern", "format",
    "min-items", "max-items", "item", "items", "min-contains", "max-contains", "unique",
    "property", "pattern-property", "additional", "required", "min-properties", "max-properties",
    "names", "declared",
]  # fmt: skip


class All(msgspec.Struct, frozen=True):
    """Every part holds."""

    parts: tuple[Lit, ...]


class One(msgspec.Struct, frozen=True):
    """Exactly one part holds."""

    parts: tuple[Lit, ...]


class Ref(msgspec.Struct, frozen=True):
    """What stands at a place of a document; its literal is `Graph.targets[number]`."""

    place: str


class OfType(msgspec.Struct, frozen=True):
    """The value is of this type."""

    kind: Type


class Enum(msgspec.Struct, frozen=True):
    """The value is one of these scalars."""

    values: tuple[Scalar, ...]


class Opaque(msgspec.Struct, frozen=True):
    """Something that is not understood, for `reason`: it may hold or not. Equal ones are alike."""

    reason: str
    place: str


class Atom(msgspec.Struct, frozen=True):
    """A keyword's demand on values of one type. Which fields count depends on `kind`."""

    of: Type
    kind: AtomKind
    number: Fraction = Fraction(0)
    count: int = 0
    text: str = ""
    node: Lit = 0
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    # Stands on the sender's side, where names count as declared.
    declares: bool = False


Node: TypeAlias = All | One | Ref | OfType | Enum | Opaque | Atom


class Graph:
    """The nodes, numbered from 1 in the order of building."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [All(())]
        self._numbers: dict[Node, int] = {}
        self.targets: dict[int, Lit] = {}
        # A node of the declared reading -> the same schema as written, which holds whenever it does.
        self.twins: dict[int, Lit] = {}
        # Opaque nodes that stand for what no schema may say.
        self.invalid: set[int] = set()
        self._possible: dict[Lit, int] = {}
        self.true = self.node(All(()))
        self.false = -self.true

    def node(self, node: Node) -> int:
        """The number of `node`, the same for equal ones."""
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def of(self, literal: Lit) -> Node:
        """The node of a literal, whatever its sign."""
        return self.nodes[abs(literal)]

    # -- building ------------------------------------------------------------------------------

    def all(self, literals: Iterable[Lit]) -> Lit:
        """That every one of `literals` holds."""
        flat: set[Lit] = set()
        for literal in literals:
            node = self.of(literal)
            if literal > 0 and isinstance(node, All) and len(node.parts) <= MAX_FLAT:
                flat.update(node.parts)
            else:
                flat.add(literal)
        if any(-literal in flat for literal in flat) or self.false in flat:
            return self.false
        if len(flat) == 1:
            return flat.pop()
        return self.node(All(tuple(sorted(flat))))

    def any(self, literals: Iterable[Lit]) -> Lit:
        """That one of `literals` holds, or more."""
        return -self.all([-literal for literal in literals])

    def one(self, literals: list[Lit]) -> Lit:
        """That exactly one of `literals` holds."""
        live = [literal for literal in literals if literal != self.false]
        if len(live) < 2:
            return live[0] if live else self.false
        if self.true in live:
            live.remove(self.true)
            return self.all([-literal for literal in live])
        # Where one that stands twice holds, two do.
        counted = Counter(live)
        twice = [-literal for literal, count in counted.items() if count > 1]
        if twice:
            once = [literal for literal, count in counted.items() if count == 1]
            return self.all([*twice, self.one(once)])
        return self.node(One(tuple(sorted(live))))

    def type(self, kind: Type) -> Lit:
        """That the value is of this type."""
        return self.node(OfType(kind))

    def enum(self, values: Iterable[Scalar]) -> Lit:
        """That the value is one of these scalars."""
        found = tuple(sorted(set(values), key=scalar_order))
        return self.node(Enum(found)) if found else self.false

    def invalid_below(self, literals: Iterable[Lit]) -> str | None:
        """Why something that `literals` speak of, however deep in the value, is no schema."""
        if not self.invalid:
            return None
        waiting = [abs(literal) for literal in literals]
        seen: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            node = self.nodes[number]
            match node:
                case All(parts) | One(parts):
                    waiting += [abs(part) for part in parts]
                case Ref() if number in self.targets:
                    waiting.append(abs(self.targets[number]))
                case Atom() if node.node:
                    waiting.append(abs(node.node))
                case Opaque(reason) if number in self.invalid:
                    return reason
                case _:
                    pass
        return None

    # -- types ---------------------------------------------------------------------------------

    def may_be(self, literal: Lit, kind: Type) -> bool:
        """False only where no value of this type satisfies `literal`."""
        return bool(self.possible(literal) & _BITS[kind])

    def possible(self, literal: Lit) -> int:
        """The types, as bits, of which a value may satisfy `literal`; never too few of them."""
        return self._possible_below(literal, 0)

    def _possible_below(self, literal: Lit, depth: int) -> int:
        known = self._possible.get(literal)
        if known is None:
            # A reference that comes back here, or goes too far, allows every type: never too few.
            if depth > MAX_FOLLOWED:
                return EVERY_TYPE
            self._possible[literal] = EVERY_TYPE
            known = self._possible[literal] = self._possible_of(literal, depth + 1)
        return known

    def _possible_of(self, literal: Lit, depth: int) -> int:
        node = self.of(literal)
        match node:
            case All(parts):
                return self._possible_of_all(parts, depth, positive=literal > 0)
            case Ref():
                target = self.targets.get(abs(literal))
                if target is None:
                    return EVERY_TYPE
                return self._possible_below(target if literal > 0 else -target, depth)
            case OfType(kind):
                bit = _BITS[kind]
                return bit if literal > 0 else EVERY_TYPE & ~bit
            case Enum(values):
                if literal > 0:
                    return _join(_BITS[kind] for kind, _ in values)
                return EVERY_TYPE & ~_BITS["null"] if ("null", None) in values else EVERY_TYPE
            case Atom():
                return EVERY_TYPE if literal > 0 else _BITS[node.of]
            case _:
                return EVERY_TYPE

    def _possible_of_all(self, parts: tuple[Lit, ...], depth: int, *, positive: bool) -> int:
        if not positive:
            return _join(self._possible_below(-part, depth) for part in parts)
        found = EVERY_TYPE
        for part in parts:
            found &= self._possible_below(part, depth)
        return found


def _join(bits: Iterable[int]) -> int:
    found = 0
    for each in bits:
        found |= each
    return found
