"""Somebody else writes at the same time: each place in between, and nobody's bytes are lost."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.documents.edit import Create, Delete, FileEdit, Move, Whole
from groundwire.errors import GroundwireError
from groundwire.targets.disk.kept import KeptBounds
from groundwire.targets.disk.system import Disk
from tests.unit.targets.trees import Lacking, Rival, Tree, fresh, replace

THEIRS = b"theirs\n"


def refusal(tree: Tree, *edits: FileEdit, between: Callable[[], object] | None = None) -> str:
    proposal = tree.propose(*edits)
    if between is not None:
        between()
    with pytest.raises(GroundwireError) as refused:
        tree.target.write_if_unchanged(proposal, fresh())
    return refused.value.reason


def renamed_over(path: Path, content: bytes = THEIRS) -> None:
    beside = path.with_name(path.name + ".theirs")
    beside.write_bytes(content)
    beside.rename(path)


def with_rival(tmp_path: Path, call: str, act: Callable[[], object], **how: bool | int) -> Tree:
    tree = Tree(tmp_path, Rival(call, act, **how))  # type: ignore[arg-type] # bool or int by name
    tree.file("a", b"1\n")
    return tree


# --- before the exchange --------------------------------------------------------------------


@pytest.mark.parametrize("act", ["content", "mode", "gone", "link", "folder", "owner"])
def test_a_file_changed_after_it_was_judged_is_not_written(tree: Tree, act: str) -> None:
    path = tree.file("a", b"1\n", 0o644)
    deeds: dict[str, Callable[[], object]] = {
        "content": lambda: path.write_bytes(b"2\n"),
        "mode": lambda: path.chmod(0o600),
        "gone": path.unlink,
        "link": lambda: (path.unlink(), path.symlink_to("elsewhere")),
        "folder": lambda: (path.unlink(), path.mkdir()),
        "owner": lambda: os.chown(path, 4242, 4242),
    }
    if act == "owner" and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    wanted = {"state-drifted", "path-is-link", "not-a-file"}
    assert refusal(tree, Whole(path="a", content=b"x"), between=deeds[act]) in wanted
    assert b"x" not in tree.contents().values()


def test_an_attribute_changed_after_it_was_judged_is_not_overwritten(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    try:
        os.setxattr(path, "user.note", b"1")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    changed = lambda: os.setxattr(path, "user.note", b"2")  # noqa: E731 -- an act, in its place
    assert refusal(tree, Whole(path="a", content=b"x"), between=changed) == "state-drifted"
    assert os.getxattr(path, "user.note") == b"2"


def test_the_same_bytes_written_anew_are_no_drift(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    proposal = tree.propose(replace("a", "1", "2"))
    renamed_over(path, b"1\n")
    path.chmod(0o644)
    tree.target.write_if_unchanged(proposal, fresh())
    assert tree.contents() == {"a": b"2\n"}


def test_a_file_that_somebody_holds_open_for_writing_is_unmeasurable(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    with path.open("r+b") as theirs:
        assert refusal(tree, replace("a", "1", "2")) == "state-unmeasurable"
        theirs.write(b"3\n")
    assert tree.contents() == {"a": b"3\n"}
    with path.open("rb"):
        tree.write(replace("a", "3", "4"))
    assert tree.contents() == {"a": b"4\n"}


@pytest.mark.parametrize("swap", ["folder", "link"])
def test_a_folder_swapped_during_the_call_does_not_lead_the_write_elsewhere(
    tree: Tree, tmp_path: Path, swap: str
) -> None:
    tree.file("sub/a", b"1\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"secret\n" if swap == "folder" else b"1\n")

    def swapped() -> None:
        (tree.work / "sub").rename(tree.work / "was")
        if swap == "link":
            (tree.work / "sub").symlink_to(outside)
        else:
            outside.rename(tree.work / "sub")

    reason = refusal(tree, replace("sub/a", "1", "2"), between=swapped)
    assert reason == ("path-is-link" if swap == "link" else "state-drifted")
    assert b"2\n" not in tree.contents().values()
    if swap == "link":
        assert (outside / "a").read_bytes() == b"1\n"


def test_a_link_put_in_the_way_between_propose_and_locate_is_refused(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    tree.file("b", b"1\n")
    edits = (replace("a", "1", "2"),)
    readings = [tree.target.read_state(name) for name in tree.target.touches(edits)]
    path.unlink()
    path.symlink_to("b")
    with pytest.raises(GroundwireError) as refused:
        tree.target.propose(edits, readings)
    assert refused.value.reason == "state-drifted"


# --- between the last look and the exchange -------------------------------------------------


def test_bytes_renamed_into_place_just_before_the_exchange_are_put_back(tmp_path: Path) -> None:
    tree = with_rival(tmp_path, "exchange", lambda: renamed_over(tree.work / "a"))
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a": THEIRS}


def test_a_file_opened_for_writing_just_before_the_exchange_is_put_back(tmp_path: Path) -> None:
    held: list[int] = []
    tree = with_rival(
        tmp_path, "exchange", lambda: held.append(os.open(tree.work / "a", os.O_WRONLY))
    )
    assert refusal(tree, replace("a", "1", "2")) == "state-unmeasurable"
    os.write(held[0], b"3\n")
    os.close(held[0])
    assert tree.contents() == {"a": b"3\n"}


def test_a_name_taken_away_just_before_the_exchange_stays_away(tmp_path: Path) -> None:
    tree = with_rival(tmp_path, "exchange", (tmp_path / "work/a").unlink)
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {}


def test_a_folder_or_link_that_came_to_the_name_goes_back_to_it(tmp_path: Path) -> None:
    def made_folder() -> None:
        (tree.work / "a").unlink()
        (tree.work / "a").mkdir()
        (tree.work / "a/inside").write_bytes(THEIRS)

    tree = with_rival(tmp_path, "exchange", made_folder)
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a/inside": THEIRS}


def test_a_name_taken_just_before_a_file_is_made_keeps_its_file(tmp_path: Path) -> None:
    tree = Tree(tmp_path, Rival("move_new", lambda: (tree.work / "new").write_bytes(THEIRS)))
    assert refusal(tree, Create(path="new", content=b"ours")) == "state-drifted"
    assert tree.contents() == {"new": THEIRS}


def test_bytes_that_came_just_before_a_delete_are_put_back(tmp_path: Path) -> None:
    tree = with_rival(tmp_path, "rename", lambda: renamed_over(tree.work / "a"))
    assert refusal(tree, Delete(path="a")) == "state-drifted"
    assert tree.contents() == {"a": THEIRS}


def test_bytes_that_came_just_before_a_move_are_put_back(tmp_path: Path) -> None:
    tree = with_rival(tmp_path, "move_new", lambda: renamed_over(tree.work / "a"))
    assert refusal(tree, Move(path="a", to="b")) == "state-drifted"
    assert tree.contents() == {"a": THEIRS}


# --- between the exchange and the way back --------------------------------------------------


def two_rivals(tmp_path: Path, second: Callable[[Path], object], bounds: KeptBounds) -> Tree:
    """One comes just before the exchange, the other just before it is taken back."""

    class Both(Disk):
        turns = 0

        def exchange(self, one: str, other: str, folder: int) -> None:
            self.turns += 1
            if self.turns == 1:
                renamed_over(tree.work / "a")
            elif self.turns == 2:
                second(tree.work / "a")
            super().exchange(one, other, folder)

    tree = Tree(tmp_path, Both(), bounds)
    tree.file("a", b"1\n")
    return tree


def test_the_newer_of_two_has_the_name_and_the_older_is_kept(tmp_path: Path) -> None:
    tree = two_rivals(tmp_path, lambda path: renamed_over(path, b"newer\n"), KeptBounds())
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a": b"newer\n"}
    kept = [path.read_bytes() for path in (tree.folder / "kept").iterdir()]
    assert THEIRS in kept


def test_what_is_too_large_to_keep_stays_beside_and_is_named(tmp_path: Path) -> None:
    tree = two_rivals(tmp_path, lambda path: renamed_over(path, b"newer\n"), KeptBounds(each=2))
    assert refusal(tree, replace("a", "1", "2")) == "write-unsettled"
    assert sorted(tree.contents().values()) == [b"newer\n", THEIRS]


def test_what_somebody_wrote_into_our_file_is_not_taken_away_with_it(tmp_path: Path) -> None:
    tree = two_rivals(tmp_path, lambda path: path.write_bytes(b"into ours\n"), KeptBounds())
    assert refusal(tree, replace("a", "1", "2")) == "write-unsettled"
    assert tree.contents() == {"a": b"into ours\n"}
    assert THEIRS in [path.read_bytes() for path in (tree.folder / "kept").iterdir()]


def test_what_was_written_into_ours_before_anybody_looked_is_not_called_refused(
    tmp_path: Path,
) -> None:
    class Both(Disk):
        def exchange(self, one: str, other: str, folder: int) -> None:
            renamed_over(tree.work / "a")
            super().exchange(one, other, folder)
            (tree.work / "a").write_bytes(b"into ours\n")

    tree = Tree(tmp_path, Both())
    tree.file("a", b"1\n")
    assert refusal(tree, replace("a", "1", "2")) == "write-unsettled"
    assert tree.contents() == {"a": b"into ours\n"}
    assert THEIRS in [path.read_bytes() for path in (tree.folder / "kept").iterdir()]


def test_where_our_file_was_removed_what_it_displaced_has_its_name_again(tmp_path: Path) -> None:
    tree = two_rivals(tmp_path, Path.unlink, KeptBounds())
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a": THEIRS}


def test_a_name_taken_again_while_a_delete_is_taken_back_keeps_both_contents(
    tmp_path: Path,
) -> None:
    class Both(Disk):
        def rename(self, old: str, folder: int, new: str, to_folder: int) -> None:
            if old == "a":
                renamed_over(tree.work / "a")
            super().rename(old, folder, new, to_folder)
            if old == "a":
                (tree.work / "a").write_bytes(b"newer\n")

    tree = Tree(tmp_path, Both())
    tree.file("a", b"1\n")
    assert refusal(tree, Delete(path="a")) == "state-drifted"
    assert tree.contents() == {"a": b"newer\n"}
    assert THEIRS in [path.read_bytes() for path in (tree.folder / "kept").iterdir()]


# --- several files --------------------------------------------------------------------------


def test_where_the_second_of_two_drifted_the_first_is_as_it_was(tmp_path: Path) -> None:
    class Second(Disk):
        turns = 0

        def exchange(self, one: str, other: str, folder: int) -> None:
            self.turns += 1
            if self.turns == 2:
                renamed_over(tree.work / "b")
            super().exchange(one, other, folder)

    tree = Tree(tmp_path, Second())
    tree.file("a", b"1\n")
    tree.file("b", b"1\n")
    edits = (
        replace("a", "1", "2"), replace("b", "1", "2"), Create(path="new/c", content=b""),
    )  # fmt: skip
    assert refusal(tree, *edits) == "state-drifted"
    assert tree.contents() == {"a": b"1\n", "b": THEIRS}
    assert not (tree.work / "new").exists()
    assert tree.journals() == []


def test_every_kind_of_step_is_put_back_where_the_last_is_refused(tmp_path: Path) -> None:
    class Last(Disk):
        turns = 0

        def exchange(self, one: str, other: str, folder: int) -> None:
            self.turns += other == "z"
            if other == "z" and self.turns == 1:
                renamed_over(tree.work / "z")
            super().exchange(one, other, folder)

    tree = Tree(tmp_path, Last())
    for name in "abcz":
        tree.file(name, name.encode())
    before = tree.contents()
    edits = (
        replace("a", "a", "A"), Delete(path="b"), Move(path="c", to="d/e"),
        Create(path="n", content=b"n"), replace("z", "z", "Z"),
    )  # fmt: skip
    assert refusal(tree, *edits) == "state-drifted"
    assert tree.contents() == {**before, "z": THEIRS}


# --- file systems that can less -------------------------------------------------------------


def test_without_exchange_a_write_is_called_non_atomic(tmp_path: Path) -> None:
    tree = Tree(tmp_path, Lacking(["exchange"], errno.EINVAL))
    tree.file("a", b"1\n", 0o751)
    name = tree.target.locate("a")
    assert tree.target.guarantee(name, fresh()) == "non-atomic"
    assert tree.write(replace("a", "1", "2")).guarantees == ("non-atomic",)
    assert tree.contents() == {"a": b"2\n"}
    assert (tree.work / "a").stat().st_mode & 0o777 == 0o751


def test_without_exchange_a_change_that_is_seen_in_time_is_refused(tmp_path: Path) -> None:
    class Late(Lacking):
        def create(self, name: str, folder: int, mode: int) -> int:
            if name.endswith("~"):
                renamed_over(tree.work / "a")
            return super().create(name, folder, mode)

    tree = Tree(tmp_path, Late(["exchange"], errno.EINVAL))
    tree.file("a", b"1\n")
    assert refusal(tree, replace("a", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a": THEIRS}


def test_without_exchange_several_files_are_still_put_back(tmp_path: Path) -> None:
    class Late(Lacking):
        def create(self, name: str, folder: int, mode: int) -> int:
            if name.endswith("1~"):
                renamed_over(tree.work / "b")
            return super().create(name, folder, mode)

    tree = Tree(tmp_path, Late(["exchange", "move_new"], errno.ENOSYS))
    tree.file("a", b"1\n")
    tree.file("b", b"1\n")
    assert refusal(tree, replace("a", "1", "2"), replace("b", "1", "2")) == "state-drifted"
    assert tree.contents() == {"a": b"1\n", "b": THEIRS}


@pytest.mark.parametrize("calls", [["move_new"], ["move_new", "link"]])
def test_without_renames_that_replace_nothing_a_taken_name_is_still_not_replaced(
    tmp_path: Path, calls: list[str]
) -> None:
    tree = Tree(tmp_path, Lacking(calls, errno.EINVAL))
    tree.file("a", b"1\n")
    written = tree.write(Move(path="a", to="b"))
    assert written.guarantees == ("non-atomic" if "link" in calls else "exchange-detected",)
    tree.write(Create(path="c", content=b"c"))
    assert tree.contents() == {"b": b"1\n", "c": b"c"}
    assert refusal(tree, Create(path="d", content=b"d"), between=lambda: tree.file("d")) == (
        "state-drifted"
    )


def test_without_links_either_a_name_taken_after_the_first_look_keeps_its_file(
    tmp_path: Path,
) -> None:
    class Late(Lacking):
        def sync(self, descriptor: int) -> None:
            tree.file("new", THEIRS)

    tree = Tree(tmp_path, Late(["move_new", "link"], errno.EINVAL))
    assert refusal(tree, Create(path="new", content=b"ours")) == "state-drifted"
    assert tree.contents() == {"new": THEIRS}


def test_a_move_between_two_file_systems_is_refused(tmp_path: Path) -> None:
    tree = Tree(tmp_path, Lacking(["move_new"], errno.EXDEV))
    tree.file("a", b"1\n")
    assert refusal(tree, Move(path="a", to="b")) == "moves-between-devices"
    assert tree.contents() == {"a": b"1\n"}


@pytest.mark.parametrize("call", ["create", "write", "set_mode", "exchange", "sync"])
def test_a_system_that_fails_leaves_what_was_there(tmp_path: Path, call: str) -> None:
    disk = Lacking([call], errno.EIO)
    tree = Tree(tmp_path)
    tree.file("a", b"1\n")
    proposal = tree.propose(replace("a", "1", "2"))
    tree.target._ground.root.disk = disk
    with pytest.raises(GroundwireError) as refused:
        tree.target.write_if_unchanged(proposal, fresh())
    assert refused.value.reason in {"target-unwritable", "kept-failed"}
    assert tree.contents() == {"a": b"1\n"}


def test_a_write_that_stands_and_may_not_be_on_the_medium_is_not_called_refused(
    tmp_path: Path,
) -> None:
    class Failing(Disk):
        def sync(self, descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(errno.EIO, "lost")

    tree = Tree(tmp_path, Failing())
    tree.file("a", b"1\n")
    assert refusal(tree, replace("a", "1", "2")) == "write-unsettled"


def test_others_who_never_stop_writing_end_in_a_name_for_it(tmp_path: Path) -> None:
    class Never(Disk):
        def exchange(self, one: str, other: str, folder: int) -> None:
            renamed_over(tree.work / "a")
            super().exchange(one, other, folder)

    tree = Tree(tmp_path, Never())
    tree.file("a", b"1\n")
    assert refusal(tree, replace("a", "1", "2")) == "write-unsettled"
    assert set(tree.contents().values()) == {THEIRS}


def test_an_owner_that_cannot_be_kept_refuses_the_write(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has files of others in its folders")
    tree = Tree(tmp_path, Lacking(["set_owner"], errno.EPERM))
    os.chown(tree.file("a", b"1\n"), 4242, 4242)
    assert refusal(tree, replace("a", "1", "2")) == "attributes-not-kept"
    assert tree.contents() == {"a": b"1\n"}


def test_the_new_bytes_are_on_the_medium_before_they_have_the_name_and_the_name_after(
    tmp_path: Path,
) -> None:
    told: list[str] = []

    class Telling(Disk):
        def sync(self, descriptor: int) -> None:
            told.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

        def exchange(self, one: str, other: str, folder: int) -> None:
            told.append("exchange")
            super().exchange(one, other, folder)

    tree = Tree(tmp_path, Telling())
    tree.file("a", b"1\n")
    tree.file("b", b"1\n")
    tree.write(replace("a", "1", "2"))
    assert told == ["file", "exchange", "folder"]
    told.clear()
    tree.write(replace("a", "2", "3"), replace("b", "1", "2"))
    first, last = told.index("exchange"), len(told) - told[::-1].index("exchange")
    # Two images and their folder, two staged files, the journal and its folder; then the names,
    # the word that all stands, and that nothing is left.
    assert sorted(told[:first]) == ["file"] * 5 + ["folder"] * 3
    assert told[last:] == ["folder", "file", "folder"]
