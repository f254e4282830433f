"""Shadow: the objects that a staged command made, beside the repository that has not got them yet."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from groundwire.documents.staged import GitChange
from groundwire.errors import GuardError
from groundwire.targets.disk.git_program import Git, Ran
from groundwire.targets.git.own import part_of

_FEW: Final = 100


class Shadow:
    """Asks git about the repository as if the objects were in it already; they are not.

    Under the names that the command gave them: that they are what their names say is known only
    once `bring_in` has ended.
    """

    def __init__(self, git: Git, environment: Mapping[str, str], new: tuple[str, ...]) -> None:
        self._git = git
        self._environment = environment
        self._new = new

    def ask(self, *arguments: str, given: bytes = b"") -> Ran:
        """Git has ended, well or not. Raises `HostError`: `git-missing`, `git-failed`."""
        return self._git.ask(*arguments, given=given, environment=self._environment)

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git wrote; it ended well. Raises `HostError`: `git-missing`, `git-failed`."""
        return self._git.run(*arguments, given=given, environment=self._environment)

    def bring_in(self) -> None:
        """Every new object is in the repository itself, under the name that its bytes have.

        git packs them and unpacks them there, which computes every name anew and demands that each
        object is sound and that all it leads to is there.

        Raises:
            GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        known = self._git.run(
            "cat-file", "--batch-check=%(objectname)", given=_lines(self._new)
        ).split(b"\n")
        missing = [line.split(b" ")[0].decode() for line in known if line.endswith(b" missing")]
        if not missing:
            return
        ran = self.ask("pack-objects", "--stdout", "-q", given=_lines(missing))
        if ran.code == 0:
            few = len(missing) <= _FEW
            how = ("unpack-objects", "-q") if few else ("index-pack", "--stdin", "--fix-thin")
            ran = self._git.ask(*how, "--strict", given=ran.out)
        if ran.code == 0:
            there = self._git.run("cat-file", "--batch-check", given=_lines(missing))
            if b" missing\n" not in there:
                return
        raise GuardError(
            "objects-unsound",
            f"The command left objects in .git that are not what their names say ({ran.complaint});"
            " nothing of it was applied.",
        )


@contextmanager
def shadow_of(git: Git, objects: str, changes: Sequence[GitChange]) -> Iterator[Shadow]:
    """A shadow with the objects among the changes; it is gone afterwards.

    `objects` is the repository's own folder of them.

    Raises:
        GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
    """
    with tempfile.TemporaryDirectory(prefix="groundwire-") as beside:
        environment = {
            "GIT_OBJECT_DIRECTORY": beside,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }
        new: list[str] = []
        for change in changes:
            if change.after is None or part_of(change.path) != "object":
                continue
            path = Path(beside, change.path.removeprefix("objects/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(change.after)
            if path.suffix == ".pack":
                new += _indexed(git, path)
            else:
                new.append(path.parent.name + path.name)
        yield Shadow(git, environment, tuple(new))


def entries_of(git: Git, index: bytes) -> tuple[bytes, ...] | None:
    """The paths in an index that stands nowhere yet; None where git cannot read it.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    with tempfile.TemporaryDirectory(prefix="groundwire-") as beside:
        path = Path(beside, "index")
        path.write_bytes(index)
        environment = {"GIT_INDEX_FILE": os.fspath(path)}
        ran = git.ask("ls-files", "--cached", "--full-name", "-z", environment=environment)
    return tuple(ran.out.split(b"\0")[:-1]) if ran.code == 0 else None


def _indexed(git: Git, pack: Path) -> list[str]:
    """The objects of a pack, which has an index of our own making now."""
    ran = git.ask("index-pack", os.fspath(pack))
    if ran.code != 0:
        raise GuardError(
            "objects-unsound", f"A pack that the command left in .git is damaged ({ran.complaint})."
        )
    out = git.run("show-index", given=pack.with_suffix(".idx").read_bytes())
    return [line.split(b" ")[1].decode("ascii") for line in out.splitlines()]


def _lines(names: Sequence[str]) -> bytes:
    return "".join(name + "\n" for name in names).encode()
