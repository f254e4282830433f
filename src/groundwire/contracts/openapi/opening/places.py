"""Which file a reference leads to, seen from the file it stands in; none is read here."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from groundwire.contracts.openapi.resolving import names_of

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
# Not in a file's name: another system may take them for more than characters.
_STRANGE: Final = re.compile(r"[\x00-\x1f\x7f\\:]")


class Outside(Exception):
    """No file of the declared root is meant; `args[0]` is why."""


class Place(msgspec.Struct, frozen=True):
    """A file below the root, and what a reference says behind its `#`."""

    file: str
    fragment: str

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names on the way to the value; None where the fragment is an anchor's name."""
        if self.fragment and not self.fragment.startswith(("/", "%")):
            return None
        names = names_of(f"#{self.fragment}")
        return None if self.fragment and names == (f"#{self.fragment}",) else names


def place_of(reference: str, file: str) -> Place:
    """The place that `reference` means in `file`, a path below the declared root.

    Raises:
        Outside: `reference-remote` (another scheme or host, a query), `reference-outside` (a path
            that is absolute, leads out of the root or has strange characters, `file:`).
    """
    uri, _, fragment = reference.partition("#")
    if not uri:
        return Place(file, fragment)
    scheme = _SCHEME.match(uri)
    if scheme is not None:
        raise Outside("reference-outside" if scheme[1].lower() == "file" else "reference-remote")
    if uri.startswith("//") or "?" in uri:
        raise Outside("reference-remote")
    return Place(_joined(file, _decoded(uri)), fragment)


def normal(name: str) -> str:
    """The name of a file below the root, without dots and doubled strokes.

    Raises:
        Outside: `reference-outside`.
    """
    return _joined("", name)


def _decoded(uri: str) -> str:
    try:
        data = _PERCENT.sub(lambda found: bytes([int(found[1], 16)]), uri.encode("utf-8"))
        return data.decode("utf-8")
    except UnicodeError as error:
        raise Outside("reference-outside") from error


def _joined(file: str, path: str) -> str:
    if path.startswith("/") or _STRANGE.search(path):
        raise Outside("reference-outside")
    steps = file.split("/")[:-1]
    for step in path.split("/"):
        if step == "..":
            if not steps:
                raise Outside("reference-outside")
            steps.pop()
        elif step not in {"", "."}:
            steps.append(step)
    if not steps or path.endswith("/"):
        raise Outside("reference-outside")
    return "/".join(steps)
