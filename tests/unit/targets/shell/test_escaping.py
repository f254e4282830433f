"""A command that wants out: each way is tried, and the host looks whether it was one."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from groundwire.errors import GuardError
from groundwire.targets.shell.running import Command, Limits, NotContained, run_contained
from groundwire.targets.shell.staging import Bounds
from tests.unit.targets.shell import attacks
from tests.unit.targets.shell.commands import BARE_PYTHON, QUICK, Shell, needs_overlay, view
from tests.unit.targets.trees import Tree, fresh

pytestmark = needs_overlay


def said(shell: Shell, program: str, *arguments: str) -> str:
    return shell.python(program, *arguments).staged.output.stdout.decode()


def test_writing_to_an_absolute_path(shell: Shell, tmp_path: Path) -> None:
    outside = [
        tmp_path / "outside",
        shell.home / "x",
        Path("/etc/groundwire-test"),
        Path("/usr/groundwire-test"),
        Path("/dev/shm/groundwire-test"),
        Path("/var/tmp/groundwire-test"),
    ]
    for path in outside:
        said(shell, attacks.WRITE, str(path))
        there = path.exists()
        path.unlink(missing_ok=True)
        assert not there
    assert "refused" in said(shell, attacks.WRITE, "/etc/groundwire-test")


def test_writing_through_a_link_that_leads_out(shell: Shell, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs\n")
    (shell.tree.work / "link").symlink_to(victim)
    said(shell, attacks.WRITE, "link")
    assert victim.read_bytes() == b"theirs\n"


def test_reading_a_key(shell: Shell) -> None:
    shell.tree.state.mkdir(exist_ok=True)
    keys = [shell.tree.state / "key.pem", shell.home / ".ssh" / "id_ed25519"]
    for key in keys:
        key.parent.mkdir(exist_ok=True)
        key.write_bytes(b"secret")
        assert "read" not in said(shell, attacks.READ, str(key))
    listed = shell.stage(f"ls -A {shell.home} {shell.tree.state}").staged.output.stdout
    assert b"key.pem" not in listed
    assert b".ssh" not in listed


def test_reading_what_no_tool_shows(tree: Tree, tmp_path: Path) -> None:
    tree.file(".env", b"TOKEN=secret\n")
    tree.file("secrets/a", b"secret\n")
    tree.file("note", b"machine example.org login me password secret\n")
    tree.file("open", b"public\n")
    bounds = Bounds(limits=QUICK, deny_read=(".env", "secrets"), deny_read_kinds=("login",))
    shell = Shell(tree, tmp_path / "home", bounds)
    staged = shell.stage("cat .env secrets/a note; cp .env b; cat b; echo x > secrets/b; cat open")
    assert staged.staged.output.stdout == b"public\n"
    assert [(file.path, file.after) for file in staged.staged.changes] == [("b", b"")]
    shell.stage("echo mine > .env; rm -r .env secrets")
    assert tree.contents()[".env"] == b"TOKEN=secret\n"


@pytest.mark.parametrize("denied", ["bin/token", "bin/folder", "bin"])
def test_reading_what_no_tool_shows_in_what_is_shown(
    tree: Tree, tmp_path: Path, denied: str
) -> None:
    shown = tmp_path / "home" / ".cargo"
    (shown / "bin" / "folder").mkdir(parents=True)
    (shown / "bin" / "token").write_text("secret")
    (shown / "bin" / "folder" / "token").write_text("secret")
    bounds = Bounds(limits=QUICK, deny_read=(str(shown / denied),))
    shell = Shell(tree, tmp_path / "home", bounds)
    told = shell.stage("cd ~/.cargo/bin; cat token; echo; cat folder/token").staged.output.stdout
    expected = {"bin/token": b"\nsecret", "bin/folder": b"secret\n", "bin": b"\n"}
    assert told == expected[denied]


@contextmanager
def listening(
    folder: Path, *, whole: bool = False
) -> Iterator[dict[str, tuple[socket.socket, str]]]:
    """Sockets of this process of each kind."""
    # A path of a test is too long for a socket's name.
    name = str(folder / "s") if whole else os.path.relpath(folder / "s")
    with ExitStack() as stack:
        found = {}
        for kind, family, address in (
            ("network", socket.AF_INET, ("127.0.0.1", 0)),
            ("named", socket.AF_UNIX, name),
            ("nameless", socket.AF_UNIX, "\0groundwire-test"),
        ):
            each = stack.enter_context(socket.socket(family))
            each.bind(address)
            each.listen()
            each.settimeout(0)
            text = str(each.getsockname()[1]) if kind == "network" else str(address).strip("\0")
            found[kind] = (each, str(folder / "s") if kind == "named" else text)
        yield found


@pytest.mark.parametrize("kind", ["network", "named", "nameless"])
def test_reaching_a_socket(shell: Shell, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.tree.folder)
    with listening(shell.tree.folder) as sockets:
        ours, address = sockets[kind]
        assert "refused" in said(shell, attacks.CONNECT, kind, address)
        with pytest.raises(BlockingIOError):
            ours.accept()


def test_reaching_a_socket_that_stands_where_nothing_is_hidden(shell: Shell) -> None:
    """A read-only mount alone lets a command connect to a socket in it."""
    folder = Path("/var/lib/groundwire-test")
    if not os.access(folder.parent, os.W_OK):
        pytest.skip("only root can put a socket where commands can read")
    folder.mkdir()
    try:
        with listening(folder, whole=True) as sockets:
            ours, address = sockets["named"]
            assert "refused" in said(shell, attacks.CONNECT, "named", address)
            with pytest.raises(BlockingIOError):
                ours.accept()
    finally:
        (folder / "s").unlink(missing_ok=True)
        folder.rmdir()


@pytest.mark.parametrize("where", ["shown", "work"])
def test_reaching_a_socket_in_what_is_shown(tree: Tree, tmp_path: Path, where: str) -> None:
    """Of folders that are shown within hidden ones, and of the working folder itself."""
    with tempfile.TemporaryDirectory(prefix="gw") as short:  # for a socket's name
        folder = Path(short) / "w"
        folder.mkdir()
        command = Command(
            words=(BARE_PYTHON, "-I", "-S", "-c", attacks.CONNECT, "named", f"{folder}/s"),
            root=str(folder if where == "work" else tree.work),
            folder=str(folder if where == "work" else tree.work),
            environment={},
            hidden=view(tree, tmp_path).hidden,
            shown=(sys.base_prefix, *((str(folder),) if where == "shown" else ())),
        )
        with listening(folder, whole=True) as sockets:
            with run_contained(command) as ran:
                assert b"refused" in ran.stdout, ran.stderr
            with pytest.raises(BlockingIOError):
                sockets["named"][0].accept()


def test_a_loopback_of_its_own_is_there(shell: Shell) -> None:
    assert said(shell, attacks.LOOPBACK) == "own\n"


def test_sockets_that_no_namespace_holds_in_cannot_be_made(shell: Shell) -> None:
    """A virtual machine's socket to its host (40) is one."""
    families, ring = said(shell, attacks.FAMILIES).splitlines()
    assert set(json.loads(families)) <= {1, 2, 10, 16}
    assert {1, 2} <= set(json.loads(families))
    assert ring == "-1"


def processes_with(token: str) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if token.encode() in words:
            found.append(int(name))
    return found


def test_leaving_a_daemon(shell: Shell) -> None:
    token = fresh()
    shell.python(attacks.DAEMON, token, attacks.STAY)
    assert processes_with(token) == []


def test_a_daemon_that_writes_on_while_we_read(shell: Shell) -> None:
    staged = shell.python(attacks.DAEMON, fresh(), attacks.WRITE_ON)
    shell.apply(staged)
    assert {
        path: data.isdigit() or data == b"" for path, data in shell.tree.contents().items()
    } in (
        {"log": True},
        {},
    )


HOST = """
import os, sys
from groundwire.targets.shell.running import Command, run_contained
words = (sys.argv[4], "-I", "-S", "-c", sys.argv[3], sys.argv[2])
run_contained(Command(words=words, root=sys.argv[1], folder=sys.argv[1], environment={}))
"""


def test_going_on_when_the_host_is_killed(tree: Tree) -> None:
    token = fresh()
    words = [sys.executable, "-c", HOST, str(tree.work), token, attacks.STAY, BARE_PYTHON]
    with subprocess.Popen(words) as host:
        found: list[int] = []
        while not found and host.poll() is None:
            found = [each for each in processes_with(token) if each != host.pid]
        waits = [os.pidfd_open(each) for each in found]
        host.send_signal(signal.SIGKILL)
        host.wait(60)
    assert found
    for wait in waits:
        poll = select.poll()  # of any descriptor: `select` takes none over 1023
        poll.register(wait, select.POLLIN)
        assert poll.poll(30_000), "the command outlived its host"
        os.close(wait)


def test_a_fork_bomb(tree: Tree, tmp_path: Path) -> None:
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if os.geteuid() == 0 and release < (6, 14):
        pytest.skip("root's processes are not counted before Linux 6.14")
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(tasks=50)))
    assert 10 < int(said(shell, attacks.FORK)) < 310


def test_filling_the_disk(tree: Tree, tmp_path: Path) -> None:
    limits = Limits(written=4 << 20, entries=500, scratch=4 << 20)
    shell = Shell(tree, tmp_path / "home", Bounds(limits=limits))
    fill = "for n in 1 2 3; do head -c 3000000 /dev/zero > {0}$n || exit 9; done"
    makes = "n=0; while [ $n -lt 600 ]; do : > f$n || exit 9; n=$((n+1)); done"
    commands = [fill.format(each) for each in ("", "/tmp/", "$HOME/", "/dev/shm/../../run/")]
    for command in (*commands, makes):
        try:
            assert shell.stage(command).staged.exit != 0
        except GuardError as error:  # it was seen to be full before the command gave up
            if error.reason != "staged-too-large":
                raise
    assert tree.contents() == {}


def test_taking_too_long(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(seconds=0.3)))
    token = fresh()
    with pytest.raises(GuardError) as raised:
        shell.python(attacks.DAEMON.replace("sys.exit()", attacks.EVER), token, attacks.STAY)
    assert raised.value.reason == "command-too-long"
    assert processes_with(token) == []


def test_taking_too_much_memory(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(memory=1 << 30)))
    assert said(shell, attacks.MEMORY) == "refused\n"


def test_where_memory_runs_out_the_command_ends_before_its_host(shell: Shell) -> None:
    said = shell.stage("cat /proc/self/oom_score_adj; sh -c 'cat /proc/self/oom_score_adj'")
    assert said.staged.output.stdout == b"1000\n1000\n"


def test_signalling_the_hosts_processes(shell: Shell) -> None:
    seen = [int(line) for line in said(shell, attacks.SIGNAL).split()]
    assert len(seen) <= 2


def test_no_descriptor_is_inherited(shell: Shell, tmp_path: Path) -> None:
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        told = said(shell, attacks.DESCRIPTORS)
    assert told.startswith("['0', '1', '2', '3']")  # the last is the listing's own
    assert "held" not in told


def test_no_power_is_left_to_undo_it(shell: Shell) -> None:
    told = dict(line.rsplit(" ", 1) for line in said(shell, attacks.POWERS).splitlines())
    assert len(told) == 9
    assert set(told.values()) == {"no"}


def test_settings_of_the_machine_cannot_be_written(shell: Shell) -> None:
    assert said(shell, attacks.SYSTEM) == ""


def test_the_environment_is_a_list_of_known_names(tree: Tree, tmp_path: Path) -> None:
    given = {"AWS_SECRET_ACCESS_KEY": "secret", "LC_ALL": "C", "SSH_AUTH_SOCK": "/x", "CI": "1"}
    shell = Shell(tree, tmp_path / "home", variables=given)
    told = shell.stage("env").staged.output.stdout.decode()
    names = {line.partition("=")[0] for line in told.splitlines()}
    assert {"PATH", "HOME", "LC_ALL", "CI", "TMPDIR"} <= names
    assert "secret" not in told
    assert "SSH_AUTH_SOCK" not in names


def test_programs_are_not_looked_for_in_the_working_folder(tree: Tree, tmp_path: Path) -> None:
    tree.file("ls", b"#!/bin/sh\necho mine\n", mode=0o755)
    given = {"PATH": ":.:bin:/usr/bin:/bin:"}
    shell = Shell(tree, tmp_path / "home", variables=given)
    assert shell.stage("ls; echo $PATH").staged.output.stdout == b"ls\n/usr/bin:/bin\n"


def test_a_setuid_program_gives_nothing(shell: Shell) -> None:
    told = shell.stage("grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status").staged
    assert told.output.stdout.split() == [b"NoNewPrivs:", b"1", b"CapEff:", b"0" * 16]


def test_a_part_that_cannot_be_set_up_is_refused_and_nothing_runs(
    tree: Tree, tmp_path: Path
) -> None:
    command = Command(
        words=("/bin/sh", "-c", "echo x > ran"),
        root=str(tree.work / "not-there"),
        folder=str(tree.work),
        environment=view(tree, tmp_path).environment,
    )
    with pytest.raises(NotContained):
        run_contained(command)
    assert tree.contents() == {}
