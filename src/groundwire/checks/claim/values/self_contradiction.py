"""Self-contradiction: one answer gives one quantity two values.

Looks at the answer alone. Says nothing of which of the two is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import THE_ANSWER, answer_in
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import Text
from groundwire.grounding.answers.twice import Twice, given_twice
from groundwire.grounding.binding.text import AnswerText, read_answer
from groundwire.grounding.marks import touches_mark


class SelfContradiction:
    """Always armed; one encounter an answer."""

    kind = "self-contradiction"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "Two sentences of one answer give the same thing a different amount per month (or hour, "
        "year, …) or a different total, and nothing tells the two apart."
    )
    fences = (
        "silent in list items, because each is about its own thing",
        (
            "silent where a sentence compares, supposes or names a plan, a time before or after, or a "
            "part (if, instead, was, new, option, including), because both may be true"
        ),
        (
            "silent where the two sentences share no noun of five letters, because then nobody knows "
            "that they are about one thing"
        ),
        "silent where the two agree to the coarser of their precisions, because one is rounded",
    )
    severity = "defect"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """Subscriptions at two prices a month."""
        said = "Canary licences cost 271.90 a month. The licences take 4,815 a month of the budget."
        return (
            made_up.request(made_up.message("user", Text("What do licences cost?"))),
            made_up.response(Text(said)),
        )


class Watch:
    """An answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        answer = read_answer(text)
        if not any(one.values for one in answer.segments):
            return not_applicable("no-value")
        every = list(given_twice(answer))
        found = [one for one in every if not _is_withheld(text, one)]
        return judged(
            [_finding(event, answer, one) for one in found], spared=len(found) < len(every)
        )


def _is_withheld(text: str, one: Twice) -> bool:
    return any(touches_mark(text, value.start, value.end) for value in (one.first, one.second))


def _finding(event: Responded, answer: AnswerText, one: Twice) -> Finding:
    first, second = (answer.text[value.start : value.end] for value in (one.first, one.second))
    sentences = [answer.of(answer.segments[number]) for number in one.segments]
    return finding(
        SelfContradiction.kind,
        event,
        Said(f"{first} | {second}", sentences[0], (Subject("quantity", one.quantity),)),
        Assertion(
            subject=THE_ANSWER,
            predicate="states",
            value=second,
            provenance=f"the same answer: {clipped(sentences[1], 240)}",
            step=event.step,
        ),
        (
            f"The answer gives {clipped(one.quantity)} two values: `{clipped(first)}` and "
            f"`{clipped(second)}`. At most one can be right. Look it up and say which. The answer was "
            "not changed."
        ),
        grade="two-values",
    )
