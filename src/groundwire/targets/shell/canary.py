"""What containment holds here, measured: a program that tries to get out, and where it got."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.documents.staged import Containment
from groundwire.errors import GroundwireError, HostError
from groundwire.targets.shell.running import Command, Limits, Ran
from groundwire.targets.shell.view import View

Way: TypeAlias = Literal["written outside", "hidden file read", "socket reached", "outlived"]

# Every try is counted by what the host sees of it, not by what the program says; "done" alone is
# taken from it, so that a program that never ran is not taken for one that was held.
_PROGRAM: Final = """
import os, socket, sys
token, port, named, hidden, *outside = sys.argv[1:]
for path in outside:
    try:
        open(path, "x").close()
    except OSError:
        pass
for kind, address in (
    (socket.AF_INET, ("127.0.0.1", int(port))),
    (socket.AF_UNIX, named),
    (socket.AF_UNIX, "\\0" + token),
):
    try:
        socket.socket(kind).connect(address)
    except OSError:
        pass
try:
    print(open(hidden).read())
except OSError:
    pass
ours, theirs = os.pipe()
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    nothing = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    stay = "import select; select.select([], [], [], 20)"
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", stay, token])
os.close(theirs)
os.read(ours, 1)
print("done")
"""
# The interpreter itself: that of a virtual environment may lie where a command sees nothing.
_PYTHON: Final = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
_LIMITS: Final = Limits(seconds=20, written=16 << 20, entries=10_000, scratch=16 << 20)


class Measured(msgspec.Struct, frozen=True):
    """How far a contained program gets here; `ways` are those by which it got out."""

    containment: Containment
    ways: tuple[Way, ...]


def measure(run: Callable[[Command], Ran], view: View, state: Path, token: str) -> Measured:
    """A program was run by `run`, as a command of this view would be, and tried to get out.

    It tried to write outside, to read a file in `state` (which the view hides), to reach sockets of
    this process, and to go on when it had ended. Nothing of it is left. `token` is text that no
    process here has in its command line, of letters and digits. What a program could do besides
    is not measured.

    Raises:
        NotContained: as `run`. HostError: `staging-failed`.
    """
    with _ground(state, token) as ground, ExitStack() as stack:
        outside = _outside(ground, view, token)
        stack.callback(_remove, outside)
        hidden = ground / "hidden"
        hidden.write_text(token[::-1], encoding="ascii")
        listening = _listen(ground, token)
        for each in listening:
            stack.callback(each.close)
        port: int = listening[0].getsockname()[1]
        words = (_PYTHON, "-I", "-S", "-c", _PROGRAM, token, str(port))
        command = Command(
            words=(*words, str(ground / "socket"), str(hidden), *outside),
            root=str(ground / "work"),
            folder=str(ground / "work"),
            environment=view.environment,
            hidden=view.hidden,
            shown=(*view.shown, os.path.realpath(sys.base_prefix)),
            limits=_LIMITS,
        )
        with run(command) as ran:
            said = ran.stdout
        ways = _ways(said, token, outside, listening)
        if b"done" not in said.split():
            raise HostError(
                "staging-failed",
                "What contains a command here could not be measured: the program that measures did"
                f" not end ({ran.stderr[-200:].decode(errors='replace')}).",
            )
    return Measured(_containment(ways), ways)


def _containment(ways: tuple[Way, ...]) -> Containment:
    if "written outside" in ways or "hidden file read" in ways:
        return "none"
    return "files-only" if ways else "contained"


def _ways(
    said: bytes, token: str, outside: list[str], listening: list[socket.socket]
) -> tuple[Way, ...]:
    ways: list[Way] = []
    if any(os.path.lexists(path) for path in outside):
        ways.append("written outside")
    if token[::-1].encode() in said:
        ways.append("hidden file read")
    if any(_was_reached(each) for each in listening):
        ways.append("socket reached")
    if _end_those_left(token):
        ways.append("outlived")
    return tuple(ways)


@contextmanager
def _ground(state: Path, token: str) -> Iterator[Path]:
    ground = Path(os.path.realpath(state)) / f"canary-{token}"
    try:
        (ground / "work").mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise HostError(
            "staging-failed",
            f"Nothing can be written in {state} ({error.strerror or error}); see to the folder.",
        ) from error
    try:
        yield ground
    finally:
        shutil.rmtree(ground, ignore_errors=True)


def _outside(ground: Path, view: View, token: str) -> list[str]:
    """Names in folders that this process can write in, and the command must not."""
    folders = [str(ground), *view.hidden, "/dev/shm", "/var/lib", "/etc", "/usr/local"]  # noqa: S108 -- tried, not used
    return [
        f"{folder}/groundwire-canary-{token}"
        for folder in folders
        if os.path.isdir(folder) and os.access(folder, os.W_OK)
    ]


def _listen(ground: Path, token: str) -> list[socket.socket]:
    """Sockets to be reached: of the network, of a name in a folder, of a name without one."""
    listening = []
    for kind, address in (
        (socket.AF_INET, ("127.0.0.1", 0)),
        (socket.AF_UNIX, str(ground / "socket")),
        (socket.AF_UNIX, "\0" + token),
    ):
        each = socket.socket(kind)
        listening.append(each)
        try:
            each.bind(address)
            each.listen()
        except OSError:
            # A path too long for a socket's name, or a system without nameless ones: one less.
            if kind != socket.AF_UNIX:
                raise
        each.settimeout(0)
    return listening


def _was_reached(listening: socket.socket) -> bool:
    try:
        listening.accept()[0].close()
    except OSError:
        return False
    return True


def _end_those_left(token: str) -> bool:
    """Whether a process with the token went on; it is ended. Where nobody can look, one did."""
    if not os.path.isdir("/proc/self"):
        return True
    left = [int(name) for name in os.listdir("/proc") if name.isdigit() and _has(name, token)]
    for process in left:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return bool(left)


def _has(process: str, token: str) -> bool:
    try:
        return token.encode() in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _remove(paths: list[str]) -> None:
    for path in paths:
        with suppress(OSError):
            os.unlink(path)


def measure_or_none(run: Callable[[Command], Ran], view: View, state: Path, token: str) -> Measured:
    """As `measure`; where nothing could be measured nothing is said to hold."""
    try:
        return measure(run, view, state, token)
    except GroundwireError:
        return Measured("none", ())
