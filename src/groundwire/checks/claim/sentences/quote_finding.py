"""The findings of an unsupported quote and of a citation without a source, in words."""

from __future__ import annotations

from collections.abc import Collection

from groundwire.checks.claim.sentences.answers import THE_ANSWER, digest_of
from groundwire.checks.claim.sentences.quoting import Standing
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.event import Responded
from groundwire.documents.finding import Assertion, Finding
from groundwire.grounding.sentences.quotes import Quote

_NEAR = 0.5
_SOURCES = {"user": "the user", "tool": "a tool", "document": "a source"}


def quote_finding(quote: Quote, stands: Standing, event: Responded, run: Transcript) -> Finding:
    """The finding for this quote; its identity is the quote itself."""
    whom = f"`{clipped(quote.name, 48)}`" if quote.name else _SOURCES[quote.source]
    doubt = stands.near >= _NEAR or (stands.grade == "misattributed" and bool(quote.name))
    return Finding(
        kind="unsupported-quote",
        seam="claim",
        subjects=(THE_ANSWER,),
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="quotes",
                value=quote.text,
                provenance=f"the answer, at its character {quote.start}, as the words of {whom}",
                step=event.step,
            ),
            Assertion(
                subject=THE_ANSWER,
                predicate="quotes",
                value=stands.grade,
                provenance=f"{len(run.served)} tool results of the run and the texts in view",
                step=event.step,
            ),
        ),
        message=(
            f"The answer quotes {whom}: `{clipped(quote.text, 120)}`. {_standing(stands, whom, quote.text)} "
            "Quote what stands there, or say it without quotation marks. The answer was not "
            "changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of(quote.text),
        grade=stands.grade,
        advisory=doubt,
    )


def _standing(stands: Standing, whom: str, quoted: str) -> str:
    # The part is folded, and reads as another text where it is the whole quotation.
    is_whole = _letters(stands.part) == _letters(quoted)
    missing = "It" if is_whole else f"`{clipped(stands.part)}`"
    places = " and ".join(dict.fromkeys(stands.places))
    match stands.grade:
        case "spliced":
            return f"No text of the run holds these words together; they are put together from {places}."
        case "misattributed":
            return f"These words stand in {places}, and in nothing of {whom}."
        case _ if stands.near >= _NEAR:
            return (
                f"{missing} stands nowhere in what the run was shown; most of it does, "
                f"in {places}, in other words or another order."
            )
        case _:
            return f"{missing} stands nowhere in what the run was shown."


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def citation_finding(number: int, known: Collection[int], event: Responded) -> Finding:
    """The finding for a citation whose number no source has."""
    return Finding(
        kind="unsupported-quote",
        seam="claim",
        subjects=(THE_ANSWER,),
        witnesses=(
            Assertion(
                subject=THE_ANSWER,
                predicate="cites",
                value=f"[{number}]",
                provenance="the answer",
                step=event.step,
            ),
            Assertion(
                subject=THE_ANSWER,
                predicate="cites",
                value=f"{min(known)} to {max(known)}",
                provenance="the numbers that the run's sources have",
                step=event.step,
            ),
        ),
        message=(
            f"The answer cites [{number}], and the sources that the run was shown are numbered "
            f"{min(known)} to {max(known)}. Cite the source that says it, or take the citation "
            "out. The answer was not changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest_of(f"[{number}]"),
        grade="no-source",
    )
