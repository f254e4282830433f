"""The whole list, in order, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from tests.approvals.attempt import ATTEMPTS, Attempt, carry_out

FAMILIES: Final = ("honest", "shell", "beside", "mail", "keys", "again")


def attempts(names: Sequence[str] = ()) -> list[Attempt]:
    """Every attempt, or those whose name begins with, or whose family is, one of these."""
    for family in FAMILIES:
        import_module(f"tests.approvals.{family}")
    return [
        each
        for each in ATTEMPTS
        if not names or any(each.family == name or each.name.startswith(name) for name in names)
    ]


def told(say: Callable[[str], object], names: Sequence[str] = ()) -> int:
    """A line was said of each; 0 where none was accepted but what a person did themselves."""
    forged = accepted = wrong = 0
    for each in attempts(names):
        how, landed, fault = carry_out(each)
        forged += not each.honest
        accepted += landed and not each.honest
        wrong += bool(fault)
        say(f"{each.family:7} {each.name:46} {each.tried:70} {how}")
        if fault:
            say(f"        WRONG: {fault}")
    say(f"{forged} attempts, {accepted} accepted")
    return 1 if wrong or accepted or not forged else 0
