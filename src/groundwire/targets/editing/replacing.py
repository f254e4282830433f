"""Replacements of exact text: found as often as was said, or refused. No blank is forgiven."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.documents.edit import Replace
from groundwire.errors import GuardError


def replaced(path: str, content: bytes, edits: Sequence[Replace]) -> bytes:
    """The content with every replacement made, each on what the one before left.

    Text is looked for as its UTF-8 bytes. Occurrences that overlap count each, so that what could
    be meant in two ways is refused. `path` is for the message.

    Raises:
        GuardError: `edit-malformed`: nothing to look for, to put in its place or to do;
            `edit-not-found`, `edit-ambiguous`: it stands there less or more often than was said.
    """
    if not edits:
        raise GuardError("edit-malformed", f"No edit of {path} was given; give at least one.")
    for number, edit in enumerate(edits, 1):
        old, new = _bytes_of(path, number, edit)
        found = occurrences(content, old)
        if found != edit.count or content.count(old) != found:
            raise _refused(path, number, edit.count, found, content, old)
        content = content.replace(old, new)
    return content


def occurrences(content: bytes, old: bytes) -> int:
    """How often `old` begins in the content, overlaps counted each; `old` is not empty."""
    count, at = 0, content.find(old)
    while at >= 0:
        count += 1
        at = content.find(old, at + 1)
    return count


def _bytes_of(path: str, number: int, edit: Replace) -> tuple[bytes, bytes]:
    if not edit.old or edit.old == edit.new or edit.count < 1:
        raise GuardError(
            "edit-malformed",
            f"Edit {number} of {path} changes nothing: `old` must be some text, `new` another, and"
            " `count` at least 1.",
        )
    try:
        return edit.old.encode(), edit.new.encode()
    except UnicodeEncodeError as error:
        raise GuardError(
            "edit-malformed", f"Edit {number} of {path} has half a character; send whole text."
        ) from error


def _refused(
    path: str, number: int, wanted: int, found: int, content: bytes, old: bytes
) -> GuardError:
    if found >= wanted:
        return GuardError(
            "edit-ambiguous",
            f"`old` of edit {number} stands {found} times in {path}, where it may overlap itself,"
            f" not {wanted} times apart; give more of what is around it, or the count.",
        )
    hint = ""
    if b"\r\n" in content and b"\n" in old and b"\r\n" not in old:
        hint = " Lines of the file end with CR LF."
    return GuardError(
        "edit-not-found",
        f"`old` of edit {number} stands {found} times in {path}, not {wanted}; read the file again"
        f" and copy the text exactly.{hint}",
    )
