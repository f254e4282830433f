"""Ordinary work in a shell: nothing of it is denied, and it comes out as it would without a guard."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.documents.staged import GitChange
from groundwire.errors import GuardError
from tests.unit.targets.shell.commands import Shell, needs_overlay, repository
from tests.unit.targets.trees import Tree

pytestmark = needs_overlay

MAKEFILE = b"""all: out/a out/b
out/%: %.c
\tmkdir -p out && cp $< $@
clean:
\trm -rf out
"""
SIDE = (
    "git checkout -q -b side; echo s > s; git add s; git commit -qm s; git switch -q main;"
    " echo m > m; git add m; git commit -qm m;"
)


def needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def test_heredocs_streams_and_loops(shell: Shell) -> None:
    shell.run("cat > notes.md <<'END'\n# rm -rf / and git push --force\nEND")
    shell.run(
        "for n in 1 2 3; do echo $n; done | tee list | sort -r > sorted; cat >> notes.md < list"
    )
    assert shell.tree.contents() == {
        "notes.md": b"# rm -rf / and git push --force\n1\n2\n3\n",
        "list": b"1\n2\n3\n",
        "sorted": b"3\n2\n1\n",
    }


def test_editing_in_place(shell: Shell) -> None:
    needs("perl")
    shell.tree.file("a.py", b"x = 1\ny = 1\n", mode=0o755)
    shell.run("perl -pi -e 's/x = 1/x = 2/' a.py && sed -i 's/y = 1/y = 3/' a.py")
    assert shell.tree.contents() == {"a.py": b"x = 2\ny = 3\n"}
    assert (shell.tree.work / "a.py").stat().st_mode & 0o777 == 0o755


def test_tests_and_their_caches(shell: Shell) -> None:
    shell.tree.file("pkg/__init__.py", b"ONE = 1\n")
    shell.tree.file("test_pkg.py", b"import pkg\n\ndef test_one(tmp_path):\n    assert pkg.ONE\n")
    staged = shell.run(f"{sys.executable} -m pytest -q -p no:randomly test_pkg.py")
    assert staged.staged.exit == 0, staged.staged.output
    assert b"1 passed" in staged.staged.output.stdout
    assert (shell.tree.work / "pkg/__pycache__").is_dir()
    again = shell.stage(f"{sys.executable} -m pytest -q test_pkg.py")
    assert again.staged.exit == 0


def test_a_build_is_not_done_twice(shell: Shell) -> None:
    needs("make")
    shell.tree.file("Makefile", MAKEFILE)
    shell.tree.file("a.c")
    shell.tree.file("b.c")
    shell.run("make")
    assert b"Nothing to be done" in shell.stage("make").staged.output.stdout
    shell.run("make clean")
    assert not (shell.tree.work / "out").exists()


def test_a_virtual_environment(shell: Shell) -> None:
    made = shell.stage(f"{sys.executable} -m venv --without-pip .venv")
    assert made.staged.exit == 0, made.staged.output
    shell.apply(made)
    assert {link.path for link in made.staged.links} >= {".venv/bin/python3"}
    ran = shell.stage(".venv/bin/python3 -c 'import sys; print(sys.prefix)'").staged
    assert ran.output.stdout.decode().strip() == str(shell.tree.work / ".venv")


def test_the_active_virtual_environment_outside_of_the_folder(tree: Tree, tmp_path: Path) -> None:
    active = tmp_path / "home" / "venvs" / "v"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", active], check=True)
    (tmp_path / "home" / "venvs" / "other").mkdir()
    given = {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:/usr/bin:/bin"}
    shell = Shell(tree, tmp_path / "home", variables=given)
    ran = shell.stage(
        "python -c 'import sys; print(sys.prefix)'; echo x > $VIRTUAL_ENV/x; ls ~/venvs"
    )
    assert ran.staged.output.stdout.decode().split() == [str(active), "v"]
    assert not (active / "x").exists()


@pytest.mark.parametrize("what", ["no-environment", "home"])
def test_a_folder_is_not_shown_because_a_variable_names_it(
    tree: Tree, tmp_path: Path, what: str
) -> None:
    home = tmp_path / "home"
    secret = (home if what == "home" else home / "private") / "secret"
    secret.parent.mkdir(parents=True)
    secret.write_text("secret")
    if what == "home":
        (home / "pyvenv.cfg").touch()
    shell = Shell(tree, home, variables={"VIRTUAL_ENV": str(secret.parent)})
    assert shell.stage(f"cat {secret}").staged.output.stdout == b""


def test_an_archive_unpacked(shell: Shell) -> None:
    needs("tar")
    shell.run("mkdir -p a/b; echo 1 > a/b/c; tar czf a.tgz a; rm -r a; tar xzf a.tgz; rm a.tgz")
    assert shell.tree.contents() == {"a/b/c": b"1\n"}


def git(shell: Shell, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=shell.tree.work, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_what_git_writes_is_handed_on_apart(shell: Shell) -> None:
    shell.tree.file("a")
    repository(shell.tree.work)
    head = git(shell, "rev-parse", "HEAD")
    staged = shell.stage(
        "echo two > a; git add -A; git -c user.name=A -c user.email=a@b commit -qm two"
    )
    assert staged.staged.exit == 0, staged.staged.output
    assert [name.path for name in staged.touches() if name.kind == "files"] == ["a"]
    paths = {change.path for change in staged.staged.git}
    assert {"index", "refs/heads/main", "logs/HEAD", "COMMIT_EDITMSG"} <= paths
    ref = next(change for change in staged.staged.git if change.path == "refs/heads/main")
    assert isinstance(ref, GitChange)
    assert ref.before is not None
    assert ref.before.decode() == head
    assert git(shell, "rev-parse", "HEAD") == head
    assert len([path for path in paths if path.startswith("objects/")]) == 3
    shell.apply(staged)
    assert git(shell, "log", "-1", "--format=%s") == "two\n"
    assert git(shell, "rev-parse", "HEAD~1") == head
    assert git(shell, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "command",
    [
        "git status --short; git diff; git log --oneline",
        "echo x >> a; git stash; git stash pop",
        "git mv a b",
        "git checkout -q -b other; git switch -q main; git branch -d other",
        "echo x >> a; git commit -qam 'drop table users; rm -rf /'",
        f"{SIDE} git merge -q -m merged side",
        f"{SIDE} git rebase -q side",
        "echo x >> a; git restore a; git rm -q a",
        "echo x > x; git add x; git commit -qm x; git reset -q --soft HEAD~1; git tag t",
        "git gc -q",
    ],
)
def test_everyday_git_is_as_it_would_be_without_a_guard(shell: Shell, command: str) -> None:
    shell.tree.file("a")
    repository(shell.tree.work)
    (shell.home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n")
    shell = Shell(shell.tree, shell.home)
    staged = shell.stage(f"set -e; {command}; git log --all")
    assert staged.staged.exit == 0, staged.staged.output
    assert staged.lost() == ()
    shell.apply(staged)
    git(shell, "fsck", "--strict")
    assert staged.staged.output.stdout.decode().endswith(git(shell, "log", "--all"))


@pytest.mark.parametrize(
    "command",
    [
        "echo '#!/bin/sh' > .git/hooks/pre-commit",
        "git config core.hooksPath /tmp/x",
        "git config core.fsmonitor 'touch x'",
        "git remote add origin https://example.org/x",
        "echo /elsewhere > .git/objects/info/alternates",
        "echo '* filter=x' > .git/info/attributes",
        "rm -rf .git",
        "mv .git .tig",
        "mkdir -p .git/worktrees/x; echo x > .git/worktrees/x/gitdir",
        "ln -s ../../a .git/refs/heads/x",
        "git init -q inner",
    ],
)
def test_what_says_which_programs_git_starts_is_denied(shell: Shell, command: str) -> None:
    shell.tree.file("a")
    repository(shell.tree.work)
    with pytest.raises(GuardError) as raised:
        shell.stage(command)
    assert raised.value.reason == "change-kind-denied"


def test_thousands_of_files_of_a_build(shell: Shell) -> None:
    staged = shell.run(
        "mkdir out; n=0; while [ $n -lt 2000 ]; do echo $n > out/$n; n=$((n+1)); done"
    )
    assert len(staged.staged.changes) == 2000
    assert len(list((shell.tree.work / "out").iterdir())) == 2000
