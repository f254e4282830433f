"""What a command leaves is read whole, changes nothing before, and stands exactly so after."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.documents.staged import StagedLink
from groundwire.errors import GuardError, HostError
from groundwire.targets.places.protected import Protected
from groundwire.targets.places.resolving import resolve
from groundwire.targets.shell import staging
from groundwire.targets.shell.reading import Upper
from groundwire.targets.shell.running import Command, Limits, Ran, run_contained
from groundwire.targets.shell.staging import Bounds
from tests.unit.targets.shell.commands import QUICK, Shell, needs_overlay, repository
from tests.unit.targets.trees import Tree, fresh

pytestmark = needs_overlay


def test_nothing_changes_before_it_is_applied(shell: Shell) -> None:
    shell.tree.file("a", b"one\n")
    before = shell.tree.contents()
    staged = shell.stage("echo two > a; echo three > b; rm -f a; mkdir c; cat b")
    assert shell.tree.contents() == before
    assert staged.staged.output.stdout == b"three\n"
    assert not (shell.tree.work / "c").exists()


def test_created_changed_deleted_and_mode_are_told_apart(shell: Shell) -> None:
    for name in ("changed", "gone", "mode", "same", "touched"):
        shell.tree.file(name)
    kinds = shell.changes(
        "echo new > made; echo more >> changed; rm gone; chmod 755 mode; cat same; touch -d @5 touched"
    )
    assert kinds == {
        "made": "created",
        "changed": "changed",
        "gone": "deleted",
        "mode": "mode",
    }


def test_what_is_applied_is_what_the_command_left(shell: Shell) -> None:
    shell.tree.file("src/a.py", b"a = 1\n")
    shell.tree.file("src/old/b.py", b"b = 1\n", mode=0o755)
    shell.run("sed -i s/1/2/ src/a.py; mv src/old src/new; mkdir -p deep/er; echo x > deep/er/x")
    assert shell.tree.contents() == {
        "src/a.py": b"a = 2\n",
        "src/new/b.py": b"b = 1\n",
        "deep/er/x": b"x\n",
    }
    assert (shell.tree.work / "src/new/b.py").stat().st_mode & 0o777 == 0o755
    assert not (shell.tree.work / "src/old").exists()


def test_a_removed_folder_takes_all_that_was_in_it(shell: Shell) -> None:
    for name in ("d/a", "d/e/b", "d/e/f/c"):
        shell.tree.file(name)
    assert shell.changes("rm -r d") == {"d/a": "deleted", "d/e/b": "deleted", "d/e/f/c": "deleted"}
    shell.run("rm -r d")
    assert not (shell.tree.work / "d").exists()


def test_a_folder_made_anew_hides_what_the_old_one_held(shell: Shell) -> None:
    shell.tree.file("d/a")
    shell.tree.file("d/b")
    assert shell.changes("rm -r d; mkdir d; echo new > d/b") == {"d/a": "deleted", "d/b": "changed"}


def test_empty_folders_are_made_and_a_folder_with_others_files_stays(shell: Shell) -> None:
    shell.tree.file("d/a")
    staged = shell.stage("mkdir -p empty/er; rm -r d")
    proposal = shell.propose(staged)
    shell.tree.file("d/theirs")
    staged.write_if_unchanged(proposal, fresh())
    assert (shell.tree.work / "empty/er").is_dir()
    assert staged.left == ("d",)
    assert shell.tree.contents() == {"d/theirs": b"one\n"}


def test_times_are_those_that_the_command_left(shell: Shell) -> None:
    shell.tree.file("stamp")
    shell.run("touch -d @1000000000 stamp; echo x > made; touch -d @1000000001 made")
    times = [int((shell.tree.work / name).stat().st_mtime) for name in ("stamp", "made")]
    assert times == [1000000000, 1000000001]


def test_not_even_the_time_of_a_protected_file_moves(shell: Shell) -> None:
    policy = shell.tree.file("groundwire.toml")
    before = policy.stat().st_mtime_ns
    shell.run("touch -d @1000000000 groundwire.toml; echo x > made")
    assert policy.stat().st_mtime_ns == before


def test_the_exit_code_and_both_streams_are_the_result(shell: Shell) -> None:
    staged = shell.stage("echo out; echo err >&2; exit 7").staged
    assert (staged.exit, staged.output.stdout, staged.output.stderr) == (7, b"out\n", b"err\n")
    assert shell.stage("kill -TERM $$").staged.exit == 128 + 15
    assert shell.stage("no-such-program").staged.exit == 127
    assert shell.target.stage(("no-such-program",), fresh()).staged.exit == 127


def test_long_output_is_cut_and_said_to_be(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(output=100)))
    staged = shell.stage("head -c 100 /dev/zero; echo error >&2").staged
    assert (len(staged.output.stdout), staged.truncated) == (100, False)
    staged = shell.stage("head -c 5000000 /dev/zero; echo error >&2").staged
    assert (len(staged.output.stdout), staged.truncated) == (100, True)
    assert staged.output.stderr == b"error\n"


def test_a_command_begins_in_the_folder_that_is_named(shell: Shell) -> None:
    shell.tree.file("sub/a")
    staged = shell.target.stage(("/bin/sh", "-c", "pwd; echo x > b"), fresh(), "sub")
    assert staged.staged.output.stdout.decode().strip() == str(shell.tree.work / "sub")
    assert [name.path for name in staged.touches()] == ["sub/b"]


DENIED = {
    "ln -s a link": "link (symlink)",
    "ln -s /etc/passwd build/link": "build/link (symlink)",
    "ln a other": "a (hard-link), other (hard-link)",
    "mkfifo pipe": "pipe (pipe)",
    "chmod u+s a": "a (setuid)",
    "chmod g+s a": "a (setuid)",
    "mkdir s; chmod +t s": "s (setuid)",
    "chmod 700 d": "d (folder-mode)",
    "rm l": "l (symlink)",
    "rm l; echo x > l": "l (symlink)",
    "ln -sfn b l": "l (symlink)",
    "truncate -s 65M big": "big (too-large)",
    "mkdir x.gw": "x.gw (protected)",
    "mkdir -p .claude/hooks": ".claude/hooks (protected)",
    "printf x > \"$(printf 'bad\\377')\"": "bad? (bad-name)",
}


@pytest.mark.parametrize("command", DENIED, ids=list(DENIED))
def test_a_kind_of_change_that_is_never_made_is_named(shell: Shell, command: str) -> None:
    shell.tree.file("a")
    shell.tree.file("d/b")
    shell.tree.file("build/c")
    (shell.tree.work / "l").symlink_to("a")
    (shell.tree.work / "d").chmod(0o755)
    before = shell.tree.contents()
    with pytest.raises(GuardError) as raised:
        shell.stage(command)
    assert raised.value.reason == "change-kind-denied"
    assert f"let make: {DENIED[command]}." in raised.value.message
    assert shell.tree.contents() == before


def test_an_attribute_is_no_change_to_slip_in(shell: Shell) -> None:
    shell.tree.file("a")
    with pytest.raises(GuardError, match=r"a \(attributes\)"):
        shell.python("import os; os.setxattr('a', 'user.x', b'1')")


def test_the_overlays_own_attributes_cannot_be_forged(shell: Shell) -> None:
    shell.tree.file("d/a")
    forge = "import os; os.setxattr('d', 'user.overlay.opaque', b'y')"
    try:
        staged = shell.python(forge)
    except GuardError as error:
        told = error.message
    else:  # an older kernel lets no command set them at all
        told = f"d (attributes), {staged.staged.changes}" if staged.staged.exit else ""
        assert staged.staged.changes == ()
    assert "d (attributes)" in told


def test_a_socket_left_behind_is_denied(shell: Shell) -> None:
    program = "import socket; socket.socket(socket.AF_UNIX).bind('s')"
    with pytest.raises(GuardError, match=r"s \(socket\)"):
        shell.python(program)


def test_a_folder_that_could_hold_what_is_protected_and_holds_none_is_like_any_other(
    shell: Shell,
) -> None:
    (shell.tree.work / ".github").mkdir()
    (shell.tree.work / ".claude").mkdir()
    shell.run("rmdir .github .claude; mkdir -p .github/workflows .codex")
    assert not (shell.tree.work / ".claude").exists()
    assert (shell.tree.work / ".github/workflows").is_dir()


def test_a_protected_folder_is_not_made_by_its_path_either(tree: Tree, tmp_path: Path) -> None:
    place = resolve(tree.work / "theirs")
    shell = Shell(tree, tmp_path / "home", protected=(Protected(what="state", place=place),))
    with pytest.raises(GuardError, match=r"theirs \(protected\)"):
        shell.stage("mkdir theirs")


def test_links_of_builds_are_made_and_removed(shell: Shell) -> None:
    made = "mkdir -p node_modules/.bin node_modules/x; echo 1 > node_modules/x/cli.js"
    staged = shell.stage(f"{made}; ln -s ../x/cli.js node_modules/.bin/x")
    assert staged.staged.links == (StagedLink(path="node_modules/.bin/x", to="../x/cli.js"),)
    shell.apply(staged)
    link = shell.tree.work / "node_modules/.bin/x"
    assert link.is_symlink()
    assert link.read_text() == "1\n"
    shell.run("rm -r node_modules")
    assert not (shell.tree.work / "node_modules").exists()


def test_a_link_is_never_made_over_something_else(shell: Shell) -> None:
    staged = shell.stage("mkdir node_modules; ln -s b node_modules/a")
    proposal = shell.propose(staged)
    shell.tree.file("node_modules/a", b"theirs\n")
    staged.write_if_unchanged(proposal, fresh())
    assert staged.left == ("node_modules/a",)
    assert shell.tree.contents() == {"node_modules/a": b"theirs\n"}


def test_files_that_nobody_may_read_are_read_all_the_same(shell: Shell) -> None:
    staged = shell.stage("mkdir d; echo x > d/a; chmod 000 d/a; chmod 300 d").staged
    assert [(file.path, file.after, file.mode) for file in staged.changes] == [("d/a", b"x\n", 0)]


# --- drift ----------------------------------------------------------------------------------


def during(monkeypatch: pytest.MonkeyPatch, act: str, path: Path) -> None:
    """Somebody else writes the file while the command runs."""

    def run(command: Command) -> Ran:
        if act == "write":
            path.write_bytes(b"theirs\n")
        elif act == "replace":
            new = path.with_name("new")
            new.write_bytes(b"theirs\n")
            new.replace(path)
        else:
            path.chmod(0o600)
        return run_contained(command)

    monkeypatch.setattr(staging, "run_contained", run)


@pytest.mark.parametrize("act", ["write", "replace", "mode"])
@pytest.mark.parametrize("command", ["echo mine >> a", "rm a", "chmod 755 a"])
def test_a_file_that_changed_while_the_command_ran_has_drifted(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, act: str, command: str
) -> None:
    path = shell.tree.file("a")
    during(monkeypatch, act, path)
    with pytest.raises(GuardError) as raised:
        shell.propose(shell.stage(command))
    assert raised.value.reason == "state-drifted"


@pytest.mark.parametrize("path", ["index", "refs/heads/main"])
def test_what_git_itself_changed_while_the_command_ran_has_drifted(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    shell.tree.file("a")
    repository(shell.tree.work)
    theirs = shell.tree.work / ".git" / path
    content = theirs.read_bytes()

    def run(command: Command) -> Ran:
        theirs.write_bytes(content)  # the same bytes: they may have moved there and back
        return run_contained(command)

    monkeypatch.setattr(staging, "run_contained", run)
    with pytest.raises(GuardError) as raised:
        shell.stage("echo b > b; git add b; git -c user.name=A -c user.email=a@b commit -qm b")
    assert raised.value.reason == "state-drifted"


def test_what_git_wrote_is_not_read_after_others_changed_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.tree.file("a")
    repository(shell.tree.work)
    theirs = shell.tree.work / ".git/refs/heads/main"
    read = Upper.read

    def late(self: Upper, upper: int, root: int) -> None:
        read(self, upper, root)
        theirs.write_bytes(theirs.read_bytes())

    monkeypatch.setattr(Upper, "read", late)
    with pytest.raises(GuardError) as raised:
        shell.stage("echo b > b; git add b; git -c user.name=A -c user.email=a@b commit -qm b")
    assert raised.value.reason == "state-drifted"


def test_a_file_that_appeared_meanwhile_has_drifted(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = shell.stage("echo mine > a")
    shell.tree.file("a", b"theirs\n")
    with pytest.raises(GuardError) as raised:
        shell.propose(staged)
    assert raised.value.reason == "state-drifted"


def test_a_file_that_changed_between_the_proposal_and_the_write_is_not_written(
    shell: Shell,
) -> None:
    path = shell.tree.file("a")
    staged = shell.stage("echo mine > a; echo other > b")
    proposal = shell.propose(staged)
    path.write_bytes(b"theirs\n")
    with pytest.raises(GuardError) as raised:
        staged.write_if_unchanged(proposal, fresh())
    assert raised.value.reason == "state-drifted"
    assert shell.tree.contents() == {"a": b"theirs\n"}


def test_a_file_written_just_before_has_not_drifted(shell: Shell) -> None:
    for number in range(20):
        shell.tree.file("a", b"%d\n" % number)
        assert shell.changes("echo mine > a") == {"a": "changed"}


def test_what_others_changed_and_the_command_did_not_is_left_alone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shell.tree.file("other")
    during(monkeypatch, "write", other)
    shell.run("echo mine > a")
    assert shell.tree.contents() == {"a": b"mine\n", "other": b"theirs\n"}


# --- bounds ---------------------------------------------------------------------------------


def test_more_than_may_be_staged_is_not_read_into_memory(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(written=8 << 20)))
    with pytest.raises(GuardError) as raised:  # files of holes need no room to be huge
        shell.stage("for n in 1 2 3; do truncate -s 5M f$n; done")
    assert raised.value.reason == "staged-too-large"


def test_folders_without_end_are_not_followed(shell: Shell) -> None:
    with pytest.raises(GuardError) as raised:
        shell.stage("n=0; while [ $n -lt 250 ]; do mkdir d; cd d; n=$((n + 1)); done; echo x > x")
    assert raised.value.reason == "staged-too-large"


def test_a_name_of_a_command_is_one_of_a_write(shell: Shell) -> None:
    with pytest.raises(GuardError) as raised:
        shell.target.stage(("/bin/true",), "../x")
    assert raised.value.reason == "bad-write-id"


def test_a_folder_that_holds_what_is_hidden_is_too_wide(tree: Tree) -> None:
    shell = Shell(tree, tree.work / "home")
    with pytest.raises(GuardError) as raised:
        shell.stage("cat home/key")
    assert raised.value.reason == "folder-too-wide"
    assert f"{tree.work} holds {tree.work}/home, which no command may see" in raised.value.message
    with pytest.raises(GuardError) as raised:
        Shell(tree, tree.work).stage("ls")
    assert f"{tree.work} is a folder which no command may see" in raised.value.message


def test_a_state_folder_that_cannot_be_written_runs_nothing(shell: Shell) -> None:
    shell.tree.state.parent.joinpath("state").write_bytes(b"")
    with pytest.raises(HostError) as raised:
        shell.stage("echo x > a")
    assert raised.value.reason == "staging-failed"
    assert QUICK.seconds == 60
    assert os.listdir(shell.tree.work) == []
