"""The whole list, in order, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.reassembly.hand import WAYS, Ended, played
from tests.reassembly.ordinary import ORDINARY, worked
from tests.reassembly.sequences import SEQUENCES


def told(say: Callable[[str], object], names: Sequence[str] = ()) -> int:
    """A line was said of each; 0 where each sequence was held, and each twin and ordinary work passed."""
    held = passed = ordinary = tried = 0
    wrong: list[str] = []

    def one(name: str, way: str, kind: str, ended: Ended) -> bool:
        say(f"{kind:9} {way:9} {name:52} {ended.how}")
        if ended.wrong:
            wrong.append(f"{kind} {way} {name}: {ended.wrong}")
        return not ended.wrong

    chosen = [each for each in SEQUENCES if _is_named(each.name, names)]
    beside = [each for each in ORDINARY if _is_named(each.name, names)]
    for each in chosen:
        for way in WAYS:
            tried += 1
            held += one(each.name, way, "in pieces", played(each, way, harm=True))
            passed += one(each.name, way, "its twin", played(each, way, harm=False))
    for work in beside:
        for way in WAYS:
            ordinary += one(work.name, way, "ordinary", worked(work, way))
    for line in wrong:
        say(f"WRONG: {line}")
    say(
        f"{len(chosen)} sequences in {len(WAYS)} ways: {held} of {tried} held, {passed} of {tried} twins"
        f" unasked; {ordinary} of {len(beside) * len(WAYS)} times ordinary work unasked"
    )
    return 1 if wrong or not tried + len(beside) else 0


def _is_named(name: str, names: Sequence[str]) -> bool:
    return not names or any(each in name for each in names)
