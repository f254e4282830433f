"""Anchors: places elsewhere that keep each checkpoint as a signed note.

A recording whose end was cut off contradicts the notes; one that nobody anchored may be shorter
than it was and nothing shows it. An anchor that fails never stops a run: it is counted and told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, assert_never

from groundwire.documents.policy import AnchorDeclaration
from groundwire.errors import EncodingError, HostError
from groundwire.recording.notes import segment_of, split_notes
from groundwire.stores.disk.folders import make_folders, sync_folder
from groundwire.stores.disk.system import APPEND, System
from groundwire.stores.posting.post import Poster, Unanswered

TIMEOUT = 5.0
"""Seconds that an HTTP anchor may take to connect, and again to answer."""

_is_safe = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}").fullmatch


class Anchor(Protocol):
    """Somewhere that keeps signed notes."""

    def put(self, note: str) -> None:
        """The note is kept there.

        Raises:
            HostError: `anchor-failed`.
        """


class Anchors:
    """All anchors of a project. `failures` counts the notes that one of them did not take.

    `on_failure` hears of each. Slow: not to be called where an agent waits.
    """

    def __init__(
        self, anchors: Sequence[Anchor], on_failure: Callable[[HostError], None] | None = None
    ) -> None:
        self._anchors = tuple(anchors)
        self._on_failure = on_failure
        self.failures = 0

    def put(self, note: str) -> None:
        """Each anchor was asked to keep the note. Never raises."""
        for anchor in self._anchors:
            try:
                anchor.put(note)
            except HostError as error:
                self._failed(error)
            except Exception as error:  # noqa: BLE001 -- an anchor may be a stranger's own
                self._failed(
                    HostError("anchor-failed", f"An anchor failed on its own: {error!r:.200}.")
                )

    def _failed(self, error: HostError) -> None:
        self.failures += 1
        if self._on_failure is not None:
            # Whoever listens is a stranger too.
            with suppress(Exception):
                self._on_failure(error)


class FolderAnchor:
    """Appends notes to `<run>-<segment>.notes` in a folder: another disk, a mounted share."""

    def __init__(self, folder: Path, *, system: System | None = None) -> None:
        self._folder = folder
        self._system = system or System()

    def put(self, note: str) -> None:
        """The note stands, durable, behind the earlier ones of its segment.

        Raises:
            HostError: `anchor-failed`.
        """
        try:
            name = notes_name(*segment_of(note))
            make_folders(self._folder, self._system)
            self._append(self._folder.resolve() / name, note.encode())
        except OSError as error:
            raise HostError(
                "anchor-failed",
                f"A note could not be kept in {self._folder} ({error.strerror or error}).",
            ) from error
        except (EncodingError, HostError) as error:
            raise HostError("anchor-failed", error.message) from error

    def notes(self, run: str, segment: int) -> list[str]:
        """The notes kept of a segment, the oldest first; none where there are none.

        One that a crash cut off is left out. Nothing is verified here.

        Raises:
            HostError: `anchor-failed`: they are there and cannot be read.
        """
        path = self._folder / notes_name(run, segment)
        try:
            return split_notes(path.read_text(encoding="utf-8", errors="replace"))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HostError(
                "anchor-failed", f"The notes in {path} cannot be read ({error.strerror or error})."
            ) from error

    def _append(self, path: Path, data: bytes) -> None:
        descriptor = self._system.open(str(path), APPEND | os.O_CREAT)
        try:
            before = self._system.state(descriptor).st_size
            if before:
                # A line of its own, whatever a crash left at the end of the last one.
                data = b"\n" + data
            taken = self._system.write(descriptor, memoryview(data))
            if taken != len(data):
                self._system.truncate(descriptor, before)
                raise OSError(f"only {taken} of {len(data)} bytes were taken")
            self._system.sync(descriptor)
        finally:
            self._system.close(descriptor)
        if not before:
            sync_folder(path.parent, self._system)


class HttpAnchor:
    """Posts notes to one address, as text. Follows no redirect and asks no proxy."""

    def __init__(self, address: str, *, timeout: float = TIMEOUT) -> None:
        self._address = address
        self._timeout = timeout
        self._poster = Poster()

    def put(self, note: str) -> None:
        """The server answered that it took the note (a status from 200 to 299).

        Raises:
            HostError: `anchor-failed`.
        """
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        came = self._poster.post(
            self._address, note.encode(), headers, timeout=self._timeout, most=0
        )
        if isinstance(came, Unanswered):
            raise self._failed(came.why)

    def _failed(self, why: str) -> HostError:
        return HostError("anchor-failed", f"The anchor {self._address} took no note: {why[:200]}.")


def anchor_of(declaration: AnchorDeclaration, base: Path) -> Anchor:
    """The anchor that is declared; a folder's path is relative to `base`."""
    match declaration.kind:
        case "folder":
            return FolderAnchor(base / Path(declaration.target).expanduser())
        case "http":
            return HttpAnchor(declaration.target)
        case _:
            assert_never(declaration.kind)


def notes_name(run: str, segment: int) -> str:
    """The name of the file in which a folder keeps a segment's notes.

    Raises:
        HostError: `anchor-failed`, for a run id that would be another folder's path.
    """
    if not _is_safe(run):
        raise HostError("anchor-failed", "The run's id cannot be a file's name.")
    return f"{run}-{segment}.notes"
