"""One command, run in an overlay of a folder; what it left is handed over.

Three processes: the first leaves the host's namespaces; its child is the first process of the new
ones, lays out what can be seen and ends everything when the command has ended; the command is a
child of that. What cannot be set up is refused, never left out.
"""

from __future__ import annotations

import ast
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress

from groundwire.targets.shell.inside.calls import (
    Refused,
    adopt_orphans,
    die_with_parent,
    filter_sockets,
    forbid_looking_in,
    give_up_powers,
    join_new_keyring,
    leave,
)
from groundwire.targets.shell.inside.layout import Config, lay_out, listening, raise_loopback
from groundwire.targets.shell.inside.watch import INTERVAL, REAPED, Watch

NICE = 10
"""By how much a command gives way to who watches it."""


def become(config: Config) -> None:
    """The process is the command."""
    os.setsid()
    for name, most in config.limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # what Python has set to be ignored
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # where memory runs out the command ends, and not who watches it
    os.nice(NICE)
    os.umask(config.umask)
    os.chdir(config.folder)
    if config.contained:
        give_up_powers()
        filter_sockets()
    os.closerange(3, 1 << 20)
    command = config.command
    os.execvpe(command[0], command, config.environment)  # noqa: S606 -- this is what it is for


def start(config: Config) -> int:
    """The process of the command."""
    child = os.fork()
    if child:
        return child
    try:
        become(config)
    except FileNotFoundError:
        os.write(2, b"the command is not there\n")
        os._exit(127)
    except BaseException as error:  # noqa: BLE001 -- nothing of ours may go on in the child
        os.write(2, f"the command cannot be started: {error}\n".encode(errors="replace"))
    os._exit(126)


def wait_for(command: int, seconds: float, watch: Watch | None) -> tuple[int, str]:
    """How the command ended; "-", or why it was ended: "seconds", or what the watch says.

    What it left running may be running still.
    """
    why = []

    def end(reason: str) -> None:
        why.append(reason)
        with suppress(ProcessLookupError):  # it has ended just now
            os.kill(command, signal.SIGKILL)

    signal.signal(signal.SIGALRM, lambda *_: end("seconds"))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.setitimer(signal.ITIMER_REAL, seconds)
    status = _status(command) if watch is None else _watched(command, watch, end)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)  # the number may be another process by now
    return os.waitstatus_to_exitcode(status), why[0] if why else "-"


def _status(command: int) -> int:
    while True:
        ended, status = os.wait()
        if ended == command:
            return status


def _watched(command: int, watch: Watch, end: Callable[[str], None]) -> int:
    while True:
        for _ in range(REAPED):
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == command:
                return status
            if not ended:
                signal.sigtimedwait({signal.SIGCHLD}, INTERVAL)
                break
        reason = watch.why_to_end()
        if reason is not None:
            end(reason)
            return _status(command)


def end_all() -> None:
    """No process of this PID namespace is left but this one."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            os.wait()


def first_process(config: Config, sockets: list[str], host: socket.socket) -> None:
    """The command has run, all is ended, and the host has its upper layer."""
    die_with_parent()
    forbid_looking_in()
    join_new_keyring()
    upper, room = lay_out(config, sockets)
    raise_loopback()
    host.sendall(b"ready\n")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # waited for, with a time
    watch = Watch(host, (upper, room), config.processes)
    code, why = wait_for(start(config), config.seconds, watch)
    end_all()
    socket.send_fds(host, [f"{code} {why}\n".encode()], [upper])


def beside(config: Config, host: socket.socket) -> None:
    """The command has run in a copy, with all that this machine has; its processes are ended."""
    if sys.platform == "linux":
        adopt_orphans()
    # The host ends it so too, at any moment: heard once there is something to end.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    host.sendall(b"ready\n")
    watch = None
    if sys.platform == "linux":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        watch = Watch(host, (), config.processes)
    code, why = wait_for(start(config), config.seconds, watch)
    me = str(os.getpid())
    while sys.platform == "linux" and (left := _children(me)):
        for each in left:
            with suppress(ProcessLookupError):
                os.kill(int(each), signal.SIGKILL)
        with suppress(ChildProcessError):
            os.wait()
    host.sendall(f"{code} {why}\n".encode())


def _children(process: str) -> list[str]:
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return file.read().split()


def main() -> None:
    """What the host asked for over the socket that it gave as the first argument."""
    host = socket.socket(fileno=int(sys.argv[1]))
    size = struct.unpack("I", host.recv(4, socket.MSG_WAITALL))[0]
    config = Config(ast.literal_eval(host.recv(size, socket.MSG_WAITALL).decode()))
    try:
        die_with_parent()
        if not config.contained:
            beside(config, host)
            os._exit(0)
        sockets = listening(config)
        leave(os.geteuid(), os.getegid())
        die_with_parent()  # new credentials had cleared it
        if os.getppid() != config.host:
            os._exit(1)  # the host ended before it could be noticed
        first = os.fork()
        if not first:
            first_process(config, sockets, host)
            os._exit(0)
        os.waitpid(first, 0)
    except (Refused, OSError) as error:
        host.sendall(f"refused {error}\n".encode(errors="replace"))
    os._exit(0)
