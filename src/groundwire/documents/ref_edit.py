"""RefEdit: what a tool asks to be done to the refs of a repository, before anything is read."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Commit(msgspec.Struct, frozen=True, kw_only=True, tag="commit"):
    """What is staged is a commit with this message, on the branch that is checked out."""

    message: str


class SetRef(msgspec.Struct, frozen=True, kw_only=True, tag="set-ref"):
    """The ref, by its full name, is at the commit, whether it was there or not."""

    ref: str
    commit: str


class DeleteRef(msgspec.Struct, frozen=True, kw_only=True, tag="delete-ref"):
    """The ref, by its full name, is gone."""

    ref: str


RefEdit: TypeAlias = Commit | SetRef | DeleteRef
