"""Turns: what a stand-in provider is told to say, in no provider's format."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.digest import sha256

Document: TypeAlias = dict[str, object]
Coding: TypeAlias = Literal["identity", "gzip", "br", "zstd"]


class Gate:
    """Holds a stream back, event by event, so that a test needs no sleep."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._allowed = 0
        self._opened = False

    def allow(self, events: int = 1) -> None:
        """So many more events may leave."""
        with self._change:
            self._allowed += events
            self._change.notify_all()

    def open(self) -> None:
        """Every event from now on may leave."""
        with self._change:
            self._opened = True
            self._change.notify_all()

    def wait(self) -> None:
        """The next event may leave; called by the stand-in before each."""
        with self._change:
            self._change.wait_for(lambda: self._opened or self._allowed > 0)
            self._allowed -= 1


class Call(msgspec.Struct, frozen=True):
    """A tool call; `arguments` is JSON text and is sent as it is. An empty `id` is made up."""

    name: str
    arguments: str = "{}"
    id: str = ""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the model: reasoning, then text, then tool calls.

    `stop` is the provider's own word; empty means the one that fits. A streamed answer comes in
    deltas of `piece` characters. `coding` is applied only if the client accepts it. `cut_after`
    breaks the connection after so many bytes of the body.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    stop: str = ""
    piece: int = 16
    coding: Coding = "identity"
    cut_after: int | None = None
    gate: Gate | None = None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP error in the provider's own form.

    `retry_after` is that header's value, in seconds; `may_retry = False` tells the SDK not to.
    """

    status: int = 429
    message: str = "Too many requests at once."
    retry_after: str | None = None
    may_retry: bool = True


class Hangup(msgspec.Struct, frozen=True):
    """The connection is closed without an answer."""


Answer: TypeAlias = Turn | Failure | Hangup


class Identity:
    """Ids that are the same whenever the same request comes for the same time."""

    def __init__(self, body: bytes, repeat: int) -> None:
        self._seed = sha256(body + repeat.to_bytes(8, "big"))

    def id(self, prefix: str, length: int, part: str = "") -> str:
        """`prefix` and so many characters."""
        digits = sha256(f"{self._seed} {prefix} {part}".encode()).removeprefix("sha256:")
        return prefix + digits[:length]

    def call_id(self, call: Call, index: int, prefix: str) -> str:
        """The call's own id, or one made up."""
        return call.id or self.id(prefix, 24, str(index))


def pieces(text: str, size: int) -> Iterator[str]:
    """The text in parts of at most `size` characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def tokens(text: str) -> int:
    """A count that grows with the text; no tokenizer's."""
    return (len(text) + 3) // 4


def written_tokens(turn: Turn) -> int:
    """The tokens of a whole turn."""
    return sum(
        tokens(text)
        for text in (
            turn.reasoning,
            turn.text,
            *(call.name + call.arguments for call in turn.calls),
        )
    )
