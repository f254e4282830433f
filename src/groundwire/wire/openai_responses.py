"""OpenAI responses: the elements of `input`, and whole responses."""

from __future__ import annotations

from msgspec import Raw

from groundwire.errors import EncodingError
from groundwire.wire import scan
from groundwire.wire.answer import Answer
from groundwire.wire.openai_items import read_item
from groundwire.wire.reading import Fields, Read, Reading, error_of, usage_of


def read_message(raw: bytes) -> Read:
    """One element of `input`, or the string that stands in its place: a message of the user.

    Raises:
        EncodingError: bytes inside that are no JSON.
    """
    reading = Reading()
    value = Raw(raw)
    if scan.first(value) == b'"':
        reading.add_text(scan.text(value))
        return reading.done("user", raw)
    role = read_item(value, "", reading)
    return reading.done(role, raw)


def read_answer(document: bytes) -> Answer:
    """A response object, or the error that came in its place.

    `items` of the answer are the digests of its output items, each as the message it is when a
    client sends it back.

    Raises:
        EncodingError: `not-a-response`, `not-json`, `not-an-object`, `too-deep`.
    """
    reading = Reading()
    fields = Fields(document, "", reading)
    output = fields.elements("output")
    error = error_of(fields, "error") if _stands(fields, "error") else None
    if output is None and error is None:
        raise EncodingError("not-a-response", "The body has no `output` and no `error`.")
    answer = Answer(
        id=fields.text("id") or "",
        model=fields.text("model") or "",
        usage=usage_of(fields, "usage"),
        error=error,
    )
    answer.stop = _stop(fields)
    fields.says("object", "response")
    for index, item in enumerate(output or []):
        inner = reading.inner()
        role = read_item(item, f"/output/{index}", inner)
        answer.items.append(inner.digest(role))
        reading.extend(inner)
    fields.close()
    answer.reading = reading
    return answer


def _stop(fields: Fields) -> str | None:
    """The status, or why the answer is incomplete."""
    status = fields.text("status")
    details = fields.fields("incomplete_details")
    if details is None:
        return status
    reason = details.text("reason")
    details.close()
    return reason or status


def _stands(fields: Fields, name: str) -> bool:
    value = fields.peek(name)
    return value is not None and bytes(value) != b"null"
