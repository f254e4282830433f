"""Callbacks: strangers' code that hears of findings and can change nothing."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from groundwire.errors import PolicyError

Topic: TypeAlias = Literal[
    "finding",
    "disposition",
    "guarded",
    "settled",
    "checkpoint",
    "recording-error",
    "closed",
    "notice",
    "approval",
]
"""`guarded`: each state of a guarded call, once it stands in the recording. `settled`: once a call,
when it has ended, whatever became of it. `approval`: a call needs a person's yes, who was just asked.
`notice`: before a call that a rule warns of; alone of all, what these return counts, and they are called
elsewhere."""
Callback: TypeAlias = Callable[[object], object]

_WAIT = 2.0


class Callbacks:
    """Calls what the host registered, on a thread of its own, one after the other.

    A callback that raises, hangs or returns a failing awaitable changes nothing: it is counted in
    `failed`. One that hangs keeps later callbacks of this run from being called; they are counted
    in `failed` too when the run closes. Awaitables are run on an event loop of that thread.
    """

    def __init__(self) -> None:
        self._registered: dict[str, list[Callback]] = {}
        self._queue: queue.SimpleQueue[tuple[Callback, object] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._pending = 0
        self._idle = threading.Condition(self._lock)
        self._above: Callbacks | None = None
        self.failed = 0

    def on(self, topic: Topic, callback: Callback) -> None:
        """`callback` is called with each later document of `topic`.

        Raises:
            PolicyError: the topic is not one of the closed list, or the callback cannot be called.
        """
        if topic not in get_args(Topic):
            raise PolicyError(
                "unknown-topic",
                f"there is no topic {topic!r}; choose one of {', '.join(get_args(Topic))}",
            )
        if not callable(callback):
            raise PolicyError("not-callable", f"the callback for {topic!r} cannot be called")
        self._registered.setdefault(topic, []).append(callback)

    def of(self, topic: Topic) -> tuple[Callback, ...]:
        """Who is to hear of the topic: first those of the runs above this one, then its own."""
        above = () if self._above is None else self._above.of(topic)
        return (*above, *self._registered.get(topic, ()))

    def below(self, above: Callbacks) -> None:
        """Whoever hears through `above` of a topic that is asked for by `of` hears of it here too."""
        self._above = above

    def tell(self, topic: Topic, document: object) -> None:
        """The callbacks of `topic` will be called; returns at once."""
        for callback in self._registered.get(topic, ()):
            with self._lock:
                self._pending += 1
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._work, name="groundwire-callbacks", daemon=True
                    )
                    self._thread.start()
            self._queue.put((callback, document))

    def settle(self, wait: float = _WAIT) -> int:
        """How many callbacks failed so far, after waiting at most `wait` seconds for the rest."""
        with self._idle:
            self._idle.wait_for(lambda: self._pending == 0, timeout=wait)
            return self.failed + self._pending

    def stop(self) -> None:
        """The thread ends after what it is doing."""
        if self._thread is not None:
            self._queue.put(None)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            callback, document = item
            failed = 0
            try:
                answer = callback(document)
                if inspect.isawaitable(answer):
                    asyncio.run(_await(answer))
            except BaseException:  # noqa: BLE001 -- the one door for callbacks: counted, never felt
                failed = 1
            with self._idle:
                self.failed += failed
                self._pending -= 1
                self._idle.notify_all()


async def _await(answer: object) -> None:
    if inspect.isawaitable(answer):
        await answer
