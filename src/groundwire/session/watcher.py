"""Watcher: the run that a request of a watched client belongs to, found when it is sent."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.live.binding import SdkCall, current_call, current_session
from groundwire.session.run import Run
from groundwire.session.watching import Headers

ClientT = TypeVar("ClientT")

# The hall knows the adapters by name only: they stand above it, and load an SDK only with a client.
_ADAPTERS: Final = "groundwire.adapters.recognise"


class RunWatcher:
    """A `Watcher` that finds the run a request belongs to when it is sent.

    That is the one that is open there, else `default`, else what `outside` gives.
    """

    def __init__(self, outside: Callable[[], Run | None], default: Run | None) -> None:
        self._outside = outside
        self._default = default

    @contextmanager
    def composed(self, tools: Sequence[str] | None) -> Iterator[None]:
        """Requests sent within were composed from these tools."""
        token = current_call.set(SdkCall(None if tools is None else tuple(tools)))
        try:
            yield
        finally:
            current_call.reset(token)

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> WatchedAttempt | None:
        """The request is recorded in the run it belongs to."""
        run = current_session.get()
        if run is None or not run.is_open:
            run = self._default
        if run is None or not run.is_open:
            run = self._outside()
        if run is None:
            return None
        return run.sent(method, url, headers, body)


def watch_with(client: ClientT, watcher: RunWatcher) -> ClientT:
    """The client reports to `watcher`.

    Raises:
        PolicyError: `unknown-client`.
    """
    importlib.import_module(_ADAPTERS).watch(client, watcher)
    return client
