"""What is staged, made a commit beside the repository: its name is known before it is in there."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.git_program import Git, failed
from groundwire.targets.git.history import History, entries_of_commit, history_of, stands_for
from groundwire.targets.git.repository import Repository

_LONGEST: Final = 64 << 10


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A commit that no repository has yet: its name, what the reflog is to say, its objects packed.

    `parent` is the commit that it stands on, None for the first of a branch. `history` is what it
    changes that the working tree does not show.
    """

    name: str
    parent: str | None
    says: str
    pack: bytes
    history: History = History()


def size_of(made: Made) -> int:
    """How many bytes it holds, as good as all."""
    sides = (side for each in made.history.changes for side in (each.before, each.after))
    return len(made.pack) + sum(len(side) for side in sides if side is not None)


class _Apart:
    """Git with the objects of a commit that is not in the repository yet."""

    def __init__(self, git: Git, apart: Mapping[str, str]) -> None:
        self._git = git
        self._apart = apart

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git wrote; it ended well. Raises `HostError`."""
        return self._git.run(*arguments, given=given, environment=self._apart)


def commit_staged(
    git: Git, repository: Repository, message: str, parent: str | None, now: int
) -> Made:
    """The commit of the index as it is, with `parent` (None: the first of its branch).

    Nothing is written in the repository. Hooks do not run and nothing is signed.

    Raises:
        GuardError: `nothing-staged`, `commit-unfinished`, `edit-malformed`, `no-identity`.
        HostError: `git-missing`, `git-failed`, `target-unreadable`.
    """
    text = _message(message)
    index = _index(repository)
    begun = repository.under_way()
    if begun:
        raise GuardError(
            "commit-unfinished",
            f"git is in the middle of something here ({begun}); finish or abort it with git first.",
        )
    who = identity_of(git, now)
    with tempfile.TemporaryDirectory(prefix="groundwire-") as beside:
        # git writes the trees that it makes into the index too: this is a copy. And it reads files
        # that were staged just now once more, through the repository's filters: here are none.
        copy, objects, nothing = Path(beside, "index"), Path(beside, "objects"), Path(beside, "w")
        objects.mkdir()
        nothing.mkdir()
        copy.write_bytes(index)
        apart = {
            "GIT_DIR": repository.folder,
            "GIT_WORK_TREE": os.fspath(nothing),
            "GIT_INDEX_FILE": os.fspath(copy),
            "GIT_OBJECT_DIRECTORY": os.fspath(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.path.join(repository.common, "objects"),
        }
        tree = _tree(git.at(os.fspath(nothing)), apart)
        if parent is not None and _tree_of(git, parent) == tree:
            raise GuardError("nothing-staged", "What is staged is what the last commit holds.")
        above = () if parent is None else ("-p", parent)
        made = git.run(
            "commit-tree", tree, *above, given=text.encode(), environment={**apart, **who}
        )
        name = made.decode("ascii").strip()
        pack = git.run(
            "pack-objects", "--stdout", "-q", given="\n".join(_objects(objects)).encode() + b"\n",
            environment=apart,
        )  # fmt: skip
        history = _history(_Apart(git, apart), name, _top(git))
    says = f"commit: {text.splitlines()[0]}"
    return Made(name=name, parent=parent, says=says, pack=pack, history=history)


def identity_of(git: Git, now: int) -> Mapping[str, str]:
    """Who commits, as git is configured to say, at `now` (seconds since 1970).

    Raises:
        GuardError: `no-identity`. HostError: `git-missing`, `git-failed`.
    """
    name, email = git.setting("user.name"), git.setting("user.email")
    if not name or not email:
        raise GuardError(
            "no-identity",
            "git does not know who commits here; set user.name and user.email with git config.",
        )
    return signed_by(name, email, now)


def signed_by(name: str, email: str, now: int) -> Mapping[str, str]:
    """The environment by which git writes this person and time into what it makes."""
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", name), ("EMAIL", email), ("DATE", f"@{now} +0000"))
    }


def _history(git: _Apart, commit: str, top: str) -> History:
    """What the commit changes otherwise than the working tree at `top` shows.

    What is staged and was written over since is in no file any more; what the index leaves out, and
    the tree keeps, goes from history alone.
    """

    def content(path: bytes) -> bytes | None:
        place = os.path.join(os.fsencode(top), path)
        try:
            if stat.S_ISLNK(os.lstat(place).st_mode):
                return os.readlink(place)
            return Path(os.fsdecode(place)).read_bytes()
        except OSError:
            return None

    def stands(path: bytes, held: bytes) -> bool:
        there = content(path)
        return there is not None and stands_for(held, there)

    entries = entries_of_commit(git, commit)
    wanted = [each for each in entries if each.after or content(each.path) is not None]
    return history_of(git, wanted, top, stands)


def _top(git: Git) -> str:
    """The folder that the working tree begins at."""
    out = git.run("rev-parse", "--path-format=absolute", "--show-toplevel")
    return os.path.realpath(os.fsdecode(out).removesuffix("\n"))


def _index(repository: Repository) -> bytes:
    path = Path(repository.folder, "index")
    try:
        if not repository.bare and stat.S_ISREG(path.lstat().st_mode):
            return path.read_bytes()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise HostError(
            "target-unreadable", f"{path} cannot be read ({error.strerror or error})."
        ) from error
    raise GuardError("nothing-staged", "Nothing is staged here that could be committed.")


def _message(message: str) -> str:
    text = message.strip()
    if not text or "\0" in text or len(text) > _LONGEST:
        raise GuardError(
            "edit-malformed", "A commit has a message that says something, of at most 64 kB."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise GuardError("edit-malformed", "The message of the commit is no text.") from error
    return text + "\n"


def _tree(git: Git, apart: Mapping[str, str]) -> str:
    ran = git.ask("write-tree", environment=apart)
    if ran.code == 0:
        return ran.out.decode("ascii").strip()
    if "unmerged" in ran.complaint:
        raise GuardError(
            "commit-unfinished", "The index holds conflicts; resolve and stage them first."
        )
    raise failed("write-tree", ran)


def _tree_of(git: Git, commit: str) -> str:
    out = git.run("rev-parse", "--verify", "-q", f"{commit}^{{tree}}")
    return out.decode("ascii").strip()


def _objects(folder: Path) -> list[str]:
    """The names of the loose objects in an object folder."""
    return [
        above.name + path.name
        for above in sorted(folder.iterdir())
        if len(above.name) == 2
        for path in sorted(above.iterdir())
    ]
