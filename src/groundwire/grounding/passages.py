"""Passages: the texts of a frame, each with who put it there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import jcs
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
from groundwire.errors import EncodingError

Voice: TypeAlias = Literal[
    "system", "user", "result", "schema", "opaque", "assistant", "call", "library", "returned"
]

# What the model wrote itself; everything else was served to it.
OWN: frozenset[Voice] = frozenset({"assistant", "call"})
# What stands in a frame and serves nothing: a summary or a notice that the host's library wrote.
SILENT: frozenset[Voice] = OWN | {"library"}
# A result of `nothing_found` says what was looked for; to be looked for is not to be there.
ABSENCE = "groundwire_absence"
_LOOKED_FOR = "looked_for"


class Passage(msgspec.Struct, frozen=True, gc=False):
    """One text of a message, unescaped as the wire decoder gave it.

    `call_id` and `tool` are set for results and for the model's own calls, `tool` only where the
    wire states it. `absent`: a declared absence, its `text` without what was looked for.
    `failed`: the wire says that the call failed.
    """

    voice: Voice
    text: str
    call_id: str = ""
    tool: str = ""
    absent: bool = False
    failed: bool = False


def passages(
    role: Role, parts: tuple[Part, ...], *, library: bool = False, authored: Iterable[str] = ()
) -> Iterator[Passage]:
    """The texts of these parts, in order.

    A part this version does not read counts as served, as its JSON text: whoever cannot read
    something must not say that a value is not in it. Media hold no text. What a library wrote in a
    user's place (`library`, or any of the `authored` texts within another) is a passage of its own.
    """
    for part in parts:
        match part:
            case Text(text) | Reasoning(text):
                voice: Voice = "assistant" if role == "assistant" else _host(role)
                served = Passage("library" if library and voice != "assistant" else voice, text)
                yield from _parted(served, authored)
            case CallPart(call):
                yield Passage("call", call.arguments, call.id, call.name)
            case ResultPart(call_id, text, name, is_error):
                found = Passage("result", text, call_id, name or "", failed=is_error)
                yield from _parted(_without_looked_for(found), authored)
            case Opaque(_, raw):
                yield Passage("opaque", raw)
            case Media():
                pass


def is_unread(parts: tuple[Part, ...]) -> bool:
    """Whether these parts showed the model something that has no text here: an image, a file."""
    for part in parts:
        if isinstance(part, Media) or (isinstance(part, ResultPart) and part.opaque > 0):
            return True
    return False


def _parted(passage: Passage, authored: Iterable[str]) -> Iterator[Passage]:
    written = [text for text in authored if text and text in passage.text] if authored else []
    if not written or passage.voice in SILENT:
        yield passage
        return
    rest = passage.text
    for text in sorted(written, key=len, reverse=True):
        # A line feed in its place, so that what stood around it does not become one value.
        rest = rest.replace(text, "\n")
        yield Passage("library", text)
    if rest.strip():
        yield msgspec.structs.replace(passage, text=rest)


def _without_looked_for(passage: Passage) -> Passage:
    rest = without_looked_for(passage.text)
    return passage if rest is None else msgspec.structs.replace(passage, text=rest, absent=True)


def without_looked_for(text: str) -> str | None:
    """A declared absence without what was looked for, which grounds nothing; None for all else."""
    if ABSENCE not in text:
        return None
    try:
        said = jcs.decode_foreign(text.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return None
    if not isinstance(said, dict) or ABSENCE not in said:
        return None
    rest = {key: value for key, value in said.items() if key != _LOOKED_FOR}
    return msgspec.json.encode(rest).decode()


def _host(role: Role) -> Voice:
    # A plain text in a tool message is what a tool answered.
    return "result" if role == "tool" else "system" if role == "system" else "user"
