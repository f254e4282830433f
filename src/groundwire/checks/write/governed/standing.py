"""Standing: what the guarded table made of each call on the wire, as far as that is refused."""

from __future__ import annotations

from typing import Final

from groundwire.checks.transcript import Chosen, Transcript
from groundwire.documents.event import Guarded

# The table has no such tool, so it decided nothing: the host's own tool of that name is beside it.
_NOT_ITS_OWN: Final = frozenset({"unknown-tool", "undeclared-tool"})


class Standing:
    """By call, why each of its guarded calls was refused; empty text for one that was not."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._calls: dict[int, dict[int, str]] = {}

    def came(self, event: Guarded) -> None:
        """The guarded call, which is linked to a call on the wire, is in this state now."""
        chosen = None if event.lane is None else self._transcript.call(event.lane, event.call_id)
        if chosen is None:
            return
        ended = event.state == "outcome" and event.outcome == "refused"
        known = self._calls.setdefault(id(chosen), {})
        if ended or event.guarded not in known or event.state == "outcome":
            known[event.guarded] = event.reason if ended else ""

    def take_refusal(self, chosen: Chosen) -> str:
        """The reason where the table refused the call each time that it came there; "" otherwise.

        It is told once: what becomes of the result later is not the call's doing.
        """
        reasons = self._calls.pop(id(chosen), {})
        last = reasons[max(reasons)] if reasons else ""
        return last if all(reasons.values()) else ""

    @staticmethod
    def is_beside(reason: str) -> bool:
        """Whether the table refused because the tool is none of its own."""
        return reason in _NOT_ITS_OWN
