from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import msgspec
import pytest

from groundwire.documents.ref_edit import Commit, DeleteRef, RefEdit, SetRef
from groundwire.documents.target import Absent, Present, Proposal
from groundwire.errors import GroundwireError
from groundwire.targets.disk.git_program import Git
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.git import target as target_module
from groundwire.targets.git.target import GitTarget
from tests.unit.targets.git.repositories import NOW, Repo, fresh


def refused(repo: Repo, request: RefEdit) -> str:
    with pytest.raises(GroundwireError) as caught:
        repo.write(request)
    return caught.value.reason


@pytest.fixture(params=["sha1", "sha256"])
def each(tmp_path: Path, request: pytest.FixtureRequest) -> Repo:
    return Repo(tmp_path, f"--object-format={request.param}")


def test_what_is_staged_is_a_commit_on_the_branch_that_is_checked_out(each: Repo) -> None:
    old = each.at("HEAD")
    each.stage(a="2\n", b="new\n")
    before = each.everything()
    proposal = each.propose(Commit(message="  second\n\nwhy\n\n"))
    assert each.everything() == before  # proposing writes nothing, no object either
    [change] = proposal.changes
    assert change.before == f"{old}\n".encode()
    written = each.target.write_if_unchanged(proposal, fresh())
    assert written.guarantees == ("conditional",)
    assert change.after == f"{each.at('refs/heads/main')}\n".encode()
    assert each.git("log", "--format=%s|%b|%an|%ae|%at", "-1") == (
        "second|why\n|A Person|person@example.org|1700000000"
    )
    assert each.at("HEAD^") == old
    assert each.git("status", "--porcelain") == ""
    assert each.git("reflog", "-1", "--format=%gs") == "commit: second"
    assert each.git("fsck", "--strict") == ""
    assert [seen.seen for seen in each.target.observe(proposal)] == ["content-match"]
    assert each.target.lost(proposal) == ()


def test_the_first_commit_of_a_branch_makes_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path, born=False)
    repo.stage(a="1\n")
    written = repo.write(Commit(message="first"))
    assert written.plan.steps[0].kind == "created"
    assert repo.git("rev-list", "--count", "HEAD") == "1"


def test_a_detached_head_moves_alone(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    main = repo.at("main")
    repo.stage(a="2\n")
    written = repo.write(Commit(message="second"))
    assert written.plan.steps[0].path == "HEAD"
    assert repo.at("main") == main
    assert repo.at("HEAD^") == main


def test_a_commit_in_another_working_tree_moves_that_trees_branch(repo: Repo) -> None:
    other = repo.folder / "other"
    repo.git("worktree", "add", "-q", "-b", "side", str(other))
    (other / "a").write_text("2\n")
    repo.git("add", "-A", at=other)
    target = GitTarget(other, repo.kept, lambda: NOW)
    [name] = target.touches(Commit(message="second"))
    assert name.path == "refs/heads/side"
    assert name.root == str((repo.work / ".git").resolve())
    proposal = target.propose(Commit(message="second"), [target.read_state(name)])
    target.write_if_unchanged(proposal, fresh())
    assert repo.git("log", "--format=%s", "-1", "side") == "second"
    assert repo.git("log", "--format=%s", "-1", "main") == "first"
    assert refused(repo, SetRef(ref="refs/heads/side", commit="main")) == "ref-checked-out"


def test_refs_are_made_moved_and_deleted_packed_or_not(repo: Repo) -> None:
    first = repo.at("HEAD")
    second = repo.commit("second", a="2\n")
    repo.write(SetRef(ref="refs/heads/side", commit=first))
    assert repo.at("side") == first
    repo.git("pack-refs", "--all")
    repo.write(SetRef(ref="refs/heads/side", commit="main"))
    assert repo.at("side") == second
    repo.git("pack-refs", "--all")
    repo.write(DeleteRef(ref="refs/heads/side"))
    assert repo.git("branch", "--format=%(refname)") == "refs/heads/main"


def test_a_bare_repository_has_refs_and_nothing_staged(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    repo.git("clone", "-q", "--bare", str(repo.work), str(bare))
    target = GitTarget(bare, repo.kept, lambda: NOW)
    request = SetRef(ref="refs/heads/side", commit="main")
    readings = [target.read_state(name) for name in target.touches(request)]
    target.write_if_unchanged(target.propose(request, readings), fresh())
    assert repo.git("rev-parse", "side", at=bare) == repo.at("main")
    commit = Commit(message="x")
    with pytest.raises(GroundwireError) as caught:
        target.propose(commit, [target.read_state(name) for name in target.touches(commit)])
    assert caught.value.reason == "nothing-staged"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Commit(message="nothing is staged"), "nothing-staged"),
        (Commit(message=" \n"), "edit-malformed"),
        (Commit(message="a\0b"), "edit-malformed"),
        (Commit(message="\ud800"), "edit-malformed"),
        (SetRef(ref="main", commit="HEAD"), "bad-ref"),
        (SetRef(ref="HEAD", commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/heads/../../config", commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/heads/main.lock", commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/heads/a\nb", commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/replace/" + "1" * 40, commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/stash", commit="HEAD"), "bad-ref"),
        (SetRef(ref="refs/heads/main", commit="HEAD"), "ref-checked-out"),
        (SetRef(ref="refs/heads/side", commit="HEAD^{tree}"), "no-such-commit"),
        (SetRef(ref="refs/heads/side", commit="--all"), "no-such-commit"),
        (SetRef(ref="refs/heads/side", commit="1" * 40), "no-such-commit"),
        (DeleteRef(ref="refs/heads/side"), "ref-absent"),
        (DeleteRef(ref="refs/heads/main"), "ref-checked-out"),
    ],
)
def test_what_is_no_move_of_a_ref_is_refused(repo: Repo, request_: RefEdit, reason: str) -> None:
    before = repo.everything()
    assert refused(repo, request_) == reason
    assert repo.everything() == before


def test_a_ref_that_stands_for_another_is_not_written_over(repo: Repo) -> None:
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
    request = SetRef(ref="refs/remotes/origin/HEAD", commit="main")
    assert refused(repo, request) == "ref-is-symbolic"


def test_no_move_is_no_change(repo: Repo) -> None:
    repo.git("branch", "side")
    assert refused(repo, SetRef(ref="refs/heads/side", commit="main")) == "edit-malformed"


def test_in_the_middle_of_a_merge_nothing_is_committed(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("theirs", a="theirs\n")
    repo.git("checkout", "-q", "main")
    repo.commit("ours", a="ours\n")
    with pytest.raises(Exception, match="exit status 1"):
        repo.git("merge", "side")
    merging = repo.work / ".git/MERGE_HEAD"
    theirs = merging.read_bytes()
    merging.unlink()
    assert refused(repo, Commit(message="x")) == "commit-unfinished"  # the index holds conflicts
    merging.write_bytes(theirs)
    repo.stage(a="resolved\n")
    assert refused(repo, Commit(message="x")) == "commit-unfinished"


def test_where_nobody_is_named_nobody_commits(repo: Repo) -> None:
    repo.git("config", "--unset", "user.email")
    repo.stage(a="2\n")
    assert refused(repo, Commit(message="x")) == "no-identity"


def test_a_folder_in_no_repository_and_a_machine_without_git(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path / "kept", lambda: NOW)
    for program, folder, reason in (
        ("git", tmp_path, "no-repository"),
        ("no-such-git", tmp_path, "git-missing"),
        ("git", tmp_path / "absent", "git-failed"),
    ):
        target = GitTarget(folder, kept, lambda: NOW, program)
        with pytest.raises(GroundwireError) as caught:
            target.touches(Commit(message="x"))
        assert caught.value.reason == reason


def test_a_damaged_ref_is_not_taken_for_no_ref(repo: Repo) -> None:
    (repo.work / ".git/refs/heads/side").write_text("garbage\n")
    assert refused(repo, SetRef(ref="refs/heads/side", commit="main")) == "git-failed"


# -- compare and swap ---------------------------------------------------------------------------


def test_am_git_missing_pin_a_change_without_its_old_value_is_refused(repo: Repo) -> None:
    first = repo.at("HEAD")
    repo.git("branch", "side")
    repo.commit("second", a="2\n")
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit="main"))
    [change] = proposal.changes
    zeros = b"0" * 40 + b"\n"
    for wrong in (
        msgspec.structs.replace(change, before=None),
        msgspec.structs.replace(change, before=zeros),
        msgspec.structs.replace(change, before=b""),
        msgspec.structs.replace(change, state=Absent()),
        msgspec.structs.replace(change, before=None, state=Absent()),
        msgspec.structs.replace(change, kind="mode"),
        msgspec.structs.replace(change, after=zeros),
        msgspec.structs.replace(change, after=None),
    ):
        with pytest.raises(GroundwireError) as caught:
            repo.target.write_if_unchanged(Proposal(changes=(wrong,)), fresh())
        assert caught.value.reason == "missing-expected"
    assert repo.at("side") == first


def test_a_ref_that_a_rival_moved_stays_where_the_rival_put_it(repo: Repo) -> None:
    first = repo.at("HEAD")
    repo.git("branch", "side")
    second = repo.commit("second", a="2\n")
    third = repo.commit("third", a="3\n")
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit=third))
    repo.git("update-ref", "refs/heads/side", second)
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(proposal, fresh())
    assert caught.value.reason == "state-drifted"
    assert repo.at("side") == second != first
    assert [seen.seen for seen in repo.target.observe(proposal)] == ["drift"]


def test_a_ref_that_a_rival_made_is_not_written_over(repo: Repo) -> None:
    proposal = repo.propose(SetRef(ref="refs/tags/v1", commit="HEAD"))
    second = repo.commit("second", a="2\n")
    repo.git("tag", "v1")
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(proposal, fresh())
    assert caught.value.reason == "state-drifted"
    assert repo.at("v1") == second


def test_a_commit_on_a_branch_that_moved_since_is_not_placed(repo: Repo) -> None:
    repo.stage(a="2\n")
    proposal = repo.propose(Commit(message="mine"))
    theirs = repo.commit("theirs")
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(proposal, fresh())
    assert caught.value.reason == "state-drifted"
    assert repo.at("main") == theirs


def test_of_several_refs_all_move_or_none(repo: Repo) -> None:
    first = repo.at("HEAD")
    for name in ("one", "two"):
        repo.git("branch", name)
    second = repo.commit("second", a="2\n")
    moves = [
        repo.propose(SetRef(ref=f"refs/heads/{name}", commit="main")) for name in ("one", "two")
    ]
    both = Proposal(changes=tuple(move.changes[0] for move in moves))
    repo.git("update-ref", "refs/heads/two", second)
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(both, fresh())
    assert caught.value.reason == "state-drifted"
    assert repo.at("one") == first
    repo.git("update-ref", "refs/heads/two", first)
    repo.target.write_if_unchanged(both, fresh())
    assert repo.at("one") == repo.at("two") == second


def test_a_ref_that_another_git_has_locked_stays_and_the_write_is_refused(repo: Repo) -> None:
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit="main"))
    (repo.work / ".git/refs/heads/side.lock").touch()
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(proposal, fresh())
    assert caught.value.reason == "git-failed"
    assert "side.lock" in caught.value.message


def test_another_targets_name_is_not_read(repo: Repo) -> None:
    [name] = repo.target.touches(DeleteRef(ref="refs/heads/main"))
    for wrong in (
        msgspec.structs.replace(name, kind="files"),
        msgspec.structs.replace(name, root="/elsewhere"),
    ):
        with pytest.raises(GroundwireError) as caught:
            repo.target.read_state(wrong)
        assert caught.value.reason == "path-outside"


def test_a_commit_that_another_target_proposed_is_not_invented(repo: Repo) -> None:
    repo.stage(a="2\n")
    proposal = repo.propose(Commit(message="second"))
    other = GitTarget(repo.work, repo.kept, lambda: NOW)
    with pytest.raises(GroundwireError) as caught:
        other.write_if_unchanged(proposal, fresh())
    assert caught.value.reason == "objects-forgotten"


def test_many_proposals_at_once_are_remembered_up_to_a_bound(repo: Repo) -> None:
    repo.stage(a="2\n")
    early = repo.propose(Commit(message="early"))

    def propose(number: int) -> None:
        for turn in range(17):
            repo.propose(Commit(message=f"{number} {turn}"))

    threads = [threading.Thread(target=propose, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it waits for ever"
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(early, fresh())
    assert caught.value.reason == "objects-forgotten"
    repo.write(Commit(message="late"))


def test_proposals_are_remembered_up_to_so_many_bytes_and_the_last_whatever_its_size(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target_module, "_REMEMBERED_BYTES", 1)
    repo.stage(a="2\n")
    early = repo.propose(Commit(message="early"))
    late = repo.propose(Commit(message="late"))
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(early, fresh())
    assert caught.value.reason == "objects-forgotten"
    repo.target.write_if_unchanged(late, fresh())
    assert repo.target._made == {}  # the repository has it


@pytest.mark.parametrize("write", ["", "g" * 32, "a" * 31, "../" + "a" * 32])
def test_a_write_without_a_name_is_refused(repo: Repo, write: str) -> None:
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit="main"))
    with pytest.raises(GroundwireError) as caught:
        repo.target.write_if_unchanged(proposal, write)
    assert caught.value.reason == "bad-write-id"


# -- afterwards ---------------------------------------------------------------------------------


def test_a_move_is_undone_and_not_where_the_ref_moved_since(repo: Repo) -> None:
    first = repo.at("HEAD")
    repo.git("branch", "side")
    repo.git("branch", "gone")
    second = repo.commit("second", a="2\n")
    for request in (
        SetRef(ref="refs/heads/side", commit="main"),
        SetRef(ref="refs/heads/new", commit="main"),
        DeleteRef(ref="refs/heads/gone"),
    ):
        written = repo.write(request)
        undone = repo.target.proposal_to_undo(written.plan)
        repo.target.write_if_unchanged(undone, fresh())
    assert repo.at("side") == repo.at("gone") == first
    assert repo.git("branch", "--list", "new") == ""
    written = repo.write(SetRef(ref="refs/heads/side", commit="main"))
    repo.git("update-ref", "refs/heads/side", first)
    with pytest.raises(GroundwireError) as caught:
        repo.target.proposal_to_undo(written.plan)
    assert caught.value.reason == "changed-since"
    assert second == repo.at("main")


def test_an_interrupted_write_landed_or_did_not(repo: Repo) -> None:
    first = repo.at("HEAD")
    repo.git("branch", "side")
    repo.commit("second", a="2\n")
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit="main"))
    plan = repo.target.plan(proposal, fresh())
    assert repo.target.recover(plan).stands == "before"
    assert repo.target.recover(plan).left_alone == ()
    repo.target.write_if_unchanged(proposal, plan.write)
    assert repo.target.recover(plan).stands == "after"
    third = repo.commit("third", a="3\n")
    repo.git("update-ref", "refs/heads/side", third)
    recovered = repo.target.recover(plan)
    assert recovered.stands == "before"
    assert [name.path for name in recovered.left_alone] == ["refs/heads/side"]
    assert first != third


def test_moves_that_leave_commits_on_no_ref_are_named(repo: Repo) -> None:
    first = repo.at("HEAD")
    repo.git("branch", "merged")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("unmerged", a="2\n")
    repo.git("checkout", "-q", "main")
    for request, loses in (
        (DeleteRef(ref="refs/heads/side"), True),
        (DeleteRef(ref="refs/heads/merged"), False),
        (SetRef(ref="refs/heads/side", commit=first), True),
        (SetRef(ref="refs/heads/merged", commit="side"), False),
    ):
        proposal = repo.propose(request)
        assert bool(repo.target.lost(proposal)) == loses
    repo.git("tag", "-a", "-m", "kept", "keep", "side")
    assert repo.target.lost(repo.propose(DeleteRef(ref="refs/heads/side"))) == ()


def test_attack_a_ref_moved_to_a_commit_made_here_loses_what_it_led_to(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("unmerged", a="2\n")
    repo.git("checkout", "-q", "main")
    repo.stage(a="3\n")
    repo.write(Commit(message="made here"))
    proposal = repo.propose(SetRef(ref="refs/heads/side", commit="main"))
    assert [change.name.path for change in repo.target.lost(proposal)] == ["refs/heads/side"]


def test_a_commit_on_what_its_branch_was_at_loses_nothing(repo: Repo) -> None:
    repo.stage(a="3\n")
    proposal = repo.propose(Commit(message="not written yet"))
    assert repo.target.lost(proposal) == ()


def test_a_ref_has_a_token_of_its_text_alone(repo: Repo) -> None:
    [name] = repo.target.touches(DeleteRef(ref="refs/heads/main"))
    loose = repo.target.read_state(name)
    repo.git("pack-refs", "--all")
    assert repo.target.read_state(name) == loose
    assert isinstance(loose.state, Present)


# -- a hostile repository -----------------------------------------------------------------------


def hostile(repo: Repo) -> Path:
    """Everything in a repository's own settings that could start a program, set to start one."""
    ran = repo.folder / "RAN"
    script = repo.folder / "evil"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\nexit 1\n')
    script.chmod(0o755)
    hooks = repo.work / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("reference-transaction", "pre-commit", "commit-msg", "post-commit", "post-checkout",
                 "post-index-change", "prepare-commit-msg", "update", "pre-auto-gc"):  # fmt: skip
        (hooks / hook).write_text(script.read_text())
        (hooks / hook).chmod(0o755)
    (repo.folder / "elsewhere").mkdir()
    repo.git("init", "-q", "--bare", str(repo.folder / "elsewhere"))
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(repo.folder / "elsewhere"),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(script),
        "core.fsmonitor": str(script),
        "core.sshCommand": str(script),
        "core.pager": str(script),
        "core.editor": str(script),
        "core.askPass": str(script),
        "core.alternateRefsCommand": str(script),
        "credential.helper": str(script),
        "gpg.program": str(script),
        "commit.gpgSign": "true",
        "diff.external": str(script),
        "filter.evil.clean": str(script),
        "filter.evil.smudge": str(script),
        "filter.evil.required": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "gc.auto": "1",
        "alias.update-ref": f"!{script}",
    }.items():
        repo.git("config", key, value)
    (repo.work / ".git/info").mkdir(exist_ok=True)
    (repo.work / ".git/info/attributes").write_text("* filter=evil diff=evil merge=evil\n")
    return ran


def test_a_hostile_configuration_starts_nothing(repo: Repo) -> None:
    repo.git("branch", "side")
    # So young that git looks at what it holds once more, through the filters, when it can.
    (repo.work / "young").write_text("3\n")
    os.utime(repo.work / "young", (2e9, 2e9))
    repo.stage(a="2\n")
    ran = hostile(repo)
    repo.write(Commit(message="second"))
    repo.write(SetRef(ref="refs/heads/side", commit="main"))
    assert refused(repo, SetRef(ref="refs/heads/side", commit="1" * 40)) == "no-such-commit"
    gone = repo.propose(DeleteRef(ref="refs/heads/side"))
    repo.target.lost(gone)
    repo.target.write_if_unchanged(gone, fresh())
    assert not DiskHoldings(repo.work, repo.kept).stands_in_git(b"nowhere")
    assert not ran.exists()


def test_without_the_wall_against_transports_a_missing_object_would_start_the_remotes_program(
    repo: Repo,
) -> None:
    """The hostile repository is one: git by itself does run what it names."""
    ran = hostile(repo)
    with pytest.raises(Exception, match="exit status"):
        repo.git("cat-file", "-p", "1" * 40)
    assert ran.exists()


def test_a_git_that_knows_no_switch_against_fetching_is_let_use_no_transport(repo: Repo) -> None:
    ran = hostile(repo)
    old = {"GIT_NO_LAZY_FETCH": "0"}
    assert Git(str(repo.work)).ask("cat-file", "-e", "1" * 40, environment=old).code != 0
    assert not ran.exists()


def test_replaced_objects_and_grafts_are_not_believed(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    second = repo.commit("second", a="2\n")
    repo.git("checkout", "-q", "main")
    third = repo.commit("third", a="3\n")
    # Both say that `third` stands on `second`, so that nothing seems lost without `side`.
    (repo.work / ".git/info").mkdir(exist_ok=True)
    (repo.work / ".git/info/grafts").write_text(f"{third} {second}\n")
    proposal = repo.propose(DeleteRef(ref="refs/heads/side"))
    assert repo.target.lost(proposal)
    (repo.work / ".git/info/grafts").unlink()
    # The last commit seems to hold already what is staged.
    repo.stage(a="4\n")
    seeming = repo.git("commit-tree", "-m", "seeming", repo.git("write-tree"))
    repo.git("replace", third, seeming)
    repo.write(Commit(message="fourth"))
    repo.git("replace", "-d", third)
    assert repo.at("main^") == third


def test_the_environment_names_no_other_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path))
    repo.write(SetRef(ref="refs/heads/side", commit="main"))
    assert repo.at("side") == repo.at("main")


def test_another_users_repository_is_refused_by_git_itself(repo: Repo) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a folder away")
    os.chown(repo.work, 12345, 12345)
    os.chown(repo.work / ".git", 12345, 12345)
    assert refused(repo, SetRef(ref="refs/heads/side", commit="main")) == "git-failed"
    assert stat.S_ISDIR(repo.work.stat().st_mode)
