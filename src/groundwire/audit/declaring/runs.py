"""Runs: the events of recordings and logs, whichever a file is; what cannot be read is a problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from groundwire.audit.logs import log_events
from groundwire.audit.recordings import open_recording
from groundwire.audit.replay import replay
from groundwire.documents.event import Event
from groundwire.errors import EncodingError, GroundwireError, HostError
from groundwire.keys.keyring import Keyring
from groundwire.wire.importers import ImportProblem, import_log

MOST_RECORDINGS = 20

_RECORDING = b'{"@":'


class SeenRun(msgspec.Struct, frozen=True):
    """One run and its events, which are read once, before the next run is asked for."""

    run: str
    events: Iterable[Event]


def read_runs(
    files: Iterable[Path], keyring: Keyring, schemas: Mapping[str, str]
) -> Iterator[SeenRun | GroundwireError]:
    """Every run in these files; instead of what cannot be read, or does not verify, its error.

    A recording whose signer nobody here knows is read: nothing that is proposed from it is evidence.
    The segments of one run count as runs of their own.
    """
    for file in files:
        try:
            if _is_recording(file):
                reader = open_recording(file, keyring).reader
                yield SeenRun(reader.opening.run, list(replay(reader)))
            else:
                yield from _logged(file, schemas)
        except GroundwireError as error:
            yield error


def newest_recordings(folder: Path) -> list[Path]:
    """The recordings in the folder that were written to last, at most `MOST_RECORDINGS`."""
    try:
        files = [(path.stat().st_mtime, path) for path in folder.glob("*.gw")]
    except OSError:
        return []
    return [path for _, path in sorted(files, reverse=True)[:MOST_RECORDINGS]]


def schemas_in(file: Path) -> Mapping[str, str]:
    """The tool schema texts by name in a JSON object of texts.

    Raises:
        HostError: `file-unreadable`.
        EncodingError: `not-schemas`.
    """
    try:
        return msgspec.json.decode(bytes_of(file), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise EncodingError(
            "not-schemas",
            f"{file} is no JSON object of texts ({error}). Name another by --schemas.",
        ) from error


def _logged(file: Path, schemas: Mapping[str, str]) -> Iterator[SeenRun | GroundwireError]:
    beside = file.parent / "schemas.json"
    if not schemas and beside.is_file():
        schemas = schemas_in(beside)
    log = bytes_of(file)
    try:
        yield from _runs_in(log, file, schemas)
    except EncodingError as error:
        raise EncodingError(error.reason, f"{file}: {error}") from error


def _runs_in(
    log: bytes, file: Path, schemas: Mapping[str, str]
) -> Iterator[SeenRun | GroundwireError]:
    for run in import_log(log, tool_schemas=schemas):
        if isinstance(run, ImportProblem):
            yield EncodingError(run.reason, f"{file}: {run.message}")
        else:
            yield SeenRun(run.run_id, log_events(run.steps))


def _is_recording(file: Path) -> bool:
    return file.is_file() and bytes_of(file, len(_RECORDING)) == _RECORDING


def bytes_of(file: Path, most: int = -1) -> bytes:
    """The file's bytes, or the first of them.

    Raises:
        HostError: `file-unreadable`.
    """
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError(
            "file-unreadable", f"{file} cannot be read: {reason}; give a file that can be read."
        ) from error
