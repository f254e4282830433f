"""The stream of OpenAI responses, put together into a response object."""

from __future__ import annotations

from msgspec import Raw

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

_FINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})
_SNAPSHOTS = frozenset({"response.created", "response.in_progress", "response.queued"})
# Deltas of a text that stands in a list of the item: the list, its index, type and text member.
_LISTED = {
    "response.output_text.delta": ("content", "content_index", "output_text", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "summary_text", "text"),
}
# Deltas of a text that is a member of the item itself.
_DIRECT = {
    "response.function_call_arguments.delta": "arguments",
    "response.mcp_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.code_interpreter_call_code.delta": "code",
}
_PARTS = {
    "response.content_part.added": ("content", "content_index"),
    "response.reasoning_summary_part.added": ("summary", "summary_index"),
}
# What these say comes again, whole, in the item's own end; alone they add nothing.
_ECHOES = (".done", ".in_progress", ".completed", ".searching", ".generating", ".interpreting")


class _Part:
    """An element of an item's `content` or `summary` under way."""

    def __init__(self, fields: dict[str, Raw], name: str) -> None:
        self.name = name
        self.fields: dict[str, Piece] = {**fields}
        self.joined = Joined()
        if self.joined.add(fields.get(name)):
            del self.fields[name]

    def pieces(self) -> dict[str, Piece]:
        return self.fields | {self.name: self.joined.text()}


class _Item:
    """An output item under way."""

    def __init__(self, fields: dict[str, Raw]) -> None:
        self.fields: dict[str, Piece] = {**fields}
        self.texts: dict[str, Joined] = {}
        self.lists: dict[str, dict[int, _Part]] = {}
        for name in {name for name, *_ in _LISTED.values()}:
            for index, value in enumerate(list_of(fields.get(name))):
                self.part(name, index, object_of(value) or {})

    def part(self, name: str, index: int, fields: dict[str, Raw]) -> None:
        kind = text_of(fields.get("type")) or ""
        member = "refusal" if kind == "refusal" else "text"
        self.lists.setdefault(name, {})[index] = _Part(fields, member)

    def add_listed(self, kind: str, fields: dict[str, Raw]) -> None:
        name, index_name, part_kind, member = _LISTED[kind]
        index = index_of(fields.get(index_name), 0)
        if index not in self.lists.get(name, {}):
            given = Raw(b'"' + part_kind.encode("ascii") + b'"')
            self.lists.setdefault(name, {})[index] = _Part({"type": given}, member)
        self.lists[name][index].joined.add(fields.get("delta"))

    def add_direct(self, name: str, value: Raw | None) -> None:
        if name not in self.texts:
            self.texts[name] = Joined()
            before = self.fields.get(name)
            if isinstance(before, Raw):
                self.texts[name].add(before)
        self.texts[name].add(value)

    def pieces(self) -> dict[str, Piece]:
        pieces = {key: value for key, value in self.fields.items() if key != "status"}
        for name, parts in self.lists.items():
            pieces[name] = [parts[index].pieces() for index in sorted(parts)]
        return pieces | {name: joined.text() for name, joined in self.texts.items()}


class ResponsesStream:
    """Events in, a response object out. `done` once its final event was seen."""

    def __init__(self) -> None:
        self.done = False
        self._fields: dict[str, Raw] = {}
        self._items: dict[int, _Item | Raw] = {}
        self._error: Raw | None = None

    def feed(self, event: Event) -> bool:
        """Whether the event was understood; it is part of the document then."""
        fields = object_of(event.data)
        if fields is None or self.done:
            return event.data.strip() == b"[DONE]"
        kind = text_of(fields.get("type")) or event.name
        if kind in _FINAL or kind in _SNAPSHOTS:
            self.done = kind in _FINAL
            self._fields.update(object_of(fields.get("response", Raw(b"{}"))) or {})
        elif kind == "error":
            self._error = fields.get("error", Raw(event.data))
        else:
            return self._feed_item(kind, fields)
        return True

    def document(self) -> bytes:
        """The response as far as it arrived; the final event's own where that came."""
        pieces: dict[str, Piece] = {**self._fields}
        output = list_of(self._fields.get("output"))
        if not (self.done and output):
            pieces["output"] = [self._piece(index) for index in sorted(self._items)]
        if not self.done:
            pieces.pop("status", None)  # what it said was how far it was, not how it ended
        if self._error is not None and is_null(self._fields.get("error")):
            pieces["error"] = self._error
        return document(pieces)

    def _piece(self, index: int) -> Piece:
        item = self._items[index]
        return item.pieces() if isinstance(item, _Item) else item

    def _feed_item(self, kind: str, fields: dict[str, Raw]) -> bool:
        index = index_of(fields.get("output_index"), max(self._items, default=0))
        if kind == "response.output_item.added":
            self._items[index] = _Item(object_of(fields.get("item", Raw(b"{}"))) or {})
            return True
        if kind == "response.output_item.done":
            self._items[index] = fields.get("item", Raw(b"{}"))
            return True
        item = self._items.get(index)
        if item is None:
            item = self._items[index] = _Item({})
        if isinstance(item, Raw):
            return kind.endswith(_ECHOES) or kind in _LISTED or kind in _DIRECT
        if kind in _PARTS:
            name, index_name = _PARTS[kind]
            part = object_of(fields.get("part", Raw(b"{}"))) or {}
            item.part(name, index_of(fields.get(index_name), 0), part)
        elif kind in _LISTED:
            item.add_listed(kind, fields)
        elif kind in _DIRECT:
            item.add_direct(_DIRECT[kind], fields.get("delta"))
        else:
            return kind.endswith(_ECHOES)
        return True
