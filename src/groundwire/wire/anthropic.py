"""Anthropic messages: the elements of `messages`, the system prompt, and whole responses."""

from __future__ import annotations

from msgspec import Raw

from groundwire.documents.call import Executor
from groundwire.documents.frame import Part, Reasoning, ResultPart, Role, Text
from groundwire.errors import EncodingError
from groundwire.wire import media, scan
from groundwire.wire.answer import Answer
from groundwire.wire.reading import (
    Fields,
    Read,
    Reading,
    call_part,
    error_of,
    read_blocks,
    read_content,
    usage_of,
)

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_PROVIDER_RESULTS = "_tool_result"
# What a provider-run tool's result says in so many words, in the order in which it is read.
_READABLE = ("title", "url", "stdout", "stderr", "error_message", "text")
_MEDIA = {"image": "image", "document": "file"}
_ANY_TYPE = {"image": "image/*", "document": "application/octet-stream"}


def read_message(raw: bytes) -> Read:
    """One element of `messages`. A user message that holds nothing but results is the tool's.

    Raises:
        EncodingError: bytes inside that are no JSON.
    """
    reading = Reading()
    value = Raw(raw)
    if scan.first(value) != b"{":
        reading.add_opaque(value, "")
        return reading.done("user", raw)
    fields = Fields(value, "", reading)
    role: Role = "user"
    stated = fields.peek("role")
    if stated is not None and scan.first(stated) == b'"' and scan.text(stated) in _ROLES:
        role = _ROLES[fields.text("role") or ""]
    only_results = role == "user" and _holds_only_results(fields.peek("content"))
    read_content(fields, "content", reading, read_block)
    fields.close()
    return reading.done("tool" if only_results else role, raw)


def read_system(value: Raw, at: str, reading: Reading) -> None:
    """The parts of a system prompt, a string or a list of blocks, are in `reading`."""
    if scan.first(value) == b'"':
        reading.add_text(scan.text(value))
    elif scan.first(value) == b"[":
        read_blocks(scan.elements(value), at, reading, read_block)
    else:
        reading.add_opaque(value, at)


def read_answer(document: bytes) -> Answer:
    """A message, or the error that came in its place.

    Raises:
        EncodingError: `not-a-response`, `not-json`, `not-an-object`, `too-deep`.
    """
    reading = Reading()
    fields = Fields(document, "", reading)
    error = error_of(fields, "error")
    content = fields.elements("content")
    if content is None and error is None:
        raise EncodingError("not-a-response", "The body has no `content` and no `error`.")
    fields.says("type", "message", "error")
    fields.says("role", "assistant")
    answer = Answer(
        id=fields.text("id") or "",
        model=fields.text("model") or "",
        usage=usage_of(fields, "usage"),
        error=error,
    )
    answer.stop = fields.text("stop_reason")
    read_blocks(content or [], "/content", reading, read_block)
    fields.close()
    answer.reading = reading
    return answer


def read_block(fields: Fields, kind: str) -> bool:
    """Whether the block was read into the reading of `fields`."""
    reading = fields.reading
    if kind in {"text", "thinking"}:
        text = fields.text(kind)
        if text is None:
            return False
        if kind == "text":
            reading.add_text(text)
        else:
            reading.add(Reasoning(text))
        return True
    if kind in _MEDIA:
        return _read_source(fields, kind, reading)
    if kind == "search_result":
        read_content(fields, "content", reading, read_block)
        return True
    if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
        executed_by: Executor = "host" if kind == "tool_use" else "provider"
        reading.add(
            call_part(
                fields.text("id"), fields.text("name"), fields.text_or_json("input"), executed_by
            )
        )
        return True
    if kind == "tool_result":
        inner = reading.inner()
        read_content(fields, "content", inner, read_block)
        call_id, failed = fields.text("tool_use_id") or "", fields.flag("is_error")
        reading.add_result(ResultPart(call_id, "", is_error=failed), inner)
        return True
    return kind.endswith(_PROVIDER_RESULTS) and _read_provider_result(fields, reading)


def _holds_only_results(content: Raw | None) -> bool:
    if content is None or scan.first(content) != b"[":
        return False
    blocks = scan.elements(content)
    return bool(blocks) and all(
        scan.first(block) == b"{" and _type(block) == "tool_result" for block in blocks
    )


def _type(block: Raw) -> str:
    return Fields(block, "", Reading()).text("type") or ""


def _read_source(fields: Fields, kind: str, reading: Reading) -> bool:
    """An image, or a document: a file, or text that the model reads as it stands."""
    source = fields.fields("source")
    if source is None:
        return False
    form = source.text("type")
    part: Part | None = None
    if form == "base64" and (data := source.text("data")) is not None:
        part = media.from_base64(data, source.text("media_type") or _ANY_TYPE[kind])
    elif form == "url" and (url := source.text("url")) is not None:
        part = media.from_url(url, _MEDIA[kind])
    elif form == "text" and (text := source.text("data")) is not None:
        source.says("media_type", "text/plain")
        part = Text(text)
    elif form == "content":
        read_content(source, "content", reading, read_block)
        source.close()
        return True
    if part is None:
        return False
    reading.add(part)
    source.close()
    return True


def _read_provider_result(fields: Fields, reading: Reading) -> bool:
    """The result of a tool the provider ran: what of it is plain text, and all of it as it stood."""
    content = fields.peek("content")
    call_id = fields.text("tool_use_id") or ""
    failed = fields.flag("is_error")
    inner = reading.inner()
    if content is not None and _is_plain(content):
        read_content(fields, "content", inner, read_block)
    elif content is not None:
        for text in _readable(content):
            inner.add_text(text)
        failed = failed or _is_error(content)
        kind = _type_of_content(content)
        inner.add_opaque(content, fields.place("content"), kind)
        fields.take("content")
    reading.add_result(ResultPart(call_id, "", is_error=failed, executed_by="provider"), inner)
    return True


def _is_plain(content: Raw) -> bool:
    """Whether it is a string or a list of nothing but text blocks."""
    opening = scan.first(content)
    if opening == b"[":
        blocks = scan.elements(content)
        return all(scan.first(block) == b"{" and _type(block) == "text" for block in blocks)
    return opening == b'"'


def _readable(content: Raw) -> list[str]:
    """The texts of a result that are neither encrypted nor encoded, in their order."""
    opening = scan.first(content)
    if opening == b"[":
        return [text for item in scan.elements(content) for text in _readable(item)]
    if opening != b"{":
        return []
    fields = Fields(content, "", Reading())
    texts = [text for name in _READABLE if (text := fields.text(name))]
    source = fields.fields("source")
    if source is not None and source.text("type") == "text" and (data := source.text("data")):
        texts.append(data)
    inner = fields.peek("content")
    return texts + (_readable(inner) if inner is not None else [])


def _is_error(content: Raw) -> bool:
    return scan.first(content) == b"{" and _type(content).endswith("_error")


def _type_of_content(content: Raw) -> str:
    """The type of a result object, or of the first of a list of them."""
    if scan.first(content) == b"[":
        items = scan.elements(content)
        return _type_of_content(items[0]) if items else ""
    return _type(content) if scan.first(content) == b"{" else ""
