"""Names of refs: which a call may move."""

from __future__ import annotations

import re
from typing import Final

from groundwire.errors import GuardError

MOVABLE: Final = ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/notes/")
"""Refs that stand for history. Of the others refs/replace changes what every object seems to hold,
and refs/stash is read through its log."""

_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|/$|\.$|^@$")


def is_ref(name: str) -> bool:
    """Whether git takes it for the full name of a ref (git-check-ref-format)."""
    return name.startswith("refs/") and not _FORBIDDEN.search(name) and _is_text(name)


def require_ref(name: str) -> None:
    """The name is the full one of a branch, a tag, a remote's branch or notes.

    Raises:
        GuardError: `bad-ref`.
    """
    if not is_ref(name) or not name.startswith(MOVABLE):
        raise GuardError(
            "bad-ref",
            "A ref is named in full and in git's own form: refs/heads/..., refs/tags/...,"
            " refs/remotes/... or refs/notes/...; no other is moved here.",
        )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
