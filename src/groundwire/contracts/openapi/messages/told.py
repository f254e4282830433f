"""What findings about messages have in common: sides, grades of verdicts, values put in words."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.schemas import Side
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


def schema_finding(
    verdict: Verdict, direction: Direction, old: str, new: str, what: str, part: Part | None
) -> Finding | None:
    """What a question about a schema came to; None where nothing breaks.

    `before` and `after` are the two schemas, and the part's value is the whole witness.
    """
    grade = grade_of(verdict)
    if grade is None:
        return None
    asked = direction == "accepts"
    if isinstance(verdict, Undecided):
        says = f"Whether {what} is still {'taken' if asked else 'known'} is undecided."
    elif asked:
        says = f"A value that {what} could have is not taken any more."
    else:
        says = f"A value that {what} never had may come."
    return Finding(
        rule="request-value-refused" if asked else "response-value-unknown",
        grade=grade,
        says=says,
        before=old,
        after=new,
        reason=verdict.reason if isinstance(verdict, Undecided) else "",
        part=part,
        value=witness_of(verdict),
    )
