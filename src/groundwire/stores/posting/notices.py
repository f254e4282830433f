"""HTTP notices: a notice posted with an HMAC, and the acknowledgement by whoever has the secret.

docs/how-to/give-notice.md has both sides. An acknowledgement says that a program which has the secret
took the notice, not that a person saw it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from groundwire.canon.digest import sha256
from groundwire.documents.canonical import encode
from groundwire.documents.notice import (
    KIND,
    Delivery,
    DeliveryError,
    DeliveryState,
    Notice,
    NoticeDeclaration,
    Posted,
)
from groundwire.stores.posting.post import Came, Poster, Unanswered

SIGNATURE: Final = "Groundwire-Signature"
"""The header with the HMAC of the body."""
ACKNOWLEDGEMENT: Final = "Groundwire-Acknowledgement"
"""The header of the answer with the HMAC over the nonce and the answer."""
MOST_BYTES: Final = 65_536
"""So much of an answer is read; one with more is not taken."""
LEAST_SECRET: Final = 16
"""A secret has at least so many bytes."""


class HttpNotices:
    """Posts notices to the one address that is declared, as JSON.

    `secret` gives the value of an environment variable, None where there is none; it is read at each
    notice and kept nowhere. `nonce` gives 32 hex digits that nobody has used, `now` the time as
    documents write it.
    """

    def __init__(
        self,
        declared: NoticeDeclaration,
        secret: Callable[[str], str | None],
        nonce: Callable[[], str],
        now: Callable[[], str],
    ) -> None:
        self._declared = declared
        self._secret = secret
        self._nonce = nonce
        self._now = now
        self._poster = Poster()
        parts = urlsplit(declared.url)
        self.name = f"{parts.scheme}://{parts.netloc}"
        self.timeout = float(declared.timeout_seconds)

    def deliver(self, notice: Notice) -> Delivery:
        """What came of posting it, once."""
        secret = (self._secret(self._declared.secret_from) or "").encode("utf-8", "surrogateescape")
        if len(secret) < LEAST_SECRET:
            return self._delivery("failed", "no-secret")
        nonce = self._nonce()
        body = encode(Posted(kind=KIND, nonce=nonce, notice=notice))
        headers = {
            "Content-Type": "application/json",
            SIGNATURE: signature_of(secret, body),
        }
        came = self._poster.post(
            self._declared.url, body, headers, timeout=self.timeout, most=MOST_BYTES
        )
        return self._judged(came, secret, nonce)

    def _judged(self, came: Came, secret: bytes, nonce: str) -> Delivery:
        if isinstance(came, Unanswered):
            error: DeliveryError = "unreachable" if came.status is None else "status"
            return self._delivery("failed", error, came.status)
        if len(came.body) > MOST_BYTES:
            return self._delivery("failed", "answer-too-large", came.status)
        answer = sha256(came.body) if came.body else ""
        given = came.headers.get(ACKNOWLEDGEMENT.lower())
        if given is None:
            return self._delivery("sent", "", came.status, answer)
        wanted = acknowledgement_of(secret, nonce, came.body)
        if not hmac.compare_digest(given.strip().encode("utf-8", "replace"), wanted.encode()):
            return self._delivery("failed", "acknowledgement-wrong", came.status, answer)
        return self._delivery("acknowledged", "", came.status, answer)

    def _delivery(
        self,
        state: DeliveryState,
        error: DeliveryError,
        status: int | None = None,
        answer: str = "",
    ) -> Delivery:
        return Delivery(
            answer=answer, at=self._now(), error=error, sink=self.name, state=state, status=status
        )


def signature_of(secret: bytes, body: bytes) -> str:
    """`sha256=` and the hex HMAC-SHA256 of exactly the body."""
    return "sha256=" + hmac.digest(secret, body, "sha256").hex()


def acknowledgement_of(secret: bytes, nonce: str, answer: bytes) -> str:
    """The same over the nonce, a line feed and the answer's bytes.

    A body begins with a brace and this with a hex digit, so that neither ever stands for the other.
    """
    return signature_of(secret, nonce.encode() + b"\n" + answer)
