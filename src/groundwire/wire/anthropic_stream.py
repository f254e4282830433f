"""The stream of Anthropic messages, put together into a message."""

from __future__ import annotations

from msgspec import Raw

from groundwire.wire import scan
from groundwire.wire.fragments import (
    Joined,
    Piece,
    document,
    index_of,
    is_null,
    list_of,
    object_of,
    text_of,
)
from groundwire.wire.sse import Event

_TEXT_DELTAS = {"text_delta": "text", "thinking_delta": "thinking"}
_SILENT = frozenset({"ping", "content_block_stop"})


class _Block:
    """A content block under way."""

    def __init__(self, fields: dict[str, Raw]) -> None:
        self.fields: dict[str, Piece] = {}
        self.texts: dict[str, Joined] = {}
        self.input = Joined()
        self.citations = list_of(fields.pop("citations", None))
        for key, value in fields.items():
            if key in {"text", "thinking"} and scan.first(value) == b'"':
                self._text(key).add(value)
            elif not is_null(value):
                self.fields[key] = value

    def add(self, delta: dict[str, Raw]) -> None:
        kind = text_of(delta.pop("type", None)) or ""
        name = _TEXT_DELTAS.get(kind, "")
        if name and self._text(name).add(delta.get(name)):
            delta.pop(name)
        elif kind == "input_json_delta" and self.input.add(delta.get("partial_json")):
            delta.pop("partial_json")
        elif kind == "citations_delta" and (citation := delta.pop("citation", None)) is not None:
            self.citations.append(citation)
        for key, value in delta.items():  # a signature, a compaction, whatever else there is
            if not is_null(value):
                self.fields[key] = value

    def _text(self, name: str) -> Joined:
        joined = self.texts.get(name)
        if joined is None:
            joined = self.texts[name] = Joined()
        return joined

    def pieces(self) -> dict[str, Piece]:
        pieces = self.fields | {key: joined.text() for key, joined in self.texts.items()}
        if self.citations:
            pieces["citations"] = self.citations
        if self.input:
            # A cut or misspelled input is no JSON; it stands as the text it is.
            text = self.input.text()
            data = text.encode("utf-8")
            pieces["input"] = Raw(data) if scan.is_json(data) else text
        return pieces


class AnthropicStream:
    """Events in, a message out. `done` once `message_stop` was seen."""

    def __init__(self) -> None:
        self.done = False
        self._fields: dict[str, Piece] = {}
        self._usage: dict[str, Raw] = {}
        self._blocks: dict[int, _Block] = {}

    def feed(self, event: Event) -> bool:
        """Whether the event was understood; it is part of the document then."""
        fields = object_of(event.data)
        if fields is None or self.done:
            return False
        kind = text_of(fields.pop("type", None)) or event.name
        if kind == "message_stop":
            self.done = True
        elif kind == "message_start":
            self._start(object_of(fields.pop("message", Raw(b"null"))) or {})
        elif kind == "content_block_start":
            index = index_of(fields.pop("index", None), len(self._blocks))
            self._blocks[index] = _Block(object_of(fields.pop("content_block", Raw(b"{}"))) or {})
        elif kind == "content_block_delta":
            index = index_of(fields.pop("index", None), max(self._blocks, default=0))
            block = self._blocks.get(index)
            if block is None:
                block = self._blocks[index] = _Block({})
            block.add(object_of(fields.pop("delta", Raw(b"{}"))) or {})
        elif kind == "message_delta":
            self._take(object_of(fields.pop("delta", Raw(b"{}"))) or {})
            self._take(fields)
        elif kind == "error":
            self._fields["error"] = fields.get("error", Raw(event.data))
        else:
            return kind in _SILENT
        return True

    def document(self) -> bytes:
        """The message as far as it arrived."""
        content = [self._blocks[index].pieces() for index in sorted(self._blocks)]
        pieces: dict[str, Piece] = {**self._fields, "content": content}
        if self._usage:
            pieces["usage"] = self._usage
        return document(pieces)

    def _start(self, message: dict[str, Raw]) -> None:
        for index, block in enumerate(list_of(message.pop("content", None))):
            self._blocks[index] = _Block(object_of(block) or {})
        self._take(message)

    def _take(self, fields: dict[str, Raw]) -> None:
        usage = object_of(fields.pop("usage", Raw(b"null")))
        for key, value in (usage or {}).items():
            if not is_null(value):
                self._usage[key] = value
        for key, value in fields.items():
            if not is_null(value):
                self._fields[key] = value
