"""Journals: what a write of several files is going to do, on the medium before it does any of it.

A file of lines: the plan, the tokens of what was staged, the word that everything stands. A last
line without its end, and what is behind it, was never written. Whoever writes holds its lock, so
that a write that still goes on is not recovered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from groundwire.documents.target import Plan, Present
from groundwire.errors import EncodingError, HostError
from groundwire.targets.disk.system import Disk

WRITE_ID: Final = re.compile(r"[0-9a-f]{32,64}")
ENDING: Final = ".journal"
_HELD: Final = re.compile(r"\.gw-[0-9a-f]{32,64}-\d+")
_LARGEST: Final = 64 << 20


class Staged(msgspec.Struct, frozen=True, tag="staged", forbid_unknown_fields=True):
    """One token a step; None for a step that stages nothing."""

    tokens: tuple[Present | None, ...]


class Committed(msgspec.Struct, frozen=True, tag="committed", forbid_unknown_fields=True):
    """Everything stands; only what it displaced is still to be removed."""


class Standing(msgspec.Struct, frozen=True):
    """How far a write had come. `staged` is empty where nothing was staged for sure."""

    plan: Plan
    staged: tuple[Present | None, ...]
    committed: bool


class Journal:
    """One write's journal, open and locked."""

    def __init__(self, path: Path, descriptor: int, folder: int, disk: Disk) -> None:
        self.path = path
        self._descriptor = descriptor
        self._folder = folder
        self._disk = disk

    def staged(self, tokens: Sequence[Present | None]) -> None:
        """The plan and these tokens are on the medium. Raises `OSError`."""
        self._line(Staged(tuple(tokens)))
        self._disk.sync(self._descriptor)
        self._disk.sync(self._folder)

    def committed(self) -> None:
        """It is on the medium that everything stands. Raises `OSError`."""
        self._line(Committed())
        self._disk.sync(self._descriptor)

    def discard(self) -> None:
        """There is no journal any more: nothing is left to recover. Raises `OSError`."""
        self._disk.remove(self.path.name, self._folder)

    def close(self) -> None:
        """The journal is let go, and its lock; what it says stays where it was not discarded."""
        self._disk.close(self._descriptor)
        self._disk.close(self._folder)

    def _line(self, document: Plan | Staged | Committed) -> None:
        self._disk.write(self._descriptor, msgspec.json.encode(document) + b"\n")


def begin(folder: Path, plan: Plan, disk: Disk) -> Journal:
    """A journal with the plan, so that another process can put back what this one begins.

    Raises:
        HostError: `journal-failed`.
    """
    path = folder / (plan.write + ENDING)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = disk.open_root(str(folder))
        try:
            descriptor = disk.create(path.name, opened, 0o600)
        except BaseException:
            disk.close(opened)
            raise
        journal = Journal(path, descriptor, opened, disk)
        try:
            disk.lock(descriptor)
            disk.write(descriptor, msgspec.json.encode(plan) + b"\n")
        except BaseException:
            journal.close()
            raise
    except OSError as error:
        raise _failed(path, error) from error
    return journal


def open_journal(path: Path, disk: Disk) -> tuple[Journal, Standing | None]:
    """The journal, locked, and how far its write had come; None: it had not begun.

    Raises:
        HostError: `journal-in-use`: its write still goes on; `journal-failed`.
        EncodingError: `bad-journal`.
    """
    try:
        folder = disk.open_root(str(path.parent))
        try:
            descriptor = disk.open_file(path.name, folder)
        except BaseException:
            disk.close(folder)
            raise
    except OSError as error:
        raise _failed(path, error) from error
    journal = Journal(path, descriptor, folder, disk)
    try:
        return journal, _locked(path, lambda: disk.lock(descriptor), descriptor, disk)
    except BaseException:
        journal.close()
        raise


def standing_of(data: bytes) -> Standing | None:
    """How far a write had come by the bytes of its journal; None: not even the plan is whole.

    Raises:
        EncodingError: `bad-journal`.
    """
    lines = data.split(b"\n")[:-1]
    if not lines:
        return None
    try:
        plan = msgspec.json.decode(lines[0], type=Plan)
        rest = [msgspec.json.decode(line, type=Staged | Committed) for line in lines[1:]]
    except msgspec.MsgspecError as error:
        raise _bad("a line is none of a journal") from error
    staged = rest[0].tokens if rest and isinstance(rest[0], Staged) else ()
    if len(rest) > 2 or (rest and len(staged) != len(plan.steps)):
        raise _bad("its lines are not those of one write")
    committed = len(rest) == 2
    if committed and not isinstance(rest[1], Committed):
        raise _bad("its lines are not those of one write")
    require_plan(plan)
    return Standing(plan, staged, committed)


def require_plan(plan: Plan) -> None:
    """Every name in the plan is one that a write of ours can have made.

    Raises:
        EncodingError: `bad-journal`.
    """
    if not WRITE_ID.fullmatch(plan.write):
        raise _bad("the name of its write is none")
    for step in plan.steps:
        paths = [step.path, *step.folders, *([step.to] if step.to else [])]
        if not _HELD.fullmatch(step.held) or any(_leads_out(path) for path in paths):
            raise _bad("it names what no write of ours has")
    if plan.rest is not None:
        named = (*plan.rest.links, *plan.rest.times)
        paths = [*plan.rest.folders, *plan.rest.removed, *(path for path, _ in named)]
        if any(_leads_out(path) for path in paths):
            raise _bad("it names what no command of ours leaves")


def _leads_out(path: str) -> bool:
    return any(part in {"", ".", ".."} for part in path.split("/")) or "\0" in path


def _locked(path: Path, lock: Callable[[], None], descriptor: int, disk: Disk) -> Standing | None:
    try:
        lock()
        data = disk.read(descriptor, _LARGEST)
    except BlockingIOError as error:
        raise HostError(
            "journal-in-use", f"The write of {path} still goes on; wait until it has ended."
        ) from error
    except OSError as error:
        raise _failed(path, error) from error
    if os.fstat(descriptor).st_nlink < 1:
        raise HostError("journal-in-use", f"The write of {path} has just ended.")
    return standing_of(data)


def _failed(path: Path, error: OSError) -> HostError:
    return HostError(
        "journal-failed",
        f"The journal {path} cannot be kept ({error.strerror or error}); see to its folder.",
    )


def _bad(why: str) -> EncodingError:
    return EncodingError(
        "bad-journal",
        f"A journal of an interrupted write cannot be followed: {why}. Look at the files it names"
        " by hand, then delete it.",
    )
