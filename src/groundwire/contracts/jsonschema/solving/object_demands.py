"""What atoms demand of an object: of every member of a kind, and of some member."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundwire.contracts.jsonschema.answers import Branch
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit
from groundwire.contracts.jsonschema.languages import Languages


class NotTold(Exception):
    """Whether a pattern is found in a name cannot be told."""


class Some(msgspec.Struct, frozen=True):
    """There is a member whose name passes these tests and whose value holds to `value`."""

    value: Lit
    matching: str | None = None
    not_names: frozenset[str] = frozenset()
    not_matching: tuple[str, ...] = ()
    # A literal that the name, as a string, must make true.
    name: Lit | None = None


class Demands:
    """The atoms of one branch, sorted by what they ask for."""

    def __init__(self, graph: Graph, languages: Languages, branch: Branch) -> None:
        self._languages = languages
        self.least = 0
        self.most: int | None = None
        self.required: set[str] = set()
        self.absent: set[str] = set()
        self.properties: dict[str, list[Lit]] = {}
        self.patterns: list[tuple[str, Lit]] = []
        self.additional: list[tuple[frozenset[str], tuple[str, ...], Lit]] = []
        self.names: list[Lit] = []
        self.some: list[Some] = []
        for atom, sign in branch.atoms:
            self._positive(atom) if sign else self._negative(graph, atom)
        if any(atom.kind == "declared" and sign for atom, sign in branch.atoms):
            self._close(graph, [atom for atom, sign in branch.atoms if sign and atom.declares])

    def _positive(self, atom: Atom) -> None:
        match atom.kind:
            case "property":
                self.properties.setdefault(atom.text, []).append(atom.node)
            case "pattern-property":
                self.patterns.append((atom.text, atom.node))
            case "additional":
                self.additional.append((frozenset(atom.names), atom.patterns, atom.node))
            case "required":
                self.required.add(atom.text)
            case "min-properties":
                self.least = max(self.least, atom.count)
            case "max-properties":
                self._at_most(atom.count)
            case "names":
                self.names.append(atom.node)
            case _:
                pass

    def _negative(self, graph: Graph, atom: Atom) -> None:
        match atom.kind:
            case "property":
                self.required.add(atom.text)
                self.properties.setdefault(atom.text, []).append(-atom.node)
            case "pattern-property":
                self.some.append(Some(-atom.node, matching=atom.text))
            case "additional":
                self.some.append(Some(-atom.node, None, frozenset(atom.names), atom.patterns))
            case "required":
                self.absent.add(atom.text)
            case "min-properties":
                self._at_most(atom.count - 1)
            case "max-properties":
                self.least = max(self.least, atom.count + 1)
            case "names":
                self.some.append(Some(graph.true, name=-atom.node))
            case _:
                pass

    def _at_most(self, count: int) -> None:
        self.most = count if self.most is None else min(self.most, count)

    def _close(self, graph: Graph, declaring: list[Atom]) -> None:
        """Only names that the sender's schema declares, unless it says what others may be."""
        if any(a.kind == "additional" and a.node != graph.false for a in declaring):
            return
        if not any(a.kind in {"property", "pattern-property"} for a in declaring):
            return
        names = frozenset(a.text for a in declaring if a.kind in {"property", "required"})
        patterns = tuple(sorted(a.text for a in declaring if a.kind == "pattern-property"))
        self.additional.append((names, patterns, graph.false))

    # -- reading -------------------------------------------------------------------------------

    def named(self) -> set[str]:
        """Every name that is mentioned; all others differ only in the patterns they match."""
        found = set(self.properties) | self.required | self.absent
        found.update(*(names for names, _, _ in self.additional))
        found.update(*(each.not_names for each in self.some))
        return found

    def all_patterns(self) -> list[str]:
        """Every pattern that is mentioned."""
        found = {pattern for pattern, _ in self.patterns}
        found.update(*(patterns for _, patterns, _ in self.additional))
        for each in self.some:
            found.update(each.not_matching)
            if each.matching is not None:
                found.add(each.matching)
        return sorted(found)

    def matched(self, name: str, patterns: Iterable[str]) -> frozenset[str]:
        """Those of `patterns` that are found in `name`.

        Raises:
            NotTold: of one it is not known.
        """
        found = {pattern: self._languages.matches(pattern, name) for pattern in patterns}
        if None in found.values():
            raise NotTold
        return frozenset(pattern for pattern, matches in found.items() if matches)

    def of_every(self, name: str | None, matched: frozenset[str]) -> list[Lit]:
        """What the value of a member must hold to; `name` is None for one not mentioned."""
        found = list(self.properties.get(name, ())) if name is not None else []
        found += [node for pattern, node in self.patterns if pattern in matched]
        for names, patterns, node in self.additional:
            if name not in names and matched.isdisjoint(patterns):
                found.append(node)
        return found

    @staticmethod
    def passes(some: Some, name: str | None, matched: frozenset[str]) -> bool:
        """Whether a member's name is one that `some` speaks of; its `name` is not looked at."""
        if some.matching is not None and some.matching not in matched:
            return False
        return name not in some.not_names and matched.isdisjoint(some.not_matching)
