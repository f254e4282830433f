"""Reading: one JSON object taken field by field, so that what nobody took is known by name.

Nothing is dropped silently: at the end every field that was not taken and says something (is not
null, not empty) leaves its JSON pointer in `unread`; earlier members of a repeated key too.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Raw

from groundwire.documents.call import Executor, ToolCall
from groundwire.documents.frame import CallPart, Message, Opaque, Part, ResultPart, Role, Text
from groundwire.wire import scan
from groundwire.wire.message_digest import content_digest

_NOTHING = frozenset((b"null", b"[]", b"{}", b'""'))
_LONGEST_NOTHING = 64
_NULL = len("null")
_MOST_DIGITS = 18


class Read(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One message as read.

    `unread` are pointers relative to it; `held` is the id of something it refers to that the
    provider keeps.
    """

    message: Message
    unread: tuple[str, ...]
    held: str | None = None


def plain_read(role: Role, parts: tuple[Part, ...], raw: bytes) -> Read:
    """The message of these parts, of which nothing was left unread."""
    digest = content_digest(role, parts)
    return Read(message=Message(role=role, parts=parts, raw=raw, content_digest=digest), unread=())


class Reading:
    """What one message, or one answer, was found to hold."""

    __slots__ = ("_spoken", "held", "parts", "unread")

    def __init__(self, unread: list[str] | None = None) -> None:
        self.parts: list[Part] = []
        self.unread: list[str] = [] if unread is None else unread
        self.held: str | None = None
        self._spoken: list[Part] = []

    def add(self, part: Part) -> None:
        """The part belongs to the message and to its content digest."""
        self.parts.append(part)
        self._spoken.append(part)

    def add_text(self, text: str | None) -> None:
        """The text belongs to the message; an empty one is the same as none."""
        if text:
            self.add(Text(text))

    def add_aside(self, part: Part) -> None:
        """The part belongs to the message but is not sent again by clients, so not to its digest."""
        self.parts.append(part)

    def add_opaque(self, raw: Raw, at: str, kind: str | None = None) -> None:
        """The value stands as an opaque part, named by its own `type` unless `kind` says so."""
        self.add(Opaque(type_of(raw) if kind is None else kind, json_text(raw)))
        self.unread.append(at)

    def add_result(self, result: ResultPart, inner: Reading) -> None:
        """`result` with the text that `inner` holds; its other parts stand right behind it."""
        texts = [part.text for part in inner.parts if isinstance(part, Text)]
        others = [part for part in inner.parts if not isinstance(part, Text)]
        self.add(msgspec.structs.replace(result, text="\n".join(texts), opaque=len(others)))
        for part in others:
            self.add(part)

    def extend(self, other: Reading) -> None:
        """Everything of `other` belongs here too."""
        self.parts += other.parts
        self._spoken += other._spoken
        self.held = self.held or other.held

    def inner(self) -> Reading:
        """A reading of its own whose unread pointers are listed here."""
        return Reading(self.unread)

    def digest(self, role: Role) -> str:
        """The content digest of a message of this role."""
        return content_digest(role, self._spoken)

    def done(self, role: Role, raw: bytes) -> Read:
        """The message that was read."""
        message = Message(
            role=role, parts=tuple(self.parts), raw=raw, content_digest=self.digest(role)
        )
        return Read(message=message, unread=tuple(self.unread), held=self.held)


class Fields:
    """The members of one JSON object at pointer `at`, each to be taken once."""

    __slots__ = ("_left", "at", "reading")

    def __init__(self, raw: Raw | bytes, at: str, reading: Reading) -> None:
        self.at = at
        self.reading = reading
        self._left, overridden = scan.fields(raw)
        for name in overridden:
            self._list(name)

    def take(self, name: str) -> Raw | None:
        """The value, unless it is missing or null."""
        value = self._left.pop(name, None)
        return None if value is None or scan.is_null(value) else value

    def peek(self, name: str) -> Raw | None:
        """The value without taking it."""
        return self._left.get(name)

    def names(self) -> list[str]:
        """The names of what was not taken yet."""
        return list(self._left)

    def text(self, name: str) -> str | None:
        """The text of a string; any other value is left."""
        value = self._left.get(name)
        if value is None or (len(value) == _NULL and scan.is_null(value)):
            return None
        found = scan.text_or_none(value)
        if found is not None:
            del self._left[name]
        return found

    def elements(self, name: str) -> list[Raw] | None:
        """The values of an array; any other value is left."""
        value = self._left.get(name)
        if value is None or scan.first(value) != b"[":
            return None
        del self._left[name]
        return scan.elements(value)

    def fields(self, name: str) -> Fields | None:
        """The members of an object; any other value is left."""
        value = self._left.get(name)
        if value is None or scan.first(value) != b"{":
            return None
        del self._left[name]
        return Fields(value, self.place(name), self.reading)

    def flag(self, name: str) -> bool:
        """Whether the value is true; anything but true and false is left."""
        value = self._left.get(name)
        if value is None or (word := bytes(value)) not in {b"true", b"false"}:
            return False
        del self._left[name]
        return word == b"true"

    def json(self, name: str) -> str | None:
        """The exact JSON text of the value, unless it is missing or null."""
        value = self.take(name)
        return None if value is None else json_text(value)

    def text_or_json(self, name: str) -> str | None:
        """The text of a string, else the exact JSON text."""
        found = self.text(name)
        return self.json(name) if found is None else found

    def says(self, name: str, *values: str) -> None:
        """The string is taken if it is one of `values`: it says nothing new then."""
        value = self._left.get(name)
        if value is not None and scan.first(value) == b'"' and scan.text(value) in values:
            del self._left[name]

    def numbers(self, name: str, place: int) -> None:
        """The number is taken if it is `place`: that the value stands there is known."""
        value = self._left.get(name)
        if value is not None and bytes(value) == str(place).encode("ascii"):
            del self._left[name]

    def place(self, *steps: str | int) -> str:
        """The pointer of what stands below this object."""
        at = self.at
        for step in steps:
            name = str(step)
            if "~" in name or "/" in name:
                name = name.replace("~", "~0").replace("/", "~1")
            at += "/" + name
        return at

    def left(self) -> dict[str, Raw]:
        """Everything not taken yet; it counts as taken now."""
        left, self._left = self._left, {}
        return left

    def close(self) -> None:
        """What was not taken and says something is listed as unread."""
        for name, value in self.left().items():
            if not _says_nothing(value):
                self._list(name)

    def _list(self, name: str) -> None:
        self.reading.unread.append(self.place(name))


def read_blocks(
    values: list[Raw], at: str, reading: Reading, read_block: Callable[[Fields, str], bool]
) -> None:
    """Every block is read by `read_block(fields, type)`, or stands as an opaque part.

    `read_block` answers whether it read the block; before it answers no it adds nothing.
    """
    for index, value in enumerate(values):
        place = f"{at}/{index}"
        if scan.first(value) != b"{":
            reading.add_opaque(value, place)
            continue
        fields = Fields(value, place, reading)
        fields.numbers("index", index)
        if read_block(fields, fields.text("type") or ""):
            fields.close()
        else:
            reading.add_opaque(value, place)


def read_content(
    fields: Fields, name: str, reading: Reading, read_block: Callable[[Fields, str], bool]
) -> None:
    """The content in member `name`: a string, a list of blocks, or nothing."""
    at = fields.place(name)
    text = fields.text(name)
    if text is not None:
        reading.add_text(text)
        return
    blocks = fields.elements(name)
    if blocks is not None:
        read_blocks(blocks, at, reading, read_block)
        return
    other = fields.take(name)
    if other is not None:
        reading.add_opaque(other, at)


def call_part(
    call_id: str | None, name: str | None, arguments: str | None, executed_by: Executor = "host"
) -> CallPart:
    """A tool call; what the wire does not state is the empty text."""
    return CallPart(
        ToolCall(
            id=call_id or "", name=name or "", arguments=arguments or "", executed_by=executed_by
        )
    )


def usage_of(fields: Fields, name: str) -> dict[str, int]:
    """Whole counts in member `name` by dotted names; other values are listed as unread."""
    counts: dict[str, int] = {}
    outer = fields.fields(name)
    todo = [] if outer is None else [("", outer)]
    while todo:
        prefix, level = todo.pop()
        for key in level.names():
            value = level.peek(key)
            inner = level.fields(key)
            if inner is not None:
                todo.append((f"{prefix}{key}.", inner))
            elif value is not None and (count := _whole(value)) is not None:
                level.take(key)
                counts[prefix + key] = count
        level.close()
    return counts


def error_of(fields: Fields, name: str) -> str | None:
    """What the error in member `name` says: its type or code, and its message."""
    text = fields.text(name)
    if text is not None:
        return text or "error"
    inner = fields.fields(name)
    if inner is None:
        return fields.json(name)
    word = inner.text("type") or inner.text("code")
    message = inner.text("message")
    inner.says("code", word or "")
    whole = ": ".join([part for part in (word, message) if part])
    inner.close()
    return whole or "error"


def type_of(raw: Raw) -> str:
    """The `type` of an object, or the empty text."""
    if scan.first(raw) != b"{":
        return ""
    for name, value in scan.pairs(raw):
        if name == "type" and scan.first(value) == b'"':
            return scan.text(value)
    return ""


def json_text(raw: Raw) -> str:
    """The JSON text exactly as it stood; bytes that are no UTF-8 read as U+FFFD."""
    return bytes(raw).decode("utf-8", "replace")


def _says_nothing(value: Raw) -> bool:
    if len(value) > _LONGEST_NOTHING:
        return False
    word = bytes(value)
    return word in _NOTHING or (word[:1] in {b"[", b"{"} and b"".join(word.split()) in _NOTHING)


def _whole(value: Raw) -> int | None:
    digits = bytes(value)
    if len(digits) <= _MOST_DIGITS and digits.removeprefix(b"-").isdigit():
        return int(digits)
    return None
