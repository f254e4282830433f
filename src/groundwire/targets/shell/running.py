"""One command, run once: in an overlay of its working folder, or in a copy where there is none.

The host's side of `inside/program.py`. What comes back is an open folder with what the command wrote;
every process that it started is ended by then, so nobody changes it any more.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, Self

import msgspec

from groundwire.errors import GuardError, HostError
from groundwire.targets.stopping import Stop

_INSIDE: Final = tuple(
    f"groundwire.targets.shell.inside.{name}" for name in ("calls", "layout", "watch", "program")
)
# What it runs is handed over, none of it is looked for: a command may have written where it lies.
_PROGRAM: Final = """
import ast, socket, struct, sys, types
host = socket.socket(fileno=int(sys.argv[1]))
size = struct.unpack("I", host.recv(4, socket.MSG_WAITALL))[0]
for name, source in ast.literal_eval(host.recv(size, socket.MSG_WAITALL).decode()):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
host.detach()
module.main()
"""
_CHUNK: Final = 1 << 16
_ENDED: Final = " It was ended, and nothing of it was applied."
_GRACE: Final = 60.0
"""Seconds that ending a command takes at most."""


def _code() -> bytes:
    """The modules that run inside, as they are now."""
    found = []
    for name in _INSIDE:
        spec = importlib.util.find_spec(name)
        loader = None if spec is None else spec.loader
        if not isinstance(loader, importlib.abc.InspectLoader):
            raise ImportError(f"{name} cannot be read")  # noqa: TRY004 -- an import fails so
        found.append((name, loader.get_source(name)))
    return repr(found).encode()


_CODE: Final = _code()
"""Read once, when this process begins: whatever stands in its place later runs in no process."""
_PYTHON: Final = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
"""The interpreter itself: that of a virtual environment is a file that a command may write."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a command may use: bytes, entries, seconds, processes. Over it, it is ended.

    `written` is what it may write into its working folder in all, `entries` how many files and
    folders, `changes` how many may differ in the end; `scratch` what its empty folders (`/tmp`, the home folder) hold in all. `output` is
    how much of each stream is kept, `printed` how much it may print in all. `tasks` counts threads
    too, and more of them cannot be started. `memory` is address space; None: no such limit.
    In a copy only `seconds`, `printed` and `memory` are held.
    """

    seconds: float = 600.0
    output: int = 1 << 20
    written: int = 512 << 20
    printed: int = 128 << 20
    entries: int = 50_000
    changes: int = 20_000
    scratch: int = 256 << 20
    processes: int = 512
    tasks: int = 2048
    memory: int | None = None


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What to run, where, and what of this machine it sees.

    `root` and every other path are real and absolute. `folder` is where it begins, in `root`.
    `hidden` are folders and files that are empty for it, `shown` folders in hidden ones that it
    reads; `files` are put into its empty folders. `environment` is all that it has. Whoever asks
    `stop` ends it.
    """

    words: tuple[str, ...]
    root: str
    folder: str
    environment: Mapping[str, str]
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    files: Mapping[str, bytes] = {}
    limits: Limits = Limits()
    stop: Stop = msgspec.field(default_factory=Stop)


class Ran:
    """How a command ended. `upper` is an open folder with what it wrote; None: it ran in a copy.

    Closing it frees everything that the command wrote.
    """

    def __init__(
        self, code: int, stdout: bytes, stderr: bytes, upper: int | None, *, truncated: bool
    ) -> None:
        self.exit = code if code >= 0 else 128 - code
        self.stdout = stdout
        self.stderr = stderr
        self.truncated = truncated
        self.upper = upper

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.upper is not None:
            os.close(self.upper)
            self.upper = None


class NotContained(HostError):
    """An ordinary program cannot make here what a contained command needs; nothing ran."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason


def run_contained(command: Command) -> Ran:
    """The command ran once, in an overlay of its root, and none of its processes is left.

    Nothing of it has changed the root. What it could reach besides is what the canary measures.

    Raises:
        NotContained: nothing ran.
        GuardError: it was ended: `command-too-long`, `command-stuck`, `command-over-limit`,
            `staged-too-large`.
        HostError: `staging-failed`: it was ended, and nobody knows what it wrote; `call-cancelled`.
    """
    if sys.platform != "linux":
        raise not_contained("only Linux has them")
    return _run(command, contained=True)


def run_in_copy(command: Command) -> Ran:
    """The command ran once, in the folder that it names, which is a copy; with all else at hand.

    Processes that it left running are ended on Linux alone.

    Raises:
        GuardError, HostError: as `run_contained`.
    """
    return _run(command, contained=False)


def _run(command: Command, *, contained: bool) -> Ran:
    command.stop.require_not_asked()
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            try:
                process = subprocess.Popen(  # noqa: S603 -- our own program, named by its path
                    [
                        _PYTHON,
                        "-I",
                        "-S",
                        "-B",
                        "-c",
                        _PROGRAM,
                        str(theirs.fileno()),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[theirs.fileno()],
                    cwd="/",
                    env={},
                    start_new_session=True,
                )
            except OSError as error:
                raise _failed(f"nothing can be started: {error.strerror}") from error
        try:
            _hand_over(ours, command, contained=contained)
            with command.stop.ending(lambda: _end(process, ours, contained=contained)):
                return _Watch(process, ours, command.limits).wait()
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


def _end(process: subprocess.Popen[bytes], ours: socket.socket, *, contained: bool) -> None:
    # Whoever watches it inside ends all of it: to kill that one would leave a copy's processes.
    with suppress(OSError):
        if contained:
            ours.send(b"enough\n", socket.MSG_DONTWAIT)
        else:
            process.send_signal(signal.SIGALRM)


def _hand_over(ours: socket.socket, command: Command, *, contained: bool) -> None:
    limits = command.limits
    caps = {"RLIMIT_CORE": 0, "RLIMIT_NPROC": limits.tasks, "RLIMIT_FSIZE": limits.written}
    if limits.memory is not None:
        caps["RLIMIT_AS"] = limits.memory
    if not contained:
        del caps["RLIMIT_NPROC"]  # it would count what the user runs besides
    config = repr(
        {
            "command": list(command.words),
            "contained": contained,
            "entries": limits.entries,
            "environment": dict(command.environment),
            "files": dict(command.files),
            "folder": command.folder,
            "hidden": sorted(set(command.hidden)),
            "host": os.getpid(),
            "limits": caps,
            "processes": limits.processes,
            "root": command.root,
            "scratch": limits.scratch,
            "seconds": limits.seconds,
            "shown": sorted(set(command.shown)),
            "tasks": limits.tasks,
            "umask": _umask(),
            "upper": limits.written,
        }
    ).encode()
    with suppress(BrokenPipeError):  # then it says nothing either, and that is what is told
        for part in (_CODE, config):
            ours.sendall(struct.pack("I", len(part)) + part)


def _umask() -> int:
    """The permissions that this process takes off new files, without setting them for a moment."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1], 8) for line in file if line.startswith("Umask:"))
    except (OSError, StopIteration):
        return 0o022


class _Watch:
    """Reads what the program says and what the command prints, until both have ended."""

    def __init__(
        self, process: subprocess.Popen[bytes], ours: socket.socket, limits: Limits
    ) -> None:
        self._ours = ours
        self._limits = limits
        self._in_all = 0
        self._printed = (bytearray(), bytearray())
        self._said = bytearray()
        self._upper: int | None = None
        self._truncated = False
        self._selector = selectors.DefaultSelector()
        for stream, kept in zip((process.stdout, process.stderr), self._printed, strict=True):
            if stream is not None:
                self._selector.register(stream.fileno(), selectors.EVENT_READ, kept)
        self._selector.register(ours, selectors.EVENT_READ, None)

    def wait(self) -> Ran:
        """How it ended.

        Raises:
            NotContained, GuardError, HostError: as `run_contained`.
        """
        try:
            with self._selector:
                while self._selector.get_map():
                    for key in self._ready():
                        if not (self._hear() if key.data is None else self._read(key)):
                            self._selector.unregister(key.fileobj)
            return self._ended()
        except BaseException:
            if self._upper is not None:
                os.close(self._upper)
            raise

    def _ready(self) -> list[selectors.SelectorKey]:
        # Whoever counts the time inside may itself get none, and says nothing then.
        ready = self._selector.select(self._limits.seconds + _GRACE)
        if not ready:
            raise _over_limit("seconds", self._limits)
        return [key for key, _ in ready]

    def _read(self, key: selectors.SelectorKey) -> bool:
        data = os.read(key.fd, _CHUNK)
        self._count(len(data))
        room = self._limits.output - len(key.data)
        key.data.extend(data[:room])
        self._truncated = self._truncated or len(data) > room
        return bool(data) and self._in_all <= self._limits.printed  # it waits for us, and is ended

    def _count(self, more: int) -> None:
        before = self._in_all
        self._in_all += more
        if before <= self._limits.printed < self._in_all:
            with suppress(OSError):  # it has ended
                self._ours.send(b"enough\n", socket.MSG_DONTWAIT)

    def _hear(self) -> bool:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._ours, 4096, 1)
        except ConnectionResetError:
            return False
        for descriptor in descriptors:
            self._upper = descriptor
        self._said += data
        return bool(data)

    def _ended(self) -> Ran:
        lines = self._said.decode(errors="replace").splitlines()
        if lines and lines[0].startswith("refused "):
            raise not_contained(lines[0].removeprefix("refused "))
        if len(lines) != 2:
            said = bytes(self._printed[1][-200:]).decode(errors="replace")
            raise _failed(f"it ended without a word: {said}" if not lines else "it was ended")
        code, why = lines[1].split()
        if why != "-":
            raise _over_limit(why, self._limits)
        if self._in_all > self._limits.printed:
            raise _over_limit("printed", self._limits)
        stdout, stderr = (bytes(kept) for kept in self._printed)
        return Ran(int(code), stdout, stderr, self._upper, truncated=self._truncated)


def not_contained(why: str) -> NotContained:
    """The refusal of a command that nothing here can contain."""
    return NotContained(
        "not-contained",
        f"Commands cannot be run in an overlay here ({why}); allow user namespaces and overlays in"
        " them (Linux 6.6 or later), or let them run in a copy.",
    )


def _over_limit(what: str, limits: Limits) -> GuardError:
    """The refusal of a command that was ended, by what it had too much of."""
    match what:
        case "seconds":
            return GuardError(
                "command-too-long",
                f"The command ran for over {limits.seconds:g} seconds; run less at once, or raise"
                f" `command_seconds` in the policy.{_ENDED}",
            )
        case "stuck":
            return GuardError(
                "command-stuck",
                "The command could not go on: each of its processes waited for another one, or for"
                f" a pipe that nobody else has open; let somebody write to what it reads.{_ENDED}",
            )
        case "processes":
            said = f"had over {limits.processes} processes at once; start fewer"
            return GuardError("command-over-limit", f"The command {said}.{_ENDED}")
        case "printed":
            said = f"printed over {limits.printed >> 20} MB; let it print into a file, or less"
            return GuardError("command-over-limit", f"The command {said}.{_ENDED}")
        case "entries":
            said = f"made over {limits.entries} files and folders; let it make fewer"
            return GuardError("staged-too-large", f"The command {said}.{_ENDED}")
        case _:
            return GuardError(
                "staged-too-large",
                "The command wrote more than may be staged at once"
                f" ({limits.written >> 20} MB in the working folder, {limits.scratch >> 20} MB"
                " elsewhere); let it write less, or raise `command_bytes` in the policy."
                f"{_ENDED}",
            )


def _failed(why: str) -> HostError:
    return HostError(
        "staging-failed",
        f"The command could not be watched to its end: {why}. Nothing of it was applied.",
    )
