"""Targets that move under a call: between T1 and T2, before the write, and within it."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

from groundwire.targets.disk.system import Disk
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import acting, between
from tests.adversarial.world import World

Act = Callable[[World], object]
DRIFTED: Final = "refused: state-drifted"


# --- when: each is a moment of the call at which somebody else acts -------------------------


def _before_t2(act: Callable[[], object]) -> AbstractContextManager[None]:
    return between(receipt=acting(act))


def _before_the_write(act: Callable[[], object]) -> AbstractContextManager[None]:
    return between(grant=acting(act))


@contextmanager
def _in_the_write(act: Callable[[], object]) -> Iterator[None]:
    """Just before two names are exchanged: after the last look that anybody takes."""
    true, left = Disk.exchange, [1]

    def exchange(disk: Disk, *names: Any) -> Any:
        if left[0]:
            left[0] = 0
            act()
        return true(disk, *names)

    Disk.exchange = exchange  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        yield
    finally:
        Disk.exchange = true  # type: ignore[method-assign]  # put in its place meanwhile


MOMENTS: Final = (
    ("between T1 and T2", _before_t2),
    ("between T2 and the write", _before_the_write),
    ("within the write", _in_the_write),
)


# --- what: each is done to README.md, which the call is about -------------------------------


def _rewritten(world: World) -> None:
    (world.place.folder / "README.md").write_text("# Tool\n\nUse it. Theirs.\n")


def _renamed_over(world: World) -> None:
    other = world.place.write("theirs.tmp", "# Tool\n\nUse it. Theirs.\n")
    os.replace(other, world.place.folder / "README.md")


def _same_again(world: World) -> None:
    path = world.place.folder / "README.md"
    other = world.place.write("theirs.tmp", path.read_bytes())
    os.replace(other, path)


def _deleted(world: World) -> None:
    (world.place.folder / "README.md").unlink()


def _made_executable(world: World) -> None:
    (world.place.folder / "README.md").chmod(0o755)


def _linked_out(world: World) -> None:
    secret = _secret(world)
    path = world.place.folder / "README.md"
    path.unlink()
    path.symlink_to(secret)


def _hard_linked_out(world: World) -> None:
    secret = _secret(world)
    path = world.place.folder / "README.md"
    path.unlink()
    os.link(secret, path)


def _made_a_pipe(world: World) -> None:
    path = world.place.folder / "README.md"
    path.unlink()
    os.mkfifo(path)


def _made_a_folder(world: World) -> None:
    path = world.place.folder / "README.md"
    path.unlink()
    path.mkdir()


def _secret(world: World) -> Path:
    secret = world.place.top / "secret.txt"
    secret.write_text("# Tool\n\nUse it.\n")
    return secret


ENDS: Final = (DRIFTED, "refused: path-is-link", "refused: not-a-file")


def _edit(world: World) -> str:
    return world.do("edit_file", path="README.md", old="Use it.", new="Used.").word


def _moved(name: str, act: Act, ends: tuple[str, ...] = (DRIFTED,)) -> None:
    for moment, within in MOMENTS:

        def deed(
            world: World,
            within: Callable[[Callable[[], object]], AbstractContextManager[None]] = within,
        ) -> str:
            left: dict[str, Any] = {}

            def moved() -> None:
                act(world)
                left.update(_standing(world))

            with within(moved):
                word = _edit(world)
            assert left, "nobody acted: the attack did not happen"
            if not word.startswith("executed"):
                theirs = _standing(world)
                assert theirs == left, f"what the other left is gone: {_differing(left, theirs)}"
            secret = world.place.top / "secret.txt"
            assert not secret.exists() or secret.read_text() == "# Tool\n\nUse it.\n"
            return word

        add(
            Attack("moving", f"{name} {moment}", f"README.md is {name} {moment}", ends, deed,
                   leaves=False)
        )  # fmt: skip


def _standing(world: World) -> dict[str, Any]:
    """What stands there but for what a write puts beside its target while it goes on."""
    return {name: value for name, value in world.standing().items() if ".gw-" not in name}


def _differing(before: dict[str, Any], after: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}: {before.get(name)!r} → {after.get(name)!r}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    )


_moved("rewritten", _rewritten)
_moved("renamed over", _renamed_over)
# The same bytes, mode and owner under another inode: what was judged is what stands there.
_moved("exchanged for a copy", _same_again, ("executed",))
_moved("deleted", _deleted)
_moved("made executable", _made_executable)
_moved("a link to a file outside", _linked_out, ENDS)
# Its bytes are those that were judged; the link is broken, and the file outside stays as it is.
_moved("a hard link to a file outside", _hard_linked_out, ("executed",))
_moved("a pipe", _made_a_pipe, ENDS)
_moved("a folder", _made_a_folder, ENDS)


@attack("moving", "a folder on the way becomes a link", "docs/ → a folder outside, between T2 and the write",
        DRIFTED, "refused: path-is-link", "refused: path-outside", leaves=False)  # fmt: skip
def _(world: World) -> str:
    outside = world.place.top / "outside"
    outside.mkdir()
    (outside / "guide.md").write_text("# Guide\n")

    def act() -> None:
        os.rename(world.place.folder / "docs", world.place.folder / "docs-before")
        os.symlink(outside, world.place.folder / "docs")

    with between(grant=acting(act)):
        word = world.do("edit_file", path="docs/guide.md", old="# Guide", new="# Mine").word
    assert (outside / "guide.md").read_text() == "# Guide\n"
    return word


@attack("moving", "a new file that somebody else makes first", "created between T2 and the write",
        DRIFTED, leaves=False)  # fmt: skip
def _(world: World) -> str:
    with between(grant=acting(lambda: world.place.write("new.txt", "theirs"))):
        word = world.do("create_file", path="new.txt", content="ours").word
    assert world.place.read("new.txt") == b"theirs"
    return word


@attack("moving", "a new name that is taken meanwhile", "a move's new name, between T2 and the write",
        DRIFTED, leaves=False)  # fmt: skip
def _(world: World) -> str:
    with between(grant=acting(lambda: world.place.write("there.md", "theirs"))):
        word = world.do("move_file", path="README.md", to="there.md").word
    assert world.place.read("there.md") == b"theirs"
    assert world.place.read("README.md") == b"# Tool\n\nUse it.\n"
    return word


@attack("moving", "one of two files of a patch", "the second file moves before the write",
        DRIFTED, leaves=False)  # fmt: skip
def _(world: World) -> str:
    patch = (
        "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-v1\n+v2\n"
        "--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1 +1 @@\n-# Guide\n+# Mine\n"
    )
    with between(grant=acting(lambda: world.place.write("docs/guide.md", "# Theirs\n"))):
        word = world.do("apply_patch", patch=patch).word
    assert world.place.read("app.py") == b"v1\n"
    assert world.place.read("docs/guide.md") == b"# Theirs\n"
    return word


@attack("moving", "a rival that never stops", "another thread rewrites the file all the time",
        "nobody's bytes were lost", leaves=False)  # fmt: skip
def _(world: World) -> str:
    path = world.place.folder / "README.md"
    stop, written = threading.Event(), [0]

    def rival() -> None:
        while not stop.is_set():
            written[0] += 1
            other = world.place.folder.parent / "theirs.tmp"
            other.write_text(f"# Tool\n\nUse it.\n{written[0]}\n")
            os.replace(other, path)

    thread = threading.Thread(target=rival)
    world.hands.do("read_file", path="README.md")
    thread.start()
    words = []
    try:
        for _ in range(20):
            words.append(_edit(world).partition(":")[0])
            # A rival that had not seen ours would have written over it: that is its own doing.
    finally:
        stop.set()
        thread.join(60)
        assert not thread.is_alive(), "it waits for ever"
    assert path.read_text().startswith("# Tool")
    assert not [each for each in world.place.folder.iterdir() if each.name.startswith(".gw-")]
    assert set(words) <= {"refused", "executed", "unknown"}, words
    return "nobody's bytes were lost"


@attack("moving", "a file that is too long to say", "the target is a device", "refused: not-a-file",
        "refused: path-outside", "asked: approval-unavailable", leaves=False)  # fmt: skip
def _(world: World) -> str:
    word = world.do("write_file", path="/dev/null", content="x").word
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    return word


for _path, _tried in (
    ("../outside.txt", "one level up"),
    ("docs/../../outside.txt", "through a folder and up"),
    ("/tmp/outside-of-it", "an absolute path"),
    ("link-out/outside.txt", "through a link in the folder"),
    ("link-file", "a link to a file outside"),
    ("docs//../..//outside.txt", "with doubled slashes"),
):

    def _deed(world: World, path: str = _path) -> str:
        outside = world.place.top / "outside.txt"
        (world.place.folder / "link-out").symlink_to(world.place.top)
        (world.place.folder / "link-file").symlink_to(outside)
        done = world.do("create_file", path=path, content="ours")
        assert not outside.exists()
        assert not Path("/tmp/outside-of-it").exists()
        (world.place.folder / "link-out").unlink()
        (world.place.folder / "link-file").unlink()
        return done.word

    add(Attack("moving", f"a path that leads out: {_tried}", f"create {_path}",
               ("asked: approval-unavailable", "refused: path-outside", "refused: path-is-link"),
               _deed))  # fmt: skip

for _path, _tried in (
    ("a\0b", "a NUL in it"), ("", "empty"), (".", "the folder itself"), ("x" * 300, "too long a name"),
    ("\ud800", "a lone surrogate"),
):  # fmt: skip

    def _bad(world: World, path: str = _path) -> str:
        return world.do("create_file", path=path, content="ours").word.partition(":")[0]

    add(
        Attack(
            "moving", f"a path that is none: {_tried}", f"create {_path[:20]!r}", ("refused",), _bad
        )
    )
