"""Fresh results: those that a request shows for the first time, as the tool itself gave them."""

from __future__ import annotations

from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.transcript import Served, Transcript


class Fresh:
    """Hands out each result of the run once."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._seen = 0

    def take(self) -> list[Served]:
        """The results of host tools that are new since this was last asked."""
        served = self._transcript.served
        if len(served) == self._seen:
            return []
        fresh = [each for each in served[self._seen :] if each.part.executed_by == "host"]
        self._seen = len(served)
        return fresh


def any_seen(transcript: Transcript) -> bool:
    """Whether any request showed a result of a host's tool."""
    return any(served.part.executed_by == "host" for served in transcript.served)


def own_text(served: Served) -> str | None:
    """What the tool returned, before the host rewrote it; what was served where nobody told.

    None where the call failed: there is no answer to judge.
    """
    executions = [] if served.chosen is None else served.chosen.executions
    if executions:
        ran = executions[-1]
        if ran.outcome != "returned":
            return None
        if ran.result is not None:
            return ran.result
    text = served.part.text
    return None if is_failure(text, is_error=served.part.is_error) else text
