"""Requests, packets and answers for tests, made with the keys of two approvers and an authority."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.audit.approving.asking import Trusted, answer_of
from groundwire.canon.digest import sha256
from groundwire.canon.dsse import decode_base64
from groundwire.documents.approval import (
    ApprovalRequest,
    Packet,
    ShownChange,
    ShownWitness,
    shown_digest,
    subject_of,
)
from groundwire.documents.entry import Envelope
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time
from tests.guarded import AUTHORITY, Call
from tests.recorders import START, seed
from tests.recorders import keyring as recorders_keyring

ADA = Ed25519Signer.from_seed(seed("ada"))
BOB = Ed25519Signer.from_seed(seed("bob"))
ID = "6f1c0d5e" * 4
MIDST = START + timedelta(minutes=1)
"""Between the making of a request and its end."""
OVER = START + timedelta(minutes=5)

replace = msgspec.structs.replace


ACTION = "gw1:" + "a" * 64
"""What the call of the tests asks for."""


def keys(*, authority: bool = True, ada: dict[str, Any] | None = None) -> Keyring:
    """A keyring of the authority and two approvers; `ada` changes what it says of the first."""
    (deciding,) = recorders_keyring(AUTHORITY).keys
    (first,) = recorders_keyring(ADA).keys
    (second,) = recorders_keyring(BOB).keys
    approving = {"purposes": ("approval",), "custody": "passphrase"}
    return Keyring(
        (
            *((replace(deciding, purposes=("authority",)),) if authority else ()),
            replace(first, **{**approving, "comment": "ada", **(ada or {})}),
            replace(second, **approving),
        ),
        "the tests",
    )


def packet_of(call: Call | None = None, **changes: Any) -> Packet:
    """What is shown of the call; `changes` are of the packet."""
    asked = (call or Call()).asked
    packet = Packet(
        agent="coder",
        arguments='{"path": "api/openapi.yaml"}',
        changes=(
            ShownChange(
                diff="-before\n+after", governed="openapi", kind="changed",
                target="/project/api/openapi.yaml",
            ),
        ),
        claim="reason: a typo",
        effect="write",
        environment=asked.environment,
        operation=asked.operation,
        residuals=(),
        rules=("default/governed-artifact",),
        run=asked.run,
        subject=subject_of(asked, ACTION),
        tool="edit_spec",
        witnesses=(
            ShownWitness(
                rule="default/governed-artifact", says="clients would break",
                target="/project/api/openapi.yaml",
            ),
        ),
        would_allow="[[guard.rules]]\nid = \"mine\"",
    )  # fmt: skip
    return replace(packet, **changes)


def request_of(packet: Packet | None = None, call: Call | None = None, **changes: Any) -> Envelope:
    """A request of the call, signed by the authority; `changes` are of the request."""
    call = call or Call()
    request = ApprovalRequest(
        action=ACTION,
        approvers=tuple(sorted((ADA.key_id, BOB.key_id))),
        asked=call.asked,
        authority=AUTHORITY.key_id,
        expires=format_time(OVER),
        id=ID,
        issued=format_time(START),
        needed=1,
        receipt=call.digest,
        shown=shown_digest(packet or packet_of(call)),
    )
    return REQUESTS.seal(replace(request, **changes), AUTHORITY)


def trusted_of(packet: Packet | None = None, **changes: Any) -> Trusted:
    """The request as one that can be answered."""
    shown = packet or packet_of()
    envelope = request_of(shown, **changes)
    request, digest = REQUESTS.inspect(envelope)
    return Trusted(digest=digest, request=request, packet=shown)


def answer_to(
    given: Trusted, signer: Ed25519Signer = ADA, *, at: datetime = MIDST, granted: bool = True,
    **changes: Any,
) -> Envelope:  # fmt: skip
    """What the signer says to it; `changes` are of the answer."""
    said = answer_of(given, signer.key_id, granted=granted, now=at)
    return APPROVALS.seal(replace(said, **changes), signer)


def signed_bytes_digest(envelope: Envelope) -> str:
    """The SHA-256 of what was signed."""
    return sha256(decode_base64(envelope.payload))
