"""Groups: tools that are offered and withheld together, with what the prompt says of them.

A group that is offered on a guess and goes unused while other tools are used is parked after some
steps: its tools and its part of the prompt are withheld, and one line says that it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias, get_args

import msgspec

from groundwire.errors import PolicyError

EngagedBy: TypeAlias = Literal["explicit", "structural", "semantic", "lexical", "assumed"]
# On these a group stands; on the others it is engaged until it goes unused.
_STANDING: frozenset[EngagedBy] = frozenset(("explicit", "structural"))
GRACE = 3


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Tools by name, and a fragment of the prompt. `engaged_by` says on what evidence it begins.

    `explicit`: somebody asked for it. `structural`: something in use needs it. `semantic`,
    `lexical`, `assumed`: it seemed to fit. With `parkable` false it is never withheld.
    """

    name: str
    tools: tuple[str, ...]
    prompt: str = ""
    engaged_by: EngagedBy = "assumed"
    parkable: bool = True


class Change(msgspec.Struct, frozen=True):
    """A group was parked, or engaged again."""

    group: Group
    parked: bool


class Standing(msgspec.Struct):
    """How a group stands now."""

    group: Group
    engaged_by: EngagedBy
    parked: bool = False
    idle: int = 0


class Groups:
    """The groups of an agent and how each stands.

    Raises:
        PolicyError: `declared-twice` (a name, or a tool in two groups), `unknown-evidence`.
    """

    def __init__(self, groups: Iterable[Group], grace: int = GRACE) -> None:
        self._all: dict[str, Standing] = {}
        self._grace = grace
        owned: set[str] = set()
        for group in groups:
            if group.name in self._all or owned & set(group.tools):
                raise PolicyError(
                    "declared-twice",
                    f"The name or a tool of the group {group.name!r} is another group's too; keep "
                    "one of them.",
                )
            owned |= set(group.tools)
            self._all[group.name] = Standing(group, _known(group.engaged_by))

    @property
    def held_out(self) -> frozenset[str]:
        """The tools that are withheld now."""
        return frozenset(name for each in self._parked() for name in each.group.tools)

    @property
    def parked(self) -> tuple[str, ...]:
        """The names of the parked groups."""
        return tuple(each.group.name for each in self._parked())

    def standing(self) -> list[Change]:
        """What a run that begins now has to be told: which groups are parked."""
        return [Change(each.group, parked=True) for each in self._parked()]

    def prompts(self) -> list[str]:
        """What the prompt says of the groups: a fragment, or one line where it is parked."""
        said = (
            f"[{each.group.name}: parked, {len(each.group.tools)} tools withheld]"
            if each.parked
            else each.group.prompt
            for each in self._all.values()
        )
        return [text for text in said if text]

    def passed(self, served: AbstractSet[str], called: Sequence[str]) -> list[Change]:
        """A step is over in which `served` was offered and `called` was called; what was parked.

        Only a step in which something was called counts, and only for groups on a guess.
        """
        changes: list[Change] = []
        for each in self._all.values():
            tools = set(each.group.tools)
            if each.parked or not called or not tools & served:
                continue
            if tools & set(called):
                each.idle = 0
                continue
            if each.engaged_by in _STANDING:
                continue
            each.idle += 1
            if each.idle >= self._grace and each.group.parkable:
                each.parked = True
                changes.append(Change(each.group, parked=True))
        return changes

    def park(self, name: str) -> list[Change]:
        """The group is withheld from here on.

        Raises:
            PolicyError: `unknown-group`, `group-not-parkable`.
        """
        each = self._named(name)
        if not each.group.parkable:
            raise PolicyError(
                "group-not-parkable", f"The group {name!r} is declared as one that is never parked."
            )
        changed = not each.parked
        each.parked = True
        return [Change(each.group, parked=True)] if changed else []

    def engage(self, name: str, engaged_by: EngagedBy = "explicit") -> list[Change]:
        """The group is offered from here on, on this evidence.

        Raises:
            PolicyError: `unknown-group`, `unknown-evidence`.
        """
        each = self._named(name)
        each.engaged_by, each.idle = _known(engaged_by), 0
        changed, each.parked = each.parked, False
        return [Change(each.group, parked=False)] if changed else []

    def _parked(self) -> list[Standing]:
        return [each for each in self._all.values() if each.parked]

    def _named(self, name: str) -> Standing:
        if name not in self._all:
            known = ", ".join(self._all) or "none"
            raise PolicyError("unknown-group", f"There is no group {name!r}; known: {known}.")
        return self._all[name]


def _known(engaged_by: EngagedBy) -> EngagedBy:
    if engaged_by not in get_args(EngagedBy):
        raise PolicyError(
            "unknown-evidence", f"A group is engaged by one of {', '.join(get_args(EngagedBy))}."
        )
    return engaged_by
