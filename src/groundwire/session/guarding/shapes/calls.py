"""Calls as models make them, in each provider's shape, read as one `ToolCall`.

Where an SDK gives the arguments as text, that text is taken as it stands. Where it gives them
parsed (Anthropic, Gemini, LangChain), they are written anew here: the text that crossed the wire may
have been spelt otherwise, and where that wire is watched the table takes it from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.errors import GuardError
from groundwire.session.executions.values import json_of

Dialect: TypeAlias = Literal[
    "plain", "openai", "openai-responses", "anthropic", "gemini", "langchain"
]

PARSED: Final[tuple[Dialect, ...]] = ("anthropic", "gemini", "langchain")
"""Shapes whose SDKs give arguments parsed, so that their spelling on the wire is not known from them."""


class ModelCall(msgspec.Struct, frozen=True):
    """A model's call, and in whose shape it came: its result goes back in the same."""

    call: ToolCall
    dialect: Dialect


def model_call(value: object) -> ModelCall:
    """The call, of whichever provider; an SDK's object or the same as a dictionary.

    Also a `ToolCall`, and `(name, arguments)` or `(name, arguments, id)`. Looks at the shape alone:
    neither whether there is such a tool nor what the arguments say.

    Raises:
        GuardError: `unknown-call-shape`: it is no call of a tool that the host runs.
    """
    try:
        found = _read(value)
    except GuardError:
        raise
    except Exception as error:
        raise _unknown(value) from error
    if found is None:
        raise _unknown(value)
    return found


def _read(value: object) -> ModelCall | None:
    if isinstance(value, ModelCall):
        return value
    if isinstance(value, ToolCall):
        return ModelCall(value, "plain")
    if isinstance(value, tuple):
        if len(value) not in {2, 3}:
            return None
        name, arguments, call_id = (*value, "")[:3]
        return _made(name, arguments, call_id, "plain")
    inner = _field(value, "functionCall") or _field(value, "function_call")
    if inner is not None:  # a part of Gemini's content
        return _made(_field(inner, "name"), _field(inner, "args"), _field(inner, "id"), "gemini")
    return _of_type(value)


def _of_type(value: object) -> ModelCall | None:
    name, call_id = _field(value, "name"), _field(value, "id")
    kind = _field(value, "type")
    function = _field(value, "function")
    if kind == "function" or (kind is None and function is not None):
        # Ollama and others leave `type` out.
        said = _field(function, "arguments")
        return _made(_field(function, "name"), said, call_id, "openai")
    match kind:
        case "function_call":
            said = _field(value, "arguments")
            return _made(name, said, _field(value, "call_id"), "openai-responses")
        case "tool_use":
            return _made(name, _field(value, "input"), call_id, "anthropic")
        case "tool_call" | "invalid_tool_call":
            return _made(name, _field(value, "args"), call_id, "langchain")
        case None if _has(value, "args"):
            return _made(name, _field(value, "args"), call_id, _untyped(value))
        case _:
            return None


def _untyped(value: object) -> Dialect:
    """LangChain's calls are dictionaries; those of Gemini's SDK are objects."""
    return "langchain" if isinstance(value, Mapping) and _field(value, "id") else "gemini"


def _made(name: object, arguments: object, call_id: object, dialect: Dialect) -> ModelCall | None:
    if not isinstance(name, str) or not name:
        return None
    if isinstance(arguments, str):
        text: str | None = arguments
    elif arguments is None or isinstance(arguments, Mapping):
        text = json_of({} if arguments is None else arguments).text
    else:
        return None
    if text is None or not (call_id is None or isinstance(call_id, str)):
        return None
    return ModelCall(ToolCall(id=call_id or "", name=name, arguments=text), dialect)


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _has(value: object, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _unknown(value: object) -> GuardError:
    kind = _field(value, "type") if isinstance(value, Mapping) else None
    shown = f"of type {kind!r:.40}" if isinstance(kind, str) else f"a {type(value).__name__}"
    return GuardError(
        "unknown-call-shape",
        f"This is no call of a tool that the host runs ({shown}); hand in the call as the "
        "provider's SDK gives it, or (name, arguments, id).",
    )
