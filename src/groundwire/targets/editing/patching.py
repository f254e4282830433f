"""Hunks put into a file: where they say, or at the only other place that fits. Never fuzzily."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.errors import GuardError
from groundwire.targets.editing.patch_text import Hunk


def patched(path: str, content: bytes, hunks: Sequence[Hunk]) -> bytes:
    """The content with every hunk put in, in order; each old line has to stand there to the byte.

    A hunk goes to the line it names; where its old lines do not stand there, to the only place
    after the hunk before it where they do. Once one has been found elsewhere, line numbers count
    for nothing, and every later one has to fit exactly one place.

    Raises:
        GuardError: `patch-not-found`, `patch-ambiguous`.
    """
    lines = _lines(content)
    made: list[bytes] = []
    at, trusted = 0, True
    for number, hunk in enumerate(hunks, 1):
        stated = hunk.start - 1 if hunk.old else hunk.start
        begin = _place(path, number, hunk, lines, at, stated if trusted else None)
        trusted = trusted and begin == stated
        made += lines[at:begin]
        made += hunk.new
        at = begin + len(hunk.old)
    made += lines[at:]
    _require_line_ends(path, made)
    return b"".join(made)


def _place(
    path: str, number: int, hunk: Hunk, lines: Sequence[bytes], least: int, stated: int | None
) -> int:
    """The index of the line that the hunk's first old line stands at, or is put before."""
    size = len(hunk.old)
    if (
        stated is not None
        and least <= stated <= len(lines) - size
        and tuple(lines[stated : stated + size]) == hunk.old
    ):
        return stated
    if not hunk.old:
        raise GuardError(
            "patch-not-found",
            f"Hunk {number} of the patch of {path} only adds lines and names a place that is not"
            " there; give lines of context.",
        )
    first = hunk.old[0]
    places = [
        begin
        for begin in range(least, len(lines) - size + 1)
        if lines[begin] == first and tuple(lines[begin : begin + size]) == hunk.old
    ]
    if not places:
        raise GuardError(
            "patch-not-found",
            f"The old lines of hunk {number} of the patch stand nowhere in {path}; read the file"
            " again and make the patch anew.",
        )
    if len(places) > 1:
        raise GuardError(
            "patch-ambiguous",
            f"The old lines of hunk {number} of the patch fit {len(places)} places in {path}; give"
            " more lines of context.",
        )
    return places[0]


def _lines(content: bytes) -> list[bytes]:
    """The lines with their line feeds, the last maybe without. Only a line feed ends a line."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _require_line_ends(path: str, lines: Sequence[bytes]) -> None:
    """A line without a line feed can only be the last: anything else would join two lines."""
    if any(not line.endswith(b"\n") for line in lines[:-1]):
        raise GuardError(
            "patch-not-found",
            f"The patch puts a line without its end into the middle of {path}; make it anew.",
        )
