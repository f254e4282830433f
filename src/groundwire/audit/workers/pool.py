"""Pool: large logs are audited by a process a core, and say what one process would say of them.

A log is cut between its runs, in batches; each batch's report comes back in order. A worker is a
fresh interpreter (nothing is forked), ignores the interrupt key and ends with its parent.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from typing import Self

import msgspec

from groundwire.audit.logs import audit_piece
from groundwire.audit.report import Report, merged, unreadable
from groundwire.documents.policy import Policy
from groundwire.errors import EncodingError
from groundwire.wire.importers import Piece, pieces

# Bytes of rows. Workers take a second to start, which is what half a megabyte or so costs.
LARGE = 2_000_000
BATCH = 200_000
# More processes than this wait for one another's reports.
MOST_WORKERS = 16
_AHEAD = 3
# A run makes many objects that hold one another for as long as it is audited, and none after.
_SELDOM = (50_000, 20, 20)


class Batch(msgspec.Struct, frozen=True):
    """Some runs of a log, and all that is needed to audit them."""

    file: str
    pieces: tuple[Piece, ...]
    schemas: dict[str, str]
    policy: Policy
    arm_all: bool


class Pool:
    """Workers that start with the first large log; use it as a context manager.

    Where processes cannot be started, or one of them dies, what is left is audited in this one.
    """

    def __init__(self, workers: int | None = None, *, large: int = LARGE) -> None:
        """`workers` is one for each core that this process may use unless it is given."""
        self._workers = min(_cores() if workers is None else workers, MOST_WORKERS)
        self._large = large
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def audit_file(
        self,
        file: str,
        data: bytes,
        *,
        schemas: Mapping[str, str],
        policy: Policy,
        arm_all: bool = False,
    ) -> Iterator[Report]:
        """Reports which, merged, are those of `audit_file`. Raises nothing for what the log holds."""
        try:
            found = list(pieces(data))
        except EncodingError as error:
            yield unreadable(file, error)
            return
        known = dict(schemas)
        batches = (Batch(file, part, known, policy, arm_all) for part in _parts(found))
        if self._workers < 2 or sum(map(_size, found)) < self._large:
            yield from map(audit_batch, batches)
        else:
            yield from self._shared(batches)

    def _shared(self, batches: Iterable[Batch]) -> Iterator[Report]:
        waiting: deque[tuple[Batch, Future[Report] | None]] = deque()
        for batch in batches:
            waiting.append((batch, self._ask(batch)))
            if len(waiting) > _AHEAD * self._workers:
                yield _answer(*waiting.popleft())
        while waiting:
            yield _answer(*waiting.popleft())

    def _ask(self, batch: Batch) -> Future[Report] | None:
        """The report to come; None where no worker will make it."""
        try:
            if self._executor is None:
                self._executor = ProcessPoolExecutor(
                    self._workers, mp_context=get_context("spawn"), initializer=_begin
                )
            with _interrupt_held():
                return self._executor.submit(audit_batch, batch)
        except (BrokenExecutor, ImportError, RuntimeError, OSError):
            return None


def audit_batch(batch: Batch) -> Report:
    """One report for all runs of the batch, and for what of them could not be read."""
    return merged(
        report
        for piece in batch.pieces
        for report in audit_piece(
            batch.file,
            piece,
            schemas=batch.schemas,
            policy=batch.policy,
            arm_all=batch.arm_all,
        )
    )


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Garbage is looked for seldom in this process until the end: a quarter of an audit's time."""
    before = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """The interrupt key works again at the end; a process started meanwhile never hears it.

    A worker that was interrupted while it imports would print where it was.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answer(batch: Batch, coming: Future[Report] | None) -> Report:
    if coming is not None:
        try:
            return coming.result()
        except BrokenExecutor:
            pass  # A worker died, and with it what all of them were asked.
    return audit_batch(batch)


def _parts(found: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """The pieces in order, so many at a time that they make up a batch."""
    part: list[Piece] = []
    size = 0
    for piece in found:
        part.append(piece)
        size += _size(piece)
        if size >= BATCH:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)


def _size(piece: Piece) -> int:
    return sum(len(bytes(row)) for _, row in piece.rows)


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin() -> None:
    """A worker leaves the interrupt key to its parent and does not outlive that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed tells nobody to end."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
