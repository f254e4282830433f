"""ToolCall: what the model chose to do, as it stood on the wire."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.digest import tagged
from groundwire.errors import EncodingError

Executor: TypeAlias = Literal["host", "provider"]


class ToolCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A tool name and arguments, chosen by a model and trusted by nobody.

    `arguments` is the exact text that stood on the wire; it may be no JSON at all (a cut
    response, a model that erred). `executed_by` is `provider` for calls that the provider runs
    itself (web search, code, hosted MCP): the host never sees those run.
    """

    id: str
    name: str
    arguments: str
    executed_by: Executor = "host"


def action_digest(name: str, form: bytes, arguments: bytes) -> str:
    """The `gw1:` digest of what a call asks for, whatever its id: domain `call`.

    `form` and `arguments` are what `wire.message_digest.canonical_arguments` makes of its arguments.

    Raises:
        EncodingError: `lone-surrogate`.
    """
    try:
        return tagged("call", name.encode(), form, arguments, b"")
    except UnicodeEncodeError as error:
        raise EncodingError("lone-surrogate", "A text of the call has no UTF-8 form.") from error


def call_digest(call: ToolCall) -> str:
    """The `gw1:` digest of this call: its name, its exact arguments, its id. Domain `call`.

    The same arguments in another spelling are another call.

    Raises:
        EncodingError: `lone-surrogate`.
    """
    try:
        parts = (call.name.encode(), call.arguments.encode(), call.id.encode())
    except UnicodeEncodeError as error:
        raise EncodingError("lone-surrogate", "A text of the call has no UTF-8 form.") from error
    return tagged("call", *parts)
