"""Joining: the call on the wire that an execution belongs to.

Done once, when the execution is recorded; what was found stands in its entry, so that nobody who
reads the recording has a second opinion.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from groundwire.checks.transcript import Chosen, Transcript
from groundwire.wire.message_digest import canonical_arguments

Link: TypeAlias = Literal["id", "only", "unlinked"]


class Joined(msgspec.Struct, frozen=True):
    """The call, and how it is known; None where it is not (`unlinked`)."""

    call: Chosen | None
    link: Link


UNLINKED = Joined(None, "unlinked")


def joined(
    transcript: Transcript, *, lane: int | None, call_id: str, name: str, arguments: str | None
) -> Joined:
    """By the id given; else the only unanswered call with equal name and arguments; else none.

    `lane` is the lane that the host is in, None where it does not say: then every lane is looked
    at. Two calls that fit are none. Does not look at calls that the provider runs.
    """
    if call_id:
        return _by_id(transcript, lane, call_id)
    if arguments is None:
        return UNLINKED
    ran = canonical_arguments(arguments)
    found = _only(
        chosen
        for chosen in _waiting(transcript, lane)
        if chosen.call.name == name and canonical_arguments(chosen.call.arguments) == ran
    )
    return UNLINKED if found is None or not found.call.id else Joined(found, "only")


def _by_id(transcript: Transcript, lane: int | None, call_id: str) -> Joined:
    lanes = sorted(transcript.lanes) if lane is None else (lane,)
    found = [chosen for each in lanes if (chosen := transcript.call(each, call_id)) is not None]
    # Where lanes use the same ids, the call that still waits is meant.
    only = _only(found) or _only(c for c in found if not (c.answered or c.executions))
    return UNLINKED if only is None else Joined(only, "id")


def _waiting(transcript: Transcript, lane: int | None) -> Iterable[Chosen]:
    return (each for each in transcript.waiting() if lane is None or each.lane == lane)


def _only(found: Iterable[Chosen]) -> Chosen | None:
    few = list(found)
    return few[0] if len(few) == 1 else None
