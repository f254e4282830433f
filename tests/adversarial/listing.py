"""The whole list, in order, and what is said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module

from tests.adversarial.attack import ATTACKS, Attack, carry_out
from tests.adversarial.matrix import rows

FAMILIES = (
    "signed", "moving", "overlapping", "dying", "strangers", "staged", "own_policy", "in_git", "beside", "registry",
    "detours", "from_users", "second_look", "plans", "notices", "stops", "statements",
)  # fmt: skip


def attacks(names: Sequence[str] = ()) -> list[Attack]:
    """Every attack, or those whose name begins with, or whose family is, one of these."""
    for family in FAMILIES:
        import_module(f"tests.adversarial.{family}")
    return [
        each
        for each in ATTACKS
        if not names or any(each.family == name or each.name.startswith(name) for name in names)
    ]


def told(say: Callable[[str], object], names: Sequence[str] = ()) -> int:
    """A line was said of each; 0 where each was stopped, or said as it must be."""
    counts: Counter[str] = Counter()
    not_stopped = 0
    for each in attacks(names):
        how, wrong = carry_out(each)
        counts[each.apart and f"apart ({each.apart})"] += 1
        not_stopped += bool(wrong)
        say(f"{each.family:11} {each.name:44} {each.tried:72} {how}")
        if wrong:
            say(f"            NOT STOPPED: {wrong}")
    if not names:
        for row in rows():
            say(f"matrix      {row}")
    apart = "".join(f", {count} {what}" for what, count in sorted(counts.items()) if what)
    say(f"{sum(counts.values())} attacks{apart}; {not_stopped} not stopped")
    return 1 if not_stopped or not counts else 0
