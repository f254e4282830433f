"""Environments: where a call has its effect, read off the names of its targets.

The order, from the mildest: as `[[guard.environments]]` first names them; `production` last,
listed or not. What no pattern knows is production. A word of the host's holds only where it is
stricter than what was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from groundwire.authority.artifacts.places import whole
from groundwire.authority.reading.governing.rules import PRODUCTION, environment_names
from groundwire.documents.governing import GuardRules
from groundwire.documents.profile import Fact
from groundwire.documents.target import TargetName
from groundwire.targets.places.patterns import is_covered

UNKNOWN: Final[Fact] = "environment-unknown"


class Environment(msgspec.Struct, frozen=True):
    """The environment of a call; `known` false: no pattern knew one of its targets, or it has none."""

    name: str
    known: bool

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What weakens it."""
        return () if self.known else (UNKNOWN,)


def environment_of(
    names: Iterable[TargetName], rules: GuardRules, claimed: str = ""
) -> Environment:
    """The strictest environment of any target, or of the policy's or the host's own word.

    `claimed` is what a session says; a name that the policy does not declare counts as production.
    A word alone makes nothing known.
    """
    order = environment_names(rules.environments)
    read = [_of_target(name, rules, order) for name in names]
    found = [name for name in read if name is not None]
    known = bool(found) and len(found) == len(read)
    words = [word if word in order else PRODUCTION for word in (rules.environment, claimed) if word]
    if not known:
        words.append(PRODUCTION)
    return Environment(max((*found, *words), key=order.index), known)


def _of_target(name: TargetName, rules: GuardRules, order: tuple[str, ...]) -> str | None:
    path = whole(name)
    covering = [each.name for each in rules.environments if is_covered(path, each.pattern)]
    return max(covering, key=order.index, default=None)
