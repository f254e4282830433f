"""The stream of OpenAI chat completions, put together into a chat completion."""

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

_DONE = b"[DONE]"
_TEXTS = ("reasoning_content", "reasoning", "refusal")
# Of these the first value counts that is one.
_FIRST = ("id", "model", "object", "created")
_UNSTATED = frozenset((b'""', b"0"))


class _Call:
    """A tool call under way: its last fields, and its texts in pieces."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: dict[str, Piece] = {}
        self.inner: dict[str, Piece] = {}
        self.texts: dict[str, Joined] = {}

    def add(self, fields: dict[str, Raw]) -> None:
        for key, value in fields.items():
            if is_null(value) or key == "index":
                continue
            inner = object_of(value) if key in {"function", "custom"} else None
            if inner is None:
                if key != "id" or text_of(value):
                    self.fields[key] = value
                continue
            self.kind = key
            self.add_inner(inner)

    def add_inner(self, inner: dict[str, Raw]) -> None:
        for key, value in inner.items():
            if key in {"arguments", "input"} and scan.first(value) == b'"':
                self.texts.setdefault(key, Joined()).add(value)
            elif not is_null(value) and (key != "name" or text_of(value) or key not in self.inner):
                self.inner[key] = value

    def inner_pieces(self) -> dict[str, Piece]:
        return self.inner | {key: joined.text() for key, joined in self.texts.items()}

    def pieces(self) -> dict[str, Piece]:
        return self.fields | {self.kind: self.inner_pieces()}


class _Choice:
    """One choice under way."""

    def __init__(self) -> None:
        self.fields: dict[str, Piece] = {}
        self.message: dict[str, Piece] = {}
        self.texts: dict[str, Joined] = {}
        self.lists: dict[str, dict[tuple[int, int], Raw]] = {}
        self.blocks: list[Piece] = []
        self.calls: dict[int, _Call] = {}
        self.legacy: _Call | None = None
        self.audio: dict[str, Piece] = {}
        self.audio_texts: dict[str, Joined] = {}

    def add(self, choice: dict[str, Raw]) -> None:
        for key, value in choice.items():
            if key == "delta":
                self._add_delta(object_of(value) or {})
            elif not scan.is_null(value):
                self.fields[key] = value

    def _add_delta(self, delta: dict[str, Raw]) -> None:
        for key, value in delta.items():
            if scan.is_null(value):
                continue
            if key == "content":
                self._add_content(value)
            elif key in _TEXTS:
                self._text(key).add(value)
            elif key == "tool_calls":
                for call in list_of(value):
                    self._add_call(object_of(call) or {})
            elif key == "function_call":
                self.legacy = self.legacy or _Call("function")
                self.legacy.add_inner(object_of(value) or {})
            elif key == "audio":
                self._add_audio(object_of(value) or {})
            else:
                self._add_other(key, value)

    def _add_content(self, value: Raw) -> None:
        if scan.first(value) != b'"':
            self._end_text()
            self.blocks += list_of(value)
        else:
            self._text("content").add(value)

    def _text(self, name: str) -> Joined:
        joined = self.texts.get(name)
        if joined is None:
            joined = self.texts[name] = Joined()
        return joined

    def _end_text(self) -> None:
        """Text before a block becomes a block of its own, so that the order is kept."""
        joined = self.texts.pop("content", None)
        if joined:
            self.blocks.append({"type": "text", "text": joined.text()})

    def _add_call(self, call: dict[str, Raw]) -> None:
        last = max(self.calls, default=-1)
        if "index" in call:
            index = index_of(call["index"], last + 1)
        else:  # some leave it out: an id then begins a call
            index = last + 1 if last < 0 or text_of(call.get("id")) else last
        if index not in self.calls:
            self.calls[index] = _Call("function")
        self.calls[index].add(call)

    def _add_audio(self, audio: dict[str, Raw]) -> None:
        for key, value in audio.items():
            if key in {"data", "transcript"} and scan.first(value) == b'"':
                self.audio_texts.setdefault(key, Joined()).add(value)
            elif not is_null(value):
                self.audio[key] = value

    def _add_other(self, key: str, value: Raw) -> None:
        """What has no rule of its own: lists grow, anything else is replaced by the latest.

        An element that states its index takes the place of an earlier one that states the same.
        """
        if scan.first(value) != b"[":
            self.message[key] = value
            return
        grown = self.lists.setdefault(key, {})
        for element in list_of(value):
            stated = index_of((object_of(element) or {}).get("index"), -1)
            grown[(0, stated) if stated >= 0 else (1, len(grown))] = element

    def pieces(self, index: int) -> dict[str, Piece]:
        if self.blocks:
            self._end_text()
        message = self.message | {key: joined.text() for key, joined in self.texts.items()}
        message |= {key: list(grown.values()) for key, grown in self.lists.items()}
        if self.blocks:
            message["content"] = _merged(self.blocks)
        if self.calls:
            message["tool_calls"] = [self.calls[at].pieces() for at in sorted(self.calls)]
        if self.legacy is not None:
            message["function_call"] = self.legacy.inner_pieces()
        if self.audio or self.audio_texts:
            message["audio"] = self.audio | {k: v.text() for k, v in self.audio_texts.items()}
        return self.fields | {"index": index, "message": message}


class ChatStream:
    """Events in, a chat completion out. `done` once `[DONE]` was seen."""

    def __init__(self) -> None:
        self.done = False
        self._fields: dict[str, Piece] = {}
        self._stated: set[str] = set()
        self._choices: dict[int, _Choice] = {}

    def feed(self, event: Event) -> bool:
        """Whether the event was understood; it is part of the document then."""
        if event.data.strip() == _DONE:
            self.done = True
            return True
        chunk = object_of(event.data)
        if chunk is None or self.done:
            return False
        for key, value in chunk.items():
            if key == "choices":
                for choice in list_of(value):
                    fields = object_of(choice) or {}
                    index = index_of(fields.pop("index", None), 0)
                    self._choice(index).add(fields)
            elif key not in self._stated and not scan.is_null(value):
                self._fields[key] = value
                if key in _FIRST and bytes(value) not in _UNSTATED:
                    self._stated.add(key)
        return True

    def document(self) -> bytes:
        """The chat completion as far as it arrived."""
        choices = [self._choices[index].pieces(index) for index in sorted(self._choices)]
        return document({"choices": choices} | self._fields)

    def _choice(self, index: int) -> _Choice:
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = _Choice()
        return choice


def _merged(blocks: list[Piece]) -> list[Piece]:
    """Blocks, of which neighbours that hold pieces of one piece of reasoning are made one."""
    merged: list[Piece] = []
    thinking: list[Piece] = []
    for block in blocks:
        fields = object_of(block) if isinstance(block, Raw) else None
        inner = None if fields is None else fields.get("thinking")
        if fields is not None and inner is not None and scan.first(inner) == b"[":
            if not thinking:
                merged.append(fields | {"thinking": thinking})
            thinking += list_of(inner)
        else:
            thinking = []
            merged.append(block)
    return merged
