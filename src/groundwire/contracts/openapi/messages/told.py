"""What findings about messages have in common: sides, grades of verdicts, values put in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.explaining.asking import Asking
from groundwire.contracts.openapi.explaining.explain import Carrier, explain
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.schemas import Schemas, Side
from groundwire.contracts.verdict import Breaking, Compatible, Direction, Risky, Undecided, Verdict


def reader_of(direction: Direction) -> Side:
    """Who reads what is sent in this direction."""
    return "new" if direction == "accepts" else "old"


def ends(direction: Direction, sent: str, read: str) -> tuple[str, str]:
    """The pointers of who sends and who reads, in the order old and new."""
    return (sent, read) if direction == "accepts" else (read, sent)


def grade_of(verdict: Verdict) -> Grade | None:
    """The grade of a verdict; None where it says that nothing breaks."""
    match verdict:
        case Breaking():
            return "breaking"
        case Risky():
            return "risky"
        case Undecided():
            return "undecided"
        case Compatible():
            return None


def witness_of(verdict: Verdict) -> JSON:
    """The value that shows it, where there is one."""
    return verdict.witness if isinstance(verdict, Breaking | Risky) else None


def schema_findings(
    schemas: Schemas,
    verdict: Verdict,
    direction: Direction,
    pointers: tuple[str, str],
    carrier: Carrier,
    what: str,
    part: Callable[[JSON], Part | None],
) -> Iterator[Finding]:
    """What a question about a schema came to: a finding for each cause; nothing where none breaks.

    `pointers` are those of the old schema and the new one. A verdict that is not the schemas' own
    (of values as text) is told without its cause.
    """
    grade = grade_of(verdict)
    if grade is None:
        return
    asked = direction == "accepts"
    if isinstance(verdict, Breaking | Risky) and verdict == schemas.ask(*pointers, direction):
        asking = Asking(schemas, direction)
        yield from explain(asking, pointers, direction, verdict, carrier, part, schemas.knobs)
        return
    if isinstance(verdict, Undecided):
        says = f"Whether {what} is still {'taken' if asked else 'known'} is undecided."
    elif asked:
        says = f"A value that {what} could have is not taken any more."
    else:
        says = f"A value that {what} never had may come."
    witness = witness_of(verdict)
    yield Finding(
        rule="request-value-refused" if asked else "response-value-unknown",
        grade=grade,
        says=says,
        before=pointers[0],
        after=pointers[1],
        reason=verdict.reason if isinstance(verdict, Undecided) else "",
        part=part(witness) if isinstance(verdict, Breaking | Risky) else None,
        value=witness,
    )
