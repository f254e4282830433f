"""Committer: one thread a process that makes what the open runs wrote durable, in rounds.

A run's entries are written when they happen and durable a little later; a checkpoint waits for
neither and syncs on its own. How late the worst of them was stands in the run's close entry.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable
from typing import TypeAlias

from groundwire.errors import HostError
from groundwire.recording.sink import Sink

Monotonic: TypeAlias = Callable[[], float]
"""Seconds that never go back, `time.monotonic`."""

INTERVAL = 0.05
"""Seconds that a round waits for more to sync: 500 open runs take that long themselves."""

_log = logging.getLogger("groundwire")


class Committed:
    """A sink whose appends are made durable by the committer. `lateness_us` is the worst so far."""

    def __init__(self, sink: Sink, committer: Committer) -> None:
        self._sink = sink
        self._committer = committer
        self.waiting_since: float | None = None
        self.lateness_us = 0
        self._appended = self._synced = 0
        self._turn = threading.Lock()

    def append(self, data: bytes) -> None:
        """The lines stand; the committer's next round makes them durable."""
        self._sink.append(data)
        self._appended += 1
        self._committer.wrote(self)

    def sync(self) -> None:
        """Everything so far is durable, now. Who comes while another waits shares the next wait."""
        wanted = self._appended
        with self._turn:
            if self._synced >= wanted:
                return
            began = self._appended
            since = self._committer.takes_up(self)
            self._sink.sync()
            self._synced = began
            self._committer.settled(self, since)

    def attach(self, digest: str, data: bytes) -> None:
        """The file stands beside the recording."""
        self._sink.attach(digest, data)

    def close(self) -> None:
        """Nothing more comes, and the committer forgets the sink."""
        self._committer.takes_up(self)
        self._sink.close()


class Committer:
    """Syncs every sink that was written to, in one round after another. Its thread is a daemon.

    `on_failure` hears, on that thread, of a sink that could not be synced; such a sink is left to
    its run, which meets the same error. Without a thread (`start=False`) rounds are the caller's.
    """

    def __init__(
        self,
        monotonic: Monotonic,
        *,
        interval: float = INTERVAL,
        on_failure: Callable[[HostError], None] | None = None,
        start: bool = True,
    ) -> None:
        self._monotonic = monotonic
        self._interval = interval
        self._on_failure = on_failure
        self._start = start
        self._changed = threading.Condition()
        self._waiting: dict[Committed, None] = {}
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._idle = False
        _committers.add(self)

    def serve(self, sink: Sink) -> Committed:
        """The sink, synced by this committer from now on."""
        return Committed(sink, self)

    def wrote(self, sink: Committed) -> None:
        """The sink waits to be synced."""
        with self._changed:
            if sink.waiting_since is None:
                sink.waiting_since = self._monotonic()
                self._waiting[sink] = None
                if self._idle:  # else it is about to look anyway
                    self._idle = False
                    self._changed.notify()
            if self._thread is None and self._start and not self._stopped:
                self._thread = threading.Thread(
                    target=self._run, name="groundwire-committer", daemon=True
                )
                self._thread.start()

    def takes_up(self, sink: Committed) -> float | None:
        """The sink waits no more: its caller is about to sync it. Since when it did wait."""
        with self._changed:
            since, sink.waiting_since = sink.waiting_since, None
            self._waiting.pop(sink, None)
        return since

    def settled(self, sink: Committed, since: float | None) -> None:
        """What waited since then is durable now."""
        if since is not None:
            late = int((self._monotonic() - since) * 1_000_000)
            sink.lateness_us = max(sink.lateness_us, late)

    def round(self) -> int:
        """Every sink that waited when this began is synced or failed; how many there were."""
        with self._changed:
            sinks = list(self._waiting)
        for sink in sinks:
            try:
                sink.sync()
            except HostError as error:
                self._failed(error)
            except Exception as error:  # noqa: BLE001 -- one sink's fault must not stop the others
                _log.exception("groundwire: a fault of a store; please report it")
                self._failed(HostError("store-fault", f"A store failed on its own: {error}."))
        return len(sinks)

    def stop(self) -> None:
        """Everything written so far was synced or failed, and the thread is gone."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self.round()

    def forked(self) -> None:
        """In a forked child: no thread and no sink of the parent's is left here."""
        self._changed = threading.Condition()
        self._waiting = {}
        self._thread = None
        self._idle = False

    def _run(self) -> None:
        changed = self._changed
        while True:
            with changed:
                while not (self._waiting or self._stopped):
                    self._idle = True  # each time: whoever woke it may be durable by now
                    changed.wait()
                self._idle = False
                if not self._stopped:
                    # Others that write meanwhile go into the same round.
                    changed.wait_for(lambda: self._stopped, timeout=self._interval)
                if self._stopped:
                    return
            self.round()

    def _failed(self, error: HostError) -> None:
        if self._on_failure is None:
            _log.error("groundwire: a recording could not be made durable: %s", error)
            return
        try:
            self._on_failure(error)
        except Exception:  # noqa: BLE001 -- whoever listens must not stop the rounds
            _log.exception("groundwire: a listener to the committer failed")


_committers: weakref.WeakSet[Committer] = weakref.WeakSet()


def _forked() -> None:
    for committer in list(_committers):
        committer.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
