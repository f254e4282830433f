"""The signed documents of a recording: certificate, checkpoint, redaction, deletion.

Each is the predicate of an in-toto Statement v1 whose `predicateType` carries the version; each
is closed: an unknown or missing field is a malformed document.
"""

from __future__ import annotations

import msgspec

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
CERTIFICATE = "urn:groundwire:certificate:v1"
CHECKPOINT = "urn:groundwire:checkpoint:v1"
REDACTION = "urn:groundwire:redaction:v1"
DELETION = "urn:groundwire:deletion:v1"


class Certificate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`public_key` (base64, 32 bytes) may sign checkpoints of `run` within the window.

    Times are RFC 3339 with `Z` and six decimals. Subject: the public key's own SHA-256.
    """

    identity: str
    key: str
    not_after: str
    not_before: str
    public_key: str
    run: str


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first `size` entries of this segment have this RFC 9162 `root`; the last is `head`.

    Subject: name `<run>/<segment>`, digest algorithm `rfc9162-sha256`, value the root in hex.
    """

    at: str
    closed: bool
    head: str
    root: str
    run: str
    segment: int
    size: int


class Redaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """These content lines were taken out, by whom (`identity`), when and why."""

    at: str
    commitments: tuple[str, ...]
    identity: str
    reason: str
    run: str


class Deletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recording was deleted, by whom, when and why; its last known head stands here."""

    at: str
    identity: str
    reason: str
    root: str
    run: str
    segment: int
    size: int
