"""Answers: what a model is told of a call that has settled, in words of no provider.

A result is the tool's own, as text. For everything else there is a closed vocabulary: one of our
sentences, and the same as JSON. No result is made up, and nothing of an exception's text is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.outcome import Executed, Outcome, Passed, Refused, Unknown
from groundwire.errors import EncodingError, PolicyError
from groundwire.guard.refusal import Refusal, Tally, refusal, shown
from groundwire.session.executions.values import result_of

_UNKNOWN: Final = (
    "Unknown: the call was started, and nobody can say whether its effect stands. Do not make it "
    "again as it is. Look at what is there now, or tell a person."
)
_UNSEEN: Final = (
    "The tool ended well, and nobody could look at what it left. Do not make the call again only to "
    "be sure."
)
_STANDS: Final = (
    "The tool failed after its effect was made, and all of the effect was seen to stand. Do not "
    "make the call again."
)
_RAISED: Final = "The tool failed; what it did until then is not known."
_NOTHING: Final = "The tool returned nothing."
_NO_TEXT: Final = "The tool ran; what it returned has no text form. Its type:"
_TOO_LARGE: Final = "The tool ran; what it returned is too large to be shown."


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the model gets for one call: `text`, and whether it stands for a failure.

    `stop` says that the model should not go on by itself. `artifact` is the outcome as plain data,
    for the host and not for the model.
    """

    call: ToolCall
    text: str
    is_error: bool
    stop: bool
    artifact: Mapping[str, object]


def answer_of(
    call: ToolCall, outcome: Outcome, value: object = None, refused: Refusal | None = None
) -> Answer:
    """The answer to exactly this call.

    `refused` is the refusal as the run counted it; without one it is the first of its kind.

    Raises:
        PolicyError: `not-an-outcome`, `outcome-of-another-call`.
    """
    if not isinstance(outcome, Executed | Passed | Refused | Unknown):
        raise PolicyError(
            "not-an-outcome",
            f"A {type(outcome).__name__} is no outcome of a guarded call; hand in what the table "
            "or the run returned.",
        )
    _require_same_call(call, outcome)
    match outcome:
        case Refused():
            told = refused or refusal(outcome, call.name, (), Tally())
            text = _with_data(told.says, {"outcome": "refused", **msgspec.to_builtins(told)})
            return _answer(call, outcome, text, is_error=True, stop=told.next == "stop")
        case Unknown(reason="unobserved"):
            # The tool ended well: what it returned is the model's, as what the tool says.
            data = {**_unknown_data(outcome), "result": _result(outcome, value)}
            return _answer(call, outcome, _with_data(_UNSEEN, data), is_error=False)
        case Unknown():
            text = _with_data(_UNKNOWN, _unknown_data(outcome))
            return _answer(call, outcome, text, is_error=True, stop=True)
        case Executed() | Passed() if outcome.error:
            stands = isinstance(outcome, Executed)
            data = {"outcome": "failed", "error": shown(outcome.error), "effect_stands": stands}
            text = _with_data(_STANDS if stands else _RAISED, data)
            return _answer(call, outcome, text, is_error=True)
        case Executed() | Passed():
            return _answer(call, outcome, _result(outcome, value), is_error=False)


def _require_same_call(call: ToolCall, outcome: Outcome) -> None:
    try:
        digest = call_digest(call)
    except EncodingError:
        digest = ""
    if outcome.call != digest:
        raise PolicyError(
            "outcome-of-another-call",
            "The outcome is that of another call than the one it is to answer; bind each outcome "
            "to the call it was made of.",
        )


def _result(outcome: Executed | Passed | Unknown, value: object) -> str:
    if value is None:
        seen = outcome.observed if isinstance(outcome, Executed) else ()
        names = [shown(each.name.path) for each in seen if each.seen != "not-observed"]
        if names:
            return f"Done; seen afterwards as intended: {', '.join(names)}"
        return _NOTHING
    came = result_of(value)
    if came.text is not None:
        return came.text
    return _TOO_LARGE if came.reason == "too-large" else f"{_NO_TEXT} {shown(type(value).__name__)}"


def _unknown_data(outcome: Unknown) -> dict[str, object]:
    return {
        "outcome": "unknown",
        "reason": outcome.reason,
        "receipt": outcome.receipt,
        "observed": [
            {"seen": sighting.seen, "target": shown(sighting.name.path)}
            | ({"claim": sighting.claim} if sighting.claim != "none" else {})
            for sighting in outcome.observed
        ],
    }


def _with_data(sentence: str, data: Mapping[str, object]) -> str:
    return f"{sentence}\n{msgspec.json.encode(data).decode()}"


def _answer(
    call: ToolCall, outcome: Outcome, text: str, *, is_error: bool, stop: bool = False
) -> Answer:
    return Answer(
        call=call,
        text=text,
        is_error=is_error,
        stop=stop,
        artifact=msgspec.to_builtins(outcome),
    )
