"""Carrying: a request as a file for an approver elsewhere, and what they said as a file back.

Neither file proves anything by itself: whoever opens one verifies what is signed in it.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from groundwire.documents.approval import Packet
from groundwire.documents.canonical import decode, encode
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError

LARGEST: Final = 96 << 20
"""So many bytes a file of either kind has at most."""

_ASKED: Final = "groundwire-approval-requests/1"
_ANSWERED: Final = "groundwire-approval-answers/1"


class CarriedRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request under its id, and what is to be shown with it."""

    id: str
    packet: Packet
    request: Envelope


class CarriedAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to the request of this id, or an approval beforehand, or its revocation, with its id."""

    approver: str
    id: str
    kind: Literal["answer", "standing", "revocation"]
    said: Envelope


class CarriedRequests(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `approvals export` writes."""

    format: Literal["groundwire-approval-requests/1"] = _ASKED
    requests: tuple[CarriedRequest, ...]


class CarriedAnswers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an approver's command writes with `--out`."""

    answers: tuple[CarriedAnswer, ...]
    format: Literal["groundwire-approval-answers/1"] = _ANSWERED


def requests_in(data: bytes, name: str) -> tuple[CarriedRequest, ...]:
    """The requests that a file holds.

    Raises:
        EncodingError: `not-carried`: it holds none.
    """
    try:
        return decode(data.removesuffix(b"\n"), CarriedRequests).requests
    except EncodingError as error:
        raise _none(name, "groundwire approvals export") from error


def answers_in(data: bytes, name: str) -> tuple[CarriedAnswer, ...]:
    """The answers that a file holds.

    Raises:
        EncodingError: `not-carried`: it holds none.
    """
    try:
        return decode(data.removesuffix(b"\n"), CarriedAnswers).answers
    except EncodingError as error:
        raise _none(name, "groundwire approvals grant --out") from error


def as_file(carried: CarriedRequests | CarriedAnswers) -> bytes:
    """The bytes of the file."""
    return encode(carried) + b"\n"


def _none(name: str, command: str) -> EncodingError:
    return EncodingError("not-carried", f"{name} is not a file that `{command}` writes.")
