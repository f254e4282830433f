"""Commands that use up what there is, or wait for themselves: each ends soon, and says why."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from groundwire.errors import GuardError
from groundwire.targets.shell.running import Limits
from groundwire.targets.shell.staging import Bounds
from tests.unit.targets.shell import attacks
from tests.unit.targets.shell.commands import Shell, needs_overlay
from tests.unit.targets.shell.test_escaping import processes_with
from tests.unit.targets.trees import Tree, fresh

pytestmark = [needs_overlay, pytest.mark.timeout(60)]

# Of what the tests of limits set none is large: what is ended early is not ended by the clock.
SMALL = Limits(
    seconds=50,
    written=8 << 20,
    scratch=8 << 20,
    printed=1 << 20,
    output=1 << 10,
    entries=2000,
    changes=500,
    processes=40,
    tasks=400,
)

ENDLESS = {
    "processes that start processes": (
        "import os\nwhile True:\n try: os.fork()\n except OSError: pass",
        "command-over-limit",
        "over 40 processes",
    ),
    "folders beside each other": (
        "import os\nn = 0\nwhile True:\n n += 1\n try: os.mkdir(str(n))\n except OSError: pass",
        "staged-too-large",
        "over 2000 files and folders",
    ),
    "folders in each other": (
        "import os\nwhile True:\n try: os.mkdir('d'); os.chdir('d')\n except OSError: pass",
        "staged-too-large",
        "over 2000 files and folders",
    ),
    "bytes into its folder": (
        (
            "data = bytes(1 << 16)\nfile = open('big', 'wb', 0)\n"
            "while True:\n try: file.write(data)\n except OSError: pass"
        ),
        "staged-too-large",
        "`command_bytes`",
    ),
    "bytes into an empty folder": (
        (
            "data = bytes(1 << 16)\nfile = open('/tmp/big', 'wb', 0)\n"
            "while True:\n try: file.write(data)\n except OSError: pass"
        ),
        "staged-too-large",
        "8 MB elsewhere",
    ),
    "output": (
        "import os\nwhile True: os.write(1, bytes(1 << 16))",
        "command-over-limit",
        "printed over 1 MB",
    ),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_attack_a_command_that_uses_up_what_there_is_is_ended_and_says_of_what(
    tree: Tree, tmp_path: Path, what: str
) -> None:
    program, reason, said = ENDLESS[what]
    shell = Shell(tree, tmp_path / "home", Bounds(limits=SMALL))
    token = fresh()
    with pytest.raises(GuardError) as raised:
        shell.python(program, token)
    assert raised.value.reason == reason
    assert said in raised.value.message
    assert "nothing of it was applied" in raised.value.message
    assert processes_with(token) == []
    assert tree.contents() == {}


@pytest.mark.parametrize(
    "command",
    [
        "mkfifo p; cat p",
        "mkfifo p; exec 3<>p; read line <&3",
        "mkfifo p; (cat p) & wait",
        "mkfifo p; cat p | cat | cat",
    ],
)
def test_a_command_that_waits_for_itself_is_ended_and_told_so(shell: Shell, command: str) -> None:
    with pytest.raises(GuardError) as raised:
        shell.stage(command)
    assert raised.value.reason == "command-stuck"


@pytest.mark.parametrize(
    "program",
    [
        # Seconds longer than it takes to be found stuck, each with something that ends it.
        "import time; time.sleep(5)",
        (
            "import os, signal\nsignal.signal(signal.SIGALRM, lambda *_: os._exit(0))\n"
            "signal.alarm(5)\nos.read(os.pipe()[0], 1)\n"
        ),
        "import os, subprocess; os.mkfifo('/tmp/p'); subprocess.run(['timeout', '5', 'cat', '/tmp/p'])",
        "import subprocess; subprocess.run(['sleep', '5'])",
    ],
)
def test_a_command_that_something_will_wake_is_not_stuck(shell: Shell, program: str) -> None:
    assert shell.python(program).staged.exit == 0


def test_what_changes_more_files_than_are_judged_is_refused(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=SMALL))
    many = "import os, sys\nfor n in range(int(sys.argv[1])): os.mkdir(str(n))"
    assert len(shell.python(many, "500").staged.folders) == 500
    with pytest.raises(GuardError) as raised:
        shell.python(many, "501")
    assert raised.value.reason == "too-many-changes"
    for number in range(501):
        (tree.work / f"old{number}").write_text("")
    with pytest.raises(GuardError) as raised:
        shell.stage("rm old*")
    assert raised.value.reason == "too-many-changes"


def test_folders_that_stand_deep_and_are_removed_are_refused_and_no_fault(
    tree: Tree, tmp_path: Path
) -> None:
    deep = tree.work / "top" / "/".join("d" * 250)
    deep.mkdir(parents=True)
    with pytest.raises(GuardError) as raised:
        Shell(tree, tmp_path / "home").stage("rm -r top")
    assert raised.value.reason == "staged-too-large"
    assert deep.is_dir()


def test_threads_and_processes_of_a_build_are_no_bomb(shell: Shell) -> None:
    program = (
        "import subprocess, sys, threading\n"
        "wait = threading.Event()\n"
        "threads = [threading.Thread(target=wait.wait) for _ in range(600)]\n"
        "for each in threads: each.start()\n"
        "made = [subprocess.Popen(['sleep', '1']) for _ in range(100)]\n"
        "sys.stdout.write(str(sum(each.wait() for each in made)))\n"
        "wait.set()\n"
    )
    assert shell.python(program).staged.output.stdout == b"0"


def test_a_copy_of_the_folder_holds_to_the_time_and_the_output(tree: Tree, tmp_path: Path) -> None:
    shell = Shell(tree, tmp_path / "home", Bounds(limits=SMALL), overlay=False)
    with pytest.raises(GuardError) as raised:
        shell.python(ENDLESS["output"][0])
    assert raised.value.reason == "command-over-limit"
    shell = Shell(tree, tmp_path / "home", Bounds(limits=Limits(seconds=0.3)), overlay=False)
    with pytest.raises(GuardError) as raised:
        shell.python(attacks.STAY)
    assert raised.value.reason == "command-too-long"


def test_a_process_with_many_open_files_runs_commands_like_any_other(shell: Shell) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip(f"no more than {hard} files can be open at once here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert shell.stage("sleep 0.2; echo done").staged.output.stdout == b"done\n"
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
