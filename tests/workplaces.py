"""A home, and a working folder with a small Python project in a git repository, for one story."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

WHO = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-03-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z",
}


class Workplace:
    """`home` is the user's, `folder` the working folder; nothing of either existed before."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.home = top / "home"
        self.folder = top / "project"

    def write(self, path: str, text: str | bytes) -> Path:
        """The file holds this, whoever's it is: not through the guard."""
        made = self.folder / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(text if isinstance(text, bytes) else text.encode())
        return made

    def read(self, path: str) -> bytes | None:
        """What the file holds; None where there is none."""
        found = self.folder / path
        return found.read_bytes() if found.is_file() else None

    def git(self, *arguments: str) -> str:
        """What git says, run by the test itself."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            env={**os.environ, **WHO},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def commit_all(self, message: str = "As it stands") -> None:
        """Everything in the folder that is not ignored is committed."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def contents(self) -> dict[str, bytes]:
        """Every plain file of the folder but those below `.git`."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if ".git" not in path.relative_to(self.folder).parts
            and path.is_file()
            and not path.is_symlink()
        }


@contextmanager
def workplace(files: Mapping[str, str], *, git: bool = True) -> Iterator[Workplace]:
    """The process works in a folder with these files, committed, in a home of its own.

    Where it worked before, and its environment, come back at the end; the folders are gone.
    """
    before, environment = Path.cwd(), dict(os.environ)
    top = Path(tempfile.mkdtemp(prefix="gw-"))
    place = Workplace(top)
    try:
        place.home.mkdir()
        place.folder.mkdir()
        os.environ |= {
            "HOME": str(place.home),
            "USERPROFILE": str(place.home),
            "XDG_STATE_HOME": str(place.home / "state"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (place.home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        for path, text in files.items():
            place.write(path, text)
        if git:
            place.git("init", "-q", "-b", "main")
            place.git("config", "user.name", "Ada")
            place.git("config", "user.email", "ada@example.org")
            place.commit_all("First")
        os.chdir(place.folder)
        yield place
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        shutil.rmtree(top, ignore_errors=True)
