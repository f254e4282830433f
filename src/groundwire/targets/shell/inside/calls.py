"""The system calls that contain a command, by their numbers: Python 3.11 has none of them."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct

NEW_NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x8000000 | 0x4000000
"""User, mount, PID, network, IPC and UTS."""
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REC, PRIVATE = 1, 2, 4, 8, 16384, 1 << 18
SET_READ_ONLY, SET_NO_SUID, SET_NO_DEV = 1, 2, 4
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
OPEN_TREE_CLONE, MOVE_FROM_EMPTY, MOVE_TO_EMPTY = 1, 4, 0x40
SET_DEATH_SIGNAL, SET_DUMPABLE, DROP_BOUND, SET_SECURE, SET_NO_NEW, AMBIENT = 1, 4, 24, 28, 38, 47
SET_REAPER, SET_SECCOMP = 36, 22
NO_ROOT_LOCKED = 0b101111
"""Root's number gives no capability, setuid neither, none is kept; each locked."""
MACHINES = {
    "x86_64": (0xC000003E, 41, 250),
    "aarch64": (0xC00000B7, 198, 219),
    "riscv64": (0xC00000F3, 198, 219),
}
"""Of each machine: its mark in a filter, and its numbers of socket(2) and keyctl(2)."""
FAMILIES = (1, 2, 10, 16)
"""Unix, internet (4 and 6) and netlink: those that a network namespace, or a mount, holds in."""
IO_URING_SETUP, FOREIGN = 425, 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """A part of the containment cannot be set up here."""


def check(result: int, what: str) -> int:
    """The result of a system call, which succeeded."""
    if result < 0:
        raise Refused(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Something is mounted at the target."""
    done = _libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode() or None,
        ctypes.c_ulong(flags), os.fsencode(data) or None,
    )  # fmt: skip
    check(done, f"mount {kind or 'again'} {target}")


def set_attributes(descriptor: int, path: str, flags: int, on: int, off: int = 0) -> None:
    """The mount has, or has not, these attributes."""
    attributes = struct.pack("QQQQ", on, off, 0, 0)
    done = _libc.syscall(
        MOUNT_SETATTR, descriptor, os.fsencode(path), ctypes.c_uint(flags), attributes,
        ctypes.c_size_t(len(attributes)),
    )  # fmt: skip
    check(done, f"attributes of {path or 'a mount'}")


def clone(path: str, folder: int = AT_FDCWD) -> int:
    """A mount of what stands at the path, with what is mounted below, that stands nowhere yet."""
    flags = OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC
    return check(
        _libc.syscall(OPEN_TREE, folder, os.fsencode(path), ctypes.c_uint(flags)), f"open {path}"
    )


def attach(descriptor: int, path: str) -> None:
    """The mount stands at the path, and not where it stood before."""
    done = _libc.syscall(
        MOVE_MOUNT, descriptor, b"", AT_FDCWD, os.fsencode(path), ctypes.c_uint(MOVE_FROM_EMPTY)
    )
    check(done, f"attach {path}")


def leave(user: int, group: int) -> None:
    """The process is in namespaces of its own, under the number that it had."""
    check(_libc.unshare(NEW_NAMESPACES), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends."""
    check(_libc.prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0), "prctl")


def again(mounted: int) -> int:
    """Another mount of the same."""
    flags = OPEN_TREE_CLONE | AT_EMPTY_PATH | os.O_CLOEXEC
    return check(_libc.syscall(OPEN_TREE, mounted, b"", ctypes.c_uint(flags)), "open again")


def give_up_powers() -> None:
    """No capability is left, and none comes back by running another program."""
    number = 0
    while _libc.prctl(DROP_BOUND, number, 0, 0, 0) == 0:
        number += 1
    check(_libc.prctl(SET_SECURE, NO_ROOT_LOCKED, 0, 0, 0), "securebits")
    _libc.prctl(AMBIENT, 4, 0, 0, 0)
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    check(_libc.capset(header, nothing), "capset")
    check(_libc.prctl(SET_NO_NEW, 1, 0, 0, 0), "no_new_privs")


def numbers() -> tuple[int, int, int]:
    """What `MACHINES` says of this machine."""
    found = MACHINES.get(platform.machine())
    if found is None:
        raise Refused(f"no filter for {platform.machine()}")
    return found


def join_new_keyring() -> None:
    """The keys that the host's session holds are not this process's any more."""
    if _libc.syscall(numbers()[2], 1, None) < 0 and ctypes.get_errno() != errno.ENOSYS:
        raise Refused("a keyring of its own")


def filter_sockets() -> None:
    """Only families of sockets that stay inside can be made, by this process and all below it.

    Some know no namespaces (a virtual machine's sockets to its host). Another numbering of calls
    than the machine's own, and rings of calls, would lead past the filter: there are none.
    """
    mark, socket_call, _ = numbers()
    refuse, allow = 0x00050000, 0x7FFF0000
    steps = [
        (0x20, 0, 0, 4),  # the machine
        (0x15, 1, 0, mark),
        (0x06, 0, 0, refuse | errno.ENOSYS),
        (0x20, 0, 0, 0),  # the call
        (0x35, 0, 1, FOREIGN),
        (0x06, 0, 0, refuse | errno.ENOSYS),
        (0x15, 0, 1, IO_URING_SETUP),
        (0x06, 0, 0, refuse | errno.ENOSYS),
        (0x15, 1, 0, socket_call),
        (0x06, 0, 0, allow),
        (0x20, 0, 0, 16),  # its first argument
        *((0x15, len(FAMILIES) - at, 0, family) for at, family in enumerate(FAMILIES)),
        (0x06, 0, 0, refuse | errno.EAFNOSUPPORT),
        (0x06, 0, 0, allow),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    whole = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program))
    check(_libc.prctl(SET_SECCOMP, 2, whole, 0, 0), "filter")


def forbid_looking_in() -> None:
    """No process of the same user can read this one's memory or open its files."""
    check(_libc.prctl(SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def adopt_orphans() -> None:
    """What descendants of this process leave behind becomes its children."""
    check(_libc.prctl(SET_REAPER, 1, 0, 0, 0), "prctl")
