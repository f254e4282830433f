"""The summary: a report as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.audit.report import FORMAT, Filed, Problem, Report, Run, Totals
from groundwire.audit.words import BOUND, Evidence, Headline, headline, notes, row_line
from groundwire.checks.wording import clipped
from groundwire.documents.counts import counted
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding

# The longest message has advice at its end; what is longer than any of ours is a stranger's.
_MESSAGE = 4000
_PATH = 400
_SUBJECTS = 6


def evidence_of(report: Report) -> Evidence:
    """The report as evidence: without a single run there is none."""
    return Evidence(
        events=report.totals.requests + report.totals.responses if report.runs else None,
        findings=(
            *(filed.finding for filed in report.findings),
            *(filed.finding for filed in report.synthetic),
        ),
        rows=report.rows if report.runs else None,
    )


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The report as the one JSON document that `groundwire audit --json` prints."""

    format: str = FORMAT
    headline: Headline
    notes: tuple[str, ...]
    bound: str = BOUND
    totals: Totals
    grades: dict[str, int]
    by_kind: dict[str, int]
    rows: tuple[Row, ...]
    runs: tuple[Run, ...]
    findings: tuple[Filed, ...]
    synthetic: tuple[Filed, ...]
    problems: tuple[Problem, ...]


def document(report: Report, *, kind: str | None = None) -> Document:
    """The report with its headline; `kind` chooses findings and leaves every count as it is."""
    evidence = evidence_of(report)
    return Document(
        headline=headline(evidence, kind),
        notes=notes(evidence),
        totals=report.totals,
        grades=report.grades,
        by_kind=report.by_kind,
        rows=report.rows,
        runs=report.runs,
        findings=tuple(filed for filed in report.findings if kind in (None, filed.finding.kind)),
        synthetic=report.synthetic,
        problems=report.problems,
    )


def summary(report: Report, *, kind: str | None = None, limit: int = 10) -> Iterator[str]:
    """The report in lines: headline, findings, notes, the checks, and what green would mean."""
    evidence = evidence_of(report)
    totals = report.totals
    yield ", ".join(
        (
            counted(totals.runs, "run"),
            counted(totals.requests, "request"),
            counted(totals.responses, "response"),
            counted(totals.checked, "comparison"),
        )
    )
    if totals.unread:
        parts = counted(totals.unread, "part")
        yield f"{parts} of the input could not be read, and nothing was checked there."
    yield from dict.fromkeys(
        f"{', '.join(run.files)}: {note}" if run.files else note
        for run in report.runs
        for note in run.notes
    )
    yield headline(evidence, kind).text
    wanted = [filed for filed in report.findings if kind in (None, filed.finding.kind)]
    wanted.sort(key=lambda filed: filed.finding.advisory)
    for filed in wanted[:limit]:
        yield ""
        yield from finding_lines(filed)
    if len(wanted) > limit:
        yield ""
        yield f"Showing {limit} of {len(wanted)}; --limit shows more, --json all."
    yield ""
    if any(report.grades.values()):
        yield "Arguments: " + ", ".join(f"{word} {n}" for word, n in report.grades.items())
    yield from notes(evidence)
    yield "Checks:"
    yield from (f"  {row_line(row)}" for row in report.rows)
    yield BOUND


def finding_lines(filed: Filed) -> Iterator[str]:
    """One finding: what it is, what it says, whom it is about, where it was met."""
    finding = filed.finding
    marks = "".join(f" [{mark}]" for mark in _marks(finding))
    grade = f" ({finding.grade})" if finding.grade else ""
    yield f"{finding.kind}{grade} @ {finding.seam}{marks}"
    yield f"  {clipped(finding.message, _MESSAGE)}"
    # Ids are a stranger's: nothing of them may move the cursor.
    about = ", ".join(
        f"{subject.kind} {clipped(subject.id)}" for subject in finding.subjects[:_SUBJECTS]
    )
    met = f"step {finding.step}"
    if finding.count > 1:
        met += f", met {counted(finding.count, 'time')}, last at step {finding.last_step}"
    where = f" in {clipped(filed.file, _PATH)}" if filed.file else ""
    yield f"  about {about}; run {clipped(filed.run)}{where}, {met}"


def _marks(finding: Finding) -> Iterator[str]:
    if finding.synthetic:
        yield "synthetic"
    if finding.advisory:
        yield "advisory"
