"""What a contained command can see: its folder under an overlay, programs, and empty folders."""

from __future__ import annotations

import fcntl
import os
import platform
import socket
import stat
import struct
from contextlib import suppress

from groundwire.targets.shell.inside.calls import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_RECURSIVE,
    NO_DEV,
    NO_EXEC,
    NO_SUID,
    PRIVATE,
    REC,
    SET_NO_DEV,
    SET_NO_SUID,
    SET_READ_ONLY,
    Refused,
    again,
    attach,
    clone,
    mount,
    set_attributes,
)

AREA = "/tmp"  # noqa: S108 -- hidden under a folder of the sandbox's own before anything runs
DEVICES = ("null", "zero", "full", "random", "urandom")
HIDDEN_IN_PROC = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi")
MOST_SOCKETS = 1000


class Config:
    """What `running.py` asks for."""

    command: list[str]
    contained: bool
    entries: int
    environment: dict[str, str]
    files: dict[str, bytes]
    folder: str
    hidden: list[str]
    host: int
    limits: dict[str, int]
    processes: int
    root: str
    scratch: int
    seconds: float
    shown: list[str]
    tasks: int
    umask: int
    upper: int

    def __init__(self, given: dict[str, object]) -> None:
        self.__dict__.update(given)


def lay_out(config: Config, sockets: list[str]) -> tuple[int, int]:
    """Only what the command may see is there, read-only but for its folders.

    What it writes fills the two open folders: its upper layer, and its empty folders.
    """
    root = config.root
    folder = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    mount("none", "/", "", REC | PRIVATE)
    shown = [(path, clone(path)) for path in config.shown if os.path.isdir(path)]
    devices = [(name, clone(f"/dev/{name}")) for name in DEVICES]
    merged, upper, room = _overlay(config, folder)
    set_attributes(AT_FDCWD, "/", AT_RECURSIVE, SET_READ_ONLY | SET_NO_SUID | SET_NO_DEV)
    for mounted in (merged, room.folder):
        set_attributes(mounted, "", AT_EMPTY_PATH, 0, SET_READ_ONLY)
    hidden = sorted({AREA, *config.hidden})  # what is in another after it
    inner = [path for path in hidden if _is_within(path, root)]
    again_hidden = [path for path in hidden if any(_is_in(path, each) for each, _ in shown)]
    for path in hidden:
        if path not in inner:
            room.hide(path)
    for path, mounted in shown:
        set_attributes(mounted, "", AT_EMPTY_PATH | AT_RECURSIVE, SET_READ_ONLY | SET_NO_SUID)
        os.makedirs(path, exist_ok=True)
        attach(mounted, path)
    for path in again_hidden:  # what is in it was shown with it
        if path not in inner:
            room.hide(path)
    os.makedirs(root, exist_ok=True)
    attach(merged, root)
    for path in inner:  # not to be written: what is written there would be lost without a word
        room.hide(path, SET_READ_ONLY)
    _devices(devices)
    _processes(config.tasks)
    for path in sockets:
        if _is_socket(path):
            attach(again(room.empty), path)
    for name, text in config.files.items():
        _give(name, text)
    filled = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=room.folder)
    return upper, filled


class Room:
    """Empty folders, which share one bound, and an empty file, to hide others with."""

    def __init__(self, config: Config) -> None:
        path = f"{AREA}/room"
        os.mkdir(path)
        size = f"size={config.scratch},nr_inodes={config.entries},mode=0755"
        mount("tmpfs", path, "tmpfs", NO_SUID | NO_DEV, size)
        self.folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        with open(f"{path}/empty", "wb"):
            pass
        self.empty = clone("empty", self.folder)
        set_attributes(self.empty, "", AT_EMPTY_PATH, SET_READ_ONLY)
        self._count = 0

    def hide(self, path: str, attributes: int = 0) -> None:
        """An empty folder, or an empty file, stands where something stood."""
        try:
            state = os.lstat(path)
        except FileNotFoundError:
            return
        if stat.S_ISLNK(state.st_mode):
            return  # what it leads to is hidden by its own name
        if not stat.S_ISDIR(state.st_mode):
            attach(again(self.empty), path)
            return
        self._count += 1
        name = str(self._count)
        os.mkdir(name, dir_fd=self.folder)
        mounted = clone(name, self.folder)
        set_attributes(mounted, "", AT_EMPTY_PATH, attributes)
        attach(mounted, path)
        if not attributes:
            os.chmod(path, stat.S_IMODE(state.st_mode))


def _overlay(config: Config, folder: int) -> tuple[int, int, Room]:
    """The overlay over the folder, its upper layer, and room for what is empty."""
    limit, most = config.upper, config.entries
    mount("tmpfs", AREA, "tmpfs", NO_SUID | NO_DEV, f"size={limit},nr_inodes={most},mode=1777")
    for name in ("upper", "work", "merged"):
        os.mkdir(f"{AREA}/{name}", 0o700)
    state = os.stat(folder)
    os.chmod(f"{AREA}/upper", stat.S_IMODE(state.st_mode))
    if state.st_gid != os.getegid():
        with suppress(OSError):
            os.chown(f"{AREA}/upper", -1, state.st_gid)
    try:
        os.setxattr(f"{AREA}/upper", "user.groundwire", b"")
        os.removexattr(f"{AREA}/upper", "user.groundwire")
    except OSError as error:
        raise Refused(f"attributes in memory: {error.strerror}") from error
    layers = f"lowerdir=/proc/self/fd/{folder},upperdir={AREA}/upper,workdir={AREA}/work,userxattr"
    mount("overlay", f"{AREA}/merged", "overlay", NO_SUID | NO_DEV, layers)
    merged = os.open(f"{AREA}/merged", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    # By a mount of its own, which stays writable: whoever reads it may have to permit itself to.
    apart = clone(f"{AREA}/upper")
    upper = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=apart)
    return merged, upper, Room(config)


def _is_within(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _is_in(path: str, folder: str) -> bool:
    return path == folder or _is_within(path, folder)


def _devices(devices: list[tuple[str, int]]) -> None:
    mount("tmpfs", "/dev", "tmpfs", NO_SUID, "size=64k,mode=0755")
    for name, mounted in devices:
        with open(f"/dev/{name}", "wb"):
            pass
        attach(mounted, f"/dev/{name}")
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"/dev/{name}")
    os.mkdir("/dev/shm", 0o1777)  # noqa: S108 -- in a /dev of the sandbox's own
    mount("tmpfs", "/dev/shm", "tmpfs", NO_SUID | NO_DEV, "size=64m,mode=1777")  # noqa: S108 -- as above
    os.mkdir("/dev/pts", 0o755)
    with suppress(Refused):  # without terminals everything else still holds
        mount("devpts", "/dev/pts", "devpts", NO_SUID | NO_EXEC, "newinstance,ptmxmode=0666")
        os.symlink("pts/ptmx", "/dev/ptmx")


def _processes(most: int) -> None:
    """A /proc of this PID namespace, of which nothing that is the whole machine's can be written."""
    mount("proc", "/proc", "proc", NO_SUID | NO_DEV | NO_EXEC)
    with open("/proc/sys/user/max_user_namespaces", "w", encoding="ascii") as file:
        file.write("0")
    # From Linux 6.14 on the number is the namespace's own; before, only the host's root has it.
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if release >= (6, 14):
        with open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(str(max(most, 301)))
    for name in HIDDEN_IN_PROC:
        path = f"/proc/{name}"
        if os.path.lexists(path):
            mounted = clone(path)
            set_attributes(mounted, "", AT_EMPTY_PATH | AT_RECURSIVE, SET_READ_ONLY)
            attach(mounted, path)


def _give(name: str, text: bytes) -> None:
    """A file of the sandbox's own, where one of its empty folders is or can be."""
    with suppress(OSError):  # a home folder that is nowhere
        os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
        with open(name, "xb") as file:
            file.write(text)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False


def listening(config: Config) -> list[str]:
    """The path of every socket that a program has bound to a name where nothing hides it."""
    with open("/proc/net/unix", "rb") as file:
        lines = file.read().splitlines()[1:]
    names = (line.split(None, 7)[7] for line in lines if line.count(b" /"))
    paths = {os.fsdecode(name) for name in names if name.startswith(b"/")}
    shown = (*config.shown, config.root)
    seen = [
        path
        for path in paths
        if any(_is_within(path, each) for each in shown)
        or not any(_is_within(path, each) for each in config.hidden)
    ]
    if len(seen) > MOST_SOCKETS:
        raise Refused("too many sockets to hide")
    return sorted(seen)


def raise_loopback() -> None:
    """The network has nothing but a loopback of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name = b"lo".ljust(16, b"\0")
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, name + bytes(2)))[1]
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", name, flags | 1))
