"""Shadow: the objects that a staged command made, beside the repository that has not got them yet."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
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

    @contextmanager
    def index(self, content: bytes) -> Iterator[Shadow]:
        """A shadow with this index."""
        with tempfile.TemporaryDirectory(prefix="groundwire-") as beside:
            path = Path(beside, "index")
            path.write_bytes(content)
            environment = {**self._environment, "GIT_INDEX_FILE": os.fspath(path)}
            yield Shadow(self._git, environment, self._new)

    def bring_in(self, roots: Collection[bytes], known: Collection[bytes]) -> None:
        """Every new object that a root leads to is in the repository, under its bytes' own name.

        What nothing leads to stays out: it was in no file and on no ref, so nothing judged it. git
        packs them and unpacks them there, which computes every name anew and demands that each
        object is sound and that all it leads to is there.

        Raises:
            GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        there = self._git.run("cat-file", "--batch-check", given=_lines(self._new)).split(b"\n")
        absent = {line.split(b" ")[0] for line in there if line.endswith(b" missing")}
        led_to = self.led_to(roots, known) if absent else set()
        missing = [name.decode() for name in sorted(absent & led_to)]
        if not missing:
            return
        ran = self.ask("pack-objects", "--stdout", "-q", given=_lines(missing))
        if ran.code == 0:
            few = len(missing) <= _FEW
            how = ("unpack-objects", "-q") if few else ("index-pack", "--stdin", "--fix-thin")
            ran = self._git.ask(*how, "--strict", given=ran.out)
        if ran.code == 0:
            came = self._git.run("cat-file", "--batch-check", given=_lines(missing))
            if b" missing\n" not in came:
                return
        raise unsound(ran)

    def led_to(self, roots: Collection[bytes], known: Collection[bytes]) -> set[bytes]:
        """The objects that the roots lead to and the known ones do not, or not lately.

        Raises:
            GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
        """
        if not roots:
            return set()
        given = b"".join(each + b"\n" for each in roots)
        given += b"".join(b"^" + each + b"\n" for each in known)
        ran = self.ask("rev-list", "--objects", "--ignore-missing", "--stdin", given=given)
        if ran.code != 0:
            raise unsound(ran)
        return {line.split(b" ")[0] for line in ran.out.splitlines()}


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


def unsound(ran: Ran) -> GuardError:
    """The refusal of objects with which git cannot do what it does with sound ones."""
    return GuardError(
        "objects-unsound",
        f"The command left objects in .git that are not what their names say ({ran.complaint});"
        " nothing of it was applied.",
    )


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
