"""What an attempt is, how it is registered, and when it counts as accepted."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from tests.approvals.world import Office, office

Deed: TypeAlias = Callable[[Office], str]
"""Carries the attempt out, makes the call again, and says how it ended."""


class Attempt(NamedTuple):
    """`ends` are the ways in which it may end, and no other: a word and its reason code.

    `honest` is one that no forgery is in, which has to be accepted: else nothing would be shown.
    """

    family: str
    name: str
    tried: str
    ends: tuple[str, ...]
    deed: Deed
    honest: bool = False


class Ended(NamedTuple):
    """How it ended, whether what a person has to allow was done, and what is wrong with that."""

    how: str
    accepted: bool
    wrong: str


ATTEMPTS: Final[list[Attempt]] = []


def attempt(
    family: str, name: str, tried: str, *ends: str, honest: bool = False
) -> Callable[[Deed], Deed]:
    """The function is an attempt of this name; a name stands there once."""

    def register(deed: Deed) -> Deed:
        assert name not in {each.name for each in ATTEMPTS}, name
        ATTEMPTS.append(Attempt(family, name, tried, ends, deed, honest))
        return deed

    return register


def carry_out(made: Attempt) -> Ended:
    """The attempt was tried in a world of its own, and its recordings were verified afterwards."""
    try:
        with office() as there:
            how = made.deed(there)
            landed = there.landed
            there.close()
            accepted = landed or how.startswith(("accepted", "executed"))
            if how not in made.ends:
                wrong = f"it had to end as {' or '.join(made.ends)}. {there.last}"
                return Ended(how, accepted, wrong)
            if accepted != made.honest:
                return Ended(how, accepted, "a person's yes was taken that nobody gave")
            return Ended(how, accepted, there.faults())
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = " ".join(f"{type(error).__name__}: {error}".split())[:400]
        return Ended("broke", False, f"{said} ({where.name}, line {where.lineno})")
