"""Descriptions made of plain values, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Where
from groundwire.contracts.openapi.description import Description


class Plain:
    """A locator that knows the file's name and no lines."""

    def __init__(self, file: str) -> None:
        self._file = file

    def where(self, pointer: str) -> Where:
        """The pointer in the one file."""
        return Where(self._file, pointer)


def described(
    root: Mapping[str, JSON], unread: Mapping[str, str] | None = None, file: str = "api.json"
) -> Description:
    """The description that `root` holds; its version and dialect by its `openapi`."""
    version = root.get("openapi", "3.1.0")
    assert isinstance(version, str)
    return Description(
        version=version,
        root=root,
        dialect="openapi-3.0" if version.startswith("3.0") else "2020-12",
        locator=Plain(file),
        unread=unread or {},
    )
