"""Guarded calls for tests of recordings: receipts, intents, outcomes and attestations of one run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec

from groundwire.attest.grants import seal_attestation
from groundwire.attest.receipts import seal_receipt
from groundwire.canon import jcs
from groundwire.canon.digest import sha256, tagged
from groundwire.canon.dsse import decode_base64
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.canonical import encode
from groundwire.documents.entry import Envelope
from groundwire.documents.event import Guarded
from groundwire.documents.grant import Attestation, Sighting
from groundwire.documents.notice import Delivery, Notice, Notified
from groundwire.documents.outcome import (
    Executed,
    Intent,
    Outcome,
    Passed,
    Refused,
    Rejudged,
    Unknown,
)
from groundwire.documents.policy import Policy
from groundwire.documents.receipt import Asked, Receipt, Touched
from groundwire.documents.target import TargetName
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from tests.recorders import IDENTITY, RUN, START, seed
from tests.recorders import keyring as recorders_keyring

AUTHORITY = Ed25519Signer.from_seed(seed("authority"))
EXECUTOR = Ed25519Signer.from_seed(seed("executor"))
POLICY = tagged("policy", jcs.encode(msgspec.to_builtins(Policy())))
GRANT = "0123456789abcdef" * 2
replace = msgspec.structs.replace


def trusting(*, authority: bool = True, **changes: Any) -> Keyring:
    """A keyring of who recorded, who decided and who carried out; `changes` are of the authority."""
    (recorder,) = recorders_keyring(IDENTITY).keys
    (other,) = recorders_keyring(AUTHORITY).keys
    (executor,) = recorders_keyring(EXECUTOR).keys
    deciding = replace(other, **{"purposes": ("authority",), **changes})
    keys = (recorder, replace(executor, purposes=("authority",)))
    return Keyring((*keys, deciding) if authority else keys, "the tests")


def file_at(path: str = "api/openapi.yaml") -> TargetName:
    return TargetName(kind="files", root="/project", path=path)


class Call:
    """The documents of one guarded call of `run`, which changes one file."""

    def __init__(
        self, number: int = 0, *, run: str = RUN, path: str = "api/openapi.yaml",
        before: bytes = b"before", after: bytes = b"after", name: str = "edit_spec",
        call_id: str = "", **receipt: Any,
    ) -> None:  # fmt: skip
        self.number = number
        self.call = ToolCall(id=call_id or f"call-{number}", name=name, arguments="{}")
        self.target = file_at(path)
        changed = Touched(
            after=sha256(after), before=sha256(before), kind="changed", mode=None,
            name=self.target, to=None,
        )  # fmt: skip
        self.asked = Asked(
            audience="this-host", call=call_digest(self.call), changes=(changed,),
            environment="production", operation="tool_call", policy=POLICY,
            run=run, sequence=number,
        )  # fmt: skip
        fields: dict[str, Any] = {
            "approvals": (), "asked": self.asked, "authority": AUTHORITY.key_id, "decision": "allow",
            "engines": {"files": "1"}, "expires": format_time(START + timedelta(minutes=15)),
            "issued": format_time(START), "residuals": (), "rules": ("default/inside-the-folder",),
        }  # fmt: skip
        self.receipt = Receipt(**{**fields, **receipt})
        self.envelope: Envelope = seal_receipt(self.receipt, AUTHORITY)
        self.digest = sha256(decode_base64(self.envelope.payload))

    def decided(self, envelope: Envelope | None = None) -> Guarded:
        return self.said("decided", _text(envelope or self.envelope))

    def noticed(self, *states: Any, **changes: Any) -> Guarded:
        """Notice of the call; `states` are what sinks beside the recording made of it."""
        asked = self.asked
        notice = Notice(
            at=format_time(START), call=asked.call, decision="warn",
            environment=asked.environment, operation=asked.operation, receipt=self.digest,
            rules=self.receipt.rules, run=asked.run, sequence=asked.sequence,
        )  # fmt: skip
        deliveries = tuple(
            Delivery(
                answer="", at=format_time(START), error="timeout" if state == "failed" else "",
                sink=f"callback-{number}" if number else "recording", state=state, status=None,
            )
            for number, state in enumerate(("acknowledged", *states))
        )  # fmt: skip
        notified = Notified(deliveries=deliveries, notice=replace(notice, **changes))
        return self.said("noticed", encode(notified).decode())

    def intent(self, **changes: Any) -> Guarded:
        intent = replace(Intent(asked=self.asked, receipt=self.digest), **changes)
        return self.said("intent", encode(intent).decode())

    def outcome(self, outcome: Outcome, *, late: bool = False, **changes: Any) -> Guarded:
        document = replace(outcome, **changes)
        word = type(outcome).__name__.lower()
        reason = "" if isinstance(document, Executed) else document.reason
        said = self.said("outcome", encode(document).decode())
        return replace(said, outcome=word, reason=reason, late=late)

    def executed(self, **changes: Any) -> Guarded:
        return self.outcome(
            Executed(
                call=self.asked.call, error="", receipt=self.digest,
                observed=(Sighting(name=self.target, seen="content-match", claim="none"),),
            ),
            **changes,
        )  # fmt: skip

    def unknown(self, **changes: Any) -> Guarded:
        return self.outcome(
            Unknown(
                call=self.asked.call, error="CancelledError", observed=(), reason="cancelled",
                receipt=self.digest,
            ),
            **changes,
        )  # fmt: skip

    def refused(self, reason: str = "decision-denied") -> Guarded:
        return self.outcome(Refused(call=self.asked.call, reason=reason, rules=self.receipt.rules))

    def passed(self) -> Guarded:
        return self.outcome(
            Passed(because="", call=self.asked.call, error="", reason="read", would=None)
        )

    def drifted(self) -> Guarded:
        return self.unknown(error="", reason="drift")

    def rejudged(self, **changes: Any) -> Guarded:
        really = replace(self.asked.changes[0], after=sha256(b"what somebody else wrote"))
        again = Rejudged(
            asked=replace(self.asked, changes=(really,)), decision="approve",
            receipt=self.digest, rules=("default/governed-artifact",),
        )  # fmt: skip
        return self.said("rejudged", encode(replace(again, **changes)).decode())

    def attested(self, **changes: Any) -> Guarded:
        attestation = Attestation(
            at=format_time(START + timedelta(minutes=1)), call=self.asked.call,
            executor=EXECUTOR.key_id, grant=GRANT,
            observed=(Sighting(name=self.target, seen="content-match", claim="none"),), outcome="executed",
            receipt=self.digest,
        )  # fmt: skip
        return self.said(
            "attested", _text(seal_attestation(replace(attestation, **changes), EXECUTOR))
        )

    def whole(self) -> Iterator[Guarded]:
        """Every state of a call that was carried out."""
        yield from (self.decided(), self.intent(), self.executed(), self.attested())

    def said(self, state: str, document: str | None) -> Guarded:
        return Guarded(
            step=0, at="", guarded=self.number, state=state,
            call_id=self.call.id, link="id", exchange=0, lane=0, name=self.call.name,
            document=document,
        )  # fmt: skip


def _text(envelope: Envelope) -> str:
    return jcs.encode(msgspec.to_builtins(envelope)).decode()
