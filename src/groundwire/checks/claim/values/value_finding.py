"""Findings about values of an answer: their facts in words, and both witnesses."""

from __future__ import annotations

import msgspec

from groundwire.canon import digest
from groundwire.checks.claim.sentences.answers import THE_ANSWER
from groundwire.checks.wording import clipped
from groundwire.documents.event import Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject

SEAM: Seam = "claim"
_SENTENCE = 240


def value_digest(text: str) -> str:
    """The digest by which the same value in another answer is known again."""
    return digest.tagged("value", " ".join(text.lower().split()).encode("utf-8", "surrogatepass"))


class Said(msgspec.Struct, frozen=True):
    """A value as the answer words it, the sentence it stands in, and whom that names."""

    value: str
    sentence: str
    subjects: tuple[Subject, ...] = ()


def finding(
    kind: str,
    event: Responded,
    what: Said,
    against: Assertion,
    message: str,
    *,
    grade: str = "",
    path: str = "",
    advisory: bool = False,
) -> Finding:
    """A finding of this kind: the answer says `what`, and `against` says otherwise."""
    return Finding(
        kind=kind,
        seam=SEAM,
        subjects=(THE_ANSWER, *what.subjects),
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="states",
                value=what.value,
                provenance=f"the answer: {clipped(what.sentence, _SENTENCE)}",
                step=event.step,
            ),
            against,
        ),
        message=message,
        lane=event.lane,
        step=event.step,
        path=path,
        value_digest=value_digest(what.value),
        grade=grade,
        advisory=advisory,
    )
