"""Recordings as evidence: verified first, then read; the segments of one run as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import msgspec

from groundwire.audit.live.comparing import Comparison, compare_live
from groundwire.audit.replay import replay_segments
from groundwire.audit.report import Origin, Report, audit_parts, unreadable
from groundwire.documents.counts import counted
from groundwire.documents.entry import Open
from groundwire.documents.verdict import Head, Verdict
from groundwire.errors import GroundwireError, HostError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.recording.reader import Reader, read
from groundwire.stores.disk.reading import open_to_read
from groundwire.verify.recording import Segment, verify_segments

KnownHead = Callable[[str, int], Head | None]

_TWICE = "Another of the files given is of the same segment of this run; what both hold is counted twice."


class Evidence(msgspec.Struct, frozen=True):
    """A recording that does not fail, and the verdict on the very bytes that were read."""

    verdict: Verdict
    reader: Reader


class _Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a recording, and the head that was known before they were taken."""

    path: Path
    opening: Open | None
    known: Head | None
    lines: list[bytes]

    @property
    def segment(self) -> int:
        return self.opening.segment if self.opening else 0


def open_recording(path: Path, keyring: Keyring, known_head: KnownHead | None = None) -> Evidence:
    """The recording at `path`, verified as far as this keyring goes.

    The verdict may be `undecided` (the signer is not in the keyring): what was read is intact then,
    and nobody is known to have signed it. Attached files are read again when they are asked for.

    Raises:
        TrustError: it does not verify; the reason is the verdict's.
        HostError: `recording-unreadable`.
        EncodingError: it is no recording of this format.
    """
    taken = _take(path, known_head)
    (verdict,) = _verdicts([taken], keyring)
    return _evidence(taken, verdict)


def audit_recordings(
    paths: Iterable[Path],
    keyring: Keyring,
    *,
    known_head: KnownHead | None = None,
    arm_all: bool = False,
) -> Iterator[Report]:
    """What the checks say of each run in these recordings, by what it declares itself.

    Segments that follow one another are audited as one run. Two files of one segment are audited
    apart. A recording that cannot be read, or does not verify, is a problem and keeps nobody from
    reading the others; whatever the files hold, nothing is raised.
    """
    runs: dict[str, list[_Taken]] = {}
    for number, path in enumerate(paths):
        try:
            taken = _take(path, known_head)
        except GroundwireError as error:
            yield unreadable(str(path), error)
            continue
        # A run's id holds no line feed, so no run is called like a file without one.
        run = taken.opening.run if taken.opening else f"\n{number}"
        runs.setdefault(run, []).append(taken)
    for files in runs.values():
        for stretch in _stretches(files):
            yield from _audit_stretch(stretch, files, keyring, arm_all=arm_all)


def compare_recordings(
    paths: Iterable[Path], keyring: Keyring, *, known_head: KnownHead | None = None
) -> Iterator[Comparison]:
    """Whether each run in these recordings gives its live findings and rows again.

    All segments of a run have to be among them, and to verify.

    Raises:
        TrustError: one does not verify.
        HostError: `recording-unreadable`; `segment-missing`.
        EncodingError: it is no recording of this format.
    """
    runs: dict[str, list[_Taken]] = {}
    for path in paths:
        taken = _take(path, known_head)
        runs.setdefault(taken.opening.run if taken.opening else "", []).append(taken)
    for files in runs.values():
        ordered = sorted(files, key=lambda each: each.segment)
        verdicts = _verdicts(ordered, keyring)
        readers = [
            _evidence(taken, verdict).reader
            for taken, verdict in zip(ordered, verdicts, strict=True)
        ]
        if [each.segment for each in ordered] != list(range(len(ordered))):
            raise HostError(
                "segment-missing",
                f"{ordered[0].path}: of this run other segments were given than 0, 1, 2, … once "
                "each. The checks live saw them all: give every file of the run.",
            )
        named = tuple(str(each.path) for each in ordered)
        yield msgspec.structs.replace(compare_live(readers), files=named)


def standing_of(verdict: Verdict) -> str:
    """One line: what the verifier said of the recording that a read-out is of."""
    signed = f"{verdict.signed_entries} of {counted(verdict.entries, 'entry', 'entries')} signed"
    if verdict.state == "undecided":
        return f"could not be judged ({verdict.reason}): {verdict.message}"
    return f"verified, {verdict.completeness}, {signed}"


def _take(path: Path, known_head: KnownHead | None) -> _Taken:
    # The head is asked for before the bytes are taken: a run that goes on being recorded meanwhile
    # would look cut back otherwise.
    known = None
    with open_to_read(path) as file:
        opening = file.opening
    if known_head is not None and opening is not None:
        known = known_head(opening.run, opening.segment)
    with open_to_read(path) as file:
        lines = list(file.lines())
    return _Taken(path=path, opening=opening, known=known, lines=lines)


def _verdicts(taken: Sequence[_Taken], keyring: Keyring) -> tuple[Verdict, ...]:
    with ExitStack() as stack:
        opened = [stack.enter_context(open_to_read(each.path)) for each in taken]
        segments = [
            Segment(lines=each.lines, files=file.file, known_head=each.known)
            for each, file in zip(taken, opened, strict=True)
        ]
        return verify_segments(segments, keyring)


def _evidence(taken: _Taken, verdict: Verdict) -> Evidence:
    if verdict.state == "broken":
        raise TrustError(
            verdict.reason,
            f"{taken.path} does not verify: {verdict.message} Altered evidence is not read; "
            f"`groundwire verify {taken.path}` says more.",
        )
    return Evidence(verdict, read(taken.lines, _files(taken.path), verdict.state))


def _stretches(files: Sequence[_Taken]) -> list[list[_Taken]]:
    """The files of one run as stretches of segments that follow one another; copies each apart."""
    if len({each.segment for each in files}) < len(files):
        return [[each] for each in files]
    ordered = sorted(files, key=lambda each: each.segment)
    numbered = groupby(enumerate(ordered), key=lambda pair: pair[1].segment - pair[0])
    return [[each for _, each in stretch] for _, stretch in numbered]


def _audit_stretch(
    stretch: Sequence[_Taken], run: Sequence[_Taken], keyring: Keyring, *, arm_all: bool
) -> Iterator[Report]:
    sound: list[_Taken] = []
    evidence: dict[Path, Evidence] = {}
    try:
        verdicts = _verdicts(stretch, keyring)
    except GroundwireError as error:
        yield unreadable(_named(stretch), error)
        return
    for each, verdict in zip(stretch, verdicts, strict=True):
        try:
            evidence[each.path] = _evidence(each, verdict)
            sound.append(each)
        except GroundwireError as error:
            yield unreadable(str(each.path), error)
    copied = len({each.segment for each in run}) < len(run)
    for part in _stretches(sound):
        try:
            yield _audited(part, evidence, (_TWICE,) if copied else (), arm_all=arm_all)
        except GroundwireError as error:
            yield unreadable(_named(part), error)


def _audited(
    part: Sequence[_Taken], known: dict[Path, Evidence], notes: tuple[str, ...], *, arm_all: bool
) -> Report:
    read_out = [known[each.path] for each in part]
    readers = [each.reader for each in read_out]
    verdicts = [each.verdict for each in read_out]
    opening = readers[0].opening
    undecided = any(verdict.state == "undecided" for verdict in verdicts)
    origin = Origin(
        run=opening.run,
        model=opening.model,
        source="recording",
        standing="undecided" if undecided else "holds",
        notes=(*dict.fromkeys(map(standing_of, verdicts)), *_ends(verdicts), *notes),
    )
    files = [str(each.path) for each in part]
    events = replay_segments(readers, arm_all=arm_all)
    return audit_parts(zip(files, events, strict=True), origin)


def _ends(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What of the run stands in files that were not given with these."""
    if verdicts[0].segment:
        yield (
            f"It begins with segment {verdicts[0].segment} of its run (from 0): what was before was "
            "not given, or not read."
        )
    if verdicts[-1].completeness == "open" and verdicts[-1].closed:
        yield "The run goes on in another file, which was not given, or not read."


def _named(files: Iterable[_Taken]) -> str:
    return ", ".join(str(each.path) for each in files)


def _files(path: Path) -> Callable[[str], bytes | None]:
    def file(digest: str) -> bytes | None:
        with open_to_read(path) as recording:
            return recording.file(digest)

    return file
