"""Crossing: one HTTP exchange as a watcher is told of it, and the door at which its errors stop."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import Enum
from typing import Literal, ParamSpec, TypeAlias, TypeVar

from groundwire.errors import HostError
from groundwire.session.watching import Attempt, End, Headers, Watcher

P = ParamSpec("P")
T = TypeVar("T")

_LOG = logging.getLogger("groundwire")


class _Broken(Enum):
    BROKEN = "broken"


Broken: TypeAlias = Literal[_Broken.BROKEN]
BROKEN: Broken = _Broken.BROKEN


class Stopped(BaseException):
    """The policy stops the agent before this request leaves.

    Not an `Exception`, so that neither an SDK's retry loop nor a transport's `except Exception`
    swallows it; `error` is what the caller of the SDK gets in the end.
    """

    def __init__(self, error: HostError) -> None:
        super().__init__(str(error))
        self.error = error


def tell(method: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | Broken:
    """What `method` returned, or `BROKEN` where it raised: the SDK's own work goes on."""
    try:
        return method(*arguments, **named)
    except Exception as error:  # noqa: BLE001 -- the door: an agent never fails because of us
        return _not_told(error)


def _not_told(error: Exception) -> Broken:
    """Where every error of ours ends: logged, never raised into the SDK."""
    _LOG.warning(
        "groundwire could not watch an exchange (%s); the request itself is unaffected",
        type(error).__name__,
        exc_info=error,
    )
    return BROKEN


class Crossing:
    """Tells one `Attempt` what crosses, until the first end or the first failure of telling."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: Attempt) -> None:
        self._attempt: Attempt | None = attempt

    def responded(self, status: int, headers: Headers) -> None:
        """The attempt knows the status line and headers."""
        attempt = self._attempt
        if attempt is not None and tell(attempt.responded, status, headers) is BROKEN:
            self._give_up(attempt)

    def chunk(self, data: bytes) -> None:
        """The attempt holds these bytes; after a failure it gets no more, for a gap would lie."""
        attempt = self._attempt
        if attempt is not None:
            try:  # as `tell` does; written out, for a stream has thousands of chunks
                attempt.chunk(data)
            except Exception as error:  # noqa: BLE001 -- the same door
                _not_told(error)
                self._give_up(attempt)

    def ended(self, how: End, error: str = "") -> None:
        """The attempt knows that nothing more comes; later calls change nothing."""
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            tell(attempt.ended, how, error)

    def failed(self, error: BaseException) -> None:
        """The attempt ended by this error, of which only the type's name is told.

        A cancellation or an interrupt is the host letting go: an early close.
        """
        self.ended("error" if isinstance(error, Exception) else "closed", type(error).__name__)

    def _give_up(self, attempt: Attempt) -> None:
        self._attempt = None
        tell(attempt.ended, "error", "WatcherFailed")


def open_crossing(
    watcher: Watcher, method: str, url: str, headers: Headers, body: bytes
) -> Crossing | None:
    """A crossing for the request that is about to leave; None where it is not recorded.

    Raises:
        Stopped: the watcher refuses the request under its policy.
    """

    def sent() -> Attempt | None:
        try:
            return watcher.sent(method, url, headers, body)
        except HostError as error:
            raise Stopped(error) from error

    attempt = tell(sent)
    return None if attempt is BROKEN or attempt is None else Crossing(attempt)
