"""What the files target does to ordinary files, and what it refuses."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from groundwire.documents.edit import (
    Create,
    Delete,
    FileEdit,
    Move,
    Patch,
    Replace,
    Rewrite,
    SetMode,
    Whole,
)
from groundwire.documents.target import Absent, Present, TargetName, Unmeasurable
from groundwire.errors import EncodingError, GroundwireError, GuardError, HostError
from groundwire.targets.disk import measuring
from groundwire.targets.files.target import FilesTarget
from tests.unit.targets.trees import Tree, fresh, replace


def refusal(tree: Tree, *edits: FileEdit) -> str:
    before = tree.contents()
    with pytest.raises(GroundwireError) as refused:
        tree.write(*edits)
    assert tree.contents() == before
    return refused.value.reason


# --- what is written ------------------------------------------------------------------------


def test_an_edit_stands_and_nothing_is_left_beside_it(tree: Tree) -> None:
    tree.file("src/a.py", b"x = 1\n")
    proposal = tree.propose(replace("src/a.py", "1", "2"))
    written = tree.target.write_if_unchanged(proposal, fresh())
    assert tree.contents() == {"src/a.py": b"x = 2\n"}
    assert written.guarantees == ("exchange-detected",)
    assert [seen.seen for seen in tree.target.observe(proposal)] == ["content-match"]
    assert tree.journals() == []


def test_a_proposal_holds_the_whole_of_both_sides_and_writes_nothing(tree: Tree) -> None:
    tree.file("a", b"1\n2\n3\n")
    (change,) = tree.propose(replace("a", "2", "x")).changes
    assert (change.kind, change.before, change.after) == ("changed", b"1\n2\n3\n", b"1\nx\n3\n")
    assert tree.contents() == {"a": b"1\n2\n3\n"}


def test_a_file_is_made_with_the_folders_it_needs(tree: Tree) -> None:
    tree.write(Create(path="new/deep/a.sh", content=b"#!\n", mode=0o755))
    assert tree.contents() == {"new/deep/a.sh": b"#!\n"}
    assert (tree.work / "new/deep/a.sh").stat().st_mode & 0o777 == 0o755


def test_a_new_file_has_the_permissions_that_the_system_gives(tree: Tree) -> None:
    mask = os.umask(0o027)
    try:
        tree.write(Whole(path="a", content=b""))
    finally:
        os.umask(mask)
    assert (tree.work / "a").stat().st_mode & 0o777 == 0o640


def test_several_edits_of_one_request_see_one_another(tree: Tree) -> None:
    tree.file("a", b"1\n")
    tree.file("b", b"2\n")
    tree.write(
        replace("a", "1", "x"),
        Move(path="b", to="c"),
        replace("c", "2", "y"),
        Create(path="d", content=b"z"),
        Delete(path="d"),
    )
    assert tree.contents() == {"a": b"x\n", "c": b"y\n"}


def test_a_move_keeps_the_file_itself(tree: Tree) -> None:
    inode = tree.file("a", b"1\n", 0o751).stat().st_ino
    proposal = tree.propose(Move(path="a", to="sub/b"))
    (change,) = proposal.changes
    assert (change.kind, change.to) == ("renamed", tree.target.locate("sub/b"))
    tree.target.write_if_unchanged(proposal, fresh())
    assert tree.contents() == {"sub/b": b"1\n"}
    assert (tree.work / "sub/b").stat().st_ino == inode
    assert [seen.seen for seen in tree.target.observe(proposal)] == ["content-match"] * 2


def test_a_delete_takes_the_file_away(tree: Tree) -> None:
    tree.file("a")
    proposal = tree.propose(Delete(path="a"))
    tree.target.write_if_unchanged(proposal, fresh())
    assert tree.contents() == {}
    assert [seen.seen for seen in tree.target.observe(proposal)] == ["content-match"]


def test_permission_bits_are_a_change_of_their_own(tree: Tree) -> None:
    tree.file("a", b"1", 0o644)
    assert tree.propose(SetMode(path="a", mode=0o644)).changes == ()
    proposal = tree.propose(SetMode(path="a", mode=0o755))
    assert proposal.changes[0].kind == "mode"
    tree.target.write_if_unchanged(proposal, fresh())
    assert (tree.work / "a").stat().st_mode & 0o777 == 0o755
    (tree.work / "a").chmod(0o700)
    assert tree.target.observe(proposal)[0].seen == "drift"


def test_a_patch_of_git_changes_makes_renames_and_deletes(tree: Tree) -> None:
    tree.file("a", b"1\n2\n")
    tree.file("old", b"p\nq\n", 0o755)
    tree.file("gone", b"x\n")
    tree.write(
        Patch(
            text="diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"
            "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n"
            "diff --git a/old b/new\nrename from old\nrename to new\n--- a/old\n+++ b/new\n"
            "@@ -1,2 +1,2 @@\n-p\n+P\n q\n"
            "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n"
            "@@ -1 +0,0 @@\n-x\n"
        )
    )
    assert tree.contents() == {"a": b"1\n3\n", "n": b"n\n", "new": b"P\nq\n"}
    assert (tree.work / "new").stat().st_mode & 0o777 == 0o755
    assert (tree.work / "n").stat().st_mode & 0o777 == 0o755


def test_a_patch_of_one_named_file_goes_to_that_file(tree: Tree) -> None:
    tree.file("a", b"1\n")
    text = "--- x\n+++ y\n@@ -1 +1 @@\n-1\n+2\n"
    tree.write(Patch(text=text, path="a"))
    assert tree.contents() == {"a": b"2\n"}
    with pytest.raises(EncodingError):
        tree.propose(Patch(text=text + text, path="a"))


def test_a_patch_that_deletes_a_file_has_to_know_all_of_it(tree: Tree) -> None:
    tree.file("a", b"1\n2\n")
    text = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    assert refusal(tree, Patch(text=text)) == "patch-not-found"


def test_what_ends_as_it_was_is_no_change(tree: Tree) -> None:
    tree.file("a", b"1\n")
    assert tree.propose(Whole(path="a", content=b"1\n")).changes == ()
    assert tree.write(Whole(path="a", content=b"1\n")).guarantees == ()


def test_mode_owner_and_attributes_are_kept(tree: Tree) -> None:
    path = tree.file("a", b"1\n", 0o640)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    if os.geteuid() == 0:
        os.chown(path, 4242, 4243)
    before = path.stat()
    tree.write(replace("a", "1", "2"))
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid,
    )  # fmt: skip
    assert os.getxattr(path, "user.note") == b"kept"


def test_an_access_list_is_kept_and_one_of_the_folder_is_not_taken_on(tree: Tree) -> None:
    # version 2; user::rw-, user:4242:r--, group::r--, mask::r--, other::---
    entry = "0100{}ffffffff020004009210000004000400ffffffff10000400ffffffff20000000ffffffff"
    with_user = bytes.fromhex("02000000" + entry.format("0600"))
    listed, plain = tree.file("acl/listed", b"1\n"), tree.file("acl/plain", b"1\n")
    try:
        os.setxattr(listed, "system.posix_acl_access", with_user)
        os.setxattr(tree.work / "acl", "system.posix_acl_default", with_user)
    except OSError:
        pytest.skip("no access lists on this file system")
    tree.write(replace("acl/listed", "1", "2"))
    tree.write(replace("acl/plain", "1", "2"))
    assert os.getxattr(listed, "system.posix_acl_access") == with_user
    assert os.listxattr(plain) == []


def test_a_hard_link_is_broken_and_never_written_through(tree: Tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs\n")
    os.link(outside, tree.work / "a")
    proposal = tree.propose(replace("a", "theirs", "ours"))
    state = proposal.changes[0].state
    assert isinstance(state, Present)
    assert state.links == 2, "the share is named, so that a rule can ask"
    tree.target.write_if_unchanged(proposal, fresh())
    assert (outside.read_bytes(), tree.contents()) == (b"theirs\n", {"a": b"ours\n"})


def test_what_was_read_and_written_is_named_by_the_digest_of_its_bytes(tree: Tree) -> None:
    tree.file("a", b"1\n")
    reading = tree.target.read_state(tree.target.locate("a"))
    assert isinstance(reading.state, Present)
    assert reading.state.digest == (
        "sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"
    )
    assert isinstance(tree.target.read_state(tree.target.locate("b/c")).state, Absent)


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside", "path-outside"),
        ("a/../../outside", "path-outside"),
        ("sub/../a", "path-outside"),
        ("/etc/passwd", "path-outside"),
        ("", "bad-path"),
        (".", "bad-path"),
        ("a\0b", "bad-path"),
        ("\udcff", "bad-path"),
        ("a/b", "bad-path"),
        ("x" * 5000, "bad-path"),
    ],
)
def test_a_path_that_is_none_or_leads_out_is_refused(tree: Tree, path: str, reason: str) -> None:
    tree.file("a")
    assert refusal(tree, Whole(path=path, content=b"x")) == reason


def test_an_absolute_path_below_the_root_is_the_same_file(tree: Tree) -> None:
    tree.file("a", b"1\n")
    tree.write(replace(str(tree.work / "a"), "1", "2"))
    assert tree.contents() == {"a": b"2\n"}
    beside = Path(f"{tree.work}side")
    beside.mkdir()
    assert refusal(tree, Whole(path=f"{beside}/a", content=b"x")) == "path-outside"


@pytest.mark.parametrize("target", ["{outside}", "../outside", "sub/../../outside"])
def test_a_symbolic_link_out_of_the_root_is_refused(
    tree: Tree, tmp_path: Path, target: str
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_bytes(b"theirs")
    (tree.work / "sub").mkdir()
    (tree.work / "link").symlink_to(target.format(outside=tmp_path / "outside"))
    assert refusal(tree, Whole(path="link/a", content=b"x")) == "path-outside"
    (tree.work / "file").symlink_to(tmp_path / "outside/a")
    assert refusal(tree, Whole(path="file", content=b"x")) == "path-outside"
    assert (tmp_path / "outside/a").read_bytes() == b"theirs"


def test_a_symbolic_link_within_the_root_is_read_and_its_file_is_named(tree: Tree) -> None:
    tree.file("docs/AGENTS.md", b"1\n")
    (tree.work / "CLAUDE.md").symlink_to("docs/AGENTS.md")
    (tree.work / "again").symlink_to(tree.work / "CLAUDE.md")
    proposal = tree.propose(replace("again", "1", "2"))
    assert proposal.changes[0].name.path == "docs/AGENTS.md"
    tree.target.write_if_unchanged(proposal, fresh())
    assert (tree.work / "CLAUDE.md").is_symlink()
    assert (tree.work / "again").read_bytes() == b"2\n"


def test_links_that_go_round_are_refused(tree: Tree) -> None:
    (tree.work / "a").symlink_to("b")
    (tree.work / "b").symlink_to("a")
    assert refusal(tree, Whole(path="a", content=b"x")) == "bad-path"


def test_a_link_itself_is_neither_moved_nor_deleted(tree: Tree) -> None:
    tree.file("a")
    (tree.work / "link").symlink_to("a")
    (tree.work / "broken").symlink_to("nowhere")
    for edit in (
        Delete(path="link"), Move(path="link", to="b"), Delete(path="broken"),
        Move(path="a", to="broken"),
    ):  # fmt: skip
        assert refusal(tree, edit) == "path-is-link"


def test_folders_pipes_sockets_and_devices_are_refused_unopened(tree: Tree) -> None:
    (tree.work / "folder").mkdir()
    os.mkfifo(tree.work / "pipe")
    with socket.socket(socket.AF_UNIX) as served:
        here = Path.cwd()
        os.chdir(tree.work)
        try:
            served.bind("socket")
        finally:
            os.chdir(here)
        for path in ("folder", "pipe", "socket"):
            assert refusal(tree, Whole(path=path, content=b"x")) == "not-a-file"
    device = FilesTarget(Path("/dev"), tree.kept)
    with pytest.raises(GuardError) as refused:
        device.read_state(device.locate("null"))
    assert refused.value.reason == "not-a-file"


def test_a_file_that_runs_as_somebody_else_is_not_written(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    path.chmod(0o4755)
    assert refusal(tree, replace("a", "1", "2")) == "special-mode"
    assert refusal(tree, SetMode(path="a", mode=0o755)) == "special-mode"
    tree.file("b")
    assert refusal(tree, SetMode(path="b", mode=0o2755)) == "special-mode"
    assert refusal(tree, Create(path="c", content=b"", mode=0o4755)) == "special-mode"
    tree.write(Delete(path="a"))


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (replace("missing", "a", "b"), "file-absent"),
        (Delete(path="missing"), "file-absent"),
        (Move(path="missing", to="b"), "file-absent"),
        (SetMode(path="missing", mode=0o600), "file-absent"),
        (Create(path="a", content=b""), "file-present"),
        (Move(path="b", to="a"), "file-present"),
        (replace("a", "none", "b"), "edit-not-found"),
    ],
)
def test_an_edit_that_does_not_fit_what_is_there_is_refused(
    tree: Tree, edit: FileEdit, reason: str
) -> None:
    tree.file("a")
    tree.file("b")
    assert refusal(tree, edit) == reason


def test_one_file_under_two_names_is_not_changed_twice(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    os.link(path, tree.work / "b")
    edits = replace("a", "1", "2"), replace("b", "1", "3")
    assert refusal(tree, *edits) == "same-file-twice"


def test_a_file_that_is_too_large_to_judge_is_unmeasurable(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.file("a", b"12345")
    measured = measuring.measure(tree.target._ground.disk, None, "a", limit=4)
    assert isinstance(measured.state, Absent)
    monkeypatch.setattr("groundwire.targets.files.target.LARGEST", 4)
    reading = tree.target.read_state(tree.target.locate("a"))
    assert (reading.state, reading.content) == (Unmeasurable(why="too-large"), None)
    assert refusal(tree, Whole(path="a", content=b"x")) == "state-unmeasurable"


def test_a_name_of_another_root_is_refused(tree: Tree) -> None:
    for name in (
        TargetName(kind="files", root="/elsewhere", path="a"),
        TargetName(kind="git", root=tree.target.root, path="a"),
    ):
        with pytest.raises(GuardError) as refused:
            tree.target.read_state(name)
        assert refused.value.reason == "path-outside"


@pytest.mark.parametrize("write", ["", "x", "A" * 32, "0" * 31, "../" + "0" * 32])
def test_a_write_needs_a_name_that_no_other_has(tree: Tree, write: str) -> None:
    tree.file("a")
    proposal = tree.propose(Delete(path="a"))
    with pytest.raises(GuardError) as refused:
        tree.target.write_if_unchanged(proposal, write)
    assert refused.value.reason == "bad-write-id"


def test_several_files_are_not_written_without_a_journal(tree: Tree) -> None:
    tree.file("a")
    tree.file("b")
    proposal = tree.propose(Delete(path="a"), Delete(path="b"))
    with pytest.raises(HostError) as refused:
        FilesTarget(tree.work, tree.kept).write_if_unchanged(proposal, fresh())
    assert refused.value.reason == "journal-missing"
    assert len(tree.contents()) == 2


def test_a_folder_that_may_not_be_written_to_is_told_of(tree: Tree) -> None:
    tree.file("locked/a", b"1\n")
    (tree.work / "locked").chmod(0o500)
    if os.access(tree.work / "locked", os.W_OK):
        pytest.skip("this user may write everywhere")
    assert refusal(tree, replace("locked/a", "1", "2")) == "target-unwritable"


def test_what_is_observed_later_is_drift_whatever_it_became(tree: Tree) -> None:
    path = tree.file("a", b"1\n")
    proposal = tree.propose(replace("a", "1", "2"))
    tree.target.write_if_unchanged(proposal, fresh())
    path.write_bytes(b"3\n")
    assert tree.target.observe(proposal)[0].seen == "drift"
    path.unlink()
    assert tree.target.observe(proposal)[0].seen == "drift"
    path.symlink_to("elsewhere")
    assert tree.target.observe(proposal)[0].seen == "drift"


def test_a_token_tells_mode_owner_and_file_apart(tree: Tree) -> None:
    path = tree.file("a", b"1\n", 0o640)
    state = tree.target.read_state(tree.target.locate("a")).state
    found = path.stat()
    assert isinstance(state, Present)
    assert (state.mode, state.owner, state.group, state.inode, state.device, state.links) == (
        stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, found.st_ino, found.st_dev, 1,
    )  # fmt: skip


def test_rewrites_of_one_file_in_one_edit_are_made_in_order(tree: Tree) -> None:
    tree.file("a", b"a")
    edits = (Replace(old="a", new="b"), Replace(old="b", new="c"))
    tree.write(Rewrite(path="a", edits=edits))
    assert tree.contents() == {"a": b"c"}
