"""Evidence: what the gate said of an answer, and what the declared posture makes of it."""

from __future__ import annotations

import msgspec

from groundwire.errors import GroundwireError
from groundwire.session.run import Run

_GATE = "unsupported-value"


class UnsupportedValuesError(GroundwireError):
    """Posture `rails`: the answer has values that nothing supports; reason `unsupported-values`."""

    def __init__(
        self,
        reason: str,
        message: str,
        values: tuple[str, ...] = (),
        *,
        revised: bool = False,
    ) -> None:
        super().__init__(reason, message)
        self.values = values
        self.revised = revised


class Reading(msgspec.Struct, frozen=True):
    """The values of an answer that nothing supports; `judged` is false where nobody could say."""

    values: tuple[str, ...] = ()
    judged: bool = True


class Gate:
    """The gate of one run, asked after each answer."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._before = 0

    def answer_follows(self) -> None:
        """What the gate says from here on is about the next answer."""
        self._before = self._met()

    def reading(self) -> Reading:
        """What the gate said of the answer that just came; doubts are left out."""
        met = self._run.latest(_GATE)
        # An answer that was not recorded was not judged: the gate would speak of an earlier one.
        if met is None or self._met() == self._before or met.disposition == "unreachable":
            return Reading(judged=False)
        values = [finding.witnesses[0].value for finding in met.findings if not finding.advisory]
        return Reading(tuple(dict.fromkeys(values)))

    def _met(self) -> int:
        """How many responses it has met: two of them in a row may have said the same."""
        for row in self._run.rows:
            if row.check == _GATE:
                return row.passed + row.failed + row.not_applicable + row.unreachable
        return 0


def refused(reading: Reading, *, revised: bool) -> UnsupportedValuesError:
    """The error of posture `rails`, with the values."""
    count = len(reading.values)
    return UnsupportedValuesError(
        "unsupported-values",
        f"The answer has {count} values that no tool result and nothing that was said supports; see "
        "`values`. Look them up, or say `guard` to have such answers delivered and flagged.",
        reading.values,
        revised=revised,
    )
