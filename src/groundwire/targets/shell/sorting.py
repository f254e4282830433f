"""What a command left, sorted: files to judge, git's own, links of builds, and what is never made."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from groundwire.documents.staged import DeniedChange, GitChange, StagedFile, StagedLink
from groundwire.documents.target import Unmeasurable
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.measuring import measure
from groundwire.targets.disk.walking import Root, unreadable
from groundwire.targets.git.own import is_packable, part_of
from groundwire.targets.places.patterns import folded
from groundwire.targets.places.protected import Place, Protected, protection_of_folder
from groundwire.targets.refusing import drifted
from groundwire.targets.shell.links import may_link
from groundwire.targets.shell.reading import Upper


class Sorted(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of `documents.staged.Staged` that are changes."""

    changes: tuple[StagedFile, ...]
    git: tuple[GitChange, ...]
    links: tuple[StagedLink, ...]
    folders: tuple[str, ...]
    removed: tuple[str, ...]
    touched: tuple[StagedFile, ...]
    denied: tuple[DeniedChange, ...]


def sort_out(
    upper: Upper, since: int, root: Root, protected: Sequence[Protected], shown: tuple[str, ...]
) -> Sorted:
    """Every change is in one of the parts. `since` is the moment before the command began. Files are not held against what is protected here.

    Folders and links are, for nothing else judges them. In `.git`, locks and half-written objects
    of programs that were ended are in no part: nobody waits for them.

    Raises:
        GuardError: `path-is-link`, `not-a-file`; `state-drifted`: somebody else changed what git
            wrote. HostError: `target-unreadable`.
    """
    denied = list(upper.denied)
    changes: list[StagedFile] = []
    git: list[GitChange] = []
    for file in upper.files:
        inside = in_git(file.path)
        if inside is None:
            changes.append(file)
        elif is_left_over(inside):
            continue
        elif part_of(inside) is None:
            denied.append(DeniedChange(path=file.path, kind="git-own"))
        else:
            git.append(_git_change(file, inside, root, since))
    links: list[StagedLink] = []
    for link in upper.links:
        if may_link(link, root.path, shown):
            links.append(link)
        else:
            denied.append(DeniedChange(path=link.path, kind="symlink"))

    def is_protected(path: str) -> bool:
        place = Place(names=(f"{root.path.rstrip('/')}/{path}",), own=None, above=())
        return in_git(path) is None and protection_of_folder(place, protected) is not None

    denied += [
        DeniedChange(path=path, kind="protected")
        for path in (*upper.folders, *upper.removed)
        if is_protected(path)
    ]
    return Sorted(
        changes=tuple(changes),
        git=tuple(git),
        links=tuple(links),
        folders=tuple(path for path in upper.folders if in_git(path) is None),
        removed=tuple(path for path in upper.removed if in_git(path) is None),
        touched=tuple(
            file
            for file in upper.touched
            if in_git(file.path) is None and not is_protected(file.path)
        ),
        denied=tuple(sorted(set(denied))),
    )


def in_git(path: str) -> str | None:
    """The path below the working folder's own `.git`; None where it is not in there."""
    first, _, rest = path.partition("/")
    return rest if folded(first) == ".git" else None


def is_left_over(path: str) -> bool:
    """Whether it is a lock in a git folder, or a half-written object, of a program that was ended."""
    name = path.rpartition("/")[2]
    if name.endswith(".lock"):
        return part_of(path.removesuffix(".lock")) is not None
    return path.startswith("objects/") and name.startswith(("tmp_obj_", "tmp_pack_", "tmp_idx_"))


def _git_change(file: StagedFile, inside: str, root: Root, since: int) -> GitChange:
    with root.open_parent(file.path) as folder:
        found = measure(root.disk, folder, file.path.rpartition("/")[2])
        require_old(file.path, root, since)
    if isinstance(found.state, Unmeasurable):
        raise HostError(
            "target-unreadable",
            f"{file.path} cannot be read ({found.state.why}); nothing was applied.",
        )
    change = GitChange(path=inside, before=found.content, after=file.after, mode=file.mode)
    require_ref_old(change, root, since)
    return change


def require_ref_old(change: GitChange, root: Root, since: int) -> None:
    """Nobody has moved the ref since that moment, if it is one that has no file of its own now.

    Another git may have moved it, and packed it then, or deleted it: its own file tells neither. What is
    packed, and the nearest folder, have changed then; they may have for another ref, and the call is to
    be made anew for nothing. A reflog, or a file of the working folder, that another has deleted
    meanwhile comes back with what the command made of it: no bytes are lost by that.

    Raises:
        GuardError: `state-drifted`, `path-is-link`. HostError: `target-unreadable`.
    """
    if change.before is not None or not is_packable(change.path):
        return
    require_old(".git/packed-refs", root, since)
    path = f".git/{change.path}"
    above = root.missing_folders(path)
    nearest = above[0] if above else path
    with root.open_parent(nearest) as folder:
        if folder is None or os.fstat(folder).st_ctime_ns > since:
            raise drifted(path)


def require_old(path: str, root: Root, since: int) -> None:
    """Nobody has changed the file since that moment; to be looked at after its token was taken.

    Raises:
        GuardError: `state-drifted`, `path-is-link`. HostError: `target-unreadable`.
    """
    with root.open_parent(path) as folder:
        if folder is None:
            return
        try:
            state = root.disk.state_at(path.rpartition("/")[2], folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unreadable(path, error) from error
    if state.st_ctime_ns > since:
        raise drifted(path)


def require_allowed(denied: Sequence[DeniedChange]) -> None:
    """The command made no change of a kind that is never made.

    Raises:
        GuardError: `change-kind-denied`, with every such change.
    """
    if denied:
        listed = ", ".join(f"{each.path} ({each.kind})" for each in denied[:20])
        more = f" and {len(denied) - 20} more" if len(denied) > 20 else ""
        raise GuardError(
            "change-kind-denied",
            f"The command made what no command is let make: {listed}{more}. Nothing of it was"
            " applied. Do it without these, or ask a person to.",
        )
