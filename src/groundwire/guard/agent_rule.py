"""The agent's rule: how a model is to act on refusals. It is asked of the model, and holds it to nothing.

The guard refuses the same with it and without it. That it was shown is read off the wire; that a
model obeys it is not known from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypeVar, overload

from groundwire.documents.frame import Frame, Part, Text
from groundwire.errors import PolicyError

Provider: TypeAlias = Literal["openai", "anthropic", "gemini"]
Message: TypeAlias = Mapping[str, object]
AnyMessage = TypeVar("AnyMessage", bound=Message)
"""What an SDK types a message as; what is made has the same keys."""

AGENT_RULE: Final = """\
[groundwire agent rule 2]
Your tool calls are checked before they run. A refused call changed nothing.
- A refusal says in "next" what to do: "read-again", "change-call", "use-first" (it was done before; \
go on with that), "ask-again" (a person was asked; make the same call later), "ask-person" or "stop". \
Do that.
- Do not try to get the same effect in another way: not by another tool, a shell command, a script, \
another path or smaller steps.
- "unknown" means that the call may have had its effect. Do not repeat it. Look at what is there, or \
tell the person.
- Say in your answer what was refused and what is unknown. Do not say that something was done unless \
its tool result says so.
[end of groundwire agent rule]"""
"""The rule, as it stands in a request. A change of its words is another number."""

_SYSTEM: Final = ("system", "developer")


@overload
def with_policy(messages: str, *, provider: Provider = ...) -> str: ...


@overload
def with_policy(
    messages: Sequence[AnyMessage], *, provider: Provider = ...
) -> list[AnyMessage]: ...


def with_policy(messages: str | Sequence[object], *, provider: Provider = "openai") -> object:
    """A copy of the messages that has the agent's rule once; what was handed in is not changed.

    A text (`instructions`, Anthropic's `system`, Gemini's `system_instruction`) gets it at its end,
    and so does a list of text blocks or parts. In a list of messages the first system message
    gets it, or a new one in front. Anthropic and Gemini have no such message: there it is a
    part of the first user message; better hand in their system text. The rule holds no model.

    Raises:
        PolicyError: `not-messages`.
    """
    if isinstance(messages, str):
        return messages if AGENT_RULE in messages else _joined(messages)
    if isinstance(messages, bytes | Mapping) or not isinstance(messages, Sequence):
        raise _unreadable(messages)
    found = [_copied(each) for each in messages]
    if _are_blocks(found, provider):
        shown = any(AGENT_RULE in str(each["text"]) for each in found)
        return found if shown else [*found, _block(provider)]
    if provider != "openai" and not any("role" in each for each in found):
        raise _unreadable(messages)
    roles = _SYSTEM if provider == "openai" else ("user",)
    if any(each.get("role") in roles and _shows(each) for each in found):
        return found
    for place, each in enumerate(found):
        if each.get("role") in roles:
            found[place] = _added(each, provider)
            return found
    first = {"role": roles[0], **_content(provider)}
    return [first, *found]


def rule_in(frame: Frame) -> bool:
    """Whether a request showed the model the rule, whole, in its instructions or a user's message.

    In a tool's result or the model's own words it does not count.
    """
    told: list[Sequence[Part]] = [frame.system]
    told += [message.parts for message in frame.messages if message.role in {"system", "user"}]
    return any(
        isinstance(part, Text) and AGENT_RULE in part.text for parts in told for part in parts
    )


def _are_blocks(found: Sequence[Message], provider: Provider) -> bool:
    """Whether they are the texts of one instruction, and no messages."""
    if not found:
        return provider != "openai"
    return all("role" not in each and isinstance(each.get("text"), str) for each in found)


def _joined(text: str) -> str:
    return f"{text}\n\n{AGENT_RULE}" if text else AGENT_RULE


def _block(provider: Provider) -> dict[str, object]:
    return {"text": AGENT_RULE} if provider == "gemini" else {"type": "text", "text": AGENT_RULE}


def _content(provider: Provider) -> dict[str, object]:
    return {"parts": [_block(provider)]} if provider == "gemini" else {"content": AGENT_RULE}


def _added(message: Mapping[str, object], provider: Provider) -> dict[str, object]:
    """The message with the rule: after a system message's own text, before a user's."""
    key = "parts" if provider == "gemini" else "content"
    content = message.get(key)
    if isinstance(content, str):
        text = _joined(content) if provider == "openai" else f"{AGENT_RULE}\n\n{content}"
        return {**message, key: text}
    if content is None:
        return {**message, **_content(provider)}
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        block = _block(provider)
        if content and _kind(content[0]) == "input_text":  # the Responses API's own blocks
            block["type"] = "input_text"
        if provider == "openai":
            return {**message, key: [*content, block]}
        return {**message, key: [*_results(content), block, *_others(content)]}
    raise _unreadable(content)


def _results(content: Sequence[object]) -> list[object]:
    """Results of tools come first in a message of Anthropic's."""
    return [each for each in content if _kind(each) == "tool_result"]


def _others(content: Sequence[object]) -> list[object]:
    return [each for each in content if _kind(each) != "tool_result"]


def _kind(block: object) -> object:
    return block.get("type") if isinstance(block, Mapping) else None


def _shows(message: Mapping[str, object]) -> bool:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return AGENT_RULE in content
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        return False
    texts = (block.get("text") for block in content if isinstance(block, Mapping))
    return any(isinstance(text, str) and AGENT_RULE in text for text in texts)


def _copied(message: object) -> dict[str, object]:
    if not isinstance(message, Mapping):
        raise _unreadable(message)
    return {str(key): value for key, value in message.items()}


def _unreadable(value: object) -> PolicyError:
    return PolicyError(
        "not-messages",
        f"The agent's rule goes into a text or a list of messages as dictionaries, not into "
        f"{type(value).__name__}; hand in the system text, or with_policy([...]).",
    )
