"""Injection: where one tool result stood in one request."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Form: TypeAlias = Literal["whole", "prefix", "fragment", "rewritten"]


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """One result in one request.

    `body_start:body_end` is the byte range of the result's JSON value in the exact request body;
    `-1` where the body is not known (an imported log). `pointer` is the RFC 6901 pointer of that
    value. `text_bytes` and `text_characters` are the sizes of the unescaped text. `form` compares
    the unescaped text with what the same call's result was when the lane first carried it.
    """

    exchange: int
    lane: int
    call_id: str
    tool: str
    message: int
    pointer: str
    body_start: int
    body_end: int
    text_bytes: int
    text_characters: int
    form: Form
    injected: str
    first_injected: str
