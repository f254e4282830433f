"""Noticing: whether the notice that a recording holds is of the call that it stands with.

That a sink acknowledged it is the host's word: whoever made the recording could have made that up. It
never says that a person saw the notice.
"""

from __future__ import annotations

from groundwire.documents.notice import Notified, is_consistent
from groundwire.documents.receipt import Receipt
from groundwire.verify.words import Broken


def require_notice_of(notified: Notified, receipt: Receipt | None, digest: str) -> None:
    """The notice tells of the receipt, which is None where it is not here; its deliveries make sense.

    Raises:
        Broken: `guarded-wrong`.
    """
    notice = notified.notice
    if not is_consistent(notified):
        raise Broken("guarded-wrong", "The deliveries of a notice contradict themselves.")
    if receipt is None:
        return
    asked = receipt.asked
    told = (notice.call, notice.environment, notice.operation, notice.run, notice.sequence)
    meant = (asked.call, asked.environment, asked.operation, asked.run, asked.sequence)
    if (notice.receipt, notice.decision, notice.rules) != (digest, receipt.decision, receipt.rules):
        raise Broken("guarded-wrong", "A notice tells of another decision than it stands with.")
    if told != meant:
        raise Broken("guarded-wrong", "A notice tells of another call than it stands with.")
