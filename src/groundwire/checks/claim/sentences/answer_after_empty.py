"""Answer after empty: the answer lists what only a tool could have served, and the tool served none.

Looks at the turn alone: every result of it is empty or failed, and what the answer lists stands in
nothing that the run was ever shown. Catches invented rows; not one invented value among true ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import THE_ANSWER, answer_in, digest_of
from groundwire.checks.claim.sentences.outcomes import is_empty, is_failure
from groundwire.checks.claim.sentences.quoting import Library, as_words
from groundwire.checks.claim.sentences.unread import has_unread
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped, listed
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, Frame, ResultPart, Text
from groundwire.grounding.marks import has_mark
from groundwire.grounding.sentences.items import Item, items

# Who says that there was nothing, or that it is advice, claims no rows.
_ADMITS = re.compile(
    r"\b(?:no (?:results?|matches|matching|data|records?|information|such)|not found|couldn['\u2019]t|"
    r"could not|unable|cannot|can['\u2019]t|didn['\u2019]t|did not|doesn['\u2019]t|does not|isn['\u2019]t|"
    r"unfortunately|sorry|apologi[sz]e|empty|failed|failure|error|issue|unavailable|not available|"
    r"general knowledge|in general|typically|as of my|hypothetical|example|sample|placeholder|"
    r"suggest\w*|recommend\w*|you (?:can|could|may|might)|try|option is|alternativ\w+|"
    r"please|need|would you|if you|should|next steps?)\b",
    re.I,
)
_LEAST_ITEMS = 2


class AnswerAfterEmpty:
    """Always armed; one encounter a response."""

    kind = "answer-after-empty"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "The answer lists items with names or numbers, every tool result of the turn was empty or "
        "failed, and none of the items stands in anything the run was shown."
    )
    fences = (
        (
            "silent when one result of the turn has something in it, because then the items may "
            "come from there"
        ),
        (
            "silent when the answer says that nothing was found or that something failed, or gives "
            "advice or examples, because then the list claims no rows"
        ),
        "silent about items without a name or number, because steps and headings are lists, too",
        (
            "silent where the run was shown what the items hold, in any turn and by anybody, "
            "because then they were not invented after the empty result"
        ),
    )
    severity = "defect"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """Two rows after an empty result."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        return (
            made_up.request(
                made_up.message("user", Text("Which are open?")),
                made_up.message("assistant", call),
                made_up.message("tool", ResultPart("canary", "[]")),
            ),
            made_up.response(Text("Open are:\n- Canary-4101 at 12:40\n- Canary-4102 at 13:20")),
        )


class Watch:
    """The results of each lane's turn are read from the transcript when an answer comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._library = Library(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """An answer is judged; what is none says why."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        lane = self._run.lane(event.lane)
        turn = self._of_turn(event.lane, lane.turn)
        if not turn:
            return not_applicable("no-result")
        if not all(map(_served_nothing, turn)):
            return not_applicable("something-served")
        every = [item for item in items(text) if item.marks]
        found = [item for item in every if not has_mark(item.text)]
        if len(found) < _LEAST_ITEMS:
            hidden = len(every) >= _LEAST_ITEMS
            return unreachable("withheld") if hidden else not_applicable("no-items")
        if lane.frame is None or lane.frame.held_by_provider is not None:
            return unreachable("held-by-provider" if lane.frame else "unreadable-body")
        if _ADMITS.search(text) or has_unread(self._run, event.lane):
            return judged([])
        invented = self._invented(found, lane.frame)
        is_most = len(invented) >= max(_LEAST_ITEMS, len(found) / 2)
        return judged([_finding(invented, turn, event)] if is_most else [])

    def _of_turn(self, lane: int, turn: int) -> list[Served]:
        found: list[Served] = []
        for served in reversed(self._run.served):
            if served.lane == lane and served.turn < turn:
                break
            if served.lane == lane:
                found.append(served)
        return found[::-1]

    def _invented(self, found: Sequence[Item], frame: Frame) -> list[Item]:
        """The items of which nothing that tells them apart was ever shown."""
        words = [shown.words for shown in self._library.texts(frame)]
        return [
            item
            for item in found
            if not any(_is_in(mark, text) for mark in item.marks for text in words)
        ]


def _is_in(mark: str, words: str) -> bool:
    return as_words(mark).split("|")[0].strip() in words


def _served_nothing(served: Served) -> bool:
    part = served.part
    if part.opaque or part.executed_by == "provider":
        return False
    return is_failure(part.text, is_error=part.is_error) or is_empty(part.text)


def _finding(invented: Sequence[Item], turn: Sequence[Served], event: Responded) -> Finding:
    tools = sorted({served.tool for served in turn if served.tool})
    named = listed(tools) or "the tools of this turn"
    shown = ", ".join(f"`{clipped(item.text, 60)}`" for item in invented[:3])
    last = turn[-1]
    how = "failed" if is_failure(last.part.text, is_error=last.part.is_error) else "was empty"
    return Finding(
        kind=AnswerAfterEmpty.kind,
        seam=AnswerAfterEmpty.seam,
        subjects=(THE_ANSWER, *(Subject("tool", tool) for tool in tools[:3])),
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="lists",
                value="\n".join(item.text for item in invented[:20]),
                provenance=f"{len(invented)} items of the answer",
                step=event.step,
            ),
            Assertion(
                subject=Subject("call", last.part.call_id),
                predicate="lists",
                value=how,
                provenance=f"the last of {len(turn)} results of this turn",
                step=last.step,
            ),
        ),
        message=(
            f"The answer lists {len(invented)} items ({shown}), and every result of {named} in this "
            f"turn is empty or failed; the last one {how}. Nothing that the run was shown holds "
            "them. Say that nothing was found, or look again. The answer was not changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of("\n".join(item.text for item in invented)),
        grade=how.removeprefix("was "),
    )
