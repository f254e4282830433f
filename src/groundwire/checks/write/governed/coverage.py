"""Coverage: how many calls of a run came to the guarded table, as the wire shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from groundwire.documents.counts import counted
from groundwire.documents.disposition import Row

_KIND = "ungoverned-call"


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of responses whose result reached a later request, by the way they went.

    `measured`: each could be told. `partly`: `unknown` of them could not. `unknown`: none could, or
    there was none, or nobody watched the wire. Calls that nobody showed the model are in no number.
    """

    state: Literal["measured", "partly", "unknown"]
    guarded: int = 0
    beside: int = 0
    declared_reads: int = 0
    authored: int = 0
    unknown: int = 0

    @property
    def calls(self) -> int:
        """All of them."""
        return self.guarded + self.beside + self.declared_reads + self.authored + self.unknown


def coverage_of(rows: Iterable[Row]) -> Coverage:
    """The coverage that the check's row tells; `unknown` where the check did not run."""
    row = next((row for row in rows if row.check == _KIND), None)
    grades = {} if row is None else row.grades
    unknown = 0 if row is None else row.unreachable
    known = sum(grades.values())
    return Coverage(
        state="unknown" if not known else "partly" if unknown else "measured",
        guarded=grades.get("guarded", 0) + grades.get("guarded-by-name", 0),
        beside=grades.get("beside", 0),
        declared_reads=grades.get("declared-read", 0),
        authored=grades.get("authored", 0),
        unknown=unknown,
    )


def coverage_words(coverage: Coverage) -> str:
    """One sentence for a read-out."""
    if coverage.state == "unknown":
        return (
            "coverage unknown: no result of a call was seen to cross a watched wire in this run"
            if not coverage.unknown
            else f"coverage unknown: of {counted(coverage.unknown, 'call')} none could be told"
        )
    whole = counted(coverage.calls, "call")
    parts = [
        f"{coverage.guarded} of {whole} with a result in a later request came to the guarded table"
    ]
    for count, what in (
        (coverage.beside, "did not"),
        (coverage.declared_reads, "went beside it to tools declared to read"),
        (coverage.authored, "were answered by the host itself"),
        (coverage.unknown, "could not be told"),
    ):
        if count:
            parts.append(f"{count} {what}")
    how = "measured on the wire" if coverage.state == "measured" else "measured in part"
    return f"coverage, {how}: {', '.join(parts)}"
