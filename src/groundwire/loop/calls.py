"""Calls: run, recorded, and shown to the model; or answered by the loop where no tool may run.

What the loop answers itself is a closed set of sentences, told to the run as the host's own text: it
grounds nothing and is no result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from groundwire.canon import jcs
from groundwire.checks.write.results.column_types import Offence, offences
from groundwire.checks.write.results.rows import read_rows
from groundwire.documents.call import ToolCall
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.loop.messages import ToolResult
from groundwire.loop.outcomes import Status
from groundwire.loop.tools import Pause, Tool
from groundwire.session.executions.values import result_of
from groundwire.session.executions.wrapping import is_recorded
from groundwire.session.run import Run

_NAMED = 5


class Shown(msgspec.Struct, frozen=True):
    """What the model is shown of a call, and what became of it."""

    result: ToolResult
    status: Status


class Calls:
    """Answers the calls of one run under its policy."""

    def __init__(
        self,
        run: Run,
        policy: Policy,
        permit: Callable[[ToolCall], str | None] | None,
    ) -> None:
        self._run = run
        self._enforced = policy.checks.columns == "enforce"
        self._declared = {tool.name: tool for tool in policy.tools}
        self._permit = permit

    def answer(
        self, call: ToolCall, tools: Mapping[str, Tool], held_out: AbstractSet[str]
    ) -> Shown:
        """The tool ran, or the loop says why not.

        Raises:
            Pause: the tool asks a person first; nothing is recorded of it.
            BaseException: the tool was interrupted; that nobody knows its effect is recorded.
        """
        tool = tools.get(call.name)
        if tool is None:
            why = (
                "This tool is parked with its group, so nothing was run. Engage the group first."
                if call.name in held_out
                else "There is no tool of this name in the request, so nothing was run."
            )
            return self.settle(call, why, "not-dispatched")
        arguments = arguments_of(call)
        if arguments is None:
            why = "The arguments are no JSON object, so nothing was run. Send the call again."
            return self.settle(call, why, "not-dispatched")
        denied = self._denied(call)
        if denied is not None:
            return self.settle(call, f"The call was denied, so nothing was run. {denied}", "denied")
        return self._execute(call, tool, arguments)

    def settle(self, call: ToolCall, text: str, status: Status) -> Shown:
        """The loop's own text stands for a result; the run is told with the request that shows it."""
        result = ToolResult(call_id=call.id, tool=call.name, text=text, is_error=True, settled=True)
        return Shown(result, status)

    def resumed(self, call: ToolCall, text: str) -> Shown:
        """A person's answer stands for what the tool would have returned."""
        self._run.executed(call.id, call.arguments, text, name=call.name)
        return Shown(ToolResult(call_id=call.id, tool=call.name, text=text), "ok")

    def _denied(self, call: ToolCall) -> str | None:
        if self._permit is None:
            return None
        try:
            return self._permit(call)
        except Exception:  # noqa: BLE001 -- a stranger's function; one that fails permits nothing
            return "Nobody could say whether it may run."

    def _execute(self, call: ToolCall, tool: Tool, arguments: dict[str, jcs.JSON]) -> Shown:
        tells_itself = is_recorded(tool.function)
        try:
            with self._run.for_call(call.id):
                value = tool.function(**arguments)
        except Pause:
            raise
        except BaseException as error:
            if not tells_itself:
                self._run.executed(call.id, call.arguments, None, name=call.name, error=error)
            if not isinstance(error, Exception):
                raise
            return self._show(call, _error_text(error), "error")
        text = result_of(value).text
        refused = None if text is None else self._refusal(call.name, text)
        if not tells_itself:
            self._run.executed(call.id, call.arguments, value, name=call.name)
        if text is None:
            return self._show(call, "error: the result has no text form, or is too large.", "error")
        if refused is not None:
            return self.settle(call, refused, "invalid")
        return self._show(call, text, "ok")

    def _show(self, call: ToolCall, text: str, status: Status) -> Shown:
        is_error = status != "ok"
        return Shown(
            ToolResult(call_id=call.id, tool=call.name, text=text, is_error=is_error), status
        )

    def _refusal(self, name: str, text: str) -> str | None:
        """Under `columns = "enforce"`, what stands in the place of rows that are not as declared."""
        declared = self._declared.get(name)
        if not self._enforced or declared is None or not declared.columns:
            return None
        found = _offences(text, declared)
        return refusal(found) if found else None


def refusal(found: Sequence[Offence]) -> str:
    """What the model reads in the place of the result: columns and counts, and no data."""
    named = "; ".join(_said(offence) for offence in found[:_NAMED])
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return (
        f"The result was rejected: it is not what the tool declares. {named}{more}. Mend the tool "
        "or its declaration; a column that may be empty is declared nullable. No data was returned."
    )


def _said(offence: Offence) -> str:
    column = offence.column
    if offence.missing:
        return f"column {column.name}: in none of {offence.of} rows"
    return (
        f"column {column.name}: declared {column.type}, another kind in {offence.rows} of "
        f"{offence.of} rows"
    )


def _offences(text: str, declared: ToolDeclaration) -> list[Offence]:
    rows = read_rows(text, declared.rows_at).objects
    return offences(rows, declared.columns) if rows else []


def arguments_of(call: ToolCall) -> dict[str, jcs.JSON] | None:
    """The arguments where they are a JSON object; nothing is mended."""
    try:
        value = jcs.decode_foreign(call.arguments.encode() or b"{}").value
    except (EncodingError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _error_text(error: Exception) -> str:
    try:
        return f"error: {type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- a stranger's error; its text may be code that fails
        return f"error: {type(error).__name__}"
