"""Answers: what was said to one request, as far as it counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from groundwire.attest.people.approvals import APPROVALS
from groundwire.documents.approval import Approval, ApprovalRequest, subject_of
from groundwire.documents.entry import Envelope
from groundwire.documents.receipt import Approved
from groundwire.errors import EncodingError, GuardError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from groundwire.stores.people.mailbox import Mailbox


class Answers:
    """The answers to `request`, whose signed bytes have the SHA-256 `digest`.

    `why` says of an answer that does not count why it does not; "" where there is none.
    """

    def __init__(self, mailbox: Mailbox, request: ApprovalRequest, digest: str) -> None:
        self._mailbox = mailbox
        self._request = request
        self._digest = digest
        self._subject = subject_of(request.asked, request.action)
        self.why = ""

    def look(
        self, keyring: Keyring, approvers: Mapping[str, str], now: datetime
    ) -> tuple[Approved, ...]:
        """The approvals where as many different people have said yes as have to; else none.

        `approvers` are the names of those who count now, by key. What does not count is passed over,
        whoever put it there.

        Raises:
            GuardError: `approval-denied`: one of them has said no.
            HostError: as the mailbox.
        """
        granted: dict[str, Approved] = {}
        for letter in self._mailbox.answers(self._request.id):
            try:
                answer = self._counting(letter.envelope, keyring, approvers, format_time(now))
            except (EncodingError, TrustError) as error:
                self.why = f" An answer does not count: {error.message} ({error.reason})"
                continue
            if answer.answer == "denied":
                raise GuardError(
                    "approval-denied",
                    f"{approvers[answer.approver]} was asked and said no; nothing was changed.",
                )
            granted.setdefault(
                approvers[answer.approver],
                Approved(
                    action=self._request.action,
                    approver=answer.approver,
                    envelope=letter.envelope,
                    shown=answer.shown,
                    use=1,
                    uses=1,
                ),
            )
        return tuple(granted.values()) if len(granted) >= self._request.needed else ()

    def _counting(
        self, envelope: Envelope, keyring: Keyring, approvers: Mapping[str, str], now: str
    ) -> Approval:
        answer, _ = APPROVALS.read(envelope, keyring)
        request = self._request
        if answer.approver not in request.approvers or answer.approver not in approvers:
            raise TrustError(
                "approver-unknown",
                "It is by somebody who was not asked, or whose yes counts no more.",
            )
        said = (answer.request, answer.subject, answer.shown, answer.expires)
        if said != (self._digest, self._subject, request.shown, request.expires):
            raise TrustError("approval-for-another", "It is to another request than this.")
        if answer.at < request.issued:
            raise TrustError("approval-for-another", "It is older than what was asked.")
        if answer.at > now:
            raise TrustError(
                "approval-not-yet-valid",
                f"It was given at {answer.at}, which is still to come; check the clocks.",
            )
        if now >= answer.expires:
            raise TrustError("approval-expired", f"It was good until {answer.expires}.")
        return answer
