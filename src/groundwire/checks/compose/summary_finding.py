"""The finding of an unsupported summary, in words."""

from __future__ import annotations

from groundwire.canon import digest
from groundwire.checks.compose.summary_values import Extra
from groundwire.checks.wording import clipped, listed
from groundwire.documents.event import Requested
from groundwire.documents.finding import Assertion, Finding, Subject

_SUMMARY = Subject("message", "summary")


def summary_finding(
    extra: Extra, replaced: str, lost: tuple[tuple[str, ...], int], event: Requested
) -> Finding:
    """The finding for one thing that only the summary holds."""
    names, count = lost
    more = f" Of what it dropped, {count} identifiers stand nowhere now" if count else ""
    which = f", {listed(names)} among them." if count else ""
    look = " It may have been counted or computed." if extra.doubtful else ""
    return Finding(
        kind="unsupported-summary",
        seam="compose",
        subjects=(_SUMMARY,),
        witnesses=(
            Assertion(
                subject=_SUMMARY,
                predicate=extra.kind,
                value=extra.text,
                provenance="a model's text that stands in the place of other messages",
                step=event.step,
            ),
            Assertion(
                subject=_SUMMARY,
                predicate=extra.kind,
                value="absent",
                provenance=f"the {replaced} it replaced, and what else is in view",
                step=event.step,
            ),
        ),
        message=(
            f"A summary replaced {replaced} and holds the {extra.kind} `{clipped(extra.text)}`, which "
            f"none of them and nothing in view holds.{look}{more}{which} Take it out of the summary, "
            "or keep the message it came from. Nothing was changed."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest.tagged("value", extra.text.encode("utf-8", "surrogatepass")),
        grade=extra.kind,
        advisory=extra.doubtful,
    )
