"""Fitting: whether a call has arguments that its tool does not take."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.canon import jcs
from groundwire.documents.call import ToolCall
from groundwire.errors import EncodingError, GuardError
from groundwire.session.guarding.shapes.tools import GivenTool


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
        read = jcs.decode_foreign(call.arguments.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return None
    if not isinstance(read, dict) or not (more := read.keys() - properties.keys()):
        return None
    return GuardError(
        "arguments-do-not-fit",
        f"The tool takes no argument {sorted(more)[0]!r}; nothing ran. Make the call without it, or"
        " choose a tool that takes it.",
    )
