"""The report: what the checks say of one run or of many, as one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from groundwire.audit.guarding.calls import GuardedCall, GuardedCalls
from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.checks.filing import Identity, identity
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Check
from groundwire.checks.write.governed.coverage import Coverage, coverage_of
from groundwire.documents.disposition import Row
from groundwire.documents.event import Ended, Event, Guarded, Requested, Responded
from groundwire.documents.finding import Finding
from groundwire.documents.verdict import State
from groundwire.errors import GroundwireError, TrustError

FORMAT = "groundwire-audit/1"
HOLDS, DEFECT, NOT_ALL_CHECKED = 0, 1, 3

# How many different rows are kept until they are added up.
_ADDED_TOGETHER = 8192


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, the run it was filed in, and the file in which that was met first.

    `request` is the request that it was met at, or whose answer or tool it was met in, from 0: the
    one that `groundwire explain --boundary` shows.
    """

    run: str
    file: str = ""
    request: int | None = None
    finding: Finding


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run in numbers. `source` says where it came from: a format, or `recording`.

    `files` are the files it was read from, in order: more than one for the segments of a long run.
    `standing` is what the verifier said of a recording, empty for a log. `coverage` says how many
    calls came to the guarded table, None where the run has no guarded call and found none missing.
    """

    run: str
    files: tuple[str, ...] = ()
    model: str
    source: str
    standing: State | Literal[""] = ""
    requests: int
    responses: int
    checked: int
    defects: int
    advisories: int
    notes: tuple[str, ...] = ()
    guarded: tuple[GuardedCall, ...] = ()
    coverage: Coverage | None = None


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a part of a log, that could not be read; nothing in it was checked.

    `source` is the file, `line` where in it, 0 for the whole of it. A `broken` file is a recording
    that does not verify.
    """

    source: str
    line: int
    reason: str
    message: str
    broken: bool = False


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over all runs. `checked` counts encounters in which something was compared.

    `unread` counts files and parts of logs that could not be read and are in no other number.
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


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run came from, as its report says it."""

    run: str
    model: str = ""
    source: str = ""
    standing: State | Literal[""] = ""
    notes: tuple[str, ...] = ()


def audit_events(
    events: Iterable[Event],
    *,
    run: str,
    model: str = "",
    source: str = "",
    file: str = "",
    notes: Sequence[str] = (),
    checks: Sequence[Check] = ALL_CHECKS,
) -> Report:
    """What the checks say of one run. The same for a recording's replay and for an imported log.

    Reads the events once and keeps none. Whatever reading them raises is passed on.
    """
    origin = Origin(run=run, model=model, source=source, notes=tuple(notes))
    return audit_parts([(file, events)], origin, checks=checks)


def audit_parts(
    parts: Iterable[tuple[str, Iterable[Event]]],
    origin: Origin,
    *,
    checks: Sequence[Check] = ALL_CHECKS,
) -> Report:
    """What the checks say of a run whose events stand in several files, one after the other.

    Raises: as `audit_events`.
    """
    engine = Engine(checks)
    requests = responses = 0
    files: list[str] = []
    places: dict[Identity, tuple[str, int | None]] = {}
    guarded = GuardedCalls()
    for file, events in parts:
        files.append(file)
        exchange: int | None = None
        for event in events:
            if isinstance(event, Requested):
                requests += 1
                exchange = event.exchange
            elif isinstance(event, Responded):
                responses += event.response is not None
                exchange = event.exchange
            elif isinstance(event, Guarded | Ended):
                guarded.see(event)
            for finding in engine.feed(event):
                places[identity(finding)] = file, exchange
    findings, rows = engine.findings(), engine.rows()
    defects = sum(not finding.advisory for finding in findings)
    calls, coverage = guarded.calls(), coverage_of(rows)
    one = Run(
        run=origin.run,
        files=tuple(filter(None, files)),
        model=origin.model,
        source=origin.source,
        standing=origin.standing,
        requests=requests,
        responses=responses,
        checked=checked(rows),
        defects=defects,
        advisories=len(findings) - defects,
        notes=origin.notes,
        guarded=calls,
        coverage=coverage if calls or coverage.calls else None,
    )
    first = files[0] if files else ""
    nowhere = first, None
    return _report(
        [one],
        rows,
        [
            Filed(run=origin.run, file=file, request=exchange, finding=finding)
            for finding in findings
            for file, exchange in (places.get(identity(finding), nowhere),)
        ],
        [Filed(run=origin.run, file=first, finding=finding) for finding in engine.synthetic()],
        [],
    )


def problem_report(problem: Problem) -> Report:
    """The report of a part that could not be read: no run, no row, one problem."""
    return _report([], (), [], [], [problem])


def unreadable(file: str, error: GroundwireError) -> Report:
    """The report of a file that could not be read, or is a recording that does not verify."""
    return problem_report(
        Problem(
            source=file,
            line=0,
            reason=error.reason,
            message=error.message,
            broken=isinstance(error, TrustError),
        )
    )


def merged(reports: Iterable[Report]) -> Report:
    """One report of many: runs and findings in order, rows added up check by check."""
    runs: list[Run] = []
    filed: list[Filed] = []
    synthetic: list[Filed] = []
    problems: list[Problem] = []
    rows = _Rows()
    for report in reports:
        runs += report.runs
        filed += report.findings
        synthetic += report.synthetic
        problems += report.problems
        rows.add(report.rows)
    return _report(runs, rows.sums(), filed, synthetic, problems)


class _Rows:
    """The rows of many reports, to be added up check by check."""

    def __init__(self) -> None:
        # Many runs have one and the same row: what is added up is how often it came.
        self._times: Counter[int] = Counter()
        self._rows: dict[int, Row] = {}
        self._added: dict[tuple[str, str, int], Row] = {}

    def add(self, rows: Sequence[Row]) -> None:
        """These are rows of one report more."""
        names = list(map(id, rows))
        self._times.update(names)
        self._rows.update(zip(names, rows, strict=True))
        if len(self._rows) > _ADDED_TOGETHER:
            self.sums()

    def sums(self) -> tuple[Row, ...]:
        """A row for each check and version, in the order in which they came first."""
        each: dict[tuple[str, str, int], list[tuple[Row, int]]] = {
            name: [(row, 1)] for name, row in self._added.items()
        }
        for name, row in self._rows.items():
            same = each.setdefault((row.check, row.seam, row.version), [])
            same.append((row, self._times[name]))
        self._added = {name: _sum(same) for name, same in each.items()}
        self._rows, self._times = {}, Counter()
        return tuple(self._added.values())


def checked(rows: Iterable[Row]) -> int:
    """How many encounters compared something."""
    return sum(row.passed + row.failed for row in rows)


def exit_code(report: Report) -> int:
    """1 with a defect or a recording that does not verify; else 3 where not all was checked; else 0.

    Not all was checked where a file or a part of one could not be read, where nobody can say who
    signed a recording, and where nothing was compared. Advisories alone do not fail.
    """
    if report.totals.defects or any(problem.broken for problem in report.problems):
        return DEFECT
    doubtful = any(run.standing == "undecided" for run in report.runs)
    if report.problems or doubtful or not report.totals.checked:
        return NOT_ALL_CHECKED
    return HOLDS


def _report(
    runs: list[Run],
    rows: tuple[Row, ...],
    filed: list[Filed],
    synthetic: list[Filed],
    problems: list[Problem],
) -> Report:
    grades: Counter[str] = Counter()
    for row in rows:
        if row.grades and row.check == UnsupportedArgument.kind:
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


def _sum(rows: Sequence[tuple[Row, int]]) -> Row:
    """One row for rows of one check and version, each as often as it came."""
    fired = [row.last_fired_at for row, _ in rows if row.last_fired_at is not None]
    first = rows[0][0]
    return Row(
        check=first.check,
        seam=first.seam,
        version=first.version,
        passed=sum([row.passed * times for row, times in rows]),
        failed=sum([row.failed * times for row, times in rows]),
        not_applicable=sum([row.not_applicable * times for row, times in rows]),
        unreachable=sum([row.unreachable * times for row, times in rows]),
        reasons=_counts((row.reasons, times) for row, times in rows),
        grades=_counts((row.grades, times) for row, times in rows),
        advised=sum([row.advised * times for row, times in rows]),
        minted=sum([row.minted * times for row, times in rows]),
        caught=sum([row.caught * times for row, times in rows]),
        last_fired_at=max(fired, default=None),
        suppressed=sum([row.suppressed * times for row, times in rows]),
    )


def _counts(each: Iterable[tuple[Mapping[str, int], int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for counts, times in each:
        for word, count in counts.items():
            total[word] = total.get(word, 0) + count * times
    return dict(sorted(total.items()))
