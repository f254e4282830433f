"""Recovery: a file that a crash left open is cut behind its last whole entry, and goes on.

What was durable must still be there and verify: a file that somebody changed, or that is behind the
head kept outside it, is refused. Bytes that are cut off are kept beside the file.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from groundwire.documents.content import Content
from groundwire.documents.entry import (
    ComposedEntry,
    ExecutedEntry,
    FindingEntry,
    GuardedEntry,
    NoteEntry,
    Open,
    RequestEntry,
)
from groundwire.documents.verdict import Head, Verdict
from groundwire.errors import EncodingError, HostError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.recording.content import withheld_in
from groundwire.recording.lines import decode_line
from groundwire.recording.reader import Files
from groundwire.recording.segments.segment import Standing
from groundwire.stores.disk.folders import (
    attached_to,
    lines_of,
    read_all,
    unwritable,
    write_file,
)
from groundwire.stores.disk.system import APPEND_AND_READ, System
from groundwire.stores.file import FileSink, lock, require_recording
from groundwire.verify.completeness import sizes_of
from groundwire.verify.recording import judged_as_written
from groundwire.verify.walk import Walk

_CONTENT = b'{"@":"content",'
_CHECKPOINT = b'{"@":"checkpoint/1",'
_CLOSE = b'{"@":"close/1",'
_MOST_CUTS = 10_000


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """A file that takes entries again. `kept` is the file that has what was cut off, if anything.

    `standing` is for `Recorder.resume`, `opening` is the file's own opening entry.
    """

    sink: FileSink
    standing: Standing
    opening: Open
    kept: Path | None


def recover(
    path: Path, keyring: Keyring, *, known_head: Head | None, system: System | None = None
) -> Recovered:
    """The file at `path`, cut behind its last whole entry, open for more.

    Every entry up to the last checkpoint was signed; those behind it stand as they were found,
    and the next checkpoint will say so: nobody signed them before.

    Raises:
        HostError: `recording-in-use`, `recording-unwritable`, `recording-complete` (it is closed),
            `nothing-to-recover` (no certificate stands in it).
        TrustError: `rolled-back`, `not-recoverable`: what was durable does not verify any more.
    """
    system = system or System()
    path = path.parent.resolve() / path.name
    try:
        folder = system.open_folder(str(path.parent))
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        return _recover(path, folder, keyring, known_head, system)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        system.close(folder)


def _recover(
    path: Path, folder: int, keyring: Keyring, known_head: Head | None, system: System
) -> Recovered:
    descriptor = system.open(path.name, APPEND_AND_READ, folder=folder)
    try:
        lock(descriptor, path, system)
        require_recording(descriptor, path, system)
        data = read_all(descriptor, system)
        files = attached_to(path.name, system, folder)
        end = end_of(data, keyring, files)
        standing, opening = judge(data[:end], len(data) - end, keyring, files, known_head)
        kept = None
        if end < len(data):
            # What is cut off is kept first: nothing that was written is lost.
            kept = path.with_name(_keep(path.name, data[end:], folder, system))
            system.truncate(descriptor, end)
            system.sync(descriptor)
    except BaseException:
        system.close(descriptor)
        raise
    sink = FileSink(path, descriptor, end, system)
    return Recovered(sink=sink, standing=standing, opening=opening, kept=kept)


def end_of(data: bytes, keyring: Keyring, files: Files) -> int:
    """How many bytes of an open file stand: up to its last whole entry before anything bad.

    A close entry without its checkpoint is taken off too: nothing may follow it.

    Raises:
        HostError: `recording-complete`, `nothing-to-recover`.
        TrustError: `not-recoverable`: something bad stands before a checkpoint, which a crash
            cannot do.
    """
    lines = lines_of(data)
    walk = Walk(keyring, files).over(lines)
    if walk.closed_size:
        raise HostError(
            "recording-complete", "The recording is closed; there is nothing to go on with."
        )
    good = len(lines) - bool(data and not data.endswith(b"\n"))
    if walk.failure is not None:
        good = min(good, max(0, (walk.failure.line or 1) - 1))
    while good and lines[good - 1].startswith((_CONTENT, _CLOSE)):
        good -= 1
    for line in lines[good:]:
        if line.startswith(_CHECKPOINT) and _is_whole(line):
            why = "" if walk.failure is None else f" ({walk.failure.message})"
            raise TrustError(
                "not-recoverable",
                f"Something is wrong before a checkpoint{why}: a crash does not do that. Restore "
                "the file from a copy.",
            )
    return sum(map(len, lines[:good]))


def judge(
    data: bytes, cut: int, keyring: Keyring, files: Files, known_head: Head | None
) -> tuple[Standing, Open]:
    """What stands in these bytes, which verify as far as they are signed; and their opening.

    Raises:
        HostError: `nothing-to-recover`.
        TrustError: `rolled-back`, `not-recoverable`.
    """
    lines = lines_of(data)
    walk = Walk(keyring, files, sizes_of(known_head, None)).over(lines)
    verdict = judged_as_written(walk, known_head)
    if verdict.reason == "rolled-back":
        raise TrustError("rolled-back", verdict.message + " It is not gone on with.")
    if walk.opening is None or walk.stage in ("empty", "opened"):
        raise HostError(
            "nothing-to-recover", "The file has no whole opening and certificate. Open a new run."
        )
    if verdict.state != "holds" and verdict.reason != "nothing-signed":
        raise TrustError("not-recoverable", f"{verdict.message} ({verdict.reason})")
    tally = _Tally()
    for line in lines:
        tally.take(line)
    return (
        Standing(
            calls=tally.calls,
            chain=walk.chain,
            cut=cut,
            exchanges=tally.exchanges,
            findings=tally.findings,
            known=None if known_head is None else known_head.size,
            next_exchange=tally.next_exchange,
            next_execution=tally.next_execution,
            next_guarded=tally.next_guarded,
            number=walk.opening.segment,
            run=walk.opening.run,
            unsigned=_unsigned(verdict),
            withheld=tally.withheld,
        ),
        walk.opening,
    )


def _unsigned(verdict: Verdict) -> int:
    """Entries that no checkpoint covers; the last checkpoint itself needs none."""
    covered = verdict.signed_entries + 1 if verdict.signed_entries else 0
    return verdict.entries - covered


class _Tally:
    """What a close entry counts, and the first numbers not used."""

    def __init__(self) -> None:
        self.calls = self.exchanges = self.findings = self.withheld = 0
        self.next_exchange = self.next_execution = self.next_guarded = 0

    def take(self, line: bytes) -> None:
        document = decode_line(line[:-1])
        match document:
            case Content():
                self.withheld += withheld_in(document)
            case ComposedEntry():
                self.calls = max(self.calls, document.call + 1)
            case ExecutedEntry():
                self.next_execution = max(self.next_execution, document.execution + 1)
            case GuardedEntry():
                self.next_guarded = max(self.next_guarded, document.guarded + 1)
            case NoteEntry():
                self._before(document)
            case FindingEntry():
                self.findings += 1
            case RequestEntry():
                self.exchanges += 1
                self.next_exchange = max(self.next_exchange, document.exchange + 1)
            case _:
                pass

    def _before(self, note: NoteEntry) -> None:
        """A later segment says how many there are in those before it: the next number is none of theirs."""
        match note.topic:
            case "guarded-before":
                self.next_guarded = max(self.next_guarded, note.count)
            case "exchanges-before":
                self.next_exchange = max(self.next_exchange, note.count)
            case "calls-before":
                self.calls = max(self.calls, note.count)
            case "executions-before":
                self.next_execution = max(self.next_execution, note.count)
            case _:
                pass


def _is_whole(line: bytes) -> bool:
    try:
        decode_line(line.removesuffix(b"\n"))
    except EncodingError:
        return False
    return line.endswith(b"\n")


def _keep(recording: str, data: bytes, folder: int, system: System) -> str:
    """The name of a new durable file that has these bytes. Raises `OSError`."""
    for number in range(1, _MOST_CUTS):
        name = f"{recording}.cut-{number}"
        try:
            write_file(name, data, system, folder)
        except FileExistsError:
            continue
        system.sync(folder)
        return name
    raise HostError("recording-unwritable", f"Too many files are called {recording}.cut-….")
