"""What a tool gave, as the value that its declared output is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.canon import jcs
from groundwire.canon.cut_json import is_cut
from groundwire.canon.jcs import JSON
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.documents.declaration import OutputSource
from groundwire.documents.event import Executed
from groundwire.documents.frame import ResultPart
from groundwire.errors import EncodingError
from groundwire.grounding.marks import has_mark

LARGEST: Final = 1 << 20
"""Characters of a result."""

_DEEPEST: Final = 200


class Given(msgspec.Struct, frozen=True):
    """`value` is what it gave; `text` is that as it stands, where it was a text and not JSON."""

    value: JSON
    text: str | None = None


class NotGiven(msgspec.Struct, frozen=True):
    """Why there is nothing to hold against a schema; `settled` where that is as it should be."""

    reason: str
    settled: bool = False


_FAILED: Final = NotGiven("error", settled=True)


def executed(ran: Executed, output: OutputSource | None) -> Given | NotGiven:
    """What the host says that its tool returned: structured content where there is some."""
    if ran.outcome != "returned":
        return _FAILED
    if ran.structured is not None:
        return _read(ran.structured)
    if ran.result is None:
        return NotGiven(ran.reason or "no-result")
    if ran.rendering == "repr":
        return NotGiven("no-json")
    if is_failure(ran.result):
        return _FAILED
    found = _read(ran.result, is_text=ran.rendering == "text")
    if isinstance(found, Given) and isinstance(found.value, Mapping) and _is_of_mcp(found.value):
        return _out_of_mcp(found.value, output)
    return NotGiven("no-structured-content") if _is_structured(output) else found


def shown(part: ResultPart, output: OutputSource | None) -> Given | NotGiven:
    """What the wire shows of it, where nobody told what the tool returned."""
    if is_failure(part.text, is_error=part.is_error):
        return _FAILED
    if _is_structured(output):
        return NotGiven("no-structured-content")
    return NotGiven("media") if part.opaque else _read(part.text, is_text=True)


def _is_structured(output: OutputSource | None) -> bool:
    """Whether the schema speaks of structured content, of which a text need not be the JSON."""
    return output is not None and output.kind == "mcp"


def _is_of_mcp(value: Mapping[str, JSON]) -> bool:
    """Whether it is the whole result of an MCP call, as its SDK writes one."""
    return isinstance(value.get("content"), list) and isinstance(value.get("isError"), bool)


def _out_of_mcp(value: Mapping[str, JSON], output: OutputSource | None) -> Given | NotGiven:
    if value["isError"]:
        return _FAILED
    structured = value.get("structuredContent")
    if structured is not None:
        return Given(structured)
    if _is_structured(output):
        return NotGiven("no-structured-content")
    content = value["content"]
    block = content[0] if isinstance(content, list) and len(content) == 1 else None
    text = block.get("text") if isinstance(block, Mapping) else None
    return _read(text, is_text=True) if isinstance(text, str) else NotGiven("media")


def _read(text: str, *, is_text: bool = False) -> Given | NotGiven:
    """The value of a JSON text; of what is a text anyway, only an object or an array."""
    if has_mark(text):
        return NotGiven("withheld")
    if len(text) > LARGEST:
        return NotGiven("too-large")
    start = text.lstrip(" \t\r\n")[:1]
    if is_text and start not in {"{", "["}:
        return NotGiven("no-json")
    try:
        value = jcs.decode_foreign(text.encode(), max_depth=_DEEPEST).value
    except (EncodingError, UnicodeEncodeError):
        return NotGiven("cut" if is_cut(text) else "no-json")
    return Given(value, text if is_text else None)
