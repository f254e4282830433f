"""Words: what a read-out says, so that no absence is taken for another.

Green is earned from what the rows compared, never from the lack of a finding. Reads only; judges
nothing again. The order of decisions is the order of `headline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.audit.report import checked
from groundwire.checks import registry
from groundwire.documents.counts import counted
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding

Code: TypeAlias = Literal[
    "unknown-kind",
    "kind-without-a-check",
    "no-evidence",
    "no-integrity-events",
    "findings",
    "none-of-that-kind",
    "findings-lost",
    "no-rows",
    "no-check-registered",
    "nothing-checked",
    "partly-checked",
    "all-checked",
]
BOUND = (
    "Green means that no registered check was violated, not that no error exists; a seam without "
    "a check files nothing."
)
_NAMED = 4


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a read-out has to go by.

    `events` counts everything that was retained; None where there is no list of events at all.
    `rows` is None where nothing records which checks ran.
    """

    events: int | None
    findings: tuple[Finding, ...] = ()
    rows: tuple[Row, ...] | None = None


class Kinds(msgspec.Struct, frozen=True):
    """The kinds of finding a version knows: those some check files, and those none does."""

    filable: tuple[str, ...]
    without_a_check: tuple[str, ...]


KNOWN = Kinds(registry.filable_kinds(), registry.WITHOUT_A_CHECK)


class Headline(msgspec.Struct, frozen=True):
    """What is so, as a code for programs and a sentence for people."""

    code: Code
    text: str


def headline(evidence: Evidence, kind: str | None = None, kinds: Kinds = KNOWN) -> Headline:
    """The one sentence that is true of this evidence, for findings of `kind` or of any."""
    real = tuple(finding for finding in evidence.findings if not finding.synthetic)
    wanted = tuple(finding for finding in real if kind is None or finding.kind == kind)
    return (
        _about_kind(kind, kinds, wanted)
        or _about_evidence(evidence)
        or _about_findings(evidence, real, wanted, kind)
        or _about_rows(evidence.rows)
    )


def notes(evidence: Evidence) -> tuple[str, ...]:
    """What has to be said beside the headline: canaries apart, encounters against findings."""
    said = []
    synthetic = sum(finding.synthetic for finding in evidence.findings)
    if synthetic:
        said.append(
            f"{counted(synthetic, 'finding')} synthetic: made by a canary to prove a check alive, "
            "quarantined, in no total."
        )
    suppressed = sum(row.suppressed for row in evidence.rows or ())
    if suppressed:
        said.append(
            f"{counted(suppressed, 'finding')} not filed: the policy switches them off (`off` lines)."
        )
    defects = sum(not (found.advisory or found.synthetic) for found in evidence.findings)
    failed = sum(row.failed for row in evidence.rows or ())
    if failed > defects > 0:
        said.append(
            f"The rows count {counted(failed, 'failing encounter')} for "
            f"{counted(defects, 'distinct defect')}: "
            "a defect that is met again is filed once."
        )
    elif defects > failed > 0:
        said.append(
            f"{counted(defects, 'defect')} in {counted(failed, 'failing encounter')}: one response "
            "or request can hold several."
        )
    return tuple(said)


def row_lines(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each check that compared something, then one for those that are silent alike."""
    silent: dict[str, list[str]] = {}
    for row in rows:
        if row.passed + row.failed or row.suppressed or row.minted:
            yield row_line(row)
        else:
            silent.setdefault(_said_of(row), []).append(f"{row.check} @ {row.seam}")
    yield from (f"{', '.join(names)}: {said}" for said, names in silent.items())


def row_line(row: Row) -> str:
    """One check in one line: never a green word for a check that compared nothing."""
    return f"{row.check} @ {row.seam}: {_said_of(row)}"


def _said_of(row: Row) -> str:
    met = row.passed + row.failed
    if not (met or row.not_applicable or row.unreachable):
        return "registered, never met anything"
    why = ", ".join(f"{reason} {count}" for reason, count in row.reasons.items())
    times = counted(met, "time")
    parts = [f"compared {times}, {row.failed} failed"] if met else ["nothing compared"]
    if row.advised:
        parts.append(f"{row.advised} with an advisory")
    if row.not_applicable:
        parts.append(f"{row.not_applicable} out of scope")
    if row.unreachable:
        parts.append(f"{row.unreachable} could not be compared: silent, not clean")
    if row.suppressed:
        parts.append(f"{counted(row.suppressed, 'finding')} switched off by the policy")
    if row.minted:
        parts.append(f"{row.caught} of {counted(row.minted, 'canary', 'canaries')} caught")
    return "; ".join(parts) + (f" [{why}]" if why else "")


def _about_kind(kind: str | None, kinds: Kinds, wanted: Sequence[Finding]) -> Headline | None:
    if kind is None or kind in kinds.filable:
        return None
    filable = ", ".join(kinds.filable)
    if kind not in kinds.without_a_check:
        return Headline(
            "unknown-kind",
            f"{kind!r} is no kind of finding that this version knows, so this says nothing about "
            f"the run. Kinds that can be filed: {filable}.",
        )
    if wanted:
        return None
    return Headline(
        "kind-without-a-check",
        f"It cannot be answered whether there is any {kind}: no check of this version looks for "
        f"it, and nothing ever looked. Kinds that can be filed: {filable}.",
    )


def _about_evidence(evidence: Evidence) -> Headline | None:
    if evidence.events is None:
        return Headline(
            "no-evidence",
            "There is no evidence to read: no events were kept. This does not mean that there were "
            "no errors. To have some, watch the client with groundwire before the run starts, or "
            "give a log with its messages.",
        )
    if evidence.rows is None and not evidence.findings:
        return Headline(
            "no-integrity-events",
            f"{counted(evidence.events, 'event')} retained, none of them a finding or a ledger: "
            "either no check was registered, or the record was cut or filtered. That is not a "
            "clean bill.",
        )
    return None


def _about_findings(
    evidence: Evidence, real: Sequence[Finding], wanted: Sequence[Finding], kind: str | None
) -> Headline | None:
    if wanted:
        defects = sum(not finding.advisory for finding in wanted)
        advisories = len(wanted) - defects
        text = counted(defects, "finding")
        if advisories:
            text += f", plus {counted(advisories, 'advisory', 'advisories')} counted apart"
        return Headline("findings", f"{text}.")
    if real:
        others = ", ".join(sorted({finding.kind for finding in real}))
        return Headline(
            "none-of-that-kind", f"No finding of kind {kind}; others were filed: {others}."
        )
    failed = sum(row.failed for row in evidence.rows or ())
    if failed:
        return Headline(
            "findings-lost",
            f"Evidence is missing: the rows count {counted(failed, 'failing encounter')}, and no "
            "finding came with that. Contradictions happened and their detail did not survive; "
            "this is the opposite of clean.",
        )
    return None


def _about_rows(rows: tuple[Row, ...] | None) -> Headline:
    if rows is None:
        return Headline(
            "no-rows",
            "No finding was filed, and nothing records which checks ran: unmeasured, neither good "
            "nor bad.",
        )
    if not rows:
        return Headline(
            "no-check-registered",
            "No finding was filed, and no check was registered: an honest absence, which says "
            "nothing about the run.",
        )
    silent = [row for row in rows if not row.passed + row.failed]
    if len(silent) == len(rows):
        return Headline("nothing-checked", _nothing_checked(rows))
    ran, encounters = len(rows) - len(silent), counted(checked(rows), "encounter")
    if silent:
        named = ", ".join(f"{row.check} @ {row.seam}" for row in silent[:_NAMED])
        more = f" and {len(silent) - _NAMED} more" if len(silent) > _NAMED else ""
        return Headline(
            "partly-checked",
            f"No finding was filed, and coverage is partial: {ran} of {counted(len(rows), 'check')} "
            f"compared something ({encounters}). Silent: {named}{more}. This covers only those that ran.",
        )
    return Headline(
        "all-checked",
        f"No finding was filed: all {counted(len(rows), 'check')} ran ({encounters}), and nothing "
        "that they cover was violated.",
    )


def _nothing_checked(rows: Sequence[Row]) -> str:
    unreachable = sum(row.unreachable for row in rows)
    outside = sum(row.not_applicable for row in rows)
    never = sum(not (row.unreachable or row.not_applicable) for row in rows)
    return (
        f"Nothing was checked: {counted(unreachable, 'encounter')} could not be compared, "
        f"{outside} {'was' if outside == 1 else 'were'} out of scope, and {counted(never, 'check')} "
        "never met anything."
    )
