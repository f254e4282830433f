"""The manifest of a recording by its path alone, for the process that is writing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from groundwire.audit.lineage.reading import manifest_of_segments
from groundwire.documents.manifest import Manifest
from groundwire.errors import HostError
from groundwire.recording.reader import Reader, read
from groundwire.stores.disk.reading import open_to_read, segments_beside


def manifest_of_file(path: Path) -> Manifest:
    """The manifest of the run up to the end of this file, with the segments before it in its folder.

    Verifies nothing: whoever did not write the file opens it with `gw.open_recording`.

    Raises:
        HostError: `recording-unreadable`; `segment-missing`: one before it is not in its folder.
        EncodingError: it is no recording of this format.
    """
    last = _read(path)
    before: dict[int, Reader] = {}
    if last.opening.segment:
        for other in segments_beside(path):
            reader = _read(other)
            if other != path and reader.opening.segment < last.opening.segment:
                before.setdefault(reader.opening.segment, reader)
    if sorted(before) != list(range(last.opening.segment)):
        raise HostError(
            "segment-missing",
            f"{path}: the segments of this run before it are not all in its folder; put them there.",
        )
    return manifest_of_segments([*(before[number] for number in sorted(before)), last])


def _read(path: Path) -> Reader:
    with open_to_read(path) as file:
        return read(list(file.lines()), _files(path))


def _files(path: Path) -> Callable[[str], bytes | None]:
    def file(digest: str) -> bytes | None:
        with open_to_read(path) as recording:
            return recording.file(digest)

    return file
