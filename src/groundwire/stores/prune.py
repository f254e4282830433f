"""Pruning: closed recordings that are old enough go, each under a signed record made before.

Only files directly in the folder are looked at, through the open folder, never through a link.
What is open, in use, or does not verify stays: the last may be evidence. A recording is deleted
with its attached files and with what recovery once cut off it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.entry import CloseEntry, Open
from groundwire.documents.verdict import Head
from groundwire.errors import EncodingError, HostError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from groundwire.recording.chain import Chain
from groundwire.recording.lines import decode_line
from groundwire.stores.disk.folders import ATTACHMENTS, attached_to, lines_of, read_all
from groundwire.stores.disk.system import READ, System, is_file
from groundwire.verify.walk import Walk

Why: TypeAlias = Literal["open", "in-use", "young", "does-not-verify", "not-a-file"]

_CONTENT = b'{"@":"content",'
_CLOSE = b'{"@":"close/1",'
_is_number = re.compile(r"[0-9]{1,9}").fullmatch
_is_attachment = re.compile(r"[0-9a-f]{64}|\.[0-9a-f]{64}\.[0-9]+\.part|\.gitignore").fullmatch


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """A recording that was deleted, or would be."""

    name: str
    run: str
    segment: int
    closed_at: str
    bytes: int


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A recording that stays, and why."""

    name: str
    why: Why


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What became of every recording in the folder."""

    pruned: tuple[Pruned, ...]
    kept: tuple[Kept, ...]


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A closed segment: its head over all entries, and whether its run goes on in another."""

    name: str
    run: str
    segment: int
    root: str
    size: int
    closed_at: str
    goes_on: bool
    bytes: int

    @property
    def key(self) -> tuple[str, int, str]:
        """What a deletion record names it by."""
        return self.run, self.segment, self.root

    @property
    def head(self) -> Head:
        """The end of the file."""
        return Head(run=self.run, segment=self.segment, size=self.size, root=self.root)


def prune(
    folder: Path, *, closed_before: datetime, keyring: Keyring,
    recorded: Collection[tuple[str, int, str]], record: Callable[[Head], None] | None,
    system: System | None = None,
) -> Report:  # fmt: skip
    """Every recording in `folder` that was closed before then is gone; what stays, and why.

    `record` has to make a signed record of the deletion durable before it returns; with None
    nothing is recorded or deleted, only reported. `recorded` are deletions (run, segment, root)
    that an earlier call recorded: one that was ended half-way is finished. A run in several
    segments goes as one, by the end of its last.

    Raises:
        HostError: `folder-unsafe` (a link, or no folder), `prune-failed`; what `record` raises.
    """
    system = system or System()
    try:
        descriptor = system.open_folder(str(folder.absolute()))
    except OSError as error:
        raise HostError(
            "folder-unsafe",
            f"{folder} is no folder, or a link to one ({error.strerror}); name the folder itself.",
        ) from error
    try:
        found, kept = _examine(descriptor, keyring, recorded, system)
        due, staying = _due(found, format_time(closed_before))
        for segment in due if record else ():
            if record and segment.key not in recorded:
                record(segment.head)
            _delete(descriptor, segment, system)
    except OSError as error:
        raise HostError(
            "prune-failed",
            f"{error.filename or folder} could not be read or deleted ({error.strerror}); what was "
            "recorded as deleted is finished by the next call.",
        ) from error
    finally:
        system.close(descriptor)
    return Report(
        pruned=tuple(_pruned(segment) for segment in due),
        kept=tuple(sorted([*kept, *staying], key=lambda each: each.name)),
    )


def _pruned(segment: Found) -> Pruned:
    return Pruned(
        name=segment.name, run=segment.run, segment=segment.segment, bytes=segment.bytes,
        closed_at=segment.closed_at,
    )  # fmt: skip


def _due(found: Iterable[Found], before: str) -> tuple[list[Found], list[Kept]]:
    """The segments of runs that were over before then, in order, and why the others stay."""
    runs: dict[str, list[Found]] = {}
    for segment in found:
        runs.setdefault(segment.run, []).append(segment)
    due: list[Found] = []
    kept: list[Kept] = []
    for segments in runs.values():
        segments.sort(key=lambda each: each.segment)
        last = segments[-1]
        if last.goes_on or last.closed_at >= before:
            why: Why = "open" if last.goes_on else "young"
            kept += [Kept(name=each.name, why=why) for each in segments]
        else:
            # From the first on: if this ends half-way, the one that says the run is over is there.
            due += segments
    return due, kept


def _examine(
    folder: int, keyring: Keyring, recorded: Collection[tuple[str, int, str]], system: System
) -> tuple[list[Found], list[Kept]]:
    found: list[Found] = []
    kept: list[Kept] = []
    for name in sorted(system.names(folder)):
        if not name.endswith(".gw"):
            continue
        if not is_file(system.state_at(name, folder=folder)):
            kept.append(Kept(name=name, why="not-a-file"))
            continue
        seen = _segment(folder, name, keyring, recorded, system)
        if isinstance(seen, Found):
            found.append(seen)
        else:
            kept.append(Kept(name=name, why=seen))
    return found, kept


def _segment(
    folder: int, name: str, keyring: Keyring, recorded: Collection[tuple[str, int, str]],
    system: System,
) -> Found | Why:  # fmt: skip
    descriptor = system.open(name, READ, folder=folder)
    try:
        system.lock(descriptor)
        data = read_all(descriptor, system)
    except BlockingIOError:
        return "in-use"
    finally:
        system.close(descriptor)
    lines = lines_of(data)
    left = _recorded(name, lines, len(data), recorded)
    if left is not None:
        return left
    walk = Walk(keyring, attached_to(name, system, folder)).over(lines)
    opening = walk.opening
    if walk.failure or walk.doubt or walk.signatures.stranger:
        return "does-not-verify"
    if not walk.closed_size or opening is None:
        return "open"
    return Found(
        name=name, run=opening.run, segment=opening.segment, root=walk.chain.root(),
        size=walk.chain.size, closed_at=_closed_at(lines), goes_on=walk.next_segment,
        bytes=len(data),
    )  # fmt: skip


def _recorded(
    name: str, lines: Iterable[bytes], size: int, recorded: Collection[tuple[str, int, str]]
) -> Found | None:
    """The segment, if its deletion was recorded: then files of it may be gone already."""
    if not recorded:
        return None
    chain, opening = Chain(), None
    for line in lines:
        if not line.startswith(_CONTENT):
            chain.append(line.removesuffix(b"\n"))
            opening = opening or line
    try:
        entry = decode_line((opening or b"").removesuffix(b"\n"))
    except EncodingError:
        return None
    if not isinstance(entry, Open) or (entry.run, entry.segment, chain.root()) not in recorded:
        return None
    return Found(
        name=name, run=entry.run, segment=entry.segment, root=chain.root(), size=chain.size,
        closed_at="", goes_on=False, bytes=size,
    )  # fmt: skip


def _closed_at(lines: Iterable[bytes]) -> str:
    """When the run was closed: a redaction later on does not make it younger."""
    for line in lines:
        if line.startswith(_CLOSE):
            entry = decode_line(line.removesuffix(b"\n"))
            if isinstance(entry, CloseEntry):
                return entry.at
    return ""


def _delete(folder: int, segment: Found, system: System) -> None:
    """Attached files, cut ends, and the recording last: while it is there, a new call finishes."""
    attached = segment.name + ATTACHMENTS
    with suppress(FileNotFoundError):
        _delete_attached(folder, attached, system)
    for name in system.names(folder):
        if name.startswith(segment.name + ".cut-") and _is_number(name.rpartition("-")[2]):
            system.remove(name, folder=folder)
    system.remove(segment.name, folder=folder)
    system.sync(folder)


def _delete_attached(folder: int, name: str, system: System) -> None:
    inside = system.open_folder(name, folder=folder)
    try:
        for each in system.names(inside):
            # What is not ours is left, and with it the folder: `remove_folder` then says so.
            if _is_attachment(each):
                system.remove(each, folder=inside)
        system.sync(inside)
    finally:
        system.close(inside)
    system.remove_folder(name, folder=folder)
