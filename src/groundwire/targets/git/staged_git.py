"""StagedGit: what git wrote in a working folder's `.git` while a command was staged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from groundwire.documents.staged import GitChange
from groundwire.documents.target import (
    Absent,
    Change,
    ChangeKind,
    Observation,
    Plan,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
    Written,
)
from groundwire.errors import GroundwireError, GuardError
from groundwire.targets.disk.git_program import Git
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.git.history import History
from groundwire.targets.git.locking import locked
from groundwire.targets.git.own import is_packable, is_sound, is_sound_entry, packed, part_of
from groundwire.targets.git.staged.leaving import packed_refs, refs_left, refs_now, refs_then
from groundwire.targets.git.staged.shadow import Shadow, shadow_of
from groundwire.targets.git.staged.unseen import entries_of, history_beside, unseen_files
from groundwire.targets.refusing import drifted, unmeasurable

_FOLDER: Final = ".git"
_NAME: Final = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_BY_THEMSELVES: Final = frozenset({"object", "housekeeping"})


class StagedGit:
    """Refs, reflogs, index and state of one repository, as one write with the files beside them.

    Its changes are named `git`, below the git folder; the files target writes them, in one with the
    command's other files, while git's own locks are held: no git comes in between, and whoever
    writes without locks is noticed as with any file. New objects come in first and stay whatever
    becomes of the rest: nothing leads to them. What git does to keep its objects in order (packs,
    their indexes, removing what nothing leads to) is left out: no object is ever deleted.

    Only of a repository whose `.git` is a folder in the working folder itself.
    """

    def __init__(
        self,
        files: FilesTarget,
        changes: Sequence[GitChange],
        now: float,
        content: Callable[[str], bytes | None],
    ) -> None:
        self._files = files
        self._folder = os.path.join(files.root, _FOLDER)
        self._all = tuple(changes)
        self._changes = {
            change.path: change
            for change in changes
            if part_of(change.path) not in _BY_THEMSELVES and change.before != change.after
        }
        self._git = Git(files.root)
        self._now = now
        self._content = content
        self._packed = self._packed_now()
        self._history: History | None = None

    def require_sound(self) -> None:
        """Git writes every path by itself, and none of them starts a program later.

        Raises:
            GuardError: `change-kind-denied`.
        """
        odd = [
            change.path
            for change in self._all
            if part_of(change.path) is None or not is_sound(change.path, change.after)
        ]
        if not odd and not self._is_index_sound():
            odd.append("index")
        if odd:
            raise GuardError(
                "change-kind-denied",
                f"The command left in .git what git does not, or what starts a program later:"
                f" {', '.join(odd[:20])}. Nothing of it was applied; do it without these.",
            )

    def require_whole(self, hidden: Sequence[str]) -> None:
        """The index leaves out no file that was hidden from the command, which took it for deleted.

        Raises:
            GuardError: `change-kind-denied`. HostError: `git-missing`, `git-failed`.
        """
        index = self._changes.get("index")
        if not hidden or index is None:
            return
        with shadow_of(self._git, self._objects, ()) as shadow:
            before = _paths(entries_of(shadow, index.before or b""))
            left_out = before - _paths(entries_of(shadow, index.after or b""))
        lost = [path for path in sorted(left_out) if _is_below(path, hidden)]
        if lost:
            raise GuardError(
                "change-kind-denied",
                "The command put into git that files are deleted which are only hidden from it"
                f" (deny_read): {', '.join(lost[:20])}. Nothing of it was applied; add and commit"
                " the others by their names.",
            )

    def touches(self) -> tuple[TargetName, ...]:
        """Every file in `.git` that changes, without objects."""
        return tuple(TargetName(kind="git", root=self._folder, path=path) for path in self._changes)

    def read_state(self, name: TargetName) -> Reading:
        """T1, as of the files target.

        Raises:
            GuardError, HostError: as `FilesTarget.read_state`.
        """
        reading = self._files.read_state(self._as_file(name))
        return msgspec.structs.replace(reading, name=name)

    def propose(self, readings: Sequence[Reading]) -> tuple[Change, ...]:
        """What the command made of exactly these; nothing is written.

        Raises:
            GuardError: `state-drifted`: one is not what it was when the command had ended;
                `state-unmeasurable`; `unseen-content`: a commit or the index holds what never stood
                in the working folder; `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        self._require_packed()
        self._require_seen()
        found = {reading.name.path: reading for reading in readings if reading.name.kind == "git"}
        return tuple(self._change(found.get(path), each) for path, each in self._changes.items())

    def history(self) -> History:
        """What commits and the index change that the folder does not show; looked up once.

        Raises:
            GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        if self._history is None:
            self._history = self._looked_up()
        return self._history

    def lost(self) -> tuple[TargetName, ...]:
        """The refs that the command leaves so that commits stand on no ref and in no reflog.

        Raises:
            GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        if not any(part_of(path) in {"ref", "log"} for path in self._changes):
            return ()
        with shadow_of(self._git, self._objects, self._all) as shadow:
            left = refs_left(
                shadow, self._folder, tuple(self._changes.values()), self._now, self._content
            )
        return tuple(TargetName(kind="git", root=self._folder, path=ref) for ref in left)

    @contextmanager
    def written(self, write: str) -> Iterator[None]:
        """The new objects are in the repository, and until the end no git writes what changes.

        Raises:
            GuardError: `objects-unsound`; `state-drifted`: another git moved a ref and packed it.
            HostError: `git-locked`, `git-missing`, `git-failed`.
        """
        if not self._all:
            yield
            return
        with shadow_of(self._git, self._objects, self._all) as shadow:
            shadow.bring_in(self._roots(shadow), refs_now(shadow).values())
        with locked(self._folder, tuple(self._changes), write):
            self._require_packed()
            yield

    def as_file(self, change: Change) -> Change:
        """The change as the files target makes it; one of another kind as it is."""
        if change.name.kind != "git":
            return change
        return msgspec.structs.replace(change, name=self._as_file(change.name))

    def as_git(self, observation: Observation) -> Observation:
        """What the files target saw, under the name that was judged."""
        return msgspec.structs.replace(observation, name=git_name(observation.name))

    # -- inside -------------------------------------------------------------------------------

    @property
    def _objects(self) -> str:
        return os.path.join(self._folder, "objects")

    def _packed_now(self) -> dict[str, bytes | None]:
        """T1 of the refs that have no file of their own: what `packed-refs` says of each."""
        bare = [path for path, each in self._changes.items() if each.before is None]
        refs = [path for path in bare if is_packable(path)]
        if not refs:
            return {}
        there = packed(packed_refs(self._folder)) or {}
        return {ref: there.get(ref) for ref in refs}

    def _require_packed(self) -> None:
        """No ref that has no file of its own was moved: its own file would stand in front of that."""
        for ref, value in self._packed_now().items():
            if value != self._packed[ref]:
                raise drifted(f"{_FOLDER}/{ref}")

    def _is_index_sound(self) -> bool:
        index = self._changes.get("index")
        if index is None or index.after is None:
            return True
        with shadow_of(self._git, self._objects, ()) as shadow:
            entries = entries_of(shadow, index.after)
        return entries is not None and all(
            is_sound_entry(entry.partition(b"\t")[2]) for entry in entries
        )

    def _require_seen(self) -> None:
        if "index" not in self._changes and not any(
            part_of(path) == "ref" for path in self._changes
        ):
            return
        with shadow_of(self._git, self._objects, self._all) as shadow:
            before = refs_now(shadow)
            after = refs_then(self._folder, self._changes, before)
            unseen = unseen_files(
                shadow, self._changes, before, after, self._files.root, self._contents
            )
        if unseen:
            raise GuardError(
                "unseen-content",
                f"A commit or the index would hold what never stood in the working folder:"
                f" {', '.join(unseen[:20])}. Nothing of it was applied. Write the files, then commit"
                " them; or check the commit out, so that its files can be judged.",
            )

    def _looked_up(self) -> History:
        refs = any(part_of(path) == "ref" for path in self._changes)
        if "index" not in self._changes and not refs:
            return History()
        with shadow_of(self._git, self._objects, self._all) as shadow:
            before = refs_now(shadow)
            after = refs_then(self._folder, self._changes, before)
            return history_beside(
                shadow, self._changes, before, after, self._files.root, self._contents
            )

    def _contents(self, path: str) -> tuple[bytes | None, bytes | None]:
        name = TargetName(kind="files", root=self._files.root, path=path)
        try:
            before = self._files.read_state(name).content
        except GroundwireError:
            before = None
        return before, self._content(path)

    def _roots(self, shadow: Shadow) -> set[bytes]:
        """Every object that what changes names: refs, reflogs, state, index."""
        found = set[bytes]()
        for path, change in self._changes.items():
            if change.after is None:
                continue
            if path == "index":
                entries = entries_of(shadow, change.after) or ()
                found.update(entry.split(b" ", 2)[1] for entry in entries)
            else:
                found.update(_NAME.findall(change.after))
        return {name for name in found if name.strip(b"0")}

    def _as_file(self, name: TargetName) -> TargetName:
        if name.kind != "git" or name.root != self._folder or name.path not in self._changes:
            raise GuardError("path-outside", f"{name.path} is a name of another target's.")
        return file_name(name)

    def _change(self, reading: Reading | None, each: GitChange) -> Change:
        where = f"{_FOLDER}/{each.path}"
        if reading is None or reading.content != each.before:
            raise drifted(where)
        if isinstance(reading.state, Unmeasurable):
            raise unmeasurable(where, reading.state)
        kind: ChangeKind = "changed"
        if each.after is None:
            kind = "deleted"
        elif isinstance(reading.state, Absent):
            kind = "created"
        return Change(
            name=reading.name,
            kind=kind,
            state=reading.state,
            before=each.before,
            after=each.after,
            mode=each.mode if kind == "created" else None,
        )


class WorkingTree:
    """A working folder with the `.git` in it, as one target in which a write is undone.

    What lies in `.git` is named as `StagedGit` names it and written under git's own locks. Objects
    that the write brought in stay.
    """

    def __init__(self, files: FilesTarget) -> None:
        self._files = files

    def locate(self, path: str) -> TargetName:
        """The name of a path of the plan. Raises as `FilesTarget.locate`."""
        return git_name(self._files.locate(path))

    def read_state(self, name: TargetName) -> Reading:
        """T1. Raises as `FilesTarget.read_state`."""
        return msgspec.structs.replace(self._files.read_state(file_name(name)), name=name)

    def proposal_to_undo(self, plan: Plan) -> Proposal:
        """The changes that bring back what stood before. Raises as `FilesTarget.proposal_to_undo`."""
        return _renamed(self._files.proposal_to_undo(plan), git_name)

    def plan(self, proposal: Proposal, write: str) -> Plan:
        """What the write will do. Raises as `FilesTarget.plan`."""
        return self._files.plan(_renamed(proposal, file_name), write)

    def write_if_unchanged(self, proposal: Proposal, write: str) -> Written:
        """Everything proposed stands; no git writes any of it meanwhile.

        Raises:
            HostError: `git-locked`; and as `FilesTarget.write_if_unchanged`.
        """
        inside = [change.name.path for change in proposal.changes if change.name.kind == "git"]
        with locked(os.path.join(self._files.root, _FOLDER), inside, write):
            return self._files.write_if_unchanged(_renamed(proposal, file_name), write)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3, as of the files target."""
        seen = self._files.observe(_renamed(proposal, file_name))
        return tuple(msgspec.structs.replace(each, name=git_name(each.name)) for each in seen)


def _paths(entries: Sequence[bytes] | None) -> set[str]:
    found = (entry.partition(b"\t")[2] for entry in entries or ())
    return {path.decode("utf-8", "surrogateescape") for path in found}


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == each or path.startswith(each + "/") for each in folders)


def git_name(name: TargetName) -> TargetName:
    """The name of a file in the `.git` of its root as one of git's; of another file its own."""
    inside = name.path.removeprefix(_FOLDER + "/")
    if name.kind != "files" or inside == name.path:
        return name
    return TargetName(kind="git", root=os.path.join(name.root, _FOLDER), path=inside)


def file_name(name: TargetName) -> TargetName:
    """The name of what git writes in its folder as the files target has it."""
    if name.kind != "git":
        return name
    return TargetName(kind="files", root=os.path.dirname(name.root), path=f"{_FOLDER}/{name.path}")


def _renamed(proposal: Proposal, by: Callable[[TargetName], TargetName]) -> Proposal:
    return Proposal(
        changes=tuple(
            msgspec.structs.replace(
                change, name=by(change.name), to=None if change.to is None else by(change.to)
            )
            for change in proposal.changes
        )
    )
