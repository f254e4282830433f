"""Unsupported action: an answer says that something was done, and no call of the run did it.

Catches a deed told and not done, and one done to another thing than the sentence names. Reads
English sentences only, and no order, number or manner of deeds.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.acts.acting import Watch
from groundwire.checks.claim.sentences.acts.deeds import Ruling, Word
from groundwire.checks.claim.sentences.answers import THE_ANSWER, digest_of
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped, listed
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import Text, ToolSpec
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.sentences.acts import Act

NOT_DONE: frozenset[Word] = frozenset({"no-call", "other-target", "no-tool"})


class UnsupportedAction:
    """Armed by a tool's `says` or by an effect that changes something; one encounter a response."""

    kind = "unsupported-action"
    seam: Seam = "claim"
    version = 1
    armed_by = "a tool's says, or its effect (write, external, destructive), or --arm-all"
    catches = (
        "A sentence of the answer says that something was done, and no call of the run did it, or "
        "only to another thing."
    )
    fences = (
        (
            "silent about what is negated, future, conditional, asked, offered, quoted, reported of "
            "others or said to be so already, because none of that claims a deed of this run"
        ),
        (
            "silent when a call of a tool that may do such a thing did not fail, because a deed has "
            "many names"
        ),
        (
            "silent when a tool result, or for a passive sentence also a person, tells of the deed, "
            "because then the sentence passes on what it was told"
        ),
        (
            "silent about a verb of general use (`created`, `sent`) unless the sentence names what the "
            "tool acts on, because a text can be created, too"
        ),
        (
            "silent about a deed that was already told before the run began, because its calls were "
            "not seen"
        ),
    )
    severity = "defect where a declared tool owns the verb, else advisory"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript, NOT_DONE, _finding)

    def canary(self) -> Sequence[Event]:
        """A cancellation that no call made."""
        tool = ToolDeclaration(name="canary_cancel", effect="write", says=("cancel",))
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(tool,),
                grounding="whole",
                posture="observe",
            ),
            made_up.request(
                made_up.message("user", Text("Please see to it.")),
                tools=(ToolSpec(name=tool.name, schema="{}"),),
            ),
            made_up.response(Text("I have cancelled canary-2719.")),
        )


def _finding(act: Act, ruling: Ruling, event: Responded, _run: Transcript) -> Finding:
    sentence = act.sentence.text
    subjects = (THE_ANSWER, *(Subject("tool", name) for name in ruling.tools[:3]))
    doubt = not ruling.is_declared
    return Finding(
        kind=UnsupportedAction.kind,
        seam=UnsupportedAction.seam,
        subjects=subjects,
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="done",
                value=sentence,
                provenance=f"the answer, from its character {act.sentence.start}",
                step=event.step,
            ),
            Assertion(
                subject=subjects[-1],
                predicate="done",
                value=ruling.word,
                provenance="the calls of the run up to the answer",
                step=event.step,
            ),
        ),
        message=(
            f"The answer says `{clipped(sentence, 160)}`. {_what_the_run_shows(ruling)} "
            f"{'Look whether it was done elsewhere. ' if doubt else ''}"
            "Make the call, or take the sentence back. The answer was not changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of(sentence),
        grade=ruling.word,
        advisory=doubt,
    )


def _what_the_run_shows(ruling: Ruling) -> str:
    match ruling.word:
        case "other-target":
            calls = listed(f"{deed.tool}({deed.chosen.call.id})" for deed in ruling.calls)
            return f"The calls that do such a thing name another one: {calls}."
        case "no-tool":
            return "No call of the run that did anything but read succeeded."
        case _:
            return f"No call of {listed(ruling.tools, 'or')} stands in the run."
