"""Items of OpenAI responses: the elements of `input` and of `output`, one reader for both."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Raw

from groundwire.documents.call import Executor
from groundwire.documents.frame import Reasoning, ResultPart, Role, Text
from groundwire.wire import media, scan
from groundwire.wire.reading import (
    Fields,
    Reading,
    call_part,
    error_of,
    read_blocks,
    read_content,
)

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_TEXTS = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
}
_HOSTED_SHELL = ("container_auto", "container_reference")


def read_item(raw: Raw, at: str, reading: Reading) -> Role:
    """What the item holds is in `reading`; the role is that of the message it stands for."""
    if scan.first(raw) != b"{":
        reading.add_opaque(raw, at)
        return "user"
    fields = Fields(raw, at, reading)
    kind = fields.text("type")
    if kind is None and fields.peek("role") is not None:
        kind = "message"
    read = _ITEMS.get(kind or "")
    if read is None:
        if kind in {None, "item_reference"}:
            reading.held = fields.text("id")
        reading.add_opaque(raw, at)
        return _role_of_unread(kind or "")
    role = read(fields, reading)
    fields.close()
    return role


def _role_of_unread(kind: str) -> Role:
    if kind in {"additional_tools", "configuration_update"}:
        return "system"
    if kind.endswith(("_output", "_response")):
        return "tool"
    return "assistant"


def _read_message(fields: Fields, reading: Reading) -> Role:
    stated = fields.peek("role")
    role: Role = "user"
    if stated is not None and scan.first(stated) == b'"' and scan.text(stated) in _ROLES:
        role = _ROLES[fields.text("role") or ""]
    fields.says("status", "completed")
    read_content(fields, "content", reading, _read_block)
    return role


def _read_block(fields: Fields, kind: str) -> bool:
    if kind in _TEXTS:
        text = fields.text(_TEXTS[kind])
        fields.reading.add_text(text)
        return text is not None
    if kind in {"input_image", "computer_screenshot"}:
        return _add_url(fields, "image_url", "image")
    if kind == "input_file":
        data = fields.text("file_data")
        if data is None:
            return _add_url(fields, "file_url", "file")
        found = media.from_file_data(data)
        if found is not None:
            fields.reading.add(found)
        return found is not None
    if kind == "input_audio":
        inner = fields.fields("input_audio") or fields
        data = inner.text("data")
        found = media.from_base64(data, f"audio/{inner.text('format') or '*'}") if data else None
        if found is not None:
            fields.reading.add(found)
            inner.close()
        return found is not None
    return False


def _add_url(fields: Fields, name: str, kind: str) -> bool:
    url = fields.text(name)
    found = None if url is None else media.from_url(url, kind)
    if found is not None:
        fields.reading.add(found)
    return found is not None


def _read_function_call(fields: Fields, reading: Reading) -> Role:
    fields.says("status", "completed")
    reading.add(
        call_part(fields.text("call_id"), fields.text("name"), fields.text_or_json("arguments"))
    )
    return "assistant"


def _read_custom_call(fields: Fields, reading: Reading) -> Role:
    fields.says("status", "completed")
    reading.add(
        call_part(fields.text("call_id"), fields.text("name"), fields.text_or_json("input"))
    )
    return "assistant"


def _read_output(fields: Fields, reading: Reading) -> Role:
    """A result the host gives: of a function, a custom tool, a shell, a patch."""
    inner = reading.inner()
    read_content(fields, "output", inner, _read_output_block)
    fields.says("status", "completed")
    failed = fields.peek("status") is not None and fields.text("status") == "failed"
    call_id = fields.text("call_id") or fields.text("id") or ""
    reading.add_result(ResultPart(call_id, "", name=fields.text("name"), is_error=failed), inner)
    return "tool"


def _read_output_block(fields: Fields, kind: str) -> bool:
    if kind or fields.peek("outcome") is None:
        return _read_block(fields, kind)
    for stream in ("stdout", "stderr"):  # one command of a shell call
        fields.reading.add_text(fields.text(stream))
    return True


def _read_computer_output(fields: Fields, reading: Reading) -> Role:
    inner = reading.inner()
    screen = fields.take("output")
    if screen is not None:
        read_blocks([screen], fields.place("output"), inner, _read_block)
    fields.says("status", "completed")
    reading.add_result(ResultPart(fields.text("call_id") or "", ""), inner)
    return "tool"


def _action_call(name: str, *sources: str) -> Callable[[Fields, Reading], Role]:
    """The reader of a call the host is to run, whose arguments stand in one of `sources`."""

    def read(fields: Fields, reading: Reading) -> Role:
        executed_by: Executor = "provider" if _is_hosted(fields) else "host"
        arguments = next((found for key in sources if (found := fields.json(key))), None)
        call_id = fields.text("call_id") or fields.text("id")
        fields.says("status", "completed")
        reading.add(call_part(call_id, name, arguments, executed_by))
        return "assistant"

    return read


def _is_hosted(fields: Fields) -> bool:
    environment = fields.peek("environment")
    if environment is None or scan.first(environment) != b"{":
        return False
    return Fields(environment, "", Reading()).text("type") in _HOSTED_SHELL


def _provider_call(
    name: str,
    source: str,
    results: str = "",
    read_block: Callable[[Fields, str], bool] = _read_block,
) -> Callable[[Fields, Reading], Role]:
    """The reader of a call that the provider ran, with its results where the item holds them."""

    def read(fields: Fields, reading: Reading) -> Role:
        call_id = fields.text("id")
        reading.add(call_part(call_id, name, fields.json(source), "provider"))
        fields.says("status", "completed")
        if results and _stands(fields, results):
            inner = reading.inner()
            read_content(fields, results, inner, read_block)
            reading.add_result(ResultPart(call_id or "", "", executed_by="provider"), inner)
        return "assistant"

    return read


def _read_found_file(fields: Fields, _kind: str) -> bool:
    text = fields.text("text")
    fields.reading.add_text(text)
    return text is not None


def _read_code_output(fields: Fields, kind: str) -> bool:
    if kind == "logs":
        fields.reading.add_text(fields.text("logs"))
        return True
    return kind == "image" and _add_url(fields, "url", "image")


def _read_image_generation(fields: Fields, reading: Reading) -> Role:
    call_id = fields.text("id")
    reading.add(call_part(call_id, "image_generation", fields.json("revised_prompt"), "provider"))
    fields.says("status", "completed")
    kind = fields.text("output_format")
    data = fields.text("result")
    if data:
        found = media.from_base64(data, f"image/{kind or 'png'}")
        if found is None:
            reading.unread.append(fields.place("result"))
        else:
            reading.add(found)
    return "assistant"


def _read_mcp_call(fields: Fields, reading: Reading) -> Role:
    call_id = fields.text("id") or ""
    reading.add(
        call_part(call_id, fields.text("name"), fields.text_or_json("arguments"), "provider")
    )
    fields.says("status", "completed")
    output, error = fields.text("output"), None
    if _stands(fields, "error"):
        error = error_of(fields, "error")
    if output is not None or error is not None:
        text = output if output is not None else error
        part = ResultPart(call_id, text or "", is_error=error is not None, executed_by="provider")
        reading.add(part)
    return "assistant"


def _read_tool_search_call(fields: Fields, reading: Reading) -> Role:
    executed_by: Executor = "host" if fields.text("execution") == "client" else "provider"
    call_id = fields.text("call_id") or fields.text("id")
    fields.says("status", "completed")
    reading.add(call_part(call_id, "tool_search", fields.text_or_json("arguments"), executed_by))
    return "assistant"


def _read_tool_search_output(fields: Fields, reading: Reading) -> Role:
    executed_by: Executor = "host" if fields.text("execution") == "client" else "provider"
    call_id = fields.text("call_id") or fields.text("id") or ""
    inner = reading.inner()
    tools = fields.take("tools")
    if tools is not None:
        inner.add_opaque(tools, fields.place("tools"), "tools")
    fields.says("status", "completed")
    reading.add_result(ResultPart(call_id, "", name="tool_search", executed_by=executed_by), inner)
    return "tool"


def _read_reasoning(fields: Fields, reading: Reading) -> Role:
    inner = reading.inner()
    read_content(fields, "summary", inner, _read_block)
    read_content(fields, "content", inner, _read_block)
    fields.says("status", "completed")
    texts = [part.text for part in inner.parts if isinstance(part, Text)]
    reading.add(Reasoning("\n".join(texts)))
    for part in inner.parts:
        if not isinstance(part, Text):
            reading.add(part)
    hidden = "encrypted_content" if _stands(fields, "encrypted_content") else "id"
    value = fields.take(hidden) if hidden != "id" or not texts else None
    if value is not None:  # What tells it from other reasoning that nobody is shown.
        reading.add_opaque(value, fields.place(hidden), "reasoning")
    return "assistant"


def _stands(fields: Fields, name: str) -> bool:
    value = fields.peek(name)
    return value is not None and bytes(value) != b"null"


_ITEMS: dict[str, Callable[[Fields, Reading], Role]] = {
    "message": _read_message,
    "function_call": _read_function_call,
    "custom_tool_call": _read_custom_call,
    "function_call_output": _read_output,
    "custom_tool_call_output": _read_output,
    "local_shell_call_output": _read_output,
    "shell_call_output": _read_output,
    "apply_patch_call_output": _read_output,
    "computer_call": _action_call("computer", "action", "actions"),
    "computer_call_output": _read_computer_output,
    "local_shell_call": _action_call("local_shell", "action"),
    "shell_call": _action_call("shell", "action"),
    "apply_patch_call": _action_call("apply_patch", "operation"),
    "web_search_call": _provider_call("web_search", "action"),
    "file_search_call": _provider_call("file_search", "queries", "results", _read_found_file),
    "code_interpreter_call": _provider_call(
        "code_interpreter", "code", "outputs", _read_code_output
    ),
    "image_generation_call": _read_image_generation,
    "mcp_call": _read_mcp_call,
    "tool_search_call": _read_tool_search_call,
    "tool_search_output": _read_tool_search_output,
    "reasoning": _read_reasoning,
}
