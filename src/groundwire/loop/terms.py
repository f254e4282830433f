"""Terms: what an agent's calls and answers are held to, as functions that the host hands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.errors import PolicyError
from groundwire.loop.messages import Request
from groundwire.loop.tools import require_callable


def ask_again(values: Sequence[str]) -> str | None:
    """The text that asks the model to look its values up or to leave them out."""
    return (
        f"{len(values)} of the values in your answer stand in no tool result and in nothing that was "
        "said. Look them up with the tools, or leave them out, and answer again."
    )


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """Everything is optional. No function here may change what it is given.

    `permit` says why a call must not run, None where it may; one that fails denies. `screen` says
    why an answer must not reach anybody. `schema` is the JSON Schema of answers. `judge` says what
    to correct in an answer. `corrections` is how often the model is asked to, for both. `revise`
    gets the values that nothing supports and gives the text of the one revision round, or None for
    none. `grounds` gives the values that the host vouches for, each `{"value": …, "source": …}`.
    `transform` is the last to touch a request before the model gets it. `lane` names the agent's
    conversation where the host names none: two agents of one run need two names.
    """

    permit: Callable[[ToolCall], str | None] | None = None
    screen: Callable[[str], str | None] | None = None
    schema: Mapping[str, object] | None = None
    judge: Callable[[str], str | None] | None = None
    corrections: int = 2
    revise: Callable[[Sequence[str]], str | None] = ask_again
    grounds: Callable[[], object] | None = None
    transform: Callable[[Request], Request] | None = None
    most_steps: int = 50
    lane: str = "agent"


def require_sound(terms: Terms) -> None:
    """Every function of the terms can be called, and every count is one.

    Raises:
        PolicyError: `not-a-function`, `out-of-range`.
    """
    for name in ("permit", "screen", "judge", "revise", "grounds", "transform"):
        require_callable(getattr(terms, name), name)
    if terms.corrections < 0 or terms.most_steps < 1:
        raise PolicyError(
            "out-of-range", "`corrections` is at least 0 and `most_steps` at least 1."
        )
