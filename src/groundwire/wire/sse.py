"""Server-sent events, as the WHATWG HTML standard (9.2.6) parses them, from bytes.

Data stays bytes: what is inside it is JSON, read by others. An event counts when the blank line
after it has arrived; what was under way when the stream ended is in `pending`.
"""

from __future__ import annotations

import msgspec

_LINE_ENDS = (b"\n", b"\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DATA = b"data: "
_FIELDS = (b"data", b"event", b"id", b"retry")


class Event(msgspec.Struct, frozen=True):
    """One event: its name (`message` where none was given) and its data without the last LF."""

    name: str
    data: bytes


class Parser:
    """Bytes in, however they were cut; events out. Never fails: unknown lines are no fields."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._started = False
        self._after_return = False
        self._name = b""
        self._data: list[bytes] = []
        self.strange = 0

    def feed(self, data: bytes) -> list[Event]:
        """The events whose blank line arrived with `data`."""
        if not self._started:
            data = b"".join((*self._rest, data))
            self._rest = []
            if len(data) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(data):
                self._rest = [data]
                return []
            self._started = True
            data = data.removeprefix(_BYTE_ORDER_MARK)
        if self._after_return and data:
            # The line feed of a CRLF that was cut in two belongs to the line before it.
            data = data.removeprefix(b"\n")
            self._after_return = False
        return self._lines(data)

    def pending(self) -> Event | None:
        """The event that had no blank line yet, with the line that had no end; None if no data."""
        line = b"".join(self._rest)
        name, lines = self._name, list(self._data)
        field, value = _field(line)
        if field == b"data":
            lines.append(value)
        elif field == b"event":
            name = value
        return _event(name, lines) if lines else None

    def is_strange(self) -> bool:
        """Whether something arrived that is neither a field, a comment, nor the start of one."""
        line = b"".join(self._rest)
        if not self._started and _BYTE_ORDER_MARK.startswith(line):
            return False
        begun = line.partition(b":")[0]
        known = any(name.startswith(begun) for name in (b"", *_FIELDS))
        return self.strange > 0 or not known

    def _lines(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        # Of bytes, `splitlines` ends a line at CRLF, LF and CR only, as the standard does.
        lines = data.splitlines()
        rest = [] if data.endswith(_LINE_ENDS) or not lines else [lines.pop()]
        if lines and self._rest:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest = []
        for line in lines:
            if line:
                self._take(line)
            elif self._data:
                events.append(_event(self._name, self._data))
                self._name, self._data = b"", []
            else:
                self._name = b""
        self._rest += rest
        self._after_return = data.endswith(b"\r") or (self._after_return and not data)
        return events

    def _take(self, line: bytes) -> None:
        if line.startswith(_DATA):
            self._data.append(line[len(_DATA) :])
            return
        field, value = _field(line)
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value
        elif field and field not in _FIELDS:
            self.strange += 1


def _field(line: bytes) -> tuple[bytes, bytes]:
    field, _, value = line.partition(b":")
    return field, value.removeprefix(b" ")


def _event(name: bytes, lines: list[bytes]) -> Event:
    return Event(name.decode("utf-8", "replace") or "message", b"\n".join(lines))
