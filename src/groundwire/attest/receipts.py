"""Seal and open receipts. `open_receipt` is the only thing that makes a `Permit`.

That nothing else in this process makes one guards against mistakes and against what a model or a
tool's output brings about, not against a tool's own code in this process, which can change any
object it likes (SECURITY.md).
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple, NoReturn, assert_never, final
from weakref import WeakKeyDictionary

import msgspec

from groundwire.attest.decided import inspect, read, seal
from groundwire.attest.people.approvals import open_approvals
from groundwire.documents.entry import Envelope
from groundwire.documents.receipt import Asked, Receipt
from groundwire.errors import EncodingError, GuardError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time, parse_time


class _Opened(NamedTuple):
    receipt: Receipt
    digest: str


@final
class Permit:
    """A verified receipt that allows exactly the call and the changes it was asked about.

    Holds nothing itself: a copy of one, or one made in any other way, is no permit.
    """

    __slots__ = ("__weakref__",)

    def __new__(cls) -> Permit:
        """Refuses: only `open_receipt` makes one."""
        raise _not_opened()

    def __init_subclass__(cls) -> NoReturn:
        """Refuses: a permit is of this very type."""
        raise _not_opened()

    def __copy__(self) -> NoReturn:
        """Refuses, as does `__reduce__`: a permit is not copied, stored or sent."""
        raise _not_opened()

    def __reduce__(self) -> NoReturn:
        raise _not_opened()

    @property
    def receipt(self) -> Receipt:
        """What was signed. Raises `GuardError` (`permit-not-opened`)."""
        return _opened(self).receipt

    @property
    def digest(self) -> str:
        """The SHA-256 of the receipt's signed bytes. Raises `GuardError` (`permit-not-opened`)."""
        return _opened(self).digest


class Held(msgspec.Struct, frozen=True):
    """A verified receipt that permits nothing: a person has to be asked, or it is denied."""

    receipt: Receipt
    digest: str


_OPENED: Final[WeakKeyDictionary[Permit, _Opened]] = WeakKeyDictionary()


def seal_receipt(receipt: Receipt, signer: Signer) -> Envelope:
    """An envelope in which the authority that the receipt names answers for the decision.

    Does not check that the decision follows from any policy.

    Raises:
        EncodingError: the receipt makes no sense.
        TrustError: `wrong-signer`: `signer` is not the authority it names.
        HostError: the signer cannot reach its key.
    """
    return seal(receipt, signer)


def read_receipt(
    envelope: Envelope, keyring: Keyring, anchored_at: str | None = None
) -> tuple[Receipt, str]:
    """The receipt, signed by an authority that the keyring trusts, and its bytes' SHA-256.

    So are the approvals that it holds, and given for exactly what it was asked about. Permits
    nothing: neither the present time nor any call is looked at.

    Raises:
        EncodingError: a malformed envelope, statement, receipt or approval.
        TrustError: why a signature does not count, or an approval is for something else.
    """
    receipt, digest = read(envelope, Receipt, keyring, anchored_at)
    open_approvals(receipt, keyring, anchored_at)
    return receipt, digest


def inspect_receipt(envelope: Envelope) -> tuple[Receipt, str]:
    """The receipt that the envelope spells, and its bytes' SHA-256. NOT trusted: nobody vouches.

    Raises:
        EncodingError: a malformed envelope, statement or receipt.
        TrustError: `identity-mismatch`.
    """
    return inspect(envelope, Receipt)


def open_receipt(
    envelope: Envelope,
    asked: Asked,
    keyring: Keyring,
    now: datetime,
    anchored_at: str | None = None,
) -> Permit | Held:
    """A permit where a trusted authority allows exactly what was asked, now; else what it said.

    Does not consume anything: opened twice, it gives two permits. A grant is used once.

    Raises:
        EncodingError: a malformed envelope, statement, receipt, approval or time.
        TrustError: why a signature does not count, or what `open_approvals` raises;
            `receipt-not-yet-valid`, `receipt-expired`;
            `other-call`, `other-operation`, `other-environment`, `other-audience`,
            `other-policy`, `other-run`, `other-sequence`, `other-changes`.
    """
    receipt, digest = read_receipt(envelope, keyring, anchored_at)
    moment = parse_time(spelled(now))
    if moment < parse_time(receipt.issued):
        raise TrustError(
            "receipt-not-yet-valid",
            f"The receipt was issued at {receipt.issued}, which is still to come; check the clocks.",
        )
    if moment >= parse_time(receipt.expires):
        raise TrustError(
            "receipt-expired",
            f"The receipt was good until {receipt.expires}; ask for a decision anew.",
        )
    _require_same(receipt.asked, asked)
    match receipt.decision:
        case "allow" | "warn":
            permit = object.__new__(Permit)
            _OPENED[permit] = _Opened(receipt, digest)
            return permit
        case "approve" | "deny":
            return Held(receipt, digest)
        case _:
            assert_never(receipt.decision)


def require_permit(permit: object, asked: Asked) -> Permit:
    """The object is a permit that `open_receipt` made, for exactly this.

    Raises:
        GuardError: `permit-not-opened`, `permit-for-another`.
    """
    if not isinstance(permit, Permit):
        raise _not_opened()
    if permit.receipt.asked != asked:
        raise GuardError(
            "permit-for-another", "The permit is for another call or other changes than these."
        )
    return permit


def spelled(now: object) -> str:
    """The moment as documents write it.

    Raises:
        EncodingError: `bad-time`: it is no moment, or names no time zone.
    """
    if not isinstance(now, datetime):
        raise EncodingError("bad-time", "The present time must be a datetime in UTC.")
    return format_time(now)


def _require_same(said: Asked, asked: Asked) -> None:
    """Each part has a reason of its own; the order is that of `docs/reference`."""
    if said.call != asked.call:
        raise TrustError("other-call", "The receipt is about another call.")
    if said.operation != asked.operation:
        raise TrustError("other-operation", "The receipt is about another operation.")
    if said.environment != asked.environment:
        raise TrustError("other-environment", "The receipt is about another environment.")
    if said.audience != asked.audience:
        raise TrustError("other-audience", "The receipt is for somebody else to act on.")
    if said.policy != asked.policy:
        raise TrustError("other-policy", "The receipt was decided by another policy.")
    if said.run != asked.run:
        raise TrustError("other-run", "The receipt is of another run.")
    if said.sequence != asked.sequence:
        raise TrustError("other-sequence", "The receipt is about another place in the run.")
    if said.changes != asked.changes:
        raise TrustError("other-changes", "The receipt is about other changes than these.")


def _opened(permit: Permit) -> _Opened:
    opened = _OPENED.get(permit)
    if opened is None:
        raise _not_opened()
    return opened


def _not_opened() -> GuardError:
    return GuardError(
        "permit-not-opened", "Only opening a receipt makes a permit; ask the authority for one."
    )
