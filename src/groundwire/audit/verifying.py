"""Verifying files: what stands on disk, against what is kept elsewhere, file by file and together.

Files of one run are taken together: its segments in order, two copies of one segment against each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from groundwire.documents.entry import Open
from groundwire.documents.verdict import Head, Verdict
from groundwire.errors import HostError
from groundwire.keys.keyring import Keyring
from groundwire.stores.disk.reading import RecordingFile, open_to_read, segments_beside
from groundwire.verify.completeness import sizes_of
from groundwire.verify.equivocation import Comparison, compare
from groundwire.verify.recording import Segment, judged, verify_segments
from groundwire.verify.walk import Walk

KnownHead = Callable[[str, int], Head | None]
Mirror = Callable[[str, int], Sequence[str]]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One file: its verdict, or why it could not be read.

    `head` says what the head kept on this machine was good for, `notes` how many notes the mirror
    has of it (None: no mirror was asked), `beside` which files in its folder are of the same run.
    """

    path: str
    verdict: Verdict | None
    unreadable: str = ""
    head: str = ""
    notes: int | None = None
    beside: tuple[str, ...] = ()


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Two files of one run and segment."""

    first: str
    second: str
    comparison: Comparison


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was asked for; `keyring` says whose keys were trusted."""

    keyring: str
    files: tuple[Judged, ...]
    comparisons: tuple[Compared, ...]

    @property
    def code(self) -> int:
        """0 everything holds, 1 something is broken, 3 something could not be judged."""
        states = {
            "undecided" if each.verdict is None else each.verdict.state for each in self.files
        }
        states |= {each.comparison.state for each in self.comparisons}
        return 1 if "broken" in states else 3 if "undecided" in states else 0


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked about one file, before its lines are read."""

    path: Path
    opening: Open | None = None
    head: Head | None = None
    said: str = ""
    notes: tuple[str, ...] | None = None
    unreadable: str = ""


def verify_files(
    paths: Sequence[Path], keyring: Keyring, *, known_head: KnownHead, mirror: Mirror | None
) -> Verification:
    """A verdict on each file, and on how files of one run fit together.

    A file that cannot be read, or of which the mirror cannot be asked, is undecided and does not
    keep the others from being judged.
    """
    files = [_asked(path, known_head, mirror) for path in paths]
    judgements: dict[Path, Judged] = {}
    comparisons: list[Compared] = []
    for group in _groups(files):
        segments = {each.opening.segment if each.opening else None for each in group}
        if len(segments) == len(group):
            judgements |= _in_order(group, keyring)
        else:
            copies, compared = _copies(group, keyring)
            # A copy, whoever put it there, does not end the question whether the segments fit.
            judgements |= copies if len(segments) == 1 else _each_in_order(group, keyring)
            comparisons += compared
    return Verification(
        keyring=keyring.source,
        files=tuple(judgements[each.path] for each in files),
        comparisons=tuple(comparisons),
    )


def _asked(path: Path, known_head: KnownHead, mirror: Mirror | None) -> _File:
    """What is known of the file elsewhere.

    Asked before its lines are read, or a recording that is being written would look cut.
    """
    try:
        with open_to_read(path) as file:
            opening = file.opening
    except HostError as error:
        return _File(path=path, unreadable=error.message)
    if opening is None:
        return _File(path=path)
    try:
        notes = None if mirror is None else tuple(mirror(opening.run, opening.segment))
    except HostError as error:
        return _File(path=path, unreadable=error.message)
    try:
        head = known_head(opening.run, opening.segment)
    except HostError as error:
        return _File(path=path, opening=opening, notes=notes, said=f"not compared: {error.message}")
    said = "none is kept on this machine"
    if head is not None:
        said = f"{head.size} entries, as kept on this machine"
    return _File(path=path, opening=opening, notes=notes, head=head, said=said)


def _groups(files: Sequence[_File]) -> list[list[_File]]:
    """Files of one run together, by segment; every other file by itself."""
    runs: dict[str, list[_File]] = {}
    for number, file in enumerate(files):
        # A run's id holds no line feed, so no run is called like a file without one.
        run = file.opening.run if file.opening is not None else f"\n{number}"
        runs.setdefault(run, []).append(file)
    return [
        sorted(group, key=lambda each: each.opening.segment if each.opening else 0)
        for group in runs.values()
    ]


def _in_order(group: Sequence[_File], keyring: Keyring) -> dict[Path, Judged]:
    if any(each.unreadable for each in group):
        return {each.path: _judged(each, None) for each in group}
    with ExitStack() as stack:
        try:
            opened = [(each, stack.enter_context(open_to_read(each.path))) for each in group]
            verdicts = verify_segments([_segment(each, file) for each, file in opened], keyring)
        except HostError as error:
            return {each.path: _judged(each, None, error.message) for each in group}
    alone = len(group) == 1
    return {
        each.path: _judged(each, verdict, beside=_beside(each.path, verdict) if alone else ())
        for each, verdict in zip(group, verdicts, strict=True)
    }


def _each_in_order(group: Sequence[_File], keyring: Keyring) -> dict[Path, Judged]:
    """Each file among the segments of its run, of each other segment the first file given."""
    judgements: dict[Path, Judged] = {}
    for each in group:
        run = {other.opening.segment: other for other in reversed(group) if other.opening}
        if each.opening:
            run[each.opening.segment] = each
        judgements[each.path] = _in_order([run[n] for n in sorted(run)], keyring)[each.path]
    return judgements


def _copies(group: Sequence[_File], keyring: Keyring) -> tuple[dict[Path, Judged], list[Compared]]:
    """Each file by itself, and each against the first of its segment that does not fail."""
    judgements: dict[Path, Judged] = {}
    comparisons: list[Compared] = []
    firsts: dict[int, tuple[Path, Walk]] = {}
    for each in group:
        marks = sizes_of(each.head, each.notes)
        try:
            with open_to_read(each.path) as file:
                walk = Walk(keyring, file.file, marks, keep=True).over(file.lines())
        except HostError as error:
            judgements[each.path] = _judged(each, None, error.message)
            continue
        verdict = judged(walk, each.head, each.notes)
        judgements[each.path] = _judged(each, verdict)
        if walk.failure is not None or walk.opening is None:
            continue
        segment = walk.opening.segment
        if segment not in firsts:
            firsts[segment] = (each.path, walk)
            continue
        path, first = firsts[segment]
        comparisons.append(
            Compared(first=str(path), second=str(each.path), comparison=compare(first, walk))
        )
    return judgements, comparisons


def _segment(each: _File, file: RecordingFile) -> Segment:
    return Segment(lines=file.lines(), files=file.file, known_head=each.head, notes=each.notes)


def _judged(
    each: _File, verdict: Verdict | None, unreadable: str = "", beside: tuple[str, ...] = ()
) -> Judged:
    return Judged(
        path=str(each.path),
        verdict=verdict,
        unreadable=each.unreadable or unreadable,
        head=each.said,
        notes=None if each.notes is None else len(each.notes),
        beside=beside,
    )


def _beside(path: Path, verdict: Verdict) -> tuple[str, ...]:
    """Other files of the run, where this one says that there are any."""
    if not verdict.segment and (verdict.completeness != "open" or not verdict.closed):
        return ()
    try:
        return tuple(str(each) for each in segments_beside(path) if each != path)
    except HostError:
        return ()
