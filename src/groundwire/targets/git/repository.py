"""Repository: where a folder's git keeps what it has, and what its refs hold now."""

from __future__ import annotations

import os
from typing import Final

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.target import Absent, Present, Reading, TargetName
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.git_program import Git, failed

SYMBOLIC: Final = b"ref: "
_UNDER_WAY: Final = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """`folder` is the git folder of this working tree, `common` the one with refs and objects.

    They differ where the tree is one of several (`git worktree`). `bare`: there is no tree.
    """

    folder: str
    common: str
    bare: bool

    def under_way(self) -> str:
        """What git has begun here and not ended, by its file; "" for nothing."""
        for name in _UNDER_WAY:
            if os.path.lexists(os.path.join(self.folder, name)):
                return name
        return ""

    def ref(self, name: str) -> TargetName:
        """The ref as a target: HEAD belongs to one working tree, every other ref to all."""
        root = self.folder if name == "HEAD" else self.common
        return TargetName(kind="git", root=root, path=name)


def repository_at(git: Git) -> Repository:
    """The repository that git finds in the folder or above it.

    Raises:
        GuardError: `no-repository`. HostError: `git-missing`, `git-failed`: it is another user's,
            damaged, or of a form that this git does not know.
    """
    ran = git.ask(
        "rev-parse", "--path-format=absolute", "--is-bare-repository", "--absolute-git-dir",
        "--git-common-dir",
    )  # fmt: skip
    if ran.code != 0:
        if "not a git repository" in ran.complaint:
            raise GuardError("no-repository", f"{git.folder} is in no git repository.")
        raise failed("rev-parse", ran)
    lines = os.fsdecode(ran.out).split("\n")
    if len(lines) != 4:
        raise HostError(
            "git-failed", f"The path of the git folder at {git.folder} has a line end in it."
        )
    bare, folder, common, _ = lines
    return Repository(
        folder=os.path.realpath(folder), common=os.path.realpath(common), bare=bare == "true"
    )


def head_of(git: Git) -> str:
    """The ref that a commit would move: the branch that is checked out, HEAD where there is none.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    ran = git.ask("symbolic-ref", "-q", "HEAD")
    if ran.code == 0:
        return ran.out.decode("utf-8", "surrogateescape").rstrip("\n")
    if ran.code == 1 and not ran.complaint:
        return "HEAD"
    raise failed("symbolic-ref", ran)


def ref_text(git: Git, name: str) -> bytes | None:
    """The ref as its file would say it: an object's name, or `ref: ` and another ref; None: no ref.

    Raises:
        HostError: `git-missing`, `git-failed`: damaged refs among them.
    """
    if name == "HEAD":
        ran = git.ask("symbolic-ref", "-q", "HEAD")
        if ran.code == 0:
            return SYMBOLIC + ran.out
        ran = git.ask("rev-parse", "--verify", "-q", "HEAD")
        if ran.code != 0:
            raise failed("rev-parse", ran)
        return ran.out
    ran = git.ask("for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", name)
    if ran.code != 0 or ran.complaint:
        raise failed("for-each-ref", ran)
    for line in ran.out.split(b"\n"):
        found, _, rest = line.partition(b"\0")
        value, _, symbolic = rest.partition(b"\0")
        if found == os.fsencode(name):
            return SYMBOLIC + symbolic + b"\n" if symbolic else value + b"\n"
    return None


def reading_of(name: TargetName, text: bytes | None) -> Reading:
    """T1 of a ref. Its token is the digest of its text; a ref has no owner, mode or inode."""
    if text is None:
        return Reading(name=name, state=Absent(), content=None)
    return Reading(name=name, state=token_of_text(text), content=text)


def token_of_text(text: bytes) -> Present:
    """The token of a ref that says this."""
    return Present(
        digest=sha256(text), size=len(text), mode=0, owner=0, group=0, attributes="", device=0,
        inode=0, generation=None, links=1,
    )  # fmt: skip
