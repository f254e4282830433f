"""Wrong record: a number of the answer is another entity's, or another than its own record says.

A number is looked for in the record of the entity that its sentence names. Says nothing where no
entity is named, where its record is not known, or where the sentence narrows what it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.checks import made_up
from groundwire.checks.claim.sentences.answers import answer_in
from groundwire.checks.claim.values.sources import Sources, results_in, sources_of
from groundwire.checks.claim.values.value_finding import Said, finding
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, Text
from groundwire.grounding.answers.shelf import Shelf
from groundwire.grounding.answers.verdict import Verdict
from groundwire.grounding.binding.bound import Bound
from groundwire.grounding.marks import touches_mark


class WrongRecord:
    """Always armed; one encounter an answer."""

    kind = "wrong-record"
    seam: Seam = "claim"
    version = 1
    armed_by = "always"
    catches = (
        "The sentence names an entity whose record was served, and gives it a number that its "
        "record does not have: the field that is meant says otherwise, or the number is another's."
    )
    fences = (
        (
            "silent where no entity is named or many records have its name, because then nobody knows "
            "whose number it is"
        ),
        "silent where another entity of the same sentence has the number, because it may be meant",
        (
            "silent where a name stands before the number that no record has, because the number may "
            "be its"
        ),
        (
            "silent where a label only names the field and any record beside it has the number, "
            "because the label may be the writer's own"
        ),
        (
            "silent in sentences that narrow or combine (per, each, together, last five, a lead), "
            "because a record states the whole"
        ),
        (
            "silent about numbers that were computed from what stands beside them, because no record "
            "has to hold those"
        ),
    )
    severity = "defect"
    sees = (Responded,)
    of_answers = True

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """Two temperatures that changed places."""
        calls = [
            CallPart(ToolCall(id=one, name="canary_temp", arguments=f'{{"city":"{city}"}}'))
            for one, city in (("c1", "Canaria"), ("c2", "Tenerife"))
        ]
        return (
            made_up.request(
                made_up.message("user", Text("How warm is it?")),
                made_up.message("assistant", *calls),
                made_up.message("tool", ResultPart("c1", '{"temp_c":31}')),
                made_up.message("tool", ResultPart("c2", '{"temp_c":14}')),
            ),
            made_up.response(Text("Canaria: 14 \u00b0C, Tenerife: 31 \u00b0C.")),
        )


class Watch:
    """An answer is judged when it comes."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._sources: Sources = sources_of(transcript)

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter an answer."""
        return (self._meet(event),) if isinstance(event, Responded) else ()

    def _meet(self, event: Responded) -> Encounter:
        text = answer_in(event, self._run)
        if isinstance(text, Encounter):
            return text
        results = results_in(self._run, event.lane)
        if not results:
            return not_applicable("no-result")
        verdict = self._sources.verdict(event, self._run, text)
        shelf = self._sources.shelf(event, self._run)
        bound = [
            one for one in verdict.bound if not touches_mark(text, one.value.start, one.value.end)
        ]
        if not bound and any(served.call is None for served in results):
            # Whose result it is stands in its call's arguments, and its call is not known.
            return unreachable("unpaired-result")
        if not verdict.named:
            return not_applicable("no-entity-named")
        spared = len(bound) < len(verdict.bound)
        return judged([_finding(event, verdict, shelf, one) for one in bound], spared=spared)


def _sentence(verdict: Verdict, one: Bound) -> str:
    return verdict.answer.of(verdict.answer.segments[one.segment])


def _finding(event: Responded, verdict: Verdict, shelf: Shelf, one: Bound) -> Finding:
    said = verdict.answer.text[one.value.start : one.value.end]
    place = min(one.owner.records)[0]
    source = shelf.results[place]
    named = clipped(one.owner.name, 48)
    stated = ", ".join(
        f"{clipped(field.key, 40)} = {clipped(field.text, 40)}" for field in one.expected[:3]
    )
    known = f"its record says {stated}" if stated else "no field of its record has it"
    sentences = [f"The answer gives `{named}` the value `{clipped(said)}`, and {known}."]
    if one.elsewhere is not None:
        other, field = one.elsewhere
        call = clipped(shelf.results[other].call_id)
        sentences.append(
            f"It stands in another record ({clipped(field.key, 40)}, result of call {call})."
        )
    sentences.append("Read the record again and correct the answer. It was not changed.")
    record = Subject("entity", one.owner.name)
    return finding(
        WrongRecord.kind,
        event,
        Said(said, _sentence(verdict, one), (record,)),
        against=Assertion(
            subject=record,
            predicate=one.expected[0].key if one.expected else "record",
            value=stated or "another value",
            provenance=(
                f"the result of call {clipped(source.call_id)} of `{clipped(source.tool)}`"
            ),
            step=event.step,
        ),
        message=" ".join(sentences),
        path=one.expected[0].pointer if one.expected else "",
        grade=one.how,
    )
