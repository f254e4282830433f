"""A working folder, a shell target over it, and what a command would see of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from groundwire.documents.target import Proposal
from groundwire.targets.places.protected import Protected
from groundwire.targets.shell.canary import Measured
from groundwire.targets.shell.running import Command, Limits, NotContained, run_contained
from groundwire.targets.shell.staged_command import StagedCommand
from groundwire.targets.shell.staging import Bounds, ShellTarget
from groundwire.targets.shell.view import View, view_of
from tests.unit.targets.trees import NOW, Tree, fresh

BARE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
"""An interpreter that is there too where no virtual environment is shown."""
QUICK = Limits(seconds=60, written=96 << 20, entries=50_000, scratch=32 << 20)


@cache
def refused_here() -> str:
    """Why this machine lets nobody run a command in an overlay; "" where it does."""
    try:
        run_contained(
            Command(words=("/bin/true",), root="/usr", folder="/usr", environment={})
        ).__exit__()
    except NotContained as error:
        return error.message
    return ""


needs_overlay = pytest.mark.skipif(
    bool(refused_here()), reason=f"no overlay in a user namespace here: {refused_here()}"
)


class Shell:
    """A target over the tree's folder; `home` is the home folder of whoever runs commands."""

    def __init__(
        self,
        tree: Tree,
        home: Path,
        bounds: Bounds | None = None,
        *,
        overlay: bool = True,
        protected: tuple[Protected, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.tree = tree
        self.home = home
        home.mkdir(exist_ok=True)
        self.view = view(tree, home, variables)
        self.target = ShellTarget(
            tree.target,
            self.view,
            Measured("contained" if overlay else "none", ()),
            state=tree.state,
            now=lambda: NOW,
            overlay=overlay,
            bounds=bounds or Bounds(limits=QUICK),
            protected=protected,
        )

    def stage(self, command: str) -> StagedCommand:
        return self.target.stage(("/bin/sh", "-c", command), fresh())

    def python(self, program: str, *arguments: str) -> StagedCommand:
        words = (sys.executable, "-I", "-S", "-c", program, *arguments)
        return self.target.stage(words, fresh())

    def run(self, command: str) -> StagedCommand:
        """Staged and applied, and everything stands as it was proposed."""
        staged = self.stage(command)
        self.apply(staged)
        return staged

    def apply(self, staged: StagedCommand) -> Proposal:
        proposal = self.propose(staged)
        if proposal.changes or staged.staged.folders or staged.staged.removed:
            staged.write_if_unchanged(proposal, fresh())
        assert {seen.seen for seen in staged.observe(proposal)} <= {"content-match"}
        return proposal

    def propose(self, staged: StagedCommand) -> Proposal:
        return staged.propose([staged.read_state(name) for name in staged.touches()])

    def changes(self, command: str) -> dict[str, str]:
        """The kind of each change by its path; nothing is applied."""
        proposal = self.propose(self.stage(command))
        return {change.name.path: change.kind for change in proposal.changes}


def view(tree: Tree, home: Path, variables: Mapping[str, str] | None = None) -> View:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        # The interpreter of the tests may lie where commands see nothing else.
        **({} if sys.prefix == sys.base_prefix else {"VIRTUAL_ENV": sys.prefix}),
        **(variables or {}),
    }
    own = (tree.state, tree.folder / "kept")
    return view_of(environment, own=own, shown=(Path(sys.base_prefix),), written=str(tree.work))


def repository(work: Path) -> None:
    """The folder is a git repository in which everything is committed."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    environment = {
        **{key: os.environ[key] for key in ("PATH",)},
        "HOME": str(work.parent),
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "-m", "begin", "--allow-empty"),
    ):
        subprocess.run([git, *words], cwd=work, env=environment, check=True)
