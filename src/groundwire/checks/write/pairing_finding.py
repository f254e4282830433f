"""The finding of an unpaired call: what stands alone, and why, in words."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import digest
from groundwire.checks.wording import clipped, listed
from groundwire.documents.call import ToolCall
from groundwire.documents.finding import Assertion, Finding, Subject
from groundwire.documents.frame import ResultPart

Grade: TypeAlias = Literal[
    "no-result",
    "evicted-result",
    "no-call",
    "evicted-call",
    "no-id",
    "doubled-id",
    "second-result",
    "reused-id",
]

# Ids that are used again later, and second results, work with some hosts: places to look.
ADVISORY: frozenset[Grade] = frozenset({"second-result", "reused-id"})
_WITNESSES = 20


class Unpaired(msgspec.Struct, frozen=True):
    """Calls, or a result, that stand without their other half, or share their id."""

    grade: Grade
    calls: tuple[ToolCall, ...] = ()
    result: ResultPart | None = None
    unnamed: int = 0


def finding_of(unpaired: Unpaired, lane: int, step: int) -> Finding:
    """The finding; its identity is the calls it is about, by id and name, and what ails them."""
    subjects = _subjects(unpaired)
    return Finding(
        kind="unpaired-call",
        seam="write",
        subjects=subjects,
        witnesses=tuple(
            Assertion(
                subject=subject,
                predicate="in this request",
                value=value,
                provenance=source,
                step=step,
            )
            for subject in subjects[:_WITNESSES]
            for value, source in _channels(unpaired)
        ),
        message=_message(unpaired),
        lane=lane,
        step=step,
        path="/result" if unpaired.result is not None else "/call",
        value_digest=_ailment(unpaired.grade),
        grade=unpaired.grade,
        advisory=unpaired.grade in ADVISORY,
    )


def _ailment(grade: Grade) -> str:
    # What is wrong with an id is another finding than what is wrong with its pair.
    pairs = grade not in {"doubled-id", "second-result", "reused-id"}
    return "" if pairs else digest.tagged("value", grade.encode())


def _subjects(unpaired: Unpaired) -> tuple[Subject, ...]:
    if unpaired.result is not None:
        subjects = [Subject("call", unpaired.result.call_id)]
        if unpaired.result.name:
            subjects.append(Subject("tool", unpaired.result.name))
        return tuple(subjects)
    named = [(Subject("call", call.id), Subject("tool", call.name)) for call in unpaired.calls]
    return tuple(dict.fromkeys(subject for pair in named for subject in pair))


def _channels(unpaired: Unpaired) -> tuple[tuple[str, str], tuple[str, str]]:
    match unpaired.grade:
        case "no-result" | "evicted-result":
            return ("called", "the assistant message with the call"), (
                "not answered",
                "the results that follow it",
            )
        case "no-call" | "evicted-call":
            return ("not called", "the assistant messages before the result"), (
                "answered",
                "the result",
            )
        case "no-id":
            return ("called", "the assistant message with the calls"), (
                f"{unpaired.unnamed} results without an id",
                "the results that follow it",
            )
        case "doubled-id" | "reused-id":
            return ("called", "an earlier call with this id"), (
                "called again",
                "a later call with this id",
            )
        case "second-result":
            return ("called once", "the assistant message with the call"), (
                "answered again",
                "a second result with this id",
            )


def _message(unpaired: Unpaired) -> str:
    calls = listed(f"{call.name} ({call.id})" for call in unpaired.calls)
    result = unpaired.result
    whose = f"`{clipped(result.call_id)}`" if result is not None and result.call_id else "no call"
    match unpaired.grade:
        case "no-result":
            what = f"The call {calls} stands in a request that moved on without its result."
            repair = "Put its result, or an error in its place, directly behind the call."
        case "evicted-result":
            what = f"The call {calls} stands in a request whose window has dropped its result."
            repair = "Drop calls and their results together."
        case "no-call":
            what = f"A result for {whose} stands in a request that has no such call before it."
            repair = "Send a result only behind the assistant message that asked for it."
        case "evicted-call":
            what = f"A result for {whose} stands in a request whose window has dropped the call."
            repair = "Drop calls and their results together."
        case "no-id":
            what = (
                f"{unpaired.unnamed} results name no call id, so they cannot be told apart: {calls} "
                "wait for theirs."
            )
            repair = "Send each result with the id of the call it answers."
        case "doubled-id":
            what = (
                f"Two calls of one turn have the same id: {calls}. Which result is whose is lost."
            )
            repair = "Give each call an id of its own."
        case "second-result":
            what = f"The call {calls} is answered twice in one request."
            repair = "A place to look: keep one result, unless the host means both."
        case "reused-id":
            what = f"The call {calls} has the id of a call of an earlier turn."
            repair = "A place to look: results are matched by position where ids repeat."
    return f"{what} {repair} Nothing was blocked."
