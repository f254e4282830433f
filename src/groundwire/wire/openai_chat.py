"""OpenAI chat completions: requests and whole responses, and what others add to the protocol."""

from __future__ import annotations

from msgspec import Raw

from groundwire.documents.frame import Opaque, Reasoning, ResultPart, Role, Text
from groundwire.errors import EncodingError
from groundwire.wire import media, scan
from groundwire.wire.answer import Answer
from groundwire.wire.openai_chat_plain import read_plain
from groundwire.wire.reading import (
    Fields,
    Read,
    Reading,
    call_part,
    error_of,
    json_text,
    plain_read,
    read_blocks,
    read_content,
    usage_of,
)

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_REASONING = ("reasoning_content", "reasoning")
_URL_KINDS = {
    "image_url": "image",
    "video_url": "video",
    "audio_url": "audio",
    "document_url": "file",
}


def read_message(raw: bytes) -> Read:
    """One element of `messages`.

    Raises:
        EncodingError: bytes inside that are no JSON.
    """
    plain = read_plain(raw)
    if plain is not None:
        return plain_read(*plain, raw)
    return read_any(raw)


def read_any(raw: bytes) -> Read:
    """One element of `messages`, read member by member; what `read_message` says of all others.

    Raises:
        EncodingError: bytes inside that are no JSON.
    """
    reading = Reading()
    value = Raw(raw)
    if scan.first(value) != b"{":
        reading.add_opaque(value, "")
        return reading.done("user", raw)
    fields = Fields(value, "", reading)
    role = _role(fields)
    _read_fields(fields, role, reading)
    return reading.done(role, raw)


def read_answer(document: bytes) -> Answer:
    """A chat completion, or the error that came in its place.

    The answer is the first choice; further choices are listed as unread.

    Raises:
        EncodingError: `not-a-response`, `not-json`, `not-an-object`, `too-deep`.
    """
    reading = Reading()
    fields = Fields(document, "", reading)
    choices = fields.elements("choices")
    error = error_of(fields, "error")
    if choices is None and error is None:
        raise EncodingError("not-a-response", "The body has no `choices` and no `error`.")
    answer = Answer(
        id=fields.text("id") or "",
        model=fields.text("model") or "",
        usage=usage_of(fields, "usage"),
        error=error,
    )
    fields.says("object", "chat.completion", "chat.completion.chunk")
    for index, choice in enumerate(choices or []):
        place = f"/choices/{index}"
        if index or scan.first(choice) != b"{":
            reading.unread.append(place)
            continue
        inner = Fields(choice, place, reading)
        inner.numbers("index", index)
        answer.stop = inner.text("finish_reason")
        answer.error = answer.error or error_of(inner, "error")
        _read_answer_message(inner, reading)
        inner.close()
    fields.close()
    answer.reading = reading
    return answer


def _read_answer_message(choice: Fields, reading: Reading) -> None:
    value = choice.peek("message")
    plain = None if value is None else read_plain(value)
    if plain is not None and plain[0] == "assistant":
        choice.take("message")
        for part in plain[1]:
            reading.add(part)
        return
    message = choice.fields("message")
    if message is not None:
        message.says("role", "assistant")
        _read_fields(message, "assistant", reading)


def _role(fields: Fields) -> Role:
    stated = fields.peek("role")
    if stated is None or scan.first(stated) != b'"' or scan.text(stated) not in _ROLES:
        return "user"  # and `/role` stays to be listed as unread
    return _ROLES[fields.text("role") or ""]


def _read_fields(fields: Fields, role: Role, reading: Reading) -> None:
    if role == "tool":
        _read_result(fields, reading)
    else:
        _read_reasoning(fields, reading)
        read_content(fields, "content", reading, read_block)
        reading.add_text(fields.text("refusal"))
        _read_audio(fields, reading)
        _read_calls(fields, reading)
        _read_executed_tools(fields, reading)
    fields.close()


def _read_result(fields: Fields, reading: Reading) -> None:
    inner = reading.inner()
    read_content(fields, "content", inner, read_block)
    reading.add_result(
        ResultPart(fields.text("tool_call_id") or "", "", name=fields.text("name")), inner
    )


def _read_reasoning(fields: Fields, reading: Reading) -> None:
    """Vendors name it either way; some send the same text under both names."""
    texts = [text for name in _REASONING if (text := fields.text(name))]
    for text in dict.fromkeys(texts):
        reading.add(Reasoning(text))


def read_block(fields: Fields, kind: str) -> bool:
    """Whether the block of a content list was read into the reading of `fields`."""
    reading = fields.reading
    if kind in {"text", "refusal", "input_text", "output_text"}:
        text = fields.text("refusal" if kind == "refusal" else "text")
        reading.add_text(text)
        return text is not None
    if kind == "thinking":
        return _read_thinking(fields, reading)
    if kind in _URL_KINDS:
        return _read_url(fields, kind, reading)
    if kind == "input_audio":
        return _read_input_audio(fields, reading)
    if kind == "file":
        return _read_file(fields, reading)
    return False


def _read_url(fields: Fields, kind: str, reading: Reading) -> bool:
    url = fields.text(kind)
    inner = None if url is not None else fields.fields(kind)
    if inner is not None:
        url = inner.text("url")
    found = None if url is None else media.from_url(url, _URL_KINDS[kind])
    if found is None:
        return False
    reading.add(found)
    if inner is not None:
        inner.close()
    return True


def _read_input_audio(fields: Fields, reading: Reading) -> bool:
    inner = fields.fields("input_audio")
    data = None if inner is None else inner.text("data")
    if inner is None or data is None:
        return False
    found = media.from_base64(data, f"audio/{inner.text('format') or '*'}")
    if found is None:
        return False
    reading.add(found)
    inner.close()
    return True


def _read_file(fields: Fields, reading: Reading) -> bool:
    inner = fields.fields("file")
    data = None if inner is None else inner.text("file_data")
    found = None if data is None else media.from_file_data(data)
    if inner is None or found is None:
        return False
    reading.add(found)
    inner.close()
    return True


def _read_thinking(fields: Fields, reading: Reading) -> bool:
    """Reasoning as a block of the content: a text, or a list of text blocks."""
    inner = Reading(reading.unread)
    value = fields.peek("thinking")
    if value is None:
        return False
    read_content(fields, "thinking", inner, read_block)
    reading.add(Reasoning("".join([part.text for part in inner.parts if isinstance(part, Text)])))
    for part in inner.parts:
        if not isinstance(part, Text):
            reading.add(part)
    return True


def _read_audio(fields: Fields, reading: Reading) -> None:
    """A spoken answer is sent again by its id alone, so only the id counts in its digest."""
    audio = fields.fields("audio")
    if audio is None:
        return
    value = audio.peek("id")
    if value is not None:
        reading.add(Opaque("audio", json_text(value)))
        audio.take("id")
    transcript, data = audio.text("transcript"), audio.text("data")
    inner = reading.inner()
    inner.add_text(transcript)
    found = media.from_base64(data, "audio/*") if data else None
    for part in inner.parts:
        reading.add_aside(part)
    if found is not None:
        reading.add_aside(found)
    elif data:
        reading.unread.append(audio.place("data"))
    audio.close()


def _read_calls(fields: Fields, reading: Reading) -> None:
    calls = fields.elements("tool_calls")
    if calls is not None:
        read_blocks(calls, fields.place("tool_calls"), reading, _read_call)
    legacy = fields.fields("function_call")
    if legacy is not None:
        reading.add(call_part(None, legacy.text("name"), legacy.text_or_json("arguments")))
        legacy.close()


def _read_call(fields: Fields, kind: str) -> bool:
    """A call of a function, or of a custom tool, whose input is free text."""
    name = kind or "function"
    inner = fields.fields(name) if name in {"function", "custom"} else None
    if inner is None:
        return False
    arguments = inner.text_or_json("arguments" if name == "function" else "input")
    fields.reading.add(call_part(fields.text("id"), inner.text("name"), arguments))
    inner.close()
    return True


def _read_executed_tools(fields: Fields, reading: Reading) -> None:
    """Tools that the provider ran while it answered; clients do not send them again."""
    done = fields.elements("executed_tools")
    if done is None:
        return
    inner = reading.inner()
    read_blocks(done, fields.place("executed_tools"), inner, _read_executed_tool)
    for part in inner.parts:
        reading.add_aside(part)


def _read_executed_tool(fields: Fields, kind: str) -> bool:
    arguments, output = fields.text("arguments"), fields.text("output")
    if not kind or arguments is None:
        return False
    fields.reading.add(call_part(None, kind, arguments, "provider"))
    if output is not None:
        fields.reading.add(ResultPart("", output, name=kind, executed_by="provider"))
    return True
