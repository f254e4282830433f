"""Real repositories in a test's own folder."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

from groundwire.documents.ref_edit import RefEdit
from groundwire.documents.target import Proposal, Written
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.git.target import GitTarget

NOW = 1_700_000_000.0
_numbers = itertools.count(1)
_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "@1690000000 +0000",
    "GIT_COMMITTER_DATE": "@1690000000 +0000",
    "LC_ALL": "C",
}


def fresh() -> str:
    return f"{os.getpid():016x}{next(_numbers):016x}"


class Repo:
    """A repository with one commit, unless `born` says otherwise, and a target over it."""

    def __init__(self, folder: Path, *init: str, born: bool = True) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        self.git("init", "-q", "-b", "main", *init)
        self.git("config", "user.name", "A Person")
        self.git("config", "user.email", "person@example.org")
        self.kept = KeptFiles(folder / "kept", lambda: NOW)
        if born:
            self.commit("first", a="1\n")
        self.target = GitTarget(self.work, self.kept, lambda: NOW)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=at or self.work,
            env=_ENVIRONMENT,
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=30,
            text=True,
        )
        return done.stdout.strip()

    def stage(self, **files: str) -> None:
        for name, content in files.items():
            (self.work / name).write_text(content)
        self.git("add", "-A")

    def commit(self, message: str, **files: str) -> str:
        self.stage(**files)
        self.git("commit", "-q", "-m", message)
        return self.at("HEAD")

    def at(self, ref: str) -> str:
        return self.git("rev-parse", "--verify", ref)

    def propose(self, request: RefEdit) -> Proposal:
        readings = [self.target.read_state(name) for name in self.target.touches(request)]
        return self.target.propose(request, readings)

    def write(self, request: RefEdit) -> Written:
        return self.target.write_if_unchanged(self.propose(request), fresh())

    def everything(self) -> dict[str, bytes]:
        """Every file of the git folder, by its path."""
        top = self.work / ".git"
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file()
        }
