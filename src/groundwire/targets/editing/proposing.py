"""Edits of files made on what was read of them: whole before and after, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from groundwire.documents.edit import (
    Create,
    Delete,
    FileEdit,
    Move,
    Patch,
    Rewrite,
    SetMode,
    Whole,
)
from groundwire.documents.target import (
    Absent,
    Change,
    ChangeKind,
    Present,
    Proposal,
    Reading,
    TargetName,
    Unmeasurable,
    is_same_file,
)
from groundwire.errors import EncodingError, GuardError
from groundwire.targets.editing.patch_text import FilePatch, read_patch
from groundwire.targets.editing.patching import patched
from groundwire.targets.editing.replacing import replaced
from groundwire.targets.refusing import drifted, require_ordinary_mode, unmeasurable

Locate = Callable[[str], TargetName]


def paths_of(edits: Sequence[FileEdit]) -> tuple[str, ...]:
    """Every path that the edits name, as they name it, in their order.

    Raises:
        EncodingError: `patch-malformed`, `patch-unsupported`.
    """
    found: list[str] = []
    for edit in edits:
        match edit:
            case Move():
                found += [edit.path, edit.to]
            case Patch():
                for part in _parts(edit):
                    found += [side for side in (part.old, part.new) if side is not None]
            case _:
                found.append(edit.path)
    return tuple(dict.fromkeys(found))


def moved_or_deleted(edits: Sequence[FileEdit]) -> tuple[str, ...]:
    """The paths whose name itself the edits take away or give.

    Raises:
        EncodingError: `patch-malformed`, `patch-unsupported`.
    """
    found: list[str] = []
    for edit in edits:
        match edit:
            case Move():
                found += [edit.path, edit.to]
            case Delete():
                found.append(edit.path)
            case Patch():
                for part in _parts(edit):
                    if part.old != part.new:
                        found += [side for side in (part.old, part.new) if side is not None]
            case _:
                continue
    return tuple(dict.fromkeys(found))


def propose_edits(
    edits: Sequence[FileEdit], readings: Sequence[Reading], locate: Locate
) -> Proposal:
    """One change for each file that is not what it was, in the order in which they were named.

    An edit sees what those before it left. What ends as it was is no change.

    Raises:
        GuardError: `edit-…`, `patch-…`, `file-absent`, `file-present`, `special-mode`,
            `same-file-twice`, `state-unmeasurable`; `state-drifted`: not what was read.
        EncodingError: `patch-malformed`, `patch-unsupported`.
    """
    work = _Work(readings, locate)
    for edit in edits:
        work.do(edit)
    changes = work.changes()
    _require_apart(changes)
    return Proposal(changes=changes)


class _File:
    """A file as the edits so far leave it. `content` None: nothing is there."""

    def __init__(self, reading: Reading) -> None:
        if isinstance(reading.state, Unmeasurable):
            raise unmeasurable(reading.name.path, reading.state)
        self.name = reading.name
        self.state: Present | Absent = reading.state
        self.before = reading.content
        self.content = reading.content
        self.mode: int | None = None
        self.origin: _File | None = None


class _Work:
    def __init__(self, readings: Sequence[Reading], locate: Locate) -> None:
        self._files = {reading.name.path: _File(reading) for reading in readings}
        self._locate = locate

    def do(self, edit: FileEdit) -> None:
        match edit:
            case Rewrite():
                file, content = self._there(edit.path)
                file.content = replaced(edit.path, content, edit.edits)
            case Whole():
                self._file(edit.path).content = edit.content
            case Create():
                self._create(edit.path, edit.content, edit.mode)
            case Delete():
                self._there(edit.path)[0].content = None
            case Move():
                self._move(edit.path, edit.to)
            case SetMode():
                require_ordinary_mode(edit.path, edit.mode)
                self._there(edit.path)[0].mode = edit.mode
            case Patch():
                for part in _parts(edit):
                    self._patch(part)

    def changes(self) -> tuple[Change, ...]:
        moved = {id(file.origin) for file in self._files.values() if self._is_rename(file)}
        found = [self._change(file) for file in self._files.values() if id(file) not in moved]
        return tuple(change for change in found if change is not None)

    # -- inside -------------------------------------------------------------------------------

    def _file(self, path: str) -> _File:
        name = self._locate(path)
        file = self._files.get(name.path)
        if file is None:
            raise drifted(path)  # a link on the way says something else than when it was read
        return file

    def _there(self, path: str) -> tuple[_File, bytes]:
        file = self._file(path)
        if file.content is None:
            raise GuardError(
                "file-absent", f"{path} is not there; look for its name, or create it."
            )
        return file, file.content

    def _create(self, path: str, content: bytes, mode: int | None) -> _File:
        file = self._file(path)
        if file.content is not None:
            raise GuardError(
                "file-present", f"{path} is there already; edit it, or write it as a whole."
            )
        if mode is not None:
            require_ordinary_mode(path, mode)
        file.content, file.mode = content, mode
        return file

    def _move(self, path: str, to: str) -> _File:
        source, content = self._there(path)
        mode = source.mode
        if mode is None and isinstance(source.state, Present):
            mode = source.state.mode & 0o777
        target = self._create(to, content, mode)
        target.origin = source
        source.content = None
        return target

    def _patch(self, part: FilePatch) -> None:
        if part.old is None:
            name = part.new or ""
            self._create(name, patched(name, b"", part.hunks), part.mode)
            return
        file, content = self._there(part.old)
        content = patched(part.old, content, part.hunks)
        if part.new is None:
            if content:
                raise GuardError(
                    "patch-not-found",
                    f"The patch deletes {part.old}, and lines of it are left; read it again.",
                )
            file.content = None
            return
        if part.new != part.old:
            file = self._move(part.old, part.new)
        file.content = content
        if part.mode is not None:
            file.mode = part.mode

    def _is_rename(self, file: _File) -> bool:
        """Whether the file is another's, untouched: then its name changes and nothing else."""
        origin = file.origin
        return (
            origin is not None
            and origin.content is None
            and isinstance(origin.state, Present)
            and isinstance(file.state, Absent)
            and file.content == origin.before
            and file.mode == origin.state.mode & 0o777
        )

    def _change(self, file: _File) -> Change | None:
        if self._is_rename(file) and file.origin is not None:
            origin = file.origin
            return Change(
                name=origin.name, kind="renamed", state=origin.state, before=origin.before,
                after=file.content, to=file.name,
            )  # fmt: skip
        if isinstance(file.state, Absent):
            if file.content is None:
                return None
            return Change(
                name=file.name, kind="created", state=file.state, before=None,
                after=file.content, mode=file.mode,
            )  # fmt: skip
        mode = file.mode if file.mode != file.state.mode else None
        if file.content is not None and file.content == file.before and mode is None:
            return None
        if file.content is not None:
            require_ordinary_mode(file.name.path, file.state.mode)
        kind: ChangeKind = "changed" if file.content != file.before else "mode"
        return Change(
            name=file.name, kind="deleted" if file.content is None else kind, state=file.state,
            before=file.before, after=file.content, mode=None if file.content is None else mode,
        )  # fmt: skip


def _parts(edit: Patch) -> tuple[FilePatch, ...]:
    parts = read_patch(edit.text)
    if edit.path is None:
        return parts
    if len(parts) != 1:
        raise EncodingError(
            "patch-malformed", "A patch of one file has the parts of several; send each by itself."
        )
    part = parts[0]
    return (
        FilePatch(
            old=None if part.old is None else edit.path,
            new=None if part.new is None else edit.path,
            hunks=part.hunks,
            mode=part.mode,
        ),
    )


def _require_apart(changes: Sequence[Change]) -> None:
    """No two changes are of one file under two names."""
    for at, change in enumerate(changes):
        for other in changes[:at]:
            if is_same_file(change.state, other.state):
                raise GuardError(
                    "same-file-twice",
                    f"{other.name.path} and {change.name.path} are one file under two names;"
                    " change it under one of them.",
                )
