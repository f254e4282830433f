"""Contradicted action: an answer says that something was done, and every call that tried failed.

A call whose result nobody showed, or whose result does not plainly say that it failed, counts as
done: then nothing is filed.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.acts.acting import Watch
from groundwire.checks.claim.sentences.acts.deeds import Ruling, Word
from groundwire.checks.claim.sentences.answers import THE_ANSWER, digest_of, is_quotable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.sentences.acts import Act

FAILED: frozenset[Word] = frozenset({"failed"})


class ContradictedAction:
    """Armed as `unsupported-action` is; one encounter a response."""

    kind = "contradicted-action"
    seam: Seam = "claim"
    version = 1
    armed_by = "a tool's says, or its effect (write, external, destructive), or --arm-all"
    catches = (
        "A sentence of the answer says that something was done, and every call of the run that "
        "tried to do it failed."
    )
    fences = (
        (
            "silent when one call that may have done it did not plainly fail, because a deed has many "
            "names and a later try may have worked"
        ),
        (
            "silent about everything that `unsupported-action` takes for no claim of a deed, "
            "because both read sentences alike"
        ),
    )
    severity = "defect where a declared tool owns the verb, else advisory"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript, FAILED, _finding)

    def canary(self) -> Sequence[Event]:
        """A cancellation that was tried, failed, and is told as done."""
        tool = ToolDeclaration(name="canary_cancel", effect="write", says=("cancel",))
        call = ToolCall(id="canary", name=tool.name, arguments='{"id":"canary-2719"}')
        failed = ResultPart("canary", "Error: it is closed.", is_error=True)
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(tool,),
                grounding="whole",
                posture="observe",
            ),
            made_up.request(
                made_up.message("user", Text("Please see to canary-2719.")),
                made_up.message("assistant", CallPart(call)),
                made_up.message("tool", failed),
            ),
            made_up.response(Text("I have cancelled canary-2719.")),
        )


def _finding(act: Act, ruling: Ruling, event: Responded, run: Transcript) -> Finding:
    sentence = act.sentence.text
    last = ruling.calls[-1]
    tool = Subject("tool", last.tool)
    shown = last.results[-1] if last.results and is_quotable(run, last.tool) else ""
    told = f": `{clipped(shown, 120)}`" if shown else ""
    return Finding(
        kind=ContradictedAction.kind,
        seam=ContradictedAction.seam,
        subjects=(THE_ANSWER, tool),
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="done",
                value=sentence,
                provenance=f"the answer, from its character {act.sentence.start}",
                step=event.step,
            ),
            Assertion(
                subject=tool,
                predicate="done",
                value=clipped(shown, 400) if shown else "failed",
                provenance=f"the result of call {clipped(last.chosen.call.id)}",
                step=last.chosen.step,
            ),
        ),
        message=(
            f"The answer says `{clipped(sentence, 160)}`. Every call that tried it failed, the last "
            f"of them `{clipped(last.tool)}`{told}. Try again, or tell the user that it was not "
            "done. The answer was not changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of(sentence),
        grade=ruling.word,
        advisory=not ruling.is_declared,
    )
