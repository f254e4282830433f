"""A made-up change between two guarded calls, under receipts that nobody signed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from groundwire.attest.decided import subjects_of
from groundwire.attest.payload import encode_payload
from groundwire.canon import jcs
from groundwire.canon.digest import sha256, tagged
from groundwire.canon.dsse import encode_base64
from groundwire.checks import made_up
from groundwire.documents.canonical import encode
from groundwire.documents.entry import Envelope, Signature
from groundwire.documents.event import Event, Guarded
from groundwire.documents.grant import Sighting
from groundwire.documents.outcome import Executed
from groundwire.documents.receipt import Asked, Receipt, Touched
from groundwire.documents.statement import PAYLOAD_TYPE
from groundwire.documents.target import TargetName

_CALL: Final = tagged("call", b"canary")
_FILE: Final = TargetName(kind="files", root="/canary", path="canary.txt")
_NOBODY: Final = "ed25519:" + "0" * 64


def changed_between() -> Sequence[Event]:
    """The first call leaves `b`; before the second `x` stands there."""
    done = Executed(
        call=_CALL,
        error="",
        observed=(Sighting(name=_FILE, seen="content-match", claim="none"),),
        receipt=sha256(b"canary"),
    )
    events: tuple[Event, ...] = (
        made_up.request(),
        made_up.response(),
        _state(0, "decided", _receipt(0, b"a", b"b")),
        msgspec.structs.replace(_state(0, "outcome", encode(done).decode()), outcome="executed"),
        made_up.request(),
        made_up.response(),
        _state(1, "decided", _receipt(1, b"x", b"c")),
    )
    # Which came first matters here; no step is one that a run has.
    return [
        msgspec.structs.replace(event, step=step - len(events)) for step, event in enumerate(events)
    ]


def _state(number: int, state: Literal["decided", "outcome"], document: str) -> Guarded:
    return Guarded(
        step=made_up.RAN,
        at="",
        guarded=number,
        state=state,
        call_id="canary",
        link="id",
        exchange=-1,
        lane=-1,
        name="canary_tool",
        document=document,
    )


def _receipt(sequence: int, before: bytes, after: bytes) -> str:
    changed = Touched(
        after=sha256(after), before=sha256(before), kind="changed", mode=None, name=_FILE, to=None
    )
    receipt = Receipt(
        approvals=(),
        asked=Asked(
            audience="canary",
            call=_CALL,
            changes=(changed,),
            environment="canary",
            operation="tool_call",
            policy=tagged("policy", b"canary"),
            run="canary",
            sequence=sequence,
        ),
        authority=_NOBODY,
        decision="allow",
        engines={},
        expires="2026-01-01T00:15:00.000000Z",
        issued="2026-01-01T00:00:00.000000Z",
        residuals=(),
        rules=("canary",),
    )
    envelope = Envelope(
        payload=encode_base64(encode_payload(receipt, *subjects_of(receipt))),
        payloadType=PAYLOAD_TYPE,
        signatures=(Signature(keyid=_NOBODY, sig=encode_base64(bytes(64))),),
    )
    return jcs.encode(msgspec.to_builtins(envelope)).decode()
