"""The report: what the checks say of one run or of many, as one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from groundwire.checks.engine import Engine
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Check
from groundwire.documents.disposition import Row
from groundwire.documents.event import Event, Requested, Responded
from groundwire.documents.finding import Finding

FORMAT = "groundwire-audit/1"
HOLDS, DEFECT, NOTHING_CHECKED = 0, 1, 3


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and the run it was filed in."""

    run: str
    finding: Finding


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run in numbers. `source` says where it came from: a format, or `recording`."""

    run: str
    model: str
    source: str
    requests: int
    responses: int
    checked: int
    defects: int
    advisories: int
    notes: tuple[str, ...] = ()


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a log that could not be read; nothing in it was checked."""

    source: str
    line: int
    reason: str
    message: str


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over all runs. `checked` counts encounters in which something was compared.

    `unread` counts parts of logs that could not be read and are in no other number.
    """

    runs: int
    requests: int
    responses: int
    checked: int
    defects: int
    advisories: int
    unread: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Runs, what was filed in them, and the ledger of every check over all of them.

    `grades` counts arguments by how they were supported. `by_kind` counts findings by kind and
    grade, advisories apart. `synthetic` findings were made by canaries: never counted anywhere.
    """

    totals: Totals
    grades: dict[str, int]
    by_kind: dict[str, int]
    rows: tuple[Row, ...]
    runs: tuple[Run, ...]
    findings: tuple[Filed, ...]
    synthetic: tuple[Filed, ...] = ()
    problems: tuple[Problem, ...] = ()


def audit_events(
    events: Iterable[Event],
    *,
    run: str,
    model: str = "",
    source: str = "",
    notes: Sequence[str] = (),
    checks: Sequence[Check] = ALL_CHECKS,
) -> Report:
    """What the checks say of one run. The same for a recording's replay and for an imported log.

    Reads the events once and keeps none. Whatever reading them raises is passed on.
    """
    engine = Engine(checks)
    requests = responses = 0
    for event in events:
        requests += isinstance(event, Requested)
        responses += isinstance(event, Responded) and event.response is not None
        engine.feed(event)
    findings, rows = engine.findings(), engine.rows()
    defects = sum(not finding.advisory for finding in findings)
    one = Run(
        run=run,
        model=model,
        source=source,
        requests=requests,
        responses=responses,
        checked=checked(rows),
        defects=defects,
        advisories=len(findings) - defects,
        notes=tuple(notes),
    )
    return _report(
        [one],
        rows,
        [Filed(run=run, finding=finding) for finding in findings],
        [Filed(run=run, finding=finding) for finding in engine.synthetic()],
        [],
    )


def problem_report(problem: Problem) -> Report:
    """The report of a part that could not be read: no run, no row, one problem."""
    return _report([], (), [], [], [problem])


def merged(reports: Iterable[Report]) -> Report:
    """One report of many: runs and findings in order, rows added up check by check."""
    runs: list[Run] = []
    filed: list[Filed] = []
    synthetic: list[Filed] = []
    problems: list[Problem] = []
    rows: dict[tuple[str, str, int], Row] = {}
    for report in reports:
        runs += report.runs
        filed += report.findings
        synthetic += report.synthetic
        problems += report.problems
        for row in report.rows:
            key = (row.check, row.seam, row.version)
            rows[key] = _added(rows[key], row) if key in rows else row
    return _report(runs, tuple(rows.values()), filed, synthetic, problems)


def checked(rows: Iterable[Row]) -> int:
    """How many encounters compared something."""
    return sum(row.passed + row.failed for row in rows)


def exit_code(report: Report) -> int:
    """1 with a defect, 3 where nothing was checked, else 0: advisories alone do not fail."""
    if report.totals.defects:
        return DEFECT
    return HOLDS if report.totals.checked else NOTHING_CHECKED


def _report(
    runs: list[Run],
    rows: tuple[Row, ...],
    filed: list[Filed],
    synthetic: list[Filed],
    problems: list[Problem],
) -> Report:
    grades: Counter[str] = Counter()
    for row in rows:
        grades.update(row.grades)
    kinds = Counter(map(_kind_of, filed))
    return Report(
        totals=Totals(
            runs=len(runs),
            requests=sum(run.requests for run in runs),
            responses=sum(run.responses for run in runs),
            checked=checked(rows),
            defects=sum(run.defects for run in runs),
            advisories=sum(run.advisories for run in runs),
            unread=len(problems),
        ),
        grades={grade: grades[grade] for grade in dict.fromkeys((*GRADES, *sorted(grades)))},
        by_kind=dict(sorted(kinds.items())),
        rows=rows,
        runs=tuple(runs),
        findings=tuple(filed),
        synthetic=tuple(synthetic),
        problems=tuple(problems),
    )


# Stated even where nothing has them: a missing count is not a count of nothing.
GRADES = ("exact", "fragment", "self", "nowhere")


def _kind_of(filed: Filed) -> str:
    finding = filed.finding
    words = [finding.kind, *([finding.grade] if finding.grade else [])]
    return " ".join([*words, *(["(advisory)"] if finding.advisory else [])])


def _added(one: Row, other: Row) -> Row:
    fired = [at for at in (one.last_fired_at, other.last_fired_at) if at is not None]
    return Row(
        check=one.check,
        seam=one.seam,
        version=one.version,
        passed=one.passed + other.passed,
        failed=one.failed + other.failed,
        not_applicable=one.not_applicable + other.not_applicable,
        unreachable=one.unreachable + other.unreachable,
        reasons=dict(sorted((Counter(one.reasons) + Counter(other.reasons)).items())),
        grades=dict(sorted((Counter(one.grades) + Counter(other.grades)).items())),
        advised=one.advised + other.advised,
        minted=one.minted + other.minted,
        caught=one.caught + other.caught,
        last_fired_at=max(fired, default=None),
    )
