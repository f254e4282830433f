"""A command staged without a shell target: run in a copy of the folder, its changes read off it."""

from __future__ import annotations

import shutil
from pathlib import Path

from groundwire.documents.staged import GitChange
from groundwire.documents.target import Change, ChangeKind, Proposal, Unmeasurable
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.git.staged_git import StagedGit
from tests.unit.targets.git.repositories import NOW, Repo, fresh
from tests.unit.targets.trees import Unsynced


class Staging:
    """What commands of git made of a repository; nothing of it stands there yet."""

    def __init__(self, repo: Repo, *commands: tuple[str, ...], now: float = NOW) -> None:
        self.repo = repo
        copy = repo.folder / f"copy-{fresh()}"
        shutil.copytree(repo.work, copy, symlinks=True)
        old = _contents(copy)  # what the command starts from, whatever others do meanwhile
        for command in commands:
            repo.git(*command, at=copy)
        self.files = FilesTarget(repo.work, repo.kept, repo.folder / "state", Unsynced())
        new = _contents(copy)
        self.after = new
        self.changes = tuple(
            GitChange(
                path=path.removeprefix(".git/"),
                before=old.get(path),
                after=new.get(path),
                mode=0o644 if path in new else None,
            )
            for path in sorted({*old, *new})
            if path.startswith(".git/") and old.get(path) != new.get(path)
        )
        self.others = {
            path: new.get(path)
            for path in sorted({*old, *new})
            if not path.startswith(".git/") and old.get(path) != new.get(path)
        }
        self.staged = StagedGit(self.files, self.changes, now, new.get)
        shutil.rmtree(copy)

    def propose(self) -> Proposal:
        self.staged.require_sound()
        readings = [self.staged.read_state(name) for name in self.staged.touches()]
        return Proposal(changes=self.staged.propose(readings))

    def lost(self) -> list[str]:
        return [name.path for name in self.staged.lost()]

    def apply(self) -> Proposal:
        proposal = self.propose()
        self.write(proposal)
        return proposal

    def write(self, proposal: Proposal) -> None:
        write = fresh()
        with self.staged.written(write):
            changes = tuple(self.staged.as_file(change) for change in proposal.changes)
            self.files.write_if_unchanged(Proposal(changes=(*changes, *self._rest())), write)

    def _rest(self) -> tuple[Change, ...]:
        made = []
        for path, after in self.others.items():
            reading = self.files.read_state(self.files.locate(path))
            kind: ChangeKind = (
                "deleted" if after is None else "changed" if reading.content else "created"
            )
            assert not isinstance(reading.state, Unmeasurable)
            made.append(
                Change(
                    name=reading.name,
                    kind=kind,
                    state=reading.state,
                    before=reading.content,
                    after=after,
                )
            )
        return tuple(made)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
