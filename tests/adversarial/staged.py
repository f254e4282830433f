"""Commands that try to get out of their overlay, or to leave behind what nobody judged."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import acting, between
from tests.adversarial.world import World

REFUSED: Final = ("refused: staged-denied", "asked: approval-unavailable")
PYTHON: Final = "python3"


def _script(text: str) -> str:
    """A command that runs this Python, whatever stands in it."""
    return f"{PYTHON} -c {shlex.quote(text)}"


# --- out of the overlay: the command may run, and nothing of it gets out --------------------


def _held(name: str, tried: str, deed: Callable[[World], str]) -> None:
    add(Attack("staged", name, tried, ("held",), deed))


def _outside(path_of: Callable[[World], Path]) -> Callable[[World], str]:
    def deed(world: World) -> str:
        path = path_of(world)
        existed = path.exists()
        world.ran(
            f"echo mine > {shlex.quote(str(path))}; mkdir -p {shlex.quote(str(path))}.d; true"
        )
        assert path.exists() == existed, f"{path} was written"
        assert not Path(f"{path}.d").exists(), f"{path}.d was made"
        return "held"

    return deed


for _name, _path in (
    ("beside the working folder", lambda world: world.place.top / "beside.txt"),
    ("in the home", lambda world: world.place.home / "mine.txt"),
    ("in /tmp", lambda world: Path(f"/tmp/outside-of-it-{os.getpid()}")),
    ("in /var/tmp", lambda world: Path(f"/var/tmp/outside-of-it-{os.getpid()}")),
    ("in /dev/shm", lambda world: Path(f"/dev/shm/gw-adversarial-{os.getpid()}")),
    ("in /etc", lambda world: Path(f"/etc/gw-adversarial-{os.getpid()}")),
    ("in /usr/local/bin", lambda world: Path(f"/usr/local/bin/gw-adversarial-{os.getpid()}")),
    ("among groundwire's keys", lambda world: world.place.home / "state/groundwire/keys/mine.pem"),
):  # fmt: skip
    _held(f"an absolute path {_name}", "echo mine > PATH; mkdir PATH.d", _outside(_path))


def _unread(command: Callable[[World], str]) -> Callable[[World], str]:
    def deed(world: World) -> str:
        ssh = world.place.home / ".ssh" / "id_rsa"
        ssh.parent.mkdir()
        ssh.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET\n")
        world.do("read_file", path="README.md")
        done = world.ran(command(world))
        assert "TOPSECRET" not in done.text, done.text
        assert "PRIVATE KEY" not in done.text, done.text
        return "held"

    return deed


for _name, _command in (
    ("the user's ssh key", lambda world: f"cat {world.place.home}/.ssh/id_rsa ~/.ssh/id_rsa; true"),
    ("groundwire's keys", lambda world: f"cat {world.place.home}/state/groundwire/keys/*.pem; true"),
    ("everything below the home",
     lambda world: f"grep -rs 'PRIVATE KEY\\|TOPSECRET' {world.place.home} ~; true"),
    ("through the parent's root",
     lambda world: f"cat /proc/1/root{world.place.home}/.ssh/id_rsa "
     f"/proc/{os.getpid()}/root{world.place.home}/.ssh/id_rsa; true"),
    ("through the parent's working folder",
     lambda world: f"cat /proc/{os.getpid()}/cwd/../home/.ssh/id_rsa /proc/self/cwd/../home/.ssh/id_rsa; true"),
    ("by a link into the home",
     lambda world: f"ln -s {world.place.home} /tmp/h && cat /tmp/h/.ssh/id_rsa; true"),
):  # fmt: skip
    _held(f"a key is read: {_name}", "cat, as output for the model", _unread(_command))


@attack("staged", "a secret in the environment", "env, as output for the model", "held")
def _(world: World) -> str:
    os.environ["AWS_SECRET_ACCESS_KEY"] = "TOPSECRET"
    done = world.ran("env; cat /proc/*/environ | tr '\\0' '\\n'; true")
    assert "TOPSECRET" not in done.text, done.text
    return "held"


@attack("staged", "a descriptor that the host left open", "every /proc/self/fd is read", "held")
def _(world: World) -> str:
    secret = world.place.top / "open.txt"
    secret.write_text("TOPSECRET")
    number = os.open(secret, os.O_RDWR)
    os.set_inheritable(number, True)
    try:
        done = world.ran(
            "for each in /proc/self/fd/*; do timeout 1 head -c 100 $each 2>/dev/null; done"
            f"; echo overwritten >&{number}; true"
        )
    finally:
        os.close(number)
    assert "TOPSECRET" not in done.text, done.text
    assert secret.read_text() == "TOPSECRET"
    return "held"


@attack("staged", "a path of deny_read", "cat of a file that the policy hides", "held")
def _(world: World) -> str:
    world.policy('[guard]\ndeny_read = ["private/**", "*.key"]\n')
    world.place.write("private/notes.txt", "TOPSECRET")
    world.place.write("a.key", "TOPSECRET")
    world.place.commit_all()
    world.ready()
    done = world.ran(
        "cat private/notes.txt a.key; git show HEAD:private/notes.txt >/dev/null; true"
    )
    assert "TOPSECRET" not in done.text, done.text
    read = world.do("read_file", path="private/notes.txt")
    assert read.word == "refused: denied-to-read", read.word
    assert world.do("read_file", path="docs/../a.key").word == "refused: denied-to-read"
    return "held"


def _hidden(world: World) -> None:
    world.policy('[guard]\ndeny_read = ["private/**"]\ndeny_read_kinds = ["login"]\n')
    world.place.write("private/notes.txt", "TOPSECRET\n")
    world.place.write("netrc", "machine h.example login me password TOPSECRET\n")
    world.ready()


for _name, _call in (
    ("by moving it", ("move_file", {"path": "private/notes.txt", "to": "notes.txt"})),
    ("by an edit that fits only if the guess is right",
     ("edit_file", {"path": "private/notes.txt", "old": "TOPS", "new": "TOPS "})),
    ("by an edit that does not fit",
     ("edit_file", {"path": "private/notes.txt", "old": "LOWS", "new": "LOWS "})),
    ("by a patch", ("apply_patch", {"patch": "--- a/private/notes.txt\n+++ b/private/notes.txt\n"
                    "@@ -1 +1 @@\n-TOPSECRET\n+Topsecret\n"})),
    ("by a guess at contents of a hidden kind",
     ("edit_file", {"path": "netrc", "old": "password TOPS", "new": "password  TOPS"})),
    ("by a wrong guess at such contents",
     ("edit_file", {"path": "netrc", "old": "password LOWS", "new": "password  LOWS"})),
):  # fmt: skip

    def _guess(world: World, call: tuple[str, dict[str, str]] = _call) -> str:
        _hidden(world)
        return world.do(call[0], **call[1]).word

    add(Attack("staged", f"a path of deny_read is learnt {_name}", f"{_call[0]} of a hidden file",
               ("refused: denied-to-read",), _guess))  # fmt: skip


@attack(
    "staged",
    "more newlines than anybody prints",
    "a megabyte of them, where secrets are looked for",
    "held",
)
def _(world: World) -> str:
    world.policy('[guard]\ndeny_read_kinds = ["login", "cloud-credentials", "private-key"]\n')
    world.ready()
    begins = "-----BEGIN PRIVATE KEY-----"
    world.ran(f"echo {begins}; yes '' | head -c 1000000")
    world.ran(f"echo {begins}; yes {'A' * 41} | head -c 1000000")
    return "held"


@attack("staged", "a socket of this machine", "TCP, a named socket and an abstract one", "held")
def _(world: World) -> str:
    named = world.place.folder / "named.socket"
    abstract = f"\0gw-adversarial-{os.getpid()}"
    listening = [socket.create_server(("127.0.0.1", 0))]
    for address in (str(world.place.top / "named.socket"), abstract):
        each = socket.socket(socket.AF_UNIX)
        each.bind(address)
        each.listen()
        listening.append(each)
    port = listening[0].getsockname()[1]
    assert not named.exists()
    world.ran(
        _script(
            "import socket\n"
            f"for kind, address in ((socket.AF_INET, ('127.0.0.1', {port})),"
            f" (socket.AF_UNIX, {str(world.place.top / 'named.socket')!r}),"
            f" (socket.AF_UNIX, {abstract!r})):\n"
            "    try:\n        socket.socket(kind).connect(address)\n"
            "    except OSError as error:\n        print(error)\n"
        )
    )
    for each in listening:
        each.setblocking(False)
        try:
            each.accept()
        except BlockingIOError:
            reached = False
        else:
            reached = True
        each.close()
        assert not reached, "a socket was reached"
    return "held"


@attack("staged", "a daemon that stays", "setsid, two forks, nohup", "held")
def _(world: World) -> str:
    token = f"gwdaemon{os.getpid()}"
    for command in (
        f"nohup setsid {PYTHON} -c 'import time; time.sleep(600)' {token} >/dev/null 2>&1 & true",
        _script(
            "import os, time, sys\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            f"        os.execvp('{PYTHON}', ['{PYTHON}', '-c', 'import time; time.sleep(600)', '{token}'])\n"
            "    os._exit(0)\n"
        ),
    ):  # fmt: skip
        world.ran(command)
    left = [
        each.parent.name
        for each in Path("/proc").glob("[0-9]*/cmdline")
        if token.encode() in _bytes(each) and int(each.parent.name) != os.getpid()
    ]
    assert not left, f"processes {left} are still there"
    return "held"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@attack(
    "staged", "the parent is killed", "kill -9 of the host, of process 1, of everything", "held"
)
def _(world: World) -> str:
    world.do("read_file", path="README.md")
    world.ran(f"kill -9 {os.getpid()}; kill -9 $PPID; kill -9 -1; kill -9 1; true")
    assert world.do("read_file", path="README.md").word == "passed: read"
    return "held"


@attack("staged", "the mount is undone", "umount, mount --bind, nsenter, chroot", "held")
def _(world: World) -> str:
    target = world.place.top / "beside.txt"
    target.write_text("v1\n")
    write = shlex.quote(f"echo x > {target}")
    world.ran(
        f"umount {world.place.folder}; mount -o remount,rw /; mount --bind / /mnt;"
        f" nsenter -t 1 -m sh -c {write}; unshare -rm sh -c {write};"
        f" unshare -r chroot /proc/1/root sh -c {write}; true"
    )
    assert target.read_bytes() == b"v1\n"
    return "held"


@attack("staged", "output without end", "yes, for as long as it may", "refused: command-over-limit")
def _(world: World) -> str:
    done = world.shell("yes")
    assert len(done.text) < 10_000, len(done.text)
    return done.word


@attack("staged", "much output", "yes, 20 MB of it", "held")
def _(world: World) -> str:
    done = world.ran("yes | head -c 20000000")
    assert len(done.text) < 5_000_000, len(done.text)
    return "held"


# --- kinds of change that are never made ----------------------------------------------------

for _name, _command in (
    ("a link out of the folder", "ln -s /etc/passwd there"),
    ("a link in the place of a file", "rm app.py && ln -s /etc/hostname app.py"),
    ("a link to a folder, written through", "ln -s docs d && echo x > d/guide.md"),
    ("a hard link", "ln app.py other.py"),
    ("a named pipe", "mkfifo pipe"),
    ("a socket", _script("import socket; socket.socket(socket.AF_UNIX).bind('s')")),
    ("a device", "mknod device c 1 3"),
    ("a program that runs as another", "cp /bin/true t && chmod u+s t"),
    ("a hook of git", "printf '#!/bin/sh\\ntouch /tmp/x\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit"),
    ("git's configuration", "git config core.hooksPath ../hooks"),
    ("a program for git to start", "git config core.fsmonitor 'touch /tmp/x'"),
    ("a filter for git to start", "echo '* filter=x' > .git/info/attributes"),
    ("other objects for git", "mkdir -p .git/objects/info && echo /tmp/o > .git/objects/info/alternates"),
    ("the whole repository", "rm -rf .git"),
    ("settings of an agent's hooks", "mkdir -p .claude && echo '{}' > .claude/settings.json"),
    ("a repository in the repository", "git init -q --bare x && git -C x config core.fsmonitor 'touch /tmp/x'"),
    ("a head that makes one", "mkdir -p x/objects x/refs && echo 'ref: refs/heads/main' > x/HEAD"),
    ("workflows that run elsewhere", "echo 'on: push' > .github/workflows/new.yml"),
):  # fmt: skip

    def _deed(world: World, command: str = _command) -> str:
        done = world.shell(command)
        if done.word == "executed" and done.exit != 0:
            return "it failed by itself"
        return done.word.partition(":")[0]

    add(Attack("staged", f"it leaves {_name}", _command[:70],
               ("refused", "asked", "it failed by itself"), _deed))  # fmt: skip


# --- the folder moves while the command runs ------------------------------------------------


@attack("staged", "a file moves while the command is judged", "app.py is rewritten before it is applied",
        "refused: state-drifted", leaves=False)  # fmt: skip
def _(world: World) -> str:
    with between(receipt=acting(lambda: world.place.write("app.py", "theirs\n"))):
        word = world.shell("echo v2 > app.py").word
    assert world.place.read("app.py") == b"theirs\n"
    return word


@attack("staged", "a file moves just before it is applied", "between T2 and the write",
        "refused: state-drifted", leaves=False)  # fmt: skip
def _(world: World) -> str:
    with between(grant=acting(lambda: world.place.write("app.py", "theirs\n"))):
        word = world.shell("echo v2 > app.py; echo new > new.txt").word
    assert world.place.read("app.py") == b"theirs\n"
    assert world.place.read("new.txt") is None
    return word


@attack("staged", "what a refused command printed", "it shows a file, then deletes the contract",
        "refused, and nothing is shown")  # fmt: skip
def _(world: World) -> str:
    done = world.shell("cat README.md; rm openapi.yaml")
    assert done.word in REFUSED, done.word
    assert "Use it." not in done.text + done.message, done.text
    return "refused, and nothing is shown"


@attack("staged", "a branch is moved by force and its commits lost", "git branch -f, reflog expired, gc",
        "refused", "asked")  # fmt: skip
def _(world: World) -> str:
    world.place.write("work.txt", "work\n")
    world.place.commit_all("Work")
    world.place.git("branch", "work")
    world.place.git("reset", "-q", "--hard", "HEAD~1")
    world.ready()
    return world.shell(
        "git branch -D work && git reflog expire --expire=now --all && git gc -q --prune=now"
    ).word.partition(":")[0]


# --- what groundwire itself runs, outside ---------------------------------------------------


@attack("staged", "a git of the agent's on the search path",
        "it is put into the project's own folder for programs; a commit follows", "held", leaves=False)  # fmt: skip
def _(world: World) -> str:
    programs, marker = world.place.folder / "build" / "bin", world.place.top / "outside"
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{before}"
    try:
        world.ran(
            f"mkdir -p build/bin; printf '#!/bin/sh\n: > {marker}\n' > build/bin/git;"
            " chmod +x build/bin/git"
        )
        assert os.access(programs / "git", os.X_OK), "the program was not left"
        world.ran(f"PATH={shlex.quote(before)}; echo v2 > app.py; git add app.py")
        assert world.do("git_commit", message="v2").word == "executed"
    finally:
        os.environ["PATH"] = before
    assert not marker.exists(), "it ran outside"
    return "held"


@attack("staged", "hooks and settings of a repository that a .git file names",
        "write_file and git config, after its HEAD was moved away too", "refused: protected-place")  # fmt: skip
def _(world: World) -> str:
    folder = world.place.folder
    (folder / ".git").rename(folder / ".bare")
    (folder / ".git").write_text("gitdir: ./.bare\n")
    world.ready()
    words = {
        world.do("write_file", path=".bare/hooks/pre-commit", content="#!/bin/sh\n").word,
        world.shell("git config core.fsmonitor 'touch /tmp/x'").word,
        world.shell("mv .bare/HEAD kept; echo x > .bare/hooks/pre-commit; mv kept .bare/HEAD").word,
    }
    return words.pop() if len(words) == 1 else str(sorted(words))
