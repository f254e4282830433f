"""Frame: everything a request showed the model. Response: everything it gave back.

`gc=False`: a long run holds thousands of these, and frozen ones cannot make a cycle that the
collector would have to look for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.call import Executor, ToolCall

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class Text(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """Text that the model read or wrote, unescaped."""

    text: str


class CallPart(msgspec.Struct, frozen=True, gc=False, tag="call"):
    """A tool call standing in a message."""

    call: ToolCall


class ResultPart(msgspec.Struct, frozen=True, gc=False, tag="result"):
    """A tool result standing in a message.

    `text` is the unescaped text of all its text blocks, joined by newlines; `opaque` counts the
    blocks of it that are not text (images, references): they are the parts right after this one.
    `name` is the tool's name only where the wire states it.
    """

    call_id: str
    text: str
    name: str | None = None
    is_error: bool = False
    opaque: int = 0
    executed_by: Executor = "host"


class Reasoning(msgspec.Struct, frozen=True, gc=False, tag="reasoning"):
    """The model's own reasoning as far as the provider shows it; `text` may be empty."""

    text: str


class Media(msgspec.Struct, frozen=True, gc=False, tag="media"):
    """An image, audio or file. `digest` is `sha256:` of the decoded bytes, or of the URL.

    `size` counts the decoded bytes; it is 0 for a URL, behind which nothing crossed the wire.
    """

    media_type: str
    digest: str
    size: int


class Opaque(msgspec.Struct, frozen=True, gc=False, tag="opaque"):
    """A part that this version does not read. `kind` is its own type name, `raw` its JSON text."""

    kind: str
    raw: str


Part: TypeAlias = Text | CallPart | ResultPart | Reasoning | Media | Opaque


class Message(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One element of the conversation.

    `raw` is the exact slice of the request body (empty where a log was imported and no wire bytes
    exist). `content_digest` is a `gw1:` digest of role and parts without volatile keys, equal
    across providers and spellings. `authored_by` is `library` for text a host library wrote in
    a user's place, where that can be told.
    """

    role: Role
    parts: tuple[Part, ...]
    raw: bytes
    content_digest: str
    authored_by: Literal["unstated", "library"] = "unstated"


class ToolSpec(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A tool as it was offered in a request; `schema` is the exact JSON text of its input schema.

    `name` is the name the model calls it by; for a tool the provider runs and does not name, the
    provider's own type (`web_search_20250305`) stands there and `executed_by` is `provider`.
    """

    name: str
    schema: str
    description: str = ""
    executed_by: Executor = "host"


class Frame(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What one request showed the model.

    `parameters` is the canonical JSON text of every other field of the body (temperature, …).
    `held_by_provider` names the state the provider keeps for the client (a previous response id,
    a conversation): when set, `messages` is not all that the model sees.
    `opaque` lists the JSON pointers of what was not read.
    """

    provider: str
    model: str
    system: tuple[Part, ...]
    tools: tuple[ToolSpec, ...]
    parameters: str
    messages: Sequence[Message]
    stream: bool = False
    held_by_provider: str | None = None
    opaque: tuple[str, ...] = ()


class Response(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the model gave back.

    `complete` is true only if the protocol's own terminator was seen (`[DONE]`, `message_stop`,
    `response.completed`) or the body was one whole JSON document. `stop` is the provider's own
    word. `usage` holds whole token counts under the provider's own names, nested names joined by
    a dot. `content_digest` equals that of the assistant message a client would send back;
    `item_digests` are those of its single items where a client sends the answer back as several
    messages (OpenAI responses). `opaque` lists JSON pointers of what was not read, and
    `/events/<number>` for events of a stream that nobody understood.
    """

    provider: str
    id: str
    model: str
    parts: tuple[Part, ...]
    stop: str | None
    usage: dict[str, int]
    complete: bool
    content_digest: str
    error: str | None = None
    opaque: tuple[str, ...] = ()
    item_digests: tuple[str, ...] = ()


def host_calls(response: Response) -> list[ToolCall]:
    """The calls of the response that the host has to run, in order."""
    return [
        part.call
        for part in response.parts
        if isinstance(part, CallPart) and part.call.executed_by == "host"
    ]
