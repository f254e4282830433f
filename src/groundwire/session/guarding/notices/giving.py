"""Giving notice: to every sink there is, and into the recording, before a call has its effect."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from groundwire.attest.receipts import Permit, spelled
from groundwire.documents.notice import (
    RECORDING,
    Delivery,
    Notice,
    NoticeDeclaration,
    Notified,
)
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.steps import Denied, Noticed
from groundwire.session.clock import random_bytes
from groundwire.session.guarding.notices.sinks import (
    CallbackSink,
    Deliveries,
    Sink,
    unanswered,
)
from groundwire.session.live.callbacks import Callback
from groundwire.stores.posting.notices import HttpNotices

_NONCE_BYTES = 16


class Notices:
    """Who is given notice under one policy; made once for each project."""

    def __init__(self, declared: Sequence[NoticeDeclaration], now: Callable[[], datetime]) -> None:
        self._clock = now
        self._deliveries = Deliveries(self._now)
        self._posted: tuple[Sink, ...] = tuple(
            HttpNotices(each, os.environ.get, lambda: random_bytes(_NONCE_BYTES).hex(), self._now)
            for each in declared
        )

    def _now(self) -> str:
        return spelled(self._clock())

    def give(
        self,
        permit: Permit,
        callbacks: Sequence[Callback],
        record: Callable[[Notified], None],
    ) -> Notified:
        """The notice of what is permitted, and what each sink made of it; the recording has both.

        `record` makes them durable, after the other sinks were told. Where it raises, the recording is
        a sink that failed.
        """
        notice = notice_of(permit, self._now())
        called = [CallbackSink(each, n, self._now) for n, each in enumerate(callbacks, start=1)]
        told = self._deliveries.to((*self._posted, *called), notice)
        stands = unanswered(RECORDING, "", self._now(), "acknowledged")
        notified = Notified(deliveries=(stands, *told), notice=notice)
        try:
            record(notified)
        except GroundwireError:
            lost = unanswered(RECORDING, "not-recorded", self._now())
            return msgspec.structs.replace(notified, deliveries=(lost, *told))
        return notified


def notice_of(permit: Permit, at: str) -> Notice:
    """What is told of the permit. Holds no argument and no content.

    Raises:
        GuardError: `host-answer`: the receipt does not warn.
    """
    receipt, asked = permit.receipt, permit.receipt.asked
    if receipt.decision != "warn":
        raise GuardError("host-answer", "Notice is given of what a rule warns of alone.")
    return Notice(
        at=at,
        call=asked.call,
        decision=receipt.decision,
        environment=asked.environment,
        operation=asked.operation,
        receipt=permit.digest,
        rules=receipt.rules,
        run=asked.run,
        sequence=asked.sequence,
    )


def answer_of(notified: Notified) -> Noticed | Denied:
    """Whether the call may go on: it may not where any sink failed, whatever the others made of it."""
    failed = [each for each in notified.deliveries if each.state == "failed"]
    if not failed:
        return Noticed()
    words = ", ".join(map(_why, failed))
    error = GuardError(
        "notice-failed",
        f"A rule warns of this call, and notice of it was not taken by {words}; nothing was changed.",
    )
    return Denied(error=error, rules=notified.notice.rules)


def _why(delivery: Delivery) -> str:
    status = f" {delivery.status}" if delivery.error == "status" else ""
    return f"{delivery.sink} ({delivery.error}{status})"
