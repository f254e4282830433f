"""Passages: the texts of a frame, each with who put it there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.frame import (
    CallPart,
    Media,
    Opaque,
    Part,
    Reasoning,
    ResultPart,
    Role,
    Text,
)

Voice: TypeAlias = Literal["system", "user", "result", "schema", "opaque", "assistant", "call"]

# What the model wrote itself; everything else was served to it.
OWN: frozenset[Voice] = frozenset({"assistant", "call"})


class Passage(msgspec.Struct, frozen=True, gc=False):
    """One text of a message, unescaped as the wire decoder gave it.

    `call_id` and `tool` are set for results and for the model's own calls, `tool` only where the
    wire states it.
    """

    voice: Voice
    text: str
    call_id: str = ""
    tool: str = ""


def passages(role: Role, parts: tuple[Part, ...]) -> Iterator[Passage]:
    """The texts of these parts, in order.

    A part this version does not read counts as served, as its JSON text: whoever cannot read
    something must not say that a value is not in it. Media hold no text.
    """
    for part in parts:
        match part:
            case Text(text) | Reasoning(text):
                yield Passage("assistant" if role == "assistant" else _host(role), text)
            case CallPart(call):
                yield Passage("call", call.arguments, call.id, call.name)
            case ResultPart(call_id, text, name):
                yield Passage("result", text, call_id, name or "")
            case Opaque(_, raw):
                yield Passage("opaque", raw)
            case Media():
                pass


def is_unread(parts: tuple[Part, ...]) -> bool:
    """Whether these parts showed the model something that has no text here: an image, a file."""
    return any(
        isinstance(part, Media) or (isinstance(part, ResultPart) and part.opaque > 0)
        for part in parts
    )


def _host(role: Role) -> Voice:
    # A plain text in a tool message is what a tool answered.
    return "result" if role == "tool" else "system" if role == "system" else "user"
