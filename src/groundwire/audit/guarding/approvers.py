"""Approvers: whether the people whom a policy names could say yes on this machine, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from groundwire.audit.doctor import Line
from groundwire.documents.approving import Approver
from groundwire.documents.policy import Policy
from groundwire.errors import GroundwireError
from groundwire.keys.keyring import Key, Keyring, decode_keyring, refusal_of
from groundwire.keys.times import format_time

Elsewhere: TypeAlias = Literal["other-user-agent", "hardware"]

_ANOTHER = "groundwire keys new --purpose approval --name NAME, and its block in groundwire.toml"


def examine_approvers(
    policy: Policy, keyring: Keyring, lies_open: Callable[[str], bool], now: datetime
) -> Iterator[Line]:
    """What stands against each approver's key: not in the keyring, not good now, or open to the agent.

    `lies_open` says whether this user's processes could sign with a key at once. Does not know
    whether the person still knows the passphrase, nor who else does.
    """
    for approver in policy.approvers:
        try:
            problem, next_step = _judge(approver, keyring, lies_open, now)
        except GroundwireError as error:
            problem, next_step = error.message, "see to that first"
        key = keyring.find(approver.key)
        kept = "" if key is None else f", {key.custody}"
        yield Line(
            topic="approvers",
            state="todo" if problem else "ok",
            says=f"{approver.name} ({approver.key[:16]}{kept})"
            + (f": {problem}" if problem else " can say yes"),
            next_step=next_step,
        )


def keys_from_elsewhere(data: bytes, source: str, custody: Elsewhere) -> tuple[Key, ...]:
    """The active keys for approval alone in somebody else's keyring, with this custody.

    What that keyring says of custody is its owner's word, and is not taken over.

    Raises:
        EncodingError: it is no keyring.
    """
    return tuple(
        msgspec.structs.replace(key, custody=custody)
        for key in decode_keyring(data, source).keys
        if key.purposes == ("approval",) and key.state == "active"
    )


def _judge(
    approver: Approver, keyring: Keyring, lies_open: Callable[[str], bool], now: datetime
) -> tuple[str, str]:
    key = keyring.find(approver.key)
    if key is None:
        return "the key is not in your keyring, so no yes by it counts", _ANOTHER
    if refusal := refusal_of(key, "approval", format_time(now), None):
        return f"no yes by it counts ({refusal})", _ANOTHER
    if _is_own(key) or lies_open(key.id):
        return "an agent could sign with it itself, so no yes by it counts", _ANOTHER
    return "", ""


def _is_own(key: Key) -> bool:
    return key.custody == "in-process"
