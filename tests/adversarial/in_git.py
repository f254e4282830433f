"""Refs that move under a call, calls without an old value, and repositories that are hostile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from groundwire.canon.digest import tagged
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import acting, between, grant_with
from tests.adversarial.world import World

DRIFTED: Final = ("refused: state-drifted",)
HELD: Final = ("refused", "asked")


def _two_commits(world: World) -> tuple[str, str]:
    """The branch `work` stands at the second of two commits; the names of both."""
    first = world.place.git("rev-parse", "HEAD").strip()
    world.place.git("checkout", "-q", "-b", "work")
    world.place.write("work.txt", "work\n")
    world.place.commit_all("Work")
    second = world.place.git("rev-parse", "HEAD").strip()
    world.place.git("checkout", "-q", "main")
    world.place.git("branch", "side")
    world.ready()
    return first, second


def _moved_meanwhile(world: World, *, receipt: bool) -> str:
    _, second = _two_commits(world)
    theirs = world.place.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Theirs").strip()

    def act() -> None:
        world.place.git("update-ref", "refs/heads/side", theirs)

    with between(receipt=acting(act)) if receipt else between(grant=acting(act)):
        word = world.do("git_set_ref", ref="refs/heads/side", commit=second).word
    assert world.place.git("rev-parse", "side").strip() == theirs, "their commit is gone"
    return word


for _moment, _receipt in (("T1 and T2", True), ("T2 and the write", False)):

    def _deed(world: World, receipt: bool = _receipt) -> str:
        return _moved_meanwhile(world, receipt=receipt)

    add(Attack("in_git", f"a branch moves between {_moment}", "git_set_ref, somebody commits meanwhile",
               DRIFTED, _deed, leaves=False))  # fmt: skip


@attack("in_git", "a move without an expected old value", "the grant's tokens are of another commit",
        "refused: grant-for-another")  # fmt: skip
def _(world: World) -> str:
    _, second = _two_commits(world)
    with between(grant=grant_with(expected=(tagged("token", b"unpinned"),))):
        return world.do("git_set_ref", ref="refs/heads/side", commit=second).word


def _held(name: str, tried: str, deed: Callable[[World], str]) -> None:
    def held(world: World) -> str:
        return deed(world).partition(":")[0]

    add(Attack("in_git", name, tried, HELD, held))


def _deleted(world: World) -> str:
    _two_commits(world)
    return world.do("git_delete_ref", ref="refs/heads/work").word


def _forced(world: World) -> str:
    first, _ = _two_commits(world)
    return world.do("git_set_ref", ref="refs/heads/work", commit=first).word


def _nonsense(ref: str) -> Callable[[World], str]:
    def deed(world: World) -> str:
        first, _ = _two_commits(world)
        return world.do("git_set_ref", ref=ref, commit=first).word

    return deed


_held("a branch with work that nothing else has is deleted", "git_delete_ref", _deleted)
_held("a branch is moved back off its work", "git_set_ref to an older commit", _forced)
for _ref in (
    "refs/replace/x",
    "HEAD",
    "refs/heads/../../config",
    "refs/heads/a b",
    "refs/stash",
    "",
):
    _held(f"a ref named {_ref or 'nothing'}", "git_set_ref", _nonsense(_ref))


@attack("in_git", "a commit that is not there", "git_set_ref to an object nobody has", "refused")
def _(world: World) -> str:
    _two_commits(world)
    nobody = "0123456789" * 4
    return world.do("git_set_ref", ref="refs/heads/side", commit=nobody).word.partition(":")[0]


for _name, _settings in (
    ("a hook", {"core.hooksPath": "hooks"}),
    ("a monitor of files", {"core.fsmonitor": "touch {mark}"}),
    ("an editor", {"core.editor": "touch {mark}", "sequence.editor": "touch {mark}"}),
    ("a signing program", {"commit.gpgsign": "true", "gpg.program": "touch"}),
    ("a pager and an alias", {"core.pager": "touch {mark}", "alias.commit": "!touch {mark}"}),
):

    def _hostile(world: World, settings: dict[str, str] = _settings) -> str:
        mark = world.place.top / "started"
        hook = world.place.write("hooks/pre-commit", f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
        head = world.place.git("rev-parse", "HEAD").strip()
        world.place.write("app.py", "v2\n")
        world.place.git("add", "app.py")
        for key, value in settings.items():
            world.place.git("config", key, value.format(mark=mark))
        words = [
            world.do("git_commit", message="From a hostile repository").word,
            world.do("git_set_ref", ref="refs/heads/other", commit=head).word,
        ]
        assert not mark.exists(), "something of the repository's was started"
        return ", ".join(words)

    add(Attack("in_git", f"a repository whose settings start {_name}", ", ".join(_settings),
               ("executed, executed",), _hostile, leaves=False))  # fmt: skip


LESS: Final = "openapi: 3.0.3\ninfo:\n  title: Orders\n  version: 1.0.0\npaths: {}\n"
COMMITS: Final = "git -c user.name=A -c user.email=a@b commit -q"


def _in_a_command(command: str) -> Callable[[World], str]:
    def deed(world: World) -> str:
        world.place.write("less", LESS)
        world.place.commit_all("Less")
        world.ready()
        head = world.place.git("rev-parse", "HEAD")
        word = world.shell(command).word
        assert world.place.git("rev-parse", "HEAD") == head, "history has it"
        return word

    return deed


_held(
    "a contract that is cut in a commit on the way",
    "commit it cut, bring it back, commit that, in one command",
    _in_a_command(
        f"cp openapi.yaml kept && cp less openapi.yaml && {COMMITS} -a -m cut && "
        f"mv kept openapi.yaml && {COMMITS} -a -m back"
    ),
)
_held(
    "a contract that leaves history and stays in the folder",
    "git rm --cached openapi.yaml && git commit",
    _in_a_command(f"git rm -q --cached openapi.yaml && {COMMITS} -m untracked"),
)


def _staged_apart(world: World) -> str:
    spec = world.place.folder / "openapi.yaml"
    kept = spec.read_bytes()
    world.place.write("openapi.yaml", LESS)
    world.place.git("add", "openapi.yaml")
    spec.write_bytes(kept)
    return world.do("git_commit", message="What the folder does not show").word


_held("a contract that is staged cut and stands whole", "git_commit", _staged_apart)
