"""Decoder: splits to frames, response bytes to responses, for the protocols of this version."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from groundwire.documents.frame import Frame, Message, Response
from groundwire.documents.split import Split
from groundwire.documents.strand import Strand, leading
from groundwire.errors import EncodingError
from groundwire.wire import (
    anthropic,
    openai_chat,
    openai_responses,
    scan,
)
from groundwire.wire.answer import Answer
from groundwire.wire.anthropic_stream import AnthropicStream
from groundwire.wire.memo import Memo
from groundwire.wire.openai_chat_stream import ChatStream
from groundwire.wire.openai_chat_stream_plain import read_plain_stream
from groundwire.wire.openai_responses_stream import ResponsesStream
from groundwire.wire.providers import recognise
from groundwire.wire.reading import Read
from groundwire.wire.shell import Shell, read_shell
from groundwire.wire.split import MESSAGE_FIELDS
from groundwire.wire.sse import Event, Parser

__all__ = ["Decoder", "decode_response", "recognise"]

_ROOM = 8 << 20
_SHELLS = 32
_RECENT = 4
_STREAM_FIELDS = (b"data:", b"event:", b":", b"id:", b"retry:")


class _Stream(Protocol):
    done: bool

    def feed(self, event: Event) -> bool: ...

    def document(self) -> bytes: ...


class _Wire(msgspec.Struct, frozen=True):
    """The readers of one protocol."""

    read_message: Callable[[bytes], Read]
    read_answer: Callable[[bytes], Answer]
    new_stream: Callable[[], _Stream]
    read_plain_stream: Callable[[bytes], Answer | None] = lambda _: None


_WIRES = {
    "openai-chat": _Wire(
        openai_chat.read_message, openai_chat.read_answer, ChatStream, read_plain_stream
    ),
    "openai-responses": _Wire(
        openai_responses.read_message, openai_responses.read_answer, ResponsesStream
    ),
    "anthropic": _Wire(anthropic.read_message, anthropic.read_answer, AnthropicStream),
}


class _Framed(msgspec.Struct, frozen=True):
    """The messages of a frame made before, for the next one to begin with.

    `unread` are pointers, `places` the messages they point into, ascending; `held` is (message,
    id), ascending.
    """

    raws: Sequence[bytes] = ()
    messages: Strand[Message] = Strand()
    unread: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    held: tuple[tuple[int, str], ...] = ()


class Decoder:
    """Decodes the exchanges of one run; what it decoded once it does not decode again.

    Holds about 16 MiB of decoded messages at most, beside those of the frames in use. Not safe
    for two threads.
    """

    def __init__(self) -> None:
        self._known: dict[str, Memo[bytes, Read]] = {}
        self._shells: dict[tuple[str, bytes, bytes], Shell] = {}
        self._recent: list[tuple[str, _Framed]] = []

    def frame(self, split: Split, provider: str) -> Frame:
        """What the body showed the model; of the split it was made from every byte is read.

        Costs what is new since the frames before it. Does not check that tools, calls and results
        fit each other.

        Raises:
            EncodingError: `unknown-provider`, `not-json`, `too-deep`, `not-an-object`.
        """
        wire = _wire(provider)
        try:
            shell = self._shell(split.before, split.after, provider)
            framed = self._framed(split, wire, provider)
        except RecursionError as error:
            raise scan.too_deep() from error
        held = shell.held or (framed.held[0][1] if framed.held else None)
        return Frame(
            provider=provider,
            model=shell.model,
            system=shell.system,
            tools=shell.tools,
            parameters=shell.parameters,
            messages=framed.messages,
            stream=shell.stream,
            held_by_provider=held,
            opaque=shell.unread + framed.unread,
        )

    def response(self, body: bytes, provider: str, *, streamed: bool) -> Response:
        """What the model gave back, from a body after content decoding; see `decode_response`.

        Raises:
            EncodingError: as `decode_response`.
        """
        return decode_response(body, provider, streamed=streamed)

    def _shell(self, before: bytes, after: bytes, provider: str) -> Shell:
        key = (provider, before, after)
        shell = self._shells.get(key)
        if shell is None:
            shell = read_shell(before, after, provider)
            if len(self._shells) >= _SHELLS:
                self._shells.clear()
            self._shells[key] = shell
        return shell

    def _framed(self, split: Split, wire: _Wire, provider: str) -> _Framed:
        known, kept = self._most_alike(split, provider)
        reads = self._read(split.messages[kept:], wire, provider)
        cut = bisect_left(known.places, kept)
        unread: list[str] = []
        places: list[int] = []
        held = [(index, name) for index, name in known.held if index < kept]
        for index, read in enumerate(reads, kept):
            if read.unread:
                unread += [f"/{MESSAGE_FIELDS[provider]}/{index}{at}" for at in read.unread]
                places += [index] * len(read.unread)
            if read.held:
                held.append((index, read.held))
        framed = _Framed(
            split.messages,
            known.messages.going_on(kept, [read.message for read in reads]),
            known.unread[:cut] + tuple(unread),
            known.places[:cut] + tuple(places),
            tuple(held),
        )
        self._recent.insert(0, (provider, framed))
        del self._recent[_RECENT:]
        return framed

    def _most_alike(self, split: Split, provider: str) -> tuple[_Framed, int]:
        best, most, raws = _Framed(), 0, split.messages
        for known_provider, known in self._recent:
            if known_provider == provider and len(known.raws) > most:
                same = leading(known.raws, raws)
                if same > most:
                    best, most = known, same
        return best, most

    def _read(self, raws: Sequence[bytes], wire: _Wire, provider: str) -> list[Read]:
        known = self._known.get(provider)
        if known is None:
            known = self._known[provider] = Memo(_ROOM)
        reads: list[Read] = []
        for raw, read in zip(raws, known.get_all(raws), strict=True):
            # A message that stands twice in the body was perhaps read a moment ago.
            fresh = read or known.get(raw)
            if fresh is None:
                fresh = wire.read_message(raw)
                known.put(raw, fresh, len(raw))
            reads.append(fresh)
        return reads


def decode_response(body: bytes, provider: str, *, streamed: bool) -> Response:
    """What the model gave back, from a body after content decoding.

    A stream cut anywhere gives a response that is not complete and holds what arrived; events that
    no reader of this version understands are listed as `/events/<number>` in `opaque`. `streamed`
    says what the headers said; a body that is plainly the other form is read as that.

    Raises:
        EncodingError: `unknown-provider`, `not-json`, `not-an-object`, `not-a-response`,
            `not-a-stream`, `too-deep`.
    """
    wire = _wire(provider)
    try:
        if _is_stream(body, streamed=streamed):
            plain = wire.read_plain_stream(body)
            if plain is not None:
                return plain.response(provider, complete=True)
            return read_events(body, provider)
        return wire.read_answer(body).response(provider, complete=True)
    except RecursionError as error:
        raise scan.too_deep() from error


def _wire(provider: str) -> _Wire:
    wire = _WIRES.get(provider)
    if wire is None:
        raise EncodingError("unknown-provider", f"No protocol is called {provider!r}.")
    return wire


def _is_stream(body: bytes, *, streamed: bool) -> bool:
    start = body.lstrip()[:8] if len(body) < 64 else body[:64].lstrip()[:8]
    if start[:1] == b"{":
        return False
    return streamed or start.startswith(_STREAM_FIELDS)


def read_events(body: bytes, provider: str) -> Response:
    """What a stream gave back, read event by event; what `decode_response` says of any stream.

    Raises:
        EncodingError: as `decode_response`.
    """
    wire = _wire(provider)
    parser, stream = Parser(), wire.new_stream()
    not_understood: list[str] = []
    events = parser.feed(body)
    for number, event in enumerate(events):
        if not stream.feed(event):
            not_understood.append(f"/events/{number}")
    pending = parser.pending()
    understood = pending is not None and stream.feed(pending)
    if not events and not understood and parser.is_strange():
        raise EncodingError(
            "not-a-stream", "The body is neither a JSON document nor server-sent events."
        )
    answer = wire.read_answer(stream.document())
    answer.reading.unread += not_understood
    return answer.response(provider, complete=stream.done)
