"""Fitting: whether a call has arguments that its tool does not take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.errors import GuardError
from groundwire.session.guarding.shapes.tools import GivenTool

# Names alone are looked at; what the values are is read elsewhere.
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def misfit(given: GivenTool, call: ToolCall) -> GuardError | None:
    """Why the call is not to be carried out: it says something that the tool does not take.

    What groundwire carries out itself would leave it out in silence: `mode = "append"` of a tool that
    writes whole files. None where the tool's schema lets anything in, and for a call that is no
    JSON, which is refused elsewhere. Does not look at what the arguments hold.
    """
    properties = given.schema.get("properties")
    if given.schema.get("additionalProperties") is not False or not isinstance(properties, Mapping):
        return None
    try:
        read = _MEMBERS.decode(call.arguments)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if not (more := read.keys() - properties.keys()):
        return None
    return GuardError(
        "arguments-do-not-fit",
        f"The tool takes no argument {sorted(more)[0]!r}; nothing ran. Make the call without it, or"
        " choose a tool that takes it.",
    )
