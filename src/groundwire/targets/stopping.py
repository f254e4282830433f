"""Stop: a cancelled call's word to what runs for it in another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from groundwire.errors import GroundwireError, HostError


class Stop:
    """Asked at most once that counts, from any thread; what runs meanwhile is then ended.

    Only what runs within `ending` hears of it. Nothing is taken back that was ended by then.
    """

    __slots__ = ("_asked", "_end", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._end: Callable[[], None] | None = None

    def ask(self) -> None:
        """What runs was told to end, and nothing else begins. Does not wait for it."""
        with self._lock:
            self._asked = True
            if self._end is not None:
                self._end()

    def require_not_asked(self) -> None:
        """Something may begin.

        Raises:
            HostError: `call-cancelled`.
        """
        if self._asked:
            raise _cancelled()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Whoever asks calls `end`, which must neither wait nor raise; never after this is left.

        Raises:
            HostError: `call-cancelled`, in place of what went wrong because it was ended.
        """
        with self._lock:
            self._end = end
            if self._asked:
                end()
        try:
            yield
        except GroundwireError as error:
            if self._asked:
                raise _cancelled() from error
            raise
        finally:
            with self._lock:
                self._end = None


def _cancelled() -> HostError:
    return HostError(
        "call-cancelled",
        "The call was cancelled. Its command was ended, and nothing of it was applied.",
    )
