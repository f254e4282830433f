"""The summary: a report as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from groundwire.audit.guarding.words import guarded_lines
from groundwire.audit.report import FORMAT, Filed, Problem, Report, Run, Totals, checked
from groundwire.audit.words import BOUND, Evidence, Headline, headline, notes, row_lines
from groundwire.checks.wording import clipped
from groundwire.documents.counts import counted
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding

# The longest message has advice at its end; what is longer than any of ours is a stranger's.
_MESSAGE = 4000
_PATH = 400
_SUBJECTS = 6
_MOST_STANDINGS = 5
_PLAIN = "verified, closed, "


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
    yield from _run_notes(report.runs)
    yield headline(evidence, kind).text
    wanted = [filed for filed in report.findings if kind in (None, filed.finding.kind)]
    wanted.sort(key=lambda filed: filed.finding.advisory)
    for filed in wanted[:limit]:
        yield ""
        yield from finding_lines(filed)
    if len(wanted) > limit:
        yield ""
        yield f"Showing {limit} of {len(wanted)}; --limit shows more, --json all. There are:"
        kinds = Counter(_heading(filed.finding) for filed in wanted)
        yield from (f"  {count:>4}  {heading}" for heading, count in kinds.most_common())
    yield from _next_steps(report)
    yield from _guarded(report.runs, limit)
    yield ""
    if any(report.grades.values()):
        yield "Arguments: " + ", ".join(f"{word} {n}" for word, n in report.grades.items())
    yield from notes(evidence)
    if report.rows:
        yield "Checks:"
        yield from (f"  {line}" for line in row_lines(report.rows))
        yield BOUND


def _run_notes(runs: Sequence[Run]) -> Iterator[str]:
    """What is known of each run; of many that verify and are closed only how many they are."""
    plain = [run for run in runs if any(note.startswith(_PLAIN) for note in run.notes)]
    fold = len(plain) > _MOST_STANDINGS
    if fold:
        yield f"{len(plain)} recordings: verified, closed"
    yield from dict.fromkeys(
        f"{', '.join(run.files)}: {note}" if run.files else note
        for run in runs
        for note in run.notes
        if not (fold and note.startswith(_PLAIN))
    )


def _guarded(runs: Sequence[Run], limit: int) -> Iterator[str]:
    """What became of the guarded calls of each run that has any, or that went past its guard."""
    for run in runs:
        if run.coverage is None:
            continue
        yield ""
        if len(runs) > 1:
            yield f"Run {clipped(run.run)}"
        yield from guarded_lines(run.guarded, run.coverage, limit)


def _next_steps(report: Report) -> Iterator[str]:
    """What would have more checked, where next to nothing was there to be."""
    if report.runs and not report.totals.requests:
        yield "No request is in it: was the client that the agent used given to `run.watch`?"
    for row in report.rows:
        if (
            row.check == "unsupported-argument"
            and row.reasons.keys() == {"not-declared"}
            and not checked([row])
        ):
            yield (
                "No argument was compared, because no tool says where its arguments come from: "
                "`groundwire init FILE` drafts that, and --arm-all compares them all now."
            )


def finding_lines(filed: Filed) -> Iterator[str]:
    """One finding: what it is, what it says, whom it is about, where it was met."""
    finding = filed.finding
    yield _heading(finding)
    yield f"  {clipped(finding.message, _MESSAGE)}"
    # Ids are a stranger's: nothing of them may move the cursor.
    about = ", ".join(
        f"{subject.kind} {clipped(subject.id)}" for subject in finding.subjects[:_SUBJECTS]
    )
    met = "" if filed.request is None else f"request {filed.request}, "
    met += f"step {finding.step}"
    if finding.count > 1:
        met += f", met {counted(finding.count, 'time')}, last at step {finding.last_step}"
    where = f" in {clipped(filed.file, _PATH)}" if filed.file else ""
    yield f"  about {about}; run {clipped(filed.run)}{where}, {met}"


def _heading(finding: Finding) -> str:
    marks = "".join(f" [{mark}]" for mark in _marks(finding))
    grade = f" ({finding.grade})" if finding.grade else ""
    return f"{finding.kind}{grade} @ {finding.seam}{marks}"


def _marks(finding: Finding) -> Iterator[str]:
    if finding.synthetic:
        yield "synthetic"
    if finding.advisory:
        yield "advisory"
