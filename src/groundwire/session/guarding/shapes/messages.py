"""Messages: an answer as the tool result that each provider's next request takes.

Bound by the id that the model's call has; without one there is nothing to bind to, but for Gemini,
which also binds by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from groundwire.errors import PolicyError
from groundwire.session.guarding.shapes.answers import Answer
from groundwire.session.guarding.shapes.calls import Dialect

Message: TypeAlias = dict[str, object]
Shape: TypeAlias = Dialect | Literal["crewai"]


def message_for(answer: Answer, shape: Shape) -> Message:
    """The answer in this shape, mostly the one in which the call came; a plain call gets OpenAI's.

    Raises:
        PolicyError: `unknown-shape`, `not-an-answer`, `no-call-id`.
    """
    make = _MAKERS.get(shape)
    if make is None:
        raise PolicyError(
            "unknown-shape",
            f"There is no tool result in the shape {shape!r}; there are {', '.join(_MAKERS)}.",
        )
    return make(answer)


def openai_message(answer: Answer) -> Message:
    """A message of a chat completion. The protocol has no mark for a failure: the text says it.

    Raises:
        PolicyError: `not-an-answer`, `no-call-id`.
    """
    return {"role": "tool", "tool_call_id": _id(answer), "content": answer.text}


def openai_responses_item(answer: Answer) -> Message:
    """An item of the Responses API's input.

    Raises:
        PolicyError: `not-an-answer`, `no-call-id`.
    """
    return {"type": "function_call_output", "call_id": _id(answer), "output": answer.text}


def anthropic_block(answer: Answer) -> Message:
    """A block of the next user message.

    Raises:
        PolicyError: `not-an-answer`, `no-call-id`.
    """
    return {
        "type": "tool_result",
        "tool_use_id": _id(answer),
        "content": answer.text,
        "is_error": answer.is_error,
    }


def gemini_part(answer: Answer) -> Message:
    """A part of the next user content; bound by the call's id where it has one, and by its name.

    Raises:
        PolicyError: `not-an-answer`.
    """
    _require(answer)
    said = {"error" if answer.is_error else "output": answer.text}
    response: dict[str, object] = {"name": answer.call.name, "response": said}
    if answer.call.id:
        response["id"] = answer.call.id
    return {"functionResponse": response}


def langchain_message(answer: Answer) -> Message:
    """What LangChain and LangGraph read as a `ToolMessage`; the outcome stays out of the context.

    Raises:
        PolicyError: `not-an-answer`, `no-call-id`.
    """
    return {
        "role": "tool",
        "tool_call_id": _id(answer),
        "name": answer.call.name,
        "content": answer.text,
        "status": "error" if answer.is_error else "success",
        "artifact": dict(answer.artifact),
    }


def crewai_result(answer: Answer) -> Message:
    """The fields of CrewAI's `ToolResult`; it ends the agent's work where a person is needed now.

    A first refusal does not: the agent may read again, or make the call differently.

    Raises:
        PolicyError: `not-an-answer`.
    """
    _require(answer)
    return {"result": answer.text, "result_as_answer": answer.stop}


def _id(answer: Answer) -> str:
    _require(answer)
    if not answer.call.id:
        raise PolicyError(
            "no-call-id",
            "The call has no id, so no result can be bound to it; hand in the call as the "
            "provider's SDK gives it.",
        )
    return answer.call.id


def _require(answer: object) -> None:
    if not isinstance(answer, Answer):
        raise PolicyError(
            "not-an-answer",
            f"A {type(answer).__name__} is no answer to a call; hand in what the table returned.",
        )


_MAKERS: Final[Mapping[Shape, Callable[[Answer], Message]]] = {
    "plain": openai_message,
    "openai": openai_message,
    "openai-responses": openai_responses_item,
    "anthropic": anthropic_block,
    "gemini": gemini_part,
    "langchain": langchain_message,
    "crewai": crewai_result,
}
