"""Unseen: bytes that a command would take away and that nobody has: neither the run nor git.

Of a command nobody knows which files it wrote whole and which it edited, so that is read off what
it left: a file that is gone, one of which no word is left, one that holds an older content again.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable
from typing import Final

from groundwire.canon.digest import sha256
from groundwire.documents.staged import GitChange
from groundwire.documents.target import Change, Proposal
from groundwire.session.guarding.ways.known import Known
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.shell.links import BUILD_FOLDERS

_WORD: Final = re.compile(rb"[\w\x80-\xff]+")


def takes_unseen(
    proposal: Proposal, written: Iterable[GitChange], known: Known, holdings: DiskHoldings
) -> bool:
    """Whether bytes go that the run has neither read nor written and git has no object of.

    `written` is what the command wrote in `.git`: what it put away there is not lost. Build
    products do not count, nor bytes that another file holds afterwards. A file that git stores with
    other line ends is taken for one that it does not have.
    """
    made = {sha256(change.after) for change in proposal.changes if change.after is not None}
    put_away = made | _blobs(written)
    going = [
        change for change in proposal.changes if _goes(change) and _digest(change) not in put_away
    ]
    lacking = holdings.lacking_in_git([change.name.path for change in going])
    return any(
        change.name.path in lacking
        and not known.has(os.path.join(change.name.root, change.name.path), change.before or b"")
        and _is_whole(change, holdings)
        for change in going
    )


def _goes(change: Change) -> bool:
    if change.name.kind != "files" or change.kind not in ("changed", "deleted"):
        return False
    return bool(change.before) and not BUILD_FOLDERS & set(change.name.path.split("/")[:-1])


def _digest(change: Change) -> str:
    return sha256(change.before or b"")


def _is_whole(change: Change, holdings: DiskHoldings) -> bool:
    """Whether nothing of the file is left, or what it holds now is what git had already."""
    if change.after is None:
        return True
    shared = set(_WORD.findall(change.before or b"")) & set(_WORD.findall(change.after))
    return not shared or holdings.stands_in_git(change.after)


def _blobs(written: Iterable[GitChange]) -> set[str]:
    """The digests of contents that stand in loose objects among these."""
    found: set[str] = set()
    for change in written:
        if change.after is None or not change.path.startswith("objects/"):
            continue
        try:
            kind, _, content = zlib.decompress(change.after).partition(b"\0")
        except zlib.error:
            continue  # a pack or its index
        if kind.startswith(b"blob "):
            found.add(sha256(content))
    return found
