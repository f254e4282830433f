"""Security requirements: the alternatives of which whoever asks must hold to one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.protection.schemes import Scheme, scheme_named
from groundwire.contracts.openapi.exchanges.told import Credential
from groundwire.contracts.openapi.resolving import Resolver, join


class Demand(msgspec.Struct, frozen=True):
    """A credential of `scheme` that was given all of `scopes`."""

    scheme: Scheme
    scopes: frozenset[str] = frozenset()


class Alternative(msgspec.Struct, frozen=True):
    """All of the credentials that are demanded together; none for anybody."""

    pointer: str
    demands: tuple[Demand, ...] = ()

    def satisfies(self, other: Alternative) -> bool:
        """Whether who holds these credentials has all that `other` demands."""
        return all(
            any(
                wanted.scheme.admits(held.scheme) and wanted.scopes <= held.scopes
                for held in self.demands
            )
            for wanted in other.demands
        )

    def may_satisfy(self, other: Alternative) -> bool:
        """Whether that may be, as what some of the credentials are is not known."""
        return all(
            any(
                (wanted.scheme.admits(held.scheme) and wanted.scopes <= held.scopes)
                or wanted.scheme.may_admit(held.scheme)
                for held in self.demands
            )
            for wanted in other.demands
        )

    @property
    def credentials(self) -> tuple[Credential, ...]:
        """Made-up ones, as they would stand in a request."""
        shown = (each.scheme.placeholder(each.scopes) for each in self.demands)
        return tuple(each for each in shown if each is not None)

    @property
    def strength(self) -> int:
        """That of its strongest scheme; 0 for anybody."""
        return max((each.scheme.strength for each in self.demands), default=0)


class Requirement(msgspec.Struct, frozen=True):
    """What an operation demands; `pointer` is where that is said, empty for nowhere."""

    pointer: str
    alternatives: tuple[Alternative, ...]
    reason: str = ""

    @property
    def credentials(self) -> tuple[Credential, ...]:
        """The fewest made-up ones that would do."""
        shown = (each.credentials for each in self.alternatives)
        return min(
            shown,
            key=lambda each: (len(each), [(one.place, one.field) for one in each]),
            default=(),
        )


class Requirements:
    """Reads those of one description; each once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._schemes: dict[str, Scheme] = {}
        self._known: dict[str, Requirement] = {}

    def of(self, operation: str, members: Mapping[str, JSON]) -> Requirement:
        """That of the operation at the pointer: its own, or the description's, or none."""
        for owner, having in ((operation, members), ("#", self._resolver.at("#").members)):
            if "security" in having:
                pointer = join(owner, "security")
                found = self._known.get(pointer)
                if found is None:
                    found = self._known[pointer] = self._read(pointer, having["security"])
                return found
        return Requirement("", (Alternative(""),))

    def _read(self, pointer: str, listed: JSON) -> Requirement:
        if not isinstance(listed, list | tuple):
            return Requirement(pointer, (), "not-an-array")
        found: list[Alternative] = []
        for index, each in enumerate(listed):
            if not isinstance(each, Mapping):
                return Requirement(pointer, (), "not-an-object")
            demands = tuple(self._demand(name, each[name]) for name in sorted(each))
            found.append(Alternative(join(pointer, str(index)), demands))
        return Requirement(pointer, tuple(found) or (Alternative(pointer),))

    def _demand(self, name: str, scopes: JSON) -> Demand:
        scheme = self._schemes.get(name)
        if scheme is None:
            scheme = self._schemes[name] = scheme_named(self._resolver, name)
        listed = scopes if isinstance(scopes, list | tuple) else ()
        return Demand(scheme, frozenset(each for each in listed if isinstance(each, str)))
