"""Where bytes stand on this machine: in files below a folder, in git, among what is kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from groundwire.canon.digest import sha256
from groundwire.errors import HostError
from groundwire.targets.disk.git_program import Git
from groundwire.targets.disk.kept import KeptFiles

_MOST_ENTRIES: Final = 100_000
_SECONDS: Final = 10.0


class DiskHoldings:
    """Holdings of the files below `root`, of the repository that it is in, and of `kept`.

    Looks through a bounded number of files; git is asked without transports, hooks and filters, so
    what a partial clone has left out is not there, nor a file that git stores with other line ends.
    """

    def __init__(self, root: Path, kept: KeptFiles, most: int = _MOST_ENTRIES) -> None:
        self._root = os.path.realpath(root)
        self._kept = kept
        self._most = most
        self._git = Git(self._root, seconds=_SECONDS)

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
                if _holds(path, content, digest) and os.path.relpath(path, self._root) not in but:
                    return True
        return False

    def stands_in_git(self, content: bytes) -> bool:
        """Whether git, run here, knows an object of these bytes; no where it cannot be asked.

        Such an object may stand on no ref, and then git itself removes it after some weeks.
        """
        try:
            named = self._git.ask("hash-object", "--no-filters", "--stdin", given=content)
            name = named.out.strip()
            if named.code != 0 or not name.isalnum():
                return False
            return self._git.ask("cat-file", "-e", name.decode("ascii")).code == 0
        except HostError:
            return False

    def lacking_in_git(self, paths: Sequence[str]) -> frozenset[str]:
        """Those of these files below the root whose bytes, as they are now, git has no object of.

        All of them where git cannot be asked, or one has a line end in its name.
        """
        lacking = frozenset(paths)
        if not paths or any("\n" in path or '"' in path for path in paths):
            return lacking
        given = "".join(f"{os.path.join(self._root, path)}\n" for path in paths)
        try:
            named = self._git.ask(
                "hash-object", "--no-filters", "--stdin-paths", given=os.fsencode(given)
            )
            if named.code != 0:
                return lacking
            known = self._git.ask("cat-file", "--batch-check=%(objecttype)", given=named.out)
        except HostError:
            return lacking
        kinds = known.out.splitlines()
        if known.code != 0 or len(kinds) != len(paths):
            return lacking
        return frozenset(
            path for path, kind in zip(paths, kinds, strict=True) if kind.strip() != b"blob"
        )

    def is_kept(self, digest: str) -> bool:
        """Whether the before-image is kept, whole."""
        return self._kept.has(digest)


def _holds(path: str, content: bytes, digest: str) -> bool:
    try:
        state = os.lstat(path)
        if not stat.S_ISREG(state.st_mode) or state.st_size != len(content):
            return False
        return sha256(Path(path).read_bytes()) == digest
    except OSError:
        return False
