"""Shutdown: open runs get a checkpoint at exit and on SIGTERM, and the process ends as it would."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import weakref
from typing import Protocol

_WAIT = 2.0


class Closing(Protocol):
    """What shutdown asks of an open run."""

    def checkpoint_now(self) -> None:
        """Everything written so far is durable and under a checkpoint. Never raises."""


_open: weakref.WeakSet[Closing] = weakref.WeakSet()
_installed = False


def remember(run: Closing) -> None:
    """`run` is checkpointed if the process ends while it is open."""
    global _installed  # noqa: PLW0603 -- one handler a process
    _open.add(run)
    if not _installed:
        _installed = True
        atexit.register(_checkpoint_all)
        _take_sigterm()


def forget(run: Closing) -> None:
    """`run` is closed."""
    _open.discard(run)


def _checkpoint_all() -> None:
    for run in list(_open):
        run.checkpoint_now()


def _take_sigterm() -> None:
    # Only where nobody else handles it: a server's own handler closes its runs in its own way.
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _on_sigterm(number: int, _: object) -> None:
    # The interrupted code may hold a run's lock, so another thread does the work, for a while.
    worker = threading.Thread(target=_checkpoint_all, name="groundwire-sigterm", daemon=True)
    worker.start()
    worker.join(_WAIT)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
