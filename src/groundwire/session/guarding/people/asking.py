"""Asking: one call that a person has to allow, from the question to the receipt of their yes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from groundwire.attest.people.approvals import REQUESTS
from groundwire.attest.receipts import Held, Permit, open_receipt
from groundwire.authority.approving.packet import action_of
from groundwire.authority.local import LocalAuthority
from groundwire.documents.approval import (
    ApprovalRequest,
    Packet,
    shown_digest,
    subject_of,
)
from groundwire.documents.call import ToolCall
from groundwire.documents.entry import Envelope
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import Approved
from groundwire.errors import EncodingError, GroundwireError, GuardError, TrustError
from groundwire.guard.holding import nobody_to_ask
from groundwire.guard.steps import Approve, Denied
from groundwire.keys.times import format_time, parse_time
from groundwire.session.clock import random_bytes
from groundwire.session.executions.guarded_calls import GuardedState
from groundwire.session.guarding.people.announcing import ApprovalWanted, announce
from groundwire.session.guarding.people.answers import Answers
from groundwire.session.guarding.people.desk import LOOK_EVERY, Desk
from groundwire.session.guarding.signing import Standing
from groundwire.targets.stopping import Stop

_FORGOTTEN: Final = 32
"""So many requests whose time is over are taken out of the mailbox with each new one, at most."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """The call that is held: what was asked of it, what was ruled, and how it is shown.

    `call` and `arguments` are the real ones, `shown` the copy of the call that may be recorded.
    """

    call: ToolCall
    question: Question
    ruling: Ruling
    shown: ToolCall
    arguments: Mapping[str, object]


class _Request(msgspec.Struct, frozen=True):
    """A request that lies in the mailbox, and the SHA-256 of its signed bytes."""

    document: ApprovalRequest
    digest: str


class Asking:
    """Asks for one call. `keys` and `authority` are those of now, whenever they are called.

    `record` writes what was asked, and by what receipt it was allowed; `refuse` raises where the
    run was stopped meanwhile; `stop` ends the wait of a call that is cancelled. `tell` is told of a
    request that is not answered yet, before the call waits or is refused for that.
    """

    def __init__(
        self,
        desk: Desk,
        keys: Callable[[], Standing],
        authority: Callable[[], LocalAuthority],
        record: Callable[[GuardedState, Envelope], None],
        refuse: Callable[[], None],
        stop: Stop,
        tell: Callable[[ApprovalWanted], None],
    ) -> None:
        self._desk = desk
        self._standing = keys
        self._deciding = authority
        self._record = record
        self._refuse = refuse
        self._stop = stop
        self._tell = tell
        self._over: list[str] = []
        self.request = ""
        self.receipt: Envelope | None = None

    def approve(self, step: Approve, call: Call) -> Permit | Denied:
        """What a person says, who is asked and waited for as the policy has it.

        An approval given beforehand comes first. Afterwards `request` is the id of what they were
        asked, "" where nobody was, and `receipt` the one of their yes.

        Raises:
            GroundwireError: `self-approval`, `approver-unknown`, `approver-revoked`, `approval-denied`,
                `approval-expired`, `approval-pending`, `approval-used`, `call-cancelled`; why the
                stores or the signer cannot be used; or what `refuse` raises.
        """
        if not self._desk.approvers.any:
            return nobody_to_ask(call.ruling)
        needed = self._authority.needed(step.held, self._desk.rules.needed)
        names = self._names(step, needed)
        moment = format_time(self._desk.now())
        beforehand = self._desk.beforehand.take(
            call.question, call.arguments, names, needed, self._keys.keyring, moment
        )
        if beforehand:
            return self._allowed(step, beforehand)
        request = self._request(step, call, names, needed)
        self.request = request.document.id
        return self._allowed(step, self._answered(request, step, call.shown.name))

    # -- inside -------------------------------------------------------------------------------

    @property
    def _keys(self) -> Standing:
        return self._standing()

    @property
    def _authority(self) -> LocalAuthority:
        return self._deciding()

    def _names(self, step: Approve, needed: int) -> dict[str, str]:
        environment, own = step.asked.environment, self._authority.key_id
        return self._desk.approvers.require(environment, self._keys.keyring, own, needed)

    def _request(
        self, step: Approve, call: Call, names: Mapping[str, str], needed: int
    ) -> _Request:
        """The request that lies there for exactly this, unanswered or not yet used; else a new one."""
        action = action_of(call.call)
        packet = self._authority.packet(call.question, call.ruling, action, call.shown)
        approvers = tuple(sorted(names))
        lying = self._lying(step, action, shown_digest(packet), approvers, needed)
        if lying is not None:
            return lying
        return self._new_request(step.held, action, packet, approvers, needed)

    def _lying(
        self, step: Approve, action: str, shown: str, approvers: tuple[str, ...], needed: int
    ) -> _Request | None:
        now = format_time(self._desk.now())
        subject, keyring = subject_of(step.asked, action), self._keys.keyring
        self._over = []
        for letter in self._desk.mailbox.requests():
            try:
                request, _ = REQUESTS.inspect(letter.envelope)
                if now >= request.expires:
                    self._over.append(letter.id)
                    continue
                request, digest = REQUESTS.read(letter.envelope, keyring)
            except (EncodingError, TrustError):
                continue
            same = (
                (request.id, request.authority) == (letter.id, self._authority.key_id)
                and subject_of(request.asked, request.action) == subject
                and (request.shown, request.approvers, request.needed) == (shown, approvers, needed)
            )
            if same and request.issued <= now and not self._used(digest):
                self._record("requested", letter.envelope)
                return _Request(request, digest)
        return None

    def _used(self, digest: str) -> bool:
        return self._desk.uses.taken(digest) > 0

    def _new_request(
        self, held: Held, action: str, packet: Packet, approvers: tuple[str, ...], needed: int
    ) -> _Request:
        identity = random_bytes(16).hex()
        envelope = self._authority.request(
            held,
            action,
            packet,
            approvers,
            needed,
            self._desk.rules.expires_seconds,
            self._desk.now(),
            identity,
        )
        request, digest = REQUESTS.read(envelope, self._keys.keyring)
        self._record("requested", envelope)
        self._desk.mailbox.post_request(identity, envelope, packet)
        if self._over:
            self._desk.mailbox.forget(*self._over[:_FORGOTTEN])
        return _Request(request, digest)

    def _answered(self, request: _Request, step: Approve, tool: str) -> tuple[Approved, ...]:
        """The approvals, as many as there have to be, once they are there and taken."""
        document = request.document
        until = parse_time(document.expires)
        patience = self._desk.now() + timedelta(seconds=self._desk.rules.wait_seconds)
        answers = Answers(self._desk.mailbox, document, request.digest)
        given_up, announced = threading.Event(), False
        with self._stop.ending(given_up.set):
            while True:
                now = self._desk.now()
                names = self._names(step, document.needed)
                found = answers.look(self._keys.keyring, names, now)
                if found:
                    return self._taken(request, found, now)
                if now >= until:
                    raise _expired(document, answers.why)
                if not announced:
                    announce(document, tool, names.values(), self._tell)
                    announced = True
                if now >= patience:
                    raise _pending(document, answers.why)
                self._refuse()
                self._wait(given_up, min(until, patience) - now)
                self._stop.require_not_asked()

    def _wait(self, given_up: threading.Event, longest: timedelta) -> None:
        self._desk.pause(given_up, max(min(LOOK_EVERY, longest.total_seconds()), 0.0))

    def _taken(
        self, request: _Request, found: tuple[Approved, ...], now: datetime
    ) -> tuple[Approved, ...]:
        asked = request.document.asked
        number = self._desk.uses.take(
            (request.digest,),
            1,
            call=asked.call,
            run=asked.run,
            sequence=asked.sequence,
            at=format_time(now),
        )
        if number is None:
            raise GuardError(
                "approval-used",
                "What the approver allowed was done already, once; make the call anew to ask again.",
            )
        return found

    def _allowed(self, step: Approve, approvals: tuple[Approved, ...]) -> Permit | Denied:
        now = self._desk.now()
        envelope = self._authority.approve(step.held, approvals, now)
        opened = open_receipt(envelope, step.asked, self._keys.keyring, now)
        if not isinstance(opened, Permit):
            return Denied(error=_not_allowed())
        self._record("approved", envelope)
        self.receipt = envelope
        return opened


def _not_allowed() -> GroundwireError:
    return GuardError("decision-denied", "What was approved is not allowed; see the rules.")


def _expired(request: ApprovalRequest, why: str) -> GuardError:
    return GuardError(
        "approval-expired",
        f"Nobody allowed request {request.id} until {request.expires}; nothing was changed. Make the"
        f" call anew to ask again.{why}",
    )


def _pending(request: ApprovalRequest, why: str) -> GuardError:
    return GuardError(
        "approval-pending",
        f"A person has to allow this and was asked: `groundwire approvals grant {request.id}`, until"
        f" {request.expires}. Nothing was changed; the same call made again in this run"
        f" finds the answer.{why}",
    )
