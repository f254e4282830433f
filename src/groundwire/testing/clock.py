"""SimulatedClock: time that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class SimulatedClock:
    """Says the same time whenever it is asked: `gw.Project(policy, clock=SimulatedClock())`."""

    def __init__(self, begins: datetime = datetime(2031, 5, 2, 8, tzinfo=UTC)) -> None:
        self._now = begins

    def __call__(self) -> datetime:
        """The time that it is there."""
        return self._now

    def advance(self, seconds: float) -> None:
        """It is so many seconds later."""
        self._now += timedelta(seconds=seconds)
