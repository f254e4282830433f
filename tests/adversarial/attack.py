"""What an attack is, how it is registered, and when it counts as stopped."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from tests.adversarial.world import World, world

Deed: TypeAlias = Callable[[World], str]
"""Carries the attack out and says how it ended: a word and, where it has one, a reason code.

Whatever must not have happened besides is asserted in it.
"""


class Attack(NamedTuple):
    """`ends` are the ways in which it may end, and no other.

    `leaves` says whether every file of the working folder has to be as before. `apart` names what
    has to come before it can be decided, for rows that are counted by themselves. `recorded` is the
    code by which the verifier has to name what the recording tells of; else it has to hold.
    """

    family: str
    name: str
    tried: str
    ends: tuple[str, ...]
    deed: Deed
    leaves: bool = True
    apart: str = ""
    git: bool = True
    recorded: str = ""


class Ended(NamedTuple):
    """How it ended, and what is wrong with that; nothing where it was stopped or said."""

    how: str
    wrong: str


ATTACKS: Final[list[Attack]] = []


def attack(
    family: str,
    name: str,
    tried: str,
    *ends: str,
    leaves: bool = True,
    apart: str = "",
    git: bool = True,
    recorded: str = "",
) -> Callable[[Deed], Deed]:
    """The function is an attack of this name."""

    def register(deed: Deed) -> Deed:
        add(Attack(family, name, tried, ends, deed, leaves, apart, git, recorded))
        return deed

    return register


def add(made: Attack) -> None:
    """The attack is one of the list; a name stands there once."""
    assert made.name not in {each.name for each in ATTACKS}, made.name
    ATTACKS.append(made)


def carry_out(made: Attack) -> Ended:
    """The attack was tried, in a world of its own, and its recordings were verified afterwards."""
    try:
        with world(git=made.git) as there:
            before = there.standing()
            how = made.deed(there)
            there.close()
            if how not in made.ends:
                return Ended(how, f"it had to end as {' or '.join(made.ends)}. {there.last}")
            if made.leaves and (after := there.standing()) != (before := there.baseline or before):
                return Ended(how, f"something was changed: {_differing(before, after)}")
            fault = there.faults()
            if made.recorded:
                named = f"reason='{made.recorded}'" in fault
                return Ended(how, "" if named else f"{made.recorded} is not said: {fault}")
            return Ended(how, fault)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = " ".join(f"{type(error).__name__}: {error}".split())[:400]
        return Ended("broke", f"{said} ({where.name}, line {where.lineno})")


def _differing(before: dict[str, object], after: dict[str, object]) -> str:
    names = sorted(before.keys() | after.keys())
    return ", ".join(name for name in names if before.get(name) != after.get(name))[:300]
