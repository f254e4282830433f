"""LocalAuthority: decides by the policy's rules, here and now, and signs what it decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from groundwire.attest.grants import seal_grant
from groundwire.attest.people.approvals import REQUESTS
from groundwire.attest.receipts import Held, Permit, seal_receipt, spelled
from groundwire.authority.approving.packet import packet_of
from groundwire.authority.ruling.deciding import rule_on
from groundwire.authority.ruling.engine import Engine
from groundwire.documents.approval import ApprovalRequest, Packet, shown_digest
from groundwire.documents.call import ToolCall
from groundwire.documents.entry import Envelope
from groundwire.documents.governing import GuardRules
from groundwire.documents.grant import Grant
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import Approved, Receipt, lifetime
from groundwire.errors import GuardError
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time, parse_time


class LocalAuthority:
    """Decides questions by one policy's rules and signs with one key.

    `folder` is the working folder as it really is. `engines` judge changes of governed artifacts,
    by kind; a kind without one is undecided. Asks no network and no clock. Does not look at the
    targets: whether they are what a question says is the guard's to make sure of.
    """

    def __init__(
        self, rules: GuardRules, signer: Signer, folder: str, engines: Mapping[str, Engine]
    ) -> None:
        self._rules = rules
        self._signer = signer
        self._folder = folder
        self._engines = dict(engines)

    @property
    def key_id(self) -> str:
        """Of the key that receipts and grants are signed with."""
        return self._signer.key_id

    def judge(self, question: Question, now: datetime) -> Ruling:
        """What the rules say; nothing is signed. The same question has the same ruling.

        Raises:
            EncodingError: `bad-time`: `now` names no time zone.
        """
        return rule_on(question, self._rules, self._folder, self._engines, spelled(now))

    def decide(self, question: Question, now: datetime) -> tuple[Ruling, Envelope]:
        """The ruling, and a receipt that says so, good from now for as long as its operation has.

        Raises:
            EncodingError: `bad-time`; `bad-receipt`: what was asked makes no sense.
            HostError: the signer cannot reach its key.
        """
        ruling = self.judge(question, now)
        receipt = Receipt(
            approvals=(),
            asked=question.asked,
            authority=self._signer.key_id,
            decision=ruling.decision.decision,
            engines={**ruling.engines, **question.measured},
            expires=format_time(now + timedelta(seconds=lifetime(question.asked.operation))),
            issued=format_time(now),
            residuals=ruling.residuals,
            rules=ruling.decision.rules,
        )
        return ruling, seal_receipt(receipt, self._signer)

    def packet(self, question: Question, ruling: Ruling, action: str, shown: ToolCall) -> Packet:
        """What a person is shown before they answer; `shown` is the copy that may be recorded."""
        return packet_of(question, ruling, action, shown, self._rules)

    def needed(self, held: Held, otherwise: int) -> int:
        """How many people have to say yes: as the strictest of the rules says by which it is held."""
        said = (
            rule.needed
            for rule in self._rules.rules
            if rule.id in held.receipt.rules and rule.needed is not None
        )
        return max(said, default=otherwise)

    def request(
        self,
        held: Held,
        action: str,
        packet: Packet,
        approvers: Iterable[str],
        needed: int,
        seconds: int,
        now: datetime,
        request_id: str,
    ) -> Envelope:
        """The question to these approvers, which can be answered for so many seconds at most.

        Raises:
            EncodingError: `bad-approval-request`, `bad-time`.
            HostError: the signer cannot reach its key.
        """
        end = min(now + timedelta(seconds=seconds), parse_time(held.receipt.expires))
        request = ApprovalRequest(
            action=action,
            approvers=tuple(sorted(approvers)),
            asked=held.receipt.asked,
            authority=self._signer.key_id,
            expires=format_time(end),
            id=request_id,
            issued=format_time(now),
            needed=needed,
            receipt=held.digest,
            shown=shown_digest(packet),
        )
        return REQUESTS.seal(request, self._signer)

    def approve(self, held: Held, approvals: Iterable[Approved], now: datetime) -> Envelope:
        """A receipt that allows what was held, because of these approvals; good from now.

        Does not look at them: whoever opens it does, and whoever asks sees to it that they are
        enough and used no more often than they may be.

        Raises:
            GuardError: `decision-denied`: what is denied no person allows.
            EncodingError: `bad-receipt`, `bad-time`. HostError: the signer cannot reach its key.
        """
        receipt = held.receipt
        if receipt.decision != "approve":
            raise GuardError("decision-denied", "What the policy denies, no approval allows.")
        approved = msgspec.structs.replace(
            receipt,
            approvals=tuple(sorted(approvals, key=lambda each: each.approver)),
            authority=self._signer.key_id,
            decision="allow",
            expires=format_time(now + timedelta(seconds=lifetime(receipt.asked.operation))),
            issued=format_time(now),
        )
        return seal_receipt(approved, self._signer)

    def grant(
        self,
        permit: Permit,
        expected: tuple[str, ...],
        executor: str,
        now: datetime,
        grant_id: str,
    ) -> Envelope:
        """A grant by which `executor` may carry out once what the permit allows, while it is good.

        `expected` has the token that each change expects to find. `grant_id` was never used before.
        Does not remember what it granted: the executor's store sees to it that a grant is used once.

        Raises:
            GuardError: `permit-not-opened`. EncodingError: `bad-grant`, `bad-time`.
            HostError: the signer cannot reach its key.
        """
        receipt = permit.receipt
        grant = Grant(
            authority=self._signer.key_id,
            call=receipt.asked.call,
            changes=receipt.asked.changes,
            executor=executor,
            expected=expected,
            expires=receipt.expires,
            id=grant_id,
            issued=spelled(now),
            receipt=permit.digest,
        )
        return seal_grant(grant, self._signer)
