"""Edit: what a tool asks to be done to files, before anything is read."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Replace(msgspec.Struct, frozen=True, kw_only=True, tag="replace"):
    """`old` gives way to `new`; it has to stand there `count` times, no more and no fewer."""

    old: str
    new: str
    count: int = 1


class Rewrite(msgspec.Struct, frozen=True, kw_only=True, tag="rewrite"):
    """In the file, each replacement in its order, on what the one before left."""

    path: str
    edits: tuple[Replace, ...]


class Whole(msgspec.Struct, frozen=True, kw_only=True, tag="whole"):
    """The file holds `content`, whether it was there or not."""

    path: str
    content: bytes


class Create(msgspec.Struct, frozen=True, kw_only=True, tag="create"):
    """A file that was not there holds `content`; `mode` None leaves its permissions to the system."""

    path: str
    content: bytes
    mode: int | None = None


class Patch(msgspec.Struct, frozen=True, kw_only=True, tag="patch"):
    """A unified diff of one or more files, as `diff -u` or git writes it.

    Where `path` is given the diff is of that one file, whatever its headers say.
    """

    text: str
    path: str | None = None


class Delete(msgspec.Struct, frozen=True, kw_only=True, tag="delete"):
    """The file is gone."""

    path: str


class Move(msgspec.Struct, frozen=True, kw_only=True, tag="move"):
    """The file has the other name, which nothing stood at."""

    path: str
    to: str


class SetMode(msgspec.Struct, frozen=True, kw_only=True, tag="mode"):
    """The file has these permission bits."""

    path: str
    mode: int


FileEdit: TypeAlias = Rewrite | Whole | Create | Patch | Delete | Move | SetMode
