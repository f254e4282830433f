"""Descriptions of several files, and what was asked for while they were opened."""

from __future__ import annotations

from typing import Any

from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.opening import open_description


class Folder:
    """Files by name; `asked` are the names that were asked for."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files
        self.asked: list[str] = []

    def read(self, name: str) -> bytes | None:
        self.asked.append(name)
        found = self._files.get(name)
        return None if found is None else found.encode()


def opened(files: dict[str, str], name: str = "api.yaml") -> Description:
    return open_description(name, Folder(files).read)


def part(description: Description, *names: str | int) -> Any:
    """What stands in a description where `names` lead, with references not followed."""
    value: Any = description.root
    for name in names:
        value = value[name]
    return value


OPEN = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n"
NEWER = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"
