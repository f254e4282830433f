"""Numbers: what is counted over a run's segments, and the notes by which a later segment says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Numbers:
    """The next number of an SDK call, an exchange, an execution and a guarded call.

    They go on over segments and crashes.
    """

    calls: int = 0
    executions: int = 0
    guarded: int = 0
    exchanges: int = 0

    def notes(self) -> list[tuple[str, int, str]]:
        """Topic, count and text of a note for each kind of which there is something already.

        Whoever goes on with a later segment's file after a crash has no other to count in.
        """
        counted = (
            ("guarded-before", self.guarded, "guarded calls"),
            ("exchanges-before", self.exchanges, "exchanges"),
            ("calls-before", self.calls, "SDK calls"),
            ("executions-before", self.executions, "executions"),
        )
        return [
            (topic, count, f"{what} of this run that begin in the segments before")
            for topic, count, what in counted
            if count
        ]
