"""Comparing: what the checks said live against what they say of the recording, bit for bit.

A finding or a row that differs means that live and replay are not one fold: a fault of groundwire,
or another version of a check. It says nothing about the agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, TypeAlias

import msgspec

from groundwire.audit.replay import replay_segments
from groundwire.canon import jcs
from groundwire.checks.engine import Engine
from groundwire.checks.registry import ALL_CHECKS
from groundwire.checks.seams import Check
from groundwire.documents.counts import counted
from groundwire.documents.disposition import Row
from groundwire.documents.entry import DispositionEntry, FindingEntry, NoteEntry
from groundwire.documents.event import Event, Executed, Requested, Responded
from groundwire.documents.finding import Finding, tally_of
from groundwire.errors import EncodingError
from groundwire.recording.reader import Missing, Reader

State: TypeAlias = Literal["equal", "differs", "unknown"]

_GONE = frozenset({"withheld", "redacted", "missing"})


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a run's recording gives its live findings and rows again.

    `reason` is a code where it does not or nobody can say: `finding-differs`, `row-differs`,
    `versions-differ`, `contents-missing`. `findings` and `rows` count what was compared.
    """

    run: str
    files: tuple[str, ...] = ()
    state: State
    reason: str = ""
    text: str
    findings: int = 0
    rows: int = 0


class _Take(msgspec.Struct, frozen=True):
    """What one process did of a run: what its checks saw, and what they filed."""

    events: list[Event]
    filed: list[bytes | Missing]
    ledger: list[tuple[Reader, DispositionEntry]]


class _Unlike(Exception):
    """The first thing that differs, or why nobody can say."""

    def __init__(self, state: State, reason: str, text: str) -> None:
        super().__init__(text)
        self.state, self.reason, self.text = state, reason, text


def compare_live(readers: Sequence[Reader], checks: Sequence[Check] = ALL_CHECKS) -> Comparison:
    """Whether the checks, run over the recording, file what they filed live.

    `readers` are all segments of one run, in order. The checks are those that the recording names,
    in the versions it names; where one of `checks` has another, nothing can be said.

    Raises:
        EncodingError: the recording is no whole document of this format.
    """
    opening = readers[0].opening
    findings = rows = 0
    try:
        same = _same_checks(opening.pins, checks)
        for take in _takes(readers):
            engine = Engine(same)
            findings += _compare_findings(take, engine)
            rows += _compare_ledger(take, engine)
    except _Unlike as unlike:
        return Comparison(
            run=opening.run,
            state=unlike.state,
            reason=unlike.reason,
            text=unlike.text,
            findings=findings,
            rows=rows,
        )
    ledger = "" if rows else ", and no ledger, since the run was not closed"
    return Comparison(
        run=opening.run,
        state="equal",
        text=f"equal: {counted(findings, 'finding')} and {counted(rows, 'row')}{ledger}, as live.",
        findings=findings,
        rows=rows,
    )


def _same_checks(pins: Mapping[str, str], checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks that the recording was made with."""
    here = {f"check.{check.seam}.{check.kind}": check for check in checks}
    made_with = {name: version for name, version in pins.items() if name.startswith("check.")}
    for name, version in sorted(made_with.items()):
        check = here.get(name)
        if check is None or str(check.version) != version:
            has = "there is none here" if check is None else f"here it is version {check.version}"
            raise _Unlike(
                "unknown",
                "versions-differ",
                f"versions differ: the recording was made with version {version} of "
                f"{name.removeprefix('check.')}, and {has}. Use the groundwire that made it "
                f"({pins.get('groundwire', 'unstated')}).",
            )
    return tuple(check for name, check in here.items() if name in made_with)


def _takes(readers: Sequence[Reader]) -> Iterator[_Take]:
    """The run, parted where a crash ended one process and another went on."""
    take = _Take([], [], [])
    for reader, events in zip(readers, replay_segments(readers), strict=True):
        waiting = list(events)
        for entry in reader.entries:
            if isinstance(entry, NoteEntry) and entry.topic == "recovered":
                before = [event for event in waiting if event.step < entry.seq]
                take.events.extend(before)
                waiting = waiting[len(before) :]
                yield take
                take = _Take([], [], [])
            elif isinstance(entry, FindingEntry):
                take.filed.append(reader.content(entry.holds["finding"]))
            elif isinstance(entry, DispositionEntry):
                take.ledger.append((reader, entry))
        take.events.extend(waiting)
    yield take


def _compare_findings(take: _Take, engine: Engine) -> int:
    again: list[Finding] = []
    last = 0
    for event in take.events:
        found = engine.feed(event)
        again += found
        last = len(found)
    missing = len(again) - len(take.filed)
    if not take.ledger and 0 < missing <= last:
        # It died while it wrote what it had found in the last event; nobody saw more than that.
        del again[len(take.filed) :]
    for number, (filed, one) in enumerate(zip_longest(take.filed, again), start=1):
        if isinstance(filed, Missing):
            raise _missing(f"finding {number} is not in the file ({filed.why})")
        if one is None or filed != jcs.encode(msgspec.to_builtins(one)):
            raise _differs(take, "finding-differs", f"finding {number}", _words(filed, one))
    return len(again)


def _compare_ledger(take: _Take, engine: Engine) -> int:
    count = 0
    for reader, entry in take.ledger:
        rows = _held(reader, entry, "rows")
        live = _decoded(rows)
        here = engine.rows()
        named = [(row.check, row.seam, row.version) for row in live]
        if sorted(named) != sorted((row.check, row.seam, row.version) for row in here):
            raise _Unlike(
                "unknown",
                "versions-differ",
                "versions differ: the ledger of the recording was made with other checks than its "
                "opening names; it was gone on with by another groundwire.",
            )
        known = {(row.check, row.seam): row for row in here}
        for row in live:
            if row != known[row.check, row.seam]:
                raise _differs(
                    take,
                    "row-differs",
                    f"the row of {row.check} at {row.seam}",
                    f"live {_plain(row)}; from the recording {_plain(known[row.check, row.seam])}",
                )
        counts = [tally_of(finding) for finding in engine.findings()]
        if _held(reader, entry, "findings") != jcs.encode(counts):
            raise _differs(take, "finding-differs", "how often findings were met", "counts differ")
        count += len(live)
    return count


def _held(reader: Reader, entry: DispositionEntry, name: str) -> bytes:
    held = reader.content(entry.holds[name])
    if isinstance(held, Missing):
        raise _missing(f"the ledger is not in the file ({held.why})")
    return held


def _decoded(rows: bytes) -> list[Row]:
    try:
        return msgspec.json.decode(rows, type=list[Row])
    except msgspec.DecodeError as error:
        raise EncodingError(
            "ledger-malformed",
            f"The ledger in the recording is none ({error}); it was written by something else than "
            "groundwire.",
        ) from error


def _differs(take: _Take, reason: str, what: str, how: str) -> _Unlike:
    gone = sum(_is_gone(event) for event in take.events)
    if gone:
        return _missing(
            f"{what} differs, and the contents of {counted(gone, 'event')} that the live checks saw "
            "are not in the file (kept out by the policy, or redacted)"
        )
    return _Unlike("differs", reason, f"differs at {what}: {how}.")


def _missing(what: str) -> _Unlike:
    return _Unlike("unknown", "contents-missing", f"cannot be compared: {what}.")


def _is_gone(event: Event) -> bool:
    return isinstance(event, Requested | Responded | Executed) and event.reason in _GONE


def _words(filed: bytes | None, found: Finding | None) -> str:
    if filed is None and found is not None:
        return f"the recording gives a {found.kind} at step {found.step} that was not filed live"
    if found is None:
        return f"it was filed live and the recording does not give it: {_clip(filed or b'')}"
    return f"live {_clip(filed or b'')}; from the recording {_plain(found)}"


def _plain(document: Row | Finding) -> str:
    return _clip(msgspec.json.encode(document))


def _clip(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text if len(text) <= 400 else text[:399] + "…"
