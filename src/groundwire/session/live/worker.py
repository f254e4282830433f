"""The worker: one thread a process that decodes and records what a finished stream left behind."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

_lock = threading.Lock()
_queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_owner = -1


def hand_over(act: Callable[[], None]) -> None:
    """`act` will be done on the worker's thread. It must not raise."""
    global _owner, _queue  # noqa: PLW0603 -- one worker a process; a forked child has its own
    if _owner != os.getpid():
        with _lock:
            if _owner != os.getpid():
                _queue = queue.SimpleQueue()
                threading.Thread(
                    target=_work, args=(_queue,), name="groundwire-worker", daemon=True
                ).start()
                _owner = os.getpid()
    _queue.put(act)


def _work(acts: queue.SimpleQueue[Callable[[], None]]) -> None:
    while True:
        acts.get()()
