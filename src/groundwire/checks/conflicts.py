"""The conflict rule: when statements about one thing contradict each other.

Serving is asserting, history is quotation; a predicate has one value at a time unless declared
otherwise; what is unknown takes no part. Nothing is resolved and no winner picked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from groundwire.canon.jcs import JSON

_ENCODER = msgspec.json.Encoder(order="sorted")
_LONGEST = 2**63 - 1


class Known(msgspec.Struct, frozen=True):
    """A value that is known; compared by the value inside."""

    value: JSON


class NoValue(msgspec.Struct, frozen=True):
    """Unknown, not applicable, or never said: confirms nothing and contradicts nothing."""

    kind: Literal["unknown", "not-applicable", "undefined"]
    reason: str = ""


class Said(msgspec.Struct, frozen=True):
    """A plain value, null included."""

    value: JSON


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """One channel's statement, before it is rendered as a witness."""

    subject: tuple[str, str]
    predicate: str
    value: Said | Known | NoValue
    epoch: int | None = None
    stratum: Literal["asserted", "quoted"] = "asserted"


def conflicts(
    statements: Iterable[Stated], *, multi_valued: Collection[str] = ()
) -> tuple[tuple[Stated, ...], ...]:
    """Each group of live statements about one thing at one time that has two values or more.

    Groups and their members keep the order of the input. Statements of different epochs, subjects
    or predicates never meet.
    """
    groups: dict[tuple[tuple[str, str], str, int | None], list[tuple[str, Stated]]] = {}
    for statement in statements:
        if statement.stratum == "quoted" or statement.predicate in multi_valued:
            continue
        if isinstance(statement.value, NoValue):
            continue
        key = (statement.subject, statement.predicate, statement.epoch)
        groups.setdefault(key, []).append((render(statement.value.value), statement))
    return tuple(
        tuple(statement for _, statement in group)
        for group in groups.values()
        if len({rendering for rendering, _ in group}) > 1
    )


def render(value: JSON) -> str:
    """Text that is equal exactly where values are: keys sorted, lists in order, 2.0 as 2.

    Booleans are no numbers; NaN and infinities are null, as in the JSON of other hosts.
    """
    return _ENCODER.encode(_plain(value)).decode()


def _plain(value: JSON) -> JSON:
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, int) and not -_LONGEST <= value <= _LONGEST:
        return {"integer": hex(value)}  # the encoder takes no longer one, and every digit counts
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value
