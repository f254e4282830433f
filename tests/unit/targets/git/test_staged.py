from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

import pytest

from groundwire.documents.staged import GitChange
from groundwire.documents.target import Proposal
from groundwire.errors import GroundwireError
from groundwire.targets.git.locking import locked, remove_locks
from groundwire.targets.git.staged_git import StagedGit
from tests.unit.targets.git.repositories import NOW, Repo, fresh
from tests.unit.targets.git.stagings import Staging

PERSON = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
MONTHS = 200 * 24 * 3600.0


@pytest.fixture
def work(repo: Repo) -> Repo:
    """Three commits on main, two more on `side`, a change that is not staged."""
    repo.commit("second", a="2\n", b="b\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("on the side", c="c\n")
    repo.git("checkout", "-q", "main")
    repo.commit("third", a="3\n")
    (repo.work / "b").write_text("edited\n")
    return repo


ORDINARY: dict[str, list[tuple[str, ...]]] = {
    "commit": [("commit", "-q", "-a", "-m", "fourth")],
    "stage": [("add", "-A")],
    "amend": [("commit", "-q", "--amend", "-a", "-m", "third, better")],
    "stash": [("stash", "-q")],
    "stash and pop": [("stash", "-q"), ("stash", "pop", "-q")],
    "checkout": [("stash", "-q"), ("checkout", "-q", "side")],
    "checkout a file": [("checkout", "-q", "side", "--", "c")],
    "new branch": [("checkout", "-q", "-b", "feature/x")],
    "detach": [("checkout", "-q", "--detach"), ("commit", "-q", "-a", "-m", "x")],
    "rebase": [("commit", "-q", "-a", "-m", "x"), ("rebase", "-q", "side")],
    "merge": [("commit", "-q", "-a", "-m", "x"), ("merge", "-q", "--no-edit", "side")],
    "reset": [("reset", "-q", "--hard", "HEAD~1")],
    "delete a merged branch": [
        ("commit", "-q", "-a", "-m", "x"), ("merge", "-q", "--no-edit", "side"),
        ("branch", "-q", "-d", "side"),
    ],
    "tag": [("tag", "v1"), ("tag", "-a", "-m", "two", "v2")],
    "pack refs": [("pack-refs", "--all")],
    "gc": [("gc", "-q")],
    "gc of now": [("gc", "-q", "--prune=now")],
    "cherry-pick": [("commit", "-q", "-a", "-m", "x"), ("cherry-pick", "side")],
    "move a file": [("mv", "a", "z"), ("commit", "-q", "-m", "moved")],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_work_loses_nothing_and_stands_as_git_left_it(work: Repo, name: str) -> None:
    staging = Staging(work, *ORDINARY[name])
    before = work.everything()
    assert staging.lost() == []
    proposal = staging.propose()
    assert work.everything() == before  # judging writes nothing
    staging.write(proposal)
    for change in staging.changes:
        if not change.path.startswith(("objects/", "info/refs", "gc.")):
            path = work.work / ".git" / change.path
            assert (path.read_bytes() if path.exists() else None) == change.after, change.path
    assert work.git("fsck", "--strict", "--no-dangling") == ""
    assert not list((work.work / ".git").rglob("*.lock"))
    seen = staging.files.observe(
        type(proposal)(changes=tuple(staging.staged.as_file(each) for each in proposal.changes))
    )
    assert {each.seen for each in seen} <= {"content-match"}
    assert [staging.staged.as_git(each).name for each in seen] == [
        change.name for change in proposal.changes
    ]
    assert {change.name.kind for change in proposal.changes} <= {"git"}


LOSING: dict[str, tuple[list[tuple[str, ...]], list[str]]] = {
    "delete an unmerged branch": ([("branch", "-q", "-D", "side")], ["refs/heads/side"]),
    "drop a stash": ([("stash", "drop", "-q")], ["refs/stash"]),
    "drop an older stash": ([("stash", "drop", "-q", "stash@{1}")], ["refs/stash"]),
    "clear the stashes": ([("stash", "clear")], ["refs/stash"]),
    "forget what a branch was": (
        [("reset", "-q", "--hard", "HEAD~1"), ("reflog", "expire", "--expire=now", "--all")],
        ["refs/stash"],  # what main was at is what the stash stands on
    ),
    "delete a tag that alone holds a commit": ([("tag", "-d", "alone")], ["refs/tags/alone"]),
    "a packed branch": (
        [("pack-refs", "--all"), ("branch", "-q", "-D", "side")],
        ["refs/heads/side"],
    ),
}


@pytest.mark.parametrize("name", LOSING)
def test_what_leaves_commits_that_nothing_names_is_told(work: Repo, name: str) -> None:
    work.git("stash", "-q")
    (work.work / "a").write_text("another\n")
    work.git("stash", "-q")
    tree = work.at("HEAD^{tree}")
    alone = work.git("commit-tree", "-m", "alone", tree)
    work.git("tag", "alone", alone)
    commands, refs = LOSING[name]
    staging = Staging(work, *commands, now=NOW - MONTHS)
    assert sorted(staging.lost()) == refs


def test_entries_of_a_reflog_that_git_lets_go_of_by_age_are_not_counted(work: Repo) -> None:
    commands: list[tuple[str, ...]] = [
        ("reset", "-q", "--hard", "HEAD~1"),
        ("reflog", "expire", "--expire=now", "--all"),
    ]
    assert Staging(work, *commands, now=NOW).lost() == ["refs/heads/main"]
    work.git("reset", "-q", "--hard", "HEAD~1")
    expire = ("reflog", "expire", "--expire=now", "--all")
    assert Staging(work, expire, now=NOW).lost() == []  # made 1690000000, 115 days before
    assert Staging(work, expire, now=NOW - MONTHS).lost() != []


def test_a_stash_whose_files_stand_in_the_folder_may_go(work: Repo) -> None:
    (work.work / "new").write_text("untracked\n")
    work.git("stash", "-q", "-u")
    assert Staging(work, ("stash", "pop", "-q")).lost() == []
    assert Staging(work, ("stash", "drop", "-q")).lost() == ["refs/stash"]
    both = Staging(work, ("stash", "apply", "-q"), ("stash", "drop", "-q"))
    assert both.lost() == []
    apart = Staging(work, ("stash", "pop", "-q"), ("clean", "-q", "-f", "new"))
    assert apart.lost() == ["refs/stash"]


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("hooks/post-commit", b"#!/bin/sh\n"),
        ("HOOKS/post-commit", b"#!/bin/sh\n"),
        ("config", b"[core]\n\tfsmonitor = evil\n"),
        ("config.worktree", b"[core]\n"),
        ("commondir", b"/elsewhere\n"),
        ("objects/info/alternates", b"/elsewhere\n"),
        ("Objects/info/alternates", b"/elsewhere\n"),
        ("objects/info/http-alternates", b"http://x\n"),
        ("info/attributes", b"* filter=evil\n"),
        ("info/grafts", b"x\n"),
        ("modules/x/config", b"[core]\n"),
        ("worktrees/x/gitdir", b"/elsewhere\n"),
        ("refs/replace/" + "1" * 40, b"2" * 40 + b"\n"),
        ("packed-refs", b"1" * 40 + b" refs/replace/" + b"1" * 40 + b"\n"),
        ("packed-refs", b"garbage\n"),
        ("refs/heads/x", b"ref: ../config\n"),
        ("refs/heads/x", b"garbage\n"),
        ("refs/heads/x.lock", b""),
        ("HEAD", b"garbage\n"),
        ("HEAD", None),
        ("index", None),
        ("shallow", b"1" * 40 + b"\n"),
        ("rebase-merge/git-rebase-todo", b"pick 1\nexec curl evil\n"),
        ("rebase-merge/git-rebase-todo", b"x curl evil\n"),
        ("rebase-merge/git-rebase-todo.backup", b"pick 1\n\texec evil\n"),
        ("rebase-merge/strategy", b"evil\n"),
        ("sequencer/../config", b"[core]\n"),
        ("sequencer/opts", b"[options]\n\tstrategy = evil\n"),
        ("sequencer/todo", b"pick 1\nexec evil\n"),
        ("reftable/tables.list", b"x\n"),
        ("index", b"garbage"),
        ("unknown", b""),
        ("", b""),
    ],
)
def test_what_git_does_not_write_by_itself_or_starts_programs_is_denied(
    repo: Repo, path: str, after: bytes | None
) -> None:
    change = GitChange(path=path, before=b"0", after=after, mode=0o644)
    staged = StagedGit(Staging(repo).files, (change,), NOW, lambda _: None)
    with pytest.raises(GroundwireError) as caught:
        staged.require_sound()
    assert caught.value.reason == "change-kind-denied"


def blob_of(repo: Repo, text: str) -> str:
    """A file that stands in no folder, as an object that nothing leads to."""
    path = repo.folder / "elsewhere.txt"
    path.write_text(text)
    return repo.git("hash-object", "-w", str(path))


def plumbing(repo: Repo) -> dict[str, list[tuple[str, ...]]]:
    blob = blob_of(repo, "never in the folder\n")
    entry = f"100644,{blob},a"
    tree = repo.git("mktree", "--missing")
    made = repo.git("commit-tree", "-m", "made", "-p", "main", tree)
    repo.git("read-tree", "main")
    repo.git("update-index", "--cacheinfo", entry)
    changed = repo.git("write-tree")
    repo.git("read-tree", "main")
    evil = repo.git("commit-tree", "-m", "evil", "-p", "main", changed)
    return {
        "an entry of the index": [("update-index", "--cacheinfo", entry)],
        "a commit of it": [
            ("update-index", "--cacheinfo", entry), ("commit", "-q", "-m", "evil"),
        ],
        "a commit whose index is put back": [
            ("update-index", "--cacheinfo", entry), ("commit", "-q", "-m", "evil"),
            ("update-index", "--cacheinfo", f"100644,{repo.at('HEAD:a')},a"),
        ],
        "what is committed at another path": [
            ("update-index", "--cacheinfo", f"100644,{repo.at('HEAD:b')},a"),
            ("commit", "-q", "-m", "evil"),
        ],
        "a rename over another file": [
            ("rm", "-q", "--cached", "b"),
            ("update-index", "--cacheinfo", f"100644,{repo.at('HEAD:b')},a"),
        ],
        "a commit behind a harmless one": [
            ("update-index", "--cacheinfo", entry), ("commit", "-q", "-m", "evil"),
            ("commit", "-q", "--allow-empty", "-m", "harmless"),
        ],
        "a branch at a commit that nothing led to": [("branch", "new", evil)],
        "the branch itself": [("update-ref", "refs/heads/main", evil)],
        "a tag": [("tag", "v1", evil)],
        "a link": [
            ("update-index", "--add", "--cacheinfo", f"120000,{blob},link"),
            ("commit", "-q", "-m", "link"),
        ],
        "harmless: an empty commit": [("update-ref", "refs/heads/new", made)],
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "an entry of the index", "a commit of it", "a commit whose index is put back",
        "what is committed at another path", "a rename over another file",
        "a commit behind a harmless one",
        "a branch at a commit that nothing led to", "the branch itself", "a tag", "a link",
    ],
)  # fmt: skip
def test_attack_a_change_that_goes_into_history_past_the_folder_is_refused(
    work: Repo, name: str
) -> None:
    staging = Staging(work, *plumbing(work)[name])
    with pytest.raises(GroundwireError) as caught:
        staging.propose()
    assert caught.value.reason == "unseen-content"
    assert " a" in caught.value.message or "link" in caught.value.message


def test_what_leads_to_no_unseen_file_is_not_refused_for_it(work: Repo) -> None:
    Staging(work, *plumbing(work)["harmless: an empty commit"]).apply()


def test_a_note_about_a_commit_is_no_file_of_the_folder(work: Repo) -> None:
    Staging(work, ("notes", "add", "-m", "looked at")).apply()
    assert work.git("notes", "show").strip() == "looked at"


def test_a_file_that_was_changed_and_not_staged_is_renamed_and_committed(work: Repo) -> None:
    work.git("mv", "a", "kept")
    Staging(work, ("mv", "b", "moved")).apply()  # b holds what is not staged
    assert (work.work / "moved").read_text() == "edited\n"
    Staging(work, ("commit", "-q", "-m", "moved")).apply()
    assert work.git("show", "HEAD:moved") == "b"


def test_what_was_staged_before_it_was_changed_again_is_committed(work: Repo) -> None:
    (work.work / "a").write_text("staged\n")
    Staging(work, ("add", "a")).apply()
    (work.work / "a").write_text("changed again\n")
    Staging(work, ("commit", "-q", "-m", "as staged")).apply()
    assert work.git("show", "HEAD:a") == "staged"


def test_objects_that_nothing_leads_to_do_not_come_in(work: Repo) -> None:
    (work.folder / "evil.txt").write_text("evil\n")
    evil = str(work.folder / "evil.txt")
    staging = Staging(work, ("hash-object", "-w", evil), ("tag", "v1"))
    staging.apply()
    assert work.at("v1") == work.at("main")
    with pytest.raises(Exception, match="exit status"):
        work.git("cat-file", "-e", work.git("hash-object", evil))


def test_files_that_git_stores_with_other_line_ends_or_as_pointers_were_seen(work: Repo) -> None:
    (work.work / ".gitattributes").write_text("*.txt text\n")
    (work.work / "ends.txt").write_bytes(b"one\r\ntwo\r\n")
    (work.work / "link").symlink_to("a")
    large = b"large\n"
    (work.work / "large.bin").write_bytes(large)
    pointer = (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{hashlib.sha256(large).hexdigest()}\n"
        f"size {len(large)}\n"
    )
    blob = blob_of(work, pointer)
    Staging(
        work,
        ("add", "-A"),
        ("update-index", "--cacheinfo", f"100644,{blob},large.bin"),
        ("commit", "-q", "-m", "stored otherwise"),
    ).apply()
    assert work.git("ls-tree", "-r", "--name-only", "HEAD").split()[-2:] == ["large.bin", "link"]


INDEXED = [
    ".git/hooks/post-commit", ".GIT/hooks/post-commit", "a/.git/hooks/post-commit",
    "git~1/hooks/post-commit", "a/../.git/hooks/post-commit", ".g\u200cit/hooks/post-commit",
]  # fmt: skip


@pytest.mark.parametrize("entry", INDEXED)
def test_attack_an_index_that_has_git_write_a_hook_at_the_next_checkout_is_denied(
    repo: Repo, entry: str
) -> None:
    blob = repo.git("hash-object", "-w", "a")
    stand_in = "x" * len(entry.encode())
    repo.git("read-tree", "--empty")
    repo.git("update-index", "--add", "--cacheinfo", f"100755,{blob},{stand_in}")
    path = repo.work / ".git/index"
    body = path.read_bytes()[:-20].replace(stand_in.encode(), entry.encode())
    evil = body + hashlib.sha1(body).digest()
    for index, denied in ((path.read_bytes(), False), (evil, True)):
        change = GitChange(path="index", before=b"0", after=index, mode=0o644)
        staged = StagedGit(Staging(repo).files, (change,), NOW, lambda _: None)
        if not denied:
            staged.require_sound()
            continue
        with pytest.raises(GroundwireError) as caught:
            staged.require_sound()
        assert caught.value.reason == "change-kind-denied"


def test_git_itself_believes_such_an_index(repo: Repo) -> None:
    """The attack is one: git does write the hook."""
    blob = repo.git("hash-object", "-w", "a")
    repo.git("update-index", "--add", "--cacheinfo", f"100755,{blob},xgit/hooks/post-commit")
    path = repo.work / ".git/index"
    body = path.read_bytes()[:-20].replace(b"xgit/hooks", b".git/hooks")
    path.write_bytes(body + hashlib.sha1(body).digest())
    repo.git("checkout-index", "-a", "-f")
    assert (repo.work / ".git/hooks/post-commit").exists()


def test_a_ref_that_a_rival_moves_after_the_judging_stays_and_nothing_is_written(
    work: Repo,
) -> None:
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    proposal = staging.propose()
    work.git("commit", "-q", "--allow-empty", "-m", "theirs")
    theirs, before = work.at("main"), work.everything()
    with pytest.raises(GroundwireError) as caught:
        staging.write(proposal)
    assert caught.value.reason == "state-drifted"
    assert work.at("main") == theirs
    new = {path for path in work.everything() if path not in before}
    assert all(path.startswith("objects/") for path in new)  # to which nothing leads
    assert not list((work.work / ".git").rglob("*.lock"))


def test_a_ref_that_a_rival_moved_before_the_judging_is_drift(work: Repo) -> None:
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    work.git("commit", "-q", "--allow-empty", "-m", "theirs")
    with pytest.raises(GroundwireError) as caught:
        staging.propose()
    assert caught.value.reason == "state-drifted"


def test_while_another_git_holds_a_lock_nothing_is_written(work: Repo) -> None:
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    proposal = staging.propose()
    main = work.at("main")
    for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
        path = work.work / ".git" / lock
        path.touch()
        with pytest.raises(GroundwireError) as caught:
            staging.write(proposal)
        assert caught.value.reason == "git-locked"
        path.unlink()
        assert work.at("main") == main
        assert not list((work.work / ".git").rglob("*.lock"))
    staging.write(proposal)
    assert work.git("log", "-1", "--format=%s") == "fourth"


def test_no_git_moves_what_is_being_written(work: Repo) -> None:
    folder = str(work.work / ".git")
    with locked(folder, ["refs/heads/main", "index", "logs/HEAD"], fresh()):
        for command in (
            ("update-ref", "refs/heads/main", "side"),
            ("commit", "-a", "-m", "x"),
            ("add", "-A"),
        ):
            with pytest.raises(Exception, match="exit status 128"):
                work.git(*command)
    work.git("commit", "-q", "-a", "-m", "x")


def test_locks_that_a_death_left_are_told_by_their_write(work: Repo) -> None:
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    changes = [staging.staged.as_file(change) for change in staging.propose().changes]
    plan = staging.files.plan(Proposal(changes=tuple(changes)), fresh())
    folder = work.work / ".git"
    (folder / "refs/heads/main.lock").write_text(plan.write)
    (folder / "index.lock").write_text(plan.write)
    (folder / "HEAD.lock").write_text("another git's")
    remove_locks(plan)
    assert [path.name for path in folder.rglob("*.lock")] == ["HEAD.lock"]


def corrupt(staging: Staging, path: str, after: bytes) -> StagedGit:
    changes = [
        GitChange(path=path, before=None, after=after, mode=0o444)
        if change.path == path
        else change
        for change in staging.changes
    ]
    return StagedGit(staging.files, changes, NOW, lambda _: None)


def test_an_object_that_is_not_what_its_name_says_does_not_come_in(work: Repo) -> None:
    (work.work / "b").write_text("harmless\n")
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    blob = work.git("hash-object", "b")
    path = f"objects/{blob[:2]}/{blob[2:]}"
    main = work.at("main")
    for wrong in (zlib.compress(b"blob 5\0evil\n"), b"garbage", b""):
        staged = corrupt(staging, path, wrong)
        with pytest.raises(GroundwireError) as caught, staged.written(fresh()):
            pytest.fail("nothing is written")
        assert caught.value.reason == "objects-unsound"
    assert work.at("main") == main
    assert not Path(work.work, ".git", path).exists()


def test_a_staged_file_that_is_not_what_its_name_says_does_not_come_in(work: Repo) -> None:
    (work.work / "b").write_text("harmless\n")
    staging = Staging(work, ("add", "-A"))
    blob = work.git("hash-object", "b")
    path = f"objects/{blob[:2]}/{blob[2:]}"
    staged = corrupt(staging, path, zlib.compress(b"blob 5\0evil\n"))
    with pytest.raises(GroundwireError) as caught, staged.written(fresh()):
        pytest.fail("nothing is written")
    assert caught.value.reason == "objects-unsound"
    assert not Path(work.work, ".git", path).exists()


def test_a_commit_without_its_files_does_not_come_in(work: Repo) -> None:
    staging = Staging(work, ("commit", "-q", "-a", "-m", "fourth"))
    blob = work.git("hash-object", "b")
    without = [
        change for change in staging.changes if change.path != f"objects/{blob[:2]}/{blob[2:]}"
    ]
    staged = StagedGit(staging.files, without, NOW, lambda _: None)
    with pytest.raises(GroundwireError) as caught, staged.written(fresh()):
        pytest.fail("nothing is written")
    assert caught.value.reason == "objects-unsound"


def test_attack_a_folder_that_git_would_write_into_its_own_does_not_come_in(work: Repo) -> None:
    """Its name is right, and whoever checks it out has another `.git`."""
    blob = bytes.fromhex(blob_of(work, "[core]\n\tfsmonitor = evil\n"))
    tree = work.folder / "tree"
    tree.write_bytes(b"100644 .git\0" + blob)
    how = ("hash-object", "-t", "tree", "--literally")
    name = work.git(*how, str(tree))
    staging = Staging(work, (*how, "-w", str(tree)), ("update-ref", "refs/tags/evil", name))
    with pytest.raises(GroundwireError) as caught, staging.staged.written(fresh()):
        pytest.fail("nothing is written")
    assert caught.value.reason == "objects-unsound"
    assert work.git("for-each-ref", "refs/tags") == ""


def test_a_damaged_pack_does_not_come_in(work: Repo) -> None:
    path = f"objects/pack/pack-{'1' * 40}.pack"
    change = GitChange(path=path, before=None, after=b"PACK", mode=0o444)
    staged = StagedGit(Staging(work).files, (change,), NOW, lambda _: None)
    with pytest.raises(GroundwireError) as caught, staged.written(fresh()):
        pytest.fail("nothing is written")
    assert caught.value.reason == "objects-unsound"


def test_many_objects_come_in_as_a_pack(work: Repo) -> None:
    for number in range(150):
        (work.work / f"file{number}").write_text(f"{number}\n")
    staging = Staging(work, ("add", "-A"), ("commit", "-q", "-m", "many"), ("gc", "-q"))
    staging.apply()
    assert work.git("fsck", "--strict", "--no-dangling") == ""
    assert work.git("ls-tree", "-r", "--name-only", "HEAD").count("file") == 150


def test_housekeeping_deletes_no_object(work: Repo) -> None:
    blob = work.git("hash-object", "-w", "--stdin")
    staging = Staging(work, ("gc", "-q", "--prune=now"))
    assert any(change.after is None for change in staging.changes)
    staging.apply()
    assert work.git("cat-file", "-t", blob) == "blob"


def test_another_repositorys_name_is_not_read(work: Repo) -> None:
    staging = Staging(work, ("tag", "v1"))
    other = StagedGit(staging.files, (), NOW, lambda _: None)
    [name] = staging.staged.touches()
    with pytest.raises(GroundwireError) as caught:
        other.read_state(name)
    assert caught.value.reason == "path-outside"
