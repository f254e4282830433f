"""Approved: whether what a recording holds as approved is what was held, and used no more than it may be."""

from __future__ import annotations

from groundwire.documents.receipt import Receipt
from groundwire.verify.words import Broken


class UsedApprovals:
    """The approvals that receipts of one run rest on, each with the use that it says it is.

    An approval that another run used too is not seen here.
    """

    def __init__(self) -> None:
        self._used: set[tuple[str, int]] = set()

    def take(self, receipt: Receipt, held: Receipt | None) -> None:
        """The receipt allows what `held` (None where it is not here) says a person has to be asked about.

        Raises:
            Broken: `guarded-unpermitted`.
        """
        if not receipt.approvals:
            raise _unpermitted("is recorded as approved, by nobody")
        if held is not None and (held.decision != "approve" or held.asked != receipt.asked):
            raise _unpermitted("was approved as something else than was held, or was denied")
        uses = {(each.envelope.payload, each.use) for each in receipt.approvals}
        if uses & self._used:
            raise _unpermitted("rests on a use of an approval that another call had")
        self._used |= uses


def _unpermitted(what: str) -> Broken:
    return Broken("guarded-unpermitted", f"The effect of a guarded call {what}.")
