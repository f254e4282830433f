"""Differing: what of a file would go and what would come, in lines, for a person alone."""

from __future__ import annotations

import difflib
from typing import Final

from groundwire.documents.target import Change

_LARGEST: Final = 200_000
_MOST_LINES: Final = 4_000
_SHOWN: Final = 60


def difference(change: Change) -> str:
    """A unified diff of the change, at most 60 lines of it; sizes where it is no text, or large.

    Holds what stands in the file: it is for whoever may read that.
    """
    before, after = _lines(change.before), _lines(change.after)
    if before is None or after is None:
        sizes = [len(each) if each is not None else 0 for each in (change.before, change.after)]
        return f"{sizes[0]} bytes become {sizes[1]}"
    diff = list(difflib.unified_diff(before, after, "before", "after", lineterm="", n=1))[2:]
    if len(diff) > _SHOWN:
        diff = [*diff[:_SHOWN], f"… and {len(diff) - _SHOWN} lines more"]
    return "\n".join(diff)


def _lines(content: bytes | None) -> list[str] | None:
    if content is None:
        return []
    if len(content) > _LARGEST:
        return None
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= _MOST_LINES else None
