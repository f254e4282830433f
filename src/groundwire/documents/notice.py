"""Notice: what is told of a call that is allowed with a warning, and what each sink made of it.

Digests, and words of the policy: nothing of the call's arguments or contents, and nothing that a
model wrote. A notice that was acknowledged was taken by a program; that a person saw it nobody says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from groundwire.documents.entry import Count

DeliveryState: TypeAlias = Literal["acknowledged", "sent", "failed"]
"""From the best to the worst. `acknowledged`: the sink gave back something that only one that took the
notice gives; `sent`: it raised no objection, and gave back nothing."""
DeliveryError: TypeAlias = Literal[
    "",
    "acknowledgement-wrong",
    "answer-too-large",
    "no-secret",
    "not-recorded",
    "raised",
    "status",
    "timeout",
    "unreachable",
    "wrong-answer",
]
TIMEOUT: Final = 5
"""Seconds that a delivery may take where nobody says otherwise."""
RECORDING: Final = "recording"
"""The name of the sink that every notice has."""
KIND: Final = "groundwire-notice/1"
"""What a posted notice says that it is."""

_STATES: Final[tuple[DeliveryState, ...]] = get_args(DeliveryState)


class NoticeDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """Where notices are posted: an address, and the environment variable that holds the secret.

    The whole delivery may take `timeout_seconds`.
    """

    url: str
    secret_from: str
    timeout_seconds: int = TIMEOUT


class Notice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call is about to be carried out under a receipt that warns, or to pass under observation.

    `call` is the call's digest, `receipt` the SHA-256 of the receipt's signed bytes, `rules` are
    those that warn. That it was carried out in the end the notice does not say.
    """

    at: str
    call: str
    decision: Literal["warn"]
    environment: str
    operation: str
    receipt: str
    rules: tuple[str, ...]
    run: str
    sequence: Count


class Delivery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one sink made of a notice, at a moment.

    `answer` is the SHA-256 of what it gave back, "" where it gave nothing or nobody could read it;
    `status` that of an HTTP answer. `error` says why it `failed`, and is "" otherwise.
    """

    answer: str
    at: str
    error: DeliveryError
    sink: str
    state: DeliveryState
    status: Count | None


class Notified(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A notice and its deliveries: the recording first, then the sinks in the order of the policy."""

    deliveries: tuple[Delivery, ...]
    notice: Notice

    @property
    def state(self) -> DeliveryState:
        """What the notice came to: the worst that came of it at any sink."""
        return worst(each.state for each in self.deliveries)


class Posted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is posted: the notice, and a nonce that the acknowledgement has to be over."""

    kind: str
    nonce: str
    notice: Notice


def worst(states: Iterable[DeliveryState]) -> DeliveryState:
    """The worst of the states; of none at all, `failed`: what nobody took nobody was told."""
    return _STATES[max((_STATES.index(each) for each in states), default=len(_STATES) - 1)]


def is_consistent(notified: Notified) -> bool:
    """Whether the recording was among the sinks, and each that failed says why, and no other does."""
    sinks = [each.sink for each in notified.deliveries]
    return sinks.count(RECORDING) == 1 and all(
        (each.state == "failed") == (each.error != "") for each in notified.deliveries
    )
