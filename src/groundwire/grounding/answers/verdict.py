"""Verdict: everything that is to be said of the values of one answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.grounding.answers.judging import COMPUTED, Judged, judge_values
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.binding.binder import Binder
from groundwire.grounding.binding.bound import Bound, wrongly_bound
from groundwire.grounding.binding.text import AnswerText, read_answer

# Bare numbers of fewer digits are too common for their presence to say anything.
LEAST_DIGITS = 3


class Verdict(msgspec.Struct, frozen=True):
    """The values of an answer that have to have come from somewhere, and the wrongly bound ones.

    `named`: some entity is named whose record is known.
    """

    answer: AnswerText
    judged: tuple[Judged, ...]
    bound: tuple[Bound, ...]
    named: bool = False
    binder: Binder | None = None

    @property
    def unsupported(self) -> tuple[Judged, ...]:
        """Those that nothing grounds."""
        return tuple(one for one in self.judged if not one.method)


def judge(
    text: str, shelf: Shelf, least_digits: int = LEAST_DIGITS, off: Sequence[str] = ()
) -> Verdict:
    """The verdict on an answer against its sources.

    A value that was computed from what stands beside it is not looked for in one record.
    """
    answer = read_answer(text)
    if not any(one.values for one in answer.segments):
        return Verdict(answer, (), ())
    binder = Binder(shelf.evidence)
    judged = judge_values(answer, shelf, binder, least_digits, off)
    computed = {one.value.start for one in judged if one.method in COMPUTED}
    bound = tuple(b for b in wrongly_bound(answer, binder) if b.value.start not in computed)
    return Verdict(answer, judged, bound, binder.has_named, binder)
