"""Answers: the judges of a final answer, in their order: screen, schema, judge, evidence.

An answer that one of them keeps back is not shown to the next. The checks of the run judge every
answer that crossed the wire, whatever is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.checks.choice.validator import Unusable, Validator, validator_of
from groundwire.documents.declaration import Evidence
from groundwire.errors import PolicyError
from groundwire.loop.evidence import Gate, refused
from groundwire.loop.outcomes import Answered, CallRecord, Denied, Outcome, Rejected
from groundwire.loop.terms import Terms
from groundwire.session.run import Run


class Again(msgspec.Struct, frozen=True):
    """The model is asked once more, with this text in a user's place."""

    text: str


class Ending(msgspec.Struct, frozen=True):
    """The turn is over. `unsaid`: the answer is no part of the conversation."""

    outcome: Outcome
    unsaid: bool = False


class Answers:
    """The judges of one run.

    Raises:
        PolicyError: `bad-answer-schema`.
    """

    def __init__(self, run: Run, terms: Terms, evidence: Evidence, gate: Gate) -> None:
        self._run, self._terms, self._gate = run, terms, gate
        self._posture = evidence.posture
        self._schema = _validator(terms)
        self.begin()

    def begin(self) -> None:
        """A turn begins: it has every round of correction before it."""
        self._left = self._terms.corrections
        self._revised = False

    def judge(self, text: str, calls: Sequence[CallRecord]) -> Again | Ending:
        """What becomes of the answer.

        Raises:
            UnsupportedValuesError: posture `rails`, after the revision round.
        """
        made = tuple(calls)
        denied = None if self._terms.screen is None else self._terms.screen(text)
        if denied is not None:
            if text.strip():
                self._run.denied(text)
            return Ending(Denied(reason=denied, calls=made), unsaid=True)
        wrong = self._wrong(text)
        if wrong is not None:
            if self._left <= 0:
                return Ending(Rejected(text=text, reason=wrong, calls=made))
            self._left -= 1
            return Again(wrong)
        return self._weigh(text, made)

    def _wrong(self, text: str) -> str | None:
        if self._schema is not None:
            says = _misfit(self._schema, text)
            if says is not None:
                return f"Your answer is not what was asked for: {says} Answer again, as JSON only."
        return None if self._terms.judge is None else self._terms.judge(text)

    def _weigh(self, text: str, calls: tuple[CallRecord, ...]) -> Again | Ending:
        if self._posture == "off":
            return Ending(Answered(text=text, calls=calls))
        reading = self._gate.reading()
        if reading.values and self._posture != "assist" and not self._revised:
            asks = self._terms.revise(reading.values)
            if asks is not None:
                self._revised = True
                return Again(asks)
        if reading.values and self._posture == "rails":
            raise refused(reading, revised=self._revised)
        return Ending(
            Answered(
                text=text,
                unsupported=reading.values,
                revised=self._revised,
                judged=reading.judged,
                calls=calls,
            )
        )


def _validator(terms: Terms) -> Validator | None:
    if terms.schema is None:
        return None
    made = validator_of(msgspec.json.encode(terms.schema).decode())
    if isinstance(made, Unusable):
        raise PolicyError(
            "bad-answer-schema",
            "The schema of answers is no JSON Schema that can be used as it is: no references to "
            "other documents, and patterns that match in linear time.",
        )
    return made


def _misfit(schema: Validator, text: str) -> str | None:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return "it is no JSON."
    found = schema.mismatches(value)
    if not found:
        return None
    places = ", ".join(f"{one.pointer or 'the whole'} ({one.rule})" for one in found[:5])
    return f"it does not fit the schema at {places}."
