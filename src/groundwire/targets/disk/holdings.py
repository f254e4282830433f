"""Where bytes stand on this machine: in files below a folder, in git, among what is kept."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Final

from groundwire.canon.digest import sha256
from groundwire.targets.disk.kept import KeptFiles

_MOST_ENTRIES: Final = 100_000
_SECONDS: Final = 10.0
_QUIET: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "LC_ALL": "C",
}


class DiskHoldings:
    """Holdings of the files below `root`, of the repository that it is in, and of `kept`.

    Looks through a bounded number of files; git is asked without its network, hooks and filters,
    so a file that git stores with other line ends is not found there.
    """

    def __init__(self, root: Path, kept: KeptFiles, most: int = _MOST_ENTRIES) -> None:
        self._root = os.path.realpath(root)
        self._kept = kept
        self._most = most

    def stands_in_file(self, content: bytes, but: frozenset[str]) -> bool:
        """Whether a file below the root, none of `but`, has these bytes. Follows no link."""
        digest, left = sha256(content), self._most
        for folder, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if name != ".git"]
            left -= len(files) + len(folders)
            if left < 0:
                return False
            for name in files:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self._root) not in but and _holds(path, content, digest):
                    return True
        return False

    def stands_in_git(self, content: bytes) -> bool:
        """Whether git, run here, knows an object of these bytes; no where it cannot be asked."""
        named = self._git(["hash-object", "--no-filters", "--stdin"], content)
        name = b"" if named is None else named.strip()
        if not name.isalnum():
            return False
        return self._git(["cat-file", "-e", name.decode()], b"") is not None

    def is_kept(self, digest: str) -> bool:
        """Whether the before-image is kept, whole."""
        return self._kept.has(digest)

    def _git(self, arguments: list[str], given: bytes) -> bytes | None:
        environment = {"PATH": os.environ.get("PATH", os.defpath), **_QUIET}
        try:
            done = subprocess.run(  # noqa: S603 -- a fixed command; only digests and bytes go in
                ["git", "-C", self._root, "-c", "core.fsmonitor=false", *arguments],  # noqa: S607 -- whichever git is on the path
                input=given,
                env=environment,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode == 0 else None


def _holds(path: str, content: bytes, digest: str) -> bool:
    try:
        state = os.lstat(path)
        if not stat.S_ISREG(state.st_mode) or state.st_size != len(content):
            return False
        return sha256(Path(path).read_bytes()) == digest
    except OSError:
        return False
