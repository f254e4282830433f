"""What ends a command before its time: what it used up, and that nothing in it can go on."""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress

INTERVAL = 0.05
"""Seconds from look to look."""
REAPED = 64
"""After so many ended processes it is looked again, however quickly they come."""
STUCK_AFTER = 60
"""So many looks one after the other, some seconds, at processes of which none can go on."""
LEFT = 64
"""A layer is full where less than this part of it is free."""
FOR_EACH_OTHER = frozenset(
    (
        "do_wait",
        "sigsuspend",
        "pipe_read",
        "anon_pipe_read",
        "fifo_pipe_read",
        "pipe_wait_readable",
        "wait_for_partner",
    )
)
"""Places in the kernel where a process waits for another one, and for no clock."""
ALARM = 1 << 13


class Watch:
    """Looks at a command now and then. `layers` are open folders that it fills.

    `first` is this process, the only one here that is not the command's. Threads are bounded by
    the kernel, not here.
    """

    def __init__(self, host: socket.socket, layers: tuple[int, ...], processes: int) -> None:
        # A descriptor may have any number, which `select` does not take.
        self._heard = select.poll()
        self._heard.register(host, select.POLLIN)
        self._layers = layers
        self._processes = processes
        self._stuck: tuple[int, frozenset[str]] = (0, frozenset())

    def why_to_end(self) -> str | None:
        """What the command has too much of; None where it may go on."""
        if self._heard.poll(0):
            return "printed"  # the only thing that the host ever says after it has begun
        if not self._layers:  # in a copy: what else runs here is not the command's
            return None
        here = frozenset(name for name in os.listdir("/proc") if name.isdigit()) - {"1"}
        if len(here) > self._processes:
            return "processes"
        for layer in self._layers:
            state = os.fstatvfs(layer)
            if state.f_bavail * LEFT < state.f_blocks:
                return "bytes"
            if state.f_favail * LEFT < state.f_files:
                return "entries"
        looks, before = self._stuck
        if here and (not looks or here == before) and all(map(waits_for_another, here)):
            self._stuck = (looks + 1, here)
        else:
            self._stuck = (0, frozenset())
        return "stuck" if self._stuck[0] >= STUCK_AFTER else None


def waits_for_another(process: str) -> bool:
    """Whether every thread of it waits for another process, and no clock can wake it.

    Whoever cannot be looked at may go on.
    """
    folder = f"/proc/{process}"
    with suppress(OSError, ValueError, StopIteration):
        for thread in os.listdir(f"{folder}/task"):
            place = _text(f"{folder}/task/{thread}/wchan").partition(".")[0]  # what a compiler adds
            if place not in FOR_EACH_OTHER:
                return False
        caught = next(
            line for line in _text(f"{folder}/status").splitlines() if line.startswith("SigCgt:")
        )
        return not int(caught.split()[1], 16) & ALARM and not _timers(folder)
    return False


def _timers(folder: str) -> str:
    try:
        return _text(f"{folder}/timers")
    except FileNotFoundError:
        return ""  # a kernel that does not tell


def _text(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()
