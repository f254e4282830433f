"""Duplicate execution: the same call again after it succeeded, or after nobody knows whether.

Executions where the host records them; else calls and the results that frames show for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from groundwire.canon import digest, jcs
from groundwire.checks import made_up
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.seams import Encounter, judged, no_response, not_applicable, unreachable
from groundwire.checks.transcript import Served, Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import Effect
from groundwire.documents.event import Event, Executed, Guarded, Requested, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, ResultPart, host_calls
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding.once.keys import business_key
from groundwire.grounding.once.settling import settled as said_of

Settled: TypeAlias = Literal["succeeded", "unknown"]
_CHANGES: frozenset[Effect] = frozenset({"write", "external", "destructive", "unstated"})


class DuplicateExecution:
    """Armed per tool by its declared effect; one encounter for each call of an armed tool."""

    kind = "duplicate-execution"
    seam: Seam = "write"
    version = 1
    armed_by = "a tool's effect"
    catches = (
        "A tool called again with the same arguments after it succeeded, or after an outcome that "
        "nobody knows, with nothing written in between."
    )
    fences = (
        "silent where the tool is declared idempotent, because then nothing happens twice",
        "silent about arguments declared volatile, because they differ on every call",
        (
            "where a tool declares `once_per`, only those arguments tell calls apart, whatever was "
            "written in between and in whichever turn, because they name the deed; case, surrounding "
            "white space and how a number is written do not"
        ),
        (
            "silent once the read that settles it (`settled_by`) said that the first was not done, "
            "because then it is done for the first time"
        ),
        "silent after a failure, or after the guard refused, because trying again is what one does",
        (
            "silent about a read once anything else ran that may have changed what it reads, or the "
            "user spoke again, because the answer may be another"
        ),
        (
            "an advisory for reads, because asking twice harms nobody, and for writes that the user may "
            "have asked for again in a later turn"
        ),
    )
    severity = "defect for writes within a turn; advisory for reads and for writes of later turns"
    sees = (Requested, Responded, Executed, Guarded)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A write that ran, and the same write chosen again."""
        first = ToolCall(id="canary-1", name="canary_tool", arguments='{"id":1}')
        again = ToolCall(id="canary-2", name="canary_tool", arguments='{"id":1}')
        armed = ToolDeclaration(name=first.name, effect="write")
        asked = made_up.message("user", made_up.text("Do it."))
        return (
            made_up.declared(armed),
            made_up.request(asked),
            made_up.response(CallPart(first)),
            made_up.request(
                asked,
                made_up.message("assistant", CallPart(first)),
                made_up.message("tool", ResultPart(first.id, "done")),
            ),
            made_up.response(CallPart(again)),
        )


@dataclass(eq=False, slots=True)
class _Done:
    """The last time a call of this name and these arguments came to an end, or may have."""

    call: ToolCall
    turn: int
    step: int
    settled: Settled
    changes: int


class Watch:
    """What every tool was last called with, and how often something may have changed since.

    Arguments are read when a call of a tool with a declared effect is judged.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._done: dict[tuple[str, str], _Done] = {}
        self._unread: dict[str, list[_Done]] = {}
        self._pending: dict[tuple[int, str], tuple[int, int]] = {}
        self._ended: dict[tuple[int, str], tuple[int, int]] = {}
        self._changes = 0
        self._results = 0

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each call of a tool with a declared effect."""
        if isinstance(event, Requested):
            self._settle_served()
        elif isinstance(event, Responded):
            return self._judge(event)
        elif isinstance(event, Executed):
            self._settle_executed(event)
        elif isinstance(event, Guarded) and event.state == "outcome":
            self._settle_guarded(event)
        return ()

    # -- what came to an end --------------------------------------------------------------------

    def _settle_served(self) -> None:
        served = self._transcript.served
        if len(served) == self._results:
            return
        for result in served[self._results :]:
            self._settle_read(result)
            failed = is_failure(result.part.text, is_error=result.part.is_error)
            self._settle(result.lane, result.part.call_id, None if failed else "succeeded")
        self._results = len(served)

    def _settle_executed(self, event: Executed) -> None:
        if event.lane is None:
            self._changes += self._effect(event.name) in _CHANGES
            return
        settled: Settled | None = "succeeded" if event.outcome == "returned" else None
        if event.outcome == "unknown":
            settled = "unknown"
        self._settle(event.lane, event.call_id, settled)

    def _settle_guarded(self, event: Guarded) -> None:
        """What the guard saw: that nothing was attempted, whatever is shown, or that nobody knows.

        A tool of which the host says that it raised may have had its effect.
        """
        if event.lane is None:
            return
        place = (event.lane, event.call_id)
        if event.outcome == "refused":
            self._pending.pop(place, None)
        elif event.outcome == "unknown" or event.late:
            if place in self._ended:
                self._pending[place] = self._ended[place]
            self._settle(*place, "unknown" if event.outcome == "unknown" else "succeeded")

    def _settle(self, lane: int, call_id: str, settled: Settled | None) -> None:
        pending = self._pending.pop((lane, call_id), None)
        chosen = self._transcript.call(lane, call_id)
        if chosen is None or pending is None:
            return
        turn, step = self._ended[lane, call_id] = pending
        if settled is not None:
            # A read does not change what it reads.
            self._changes += self._effect(chosen.call.name) in _CHANGES
            done = _Done(chosen.call, turn, step, settled, self._changes)
            self._unread.setdefault(chosen.call.name, []).append(done)

    def _settle_read(self, result: Served) -> None:
        """What a declared read says of a deed of which nobody knew whether it was done."""
        chosen = self._transcript.call(result.lane, result.part.call_id)
        if chosen is None or self._effect(chosen.call.name) != "read":
            return
        for tool in self._transcript.tools.values():
            if tool.settled_by is None or tool.settled_by.tool != chosen.call.name:
                continue
            given = _given(chosen.call, tool)
            done = None if given is None else self._last(given, tool)
            if done is None or given is None or done.settled != "unknown" or result.part.is_error:
                continue
            stands = said_of(tool.settled_by, result.part.text)
            if stands == "absent":
                del self._done[tool.name, given]
            elif stands == "landed":
                done.settled = "succeeded"

    # -- what is chosen now -----------------------------------------------------------------------

    def _judge(self, event: Responded) -> tuple[Encounter, ...]:
        response = event.response
        if response is None:
            return (no_response(event),)
        calls = host_calls(response)
        if not calls:
            return (not_applicable("no-call"),)
        return tuple([self._judge_call(call, event) for call in calls])

    def _judge_call(self, call: ToolCall, event: Responded) -> Encounter:
        declared = self._transcript.tools.get(call.name)
        chosen = self._transcript.call(event.lane, call.id)
        turn = 0 if chosen is None else chosen.turn
        if call.id:
            self._pending[event.lane, call.id] = (turn, event.step)
        if declared is None or declared.effect == "unstated":
            return not_applicable("effect-not-declared")
        if declared.idempotent:
            return not_applicable("idempotent")
        given = _given(call, declared)
        if given is None:
            return unreachable("unreadable-arguments")
        done = self._last(given, declared)
        if done is None:
            return judged(())
        return judged(self._findings(call, declared.effect, done, turn, event))

    def _last(self, given: str, declared: ToolDeclaration) -> _Done | None:
        """The last time that the tool was done with these arguments."""
        for done in self._unread.pop(declared.name, ()):
            known = _given(done.call, declared)
            if known is not None:
                self._done[declared.name, known] = done
        return self._done.get((declared.name, given))

    def _findings(
        self, call: ToolCall, effect: Effect, done: _Done, turn: int, event: Responded
    ) -> list[Finding]:
        # "Nothing written in between": its own write is the last thing that changed.
        untouched = self._changes == done.changes
        later = turn != done.turn
        declared = self._transcript.tools.get(call.name)
        if declared is not None and declared.once_per:
            return [_finding(call, done, event, advisory=False, once=declared.once_per)]
        if not untouched or (effect == "read" and later):
            return []
        advisory = effect == "read" or (later and done.settled == "succeeded")
        return [_finding(call, done, event, advisory=advisory)]

    def _effect(self, tool: str) -> Effect:
        declared = self._transcript.tools.get(tool)
        return "unstated" if declared is None else declared.effect


def _given(call: ToolCall, declared: ToolDeclaration) -> str | None:
    """The canonical arguments, those left out that differ every time; None: they are unreadable.

    Of a tool that does each deed once, what tells its deeds apart.
    """
    try:
        if declared.once_per:
            return business_key(call.arguments, declared.once_per)
        value = jcs.decode_foreign((call.arguments.strip() or "{}").encode()).value
        if isinstance(value, dict):
            value = {key: inner for key, inner in value.items() if key not in declared.volatile}
        return jcs.encode(value).decode()
    except (EncodingError, UnicodeEncodeError):
        return None


def _finding(
    call: ToolCall, done: _Done, event: Responded, *, advisory: bool, once: Sequence[str] = ()
) -> Finding:
    subjects = (Subject("tool", call.name),)
    outcome = "succeeded" if done.settled == "succeeded" else "ended and nobody knows how"
    repair = (
        "Look whether the first took effect before it runs again."
        if done.settled == "unknown"
        else "Use the first result, or declare what differs (`volatile`) or that it harms nobody "
        "(`idempotent`)."
    )
    look = "A place to look. " if advisory else ""
    same = " and ".join(f"`{clipped(each, 48)}`" for each in once) or "arguments"
    since = ", and that is to be done once" if once else ", and nothing was written since"
    if once and done.settled == "succeeded":
        repair = "Use the first result, or declare by which arguments the two differ (`once_per`)."
    return Finding(
        kind=DuplicateExecution.kind,
        seam=DuplicateExecution.seam,
        subjects=subjects,
        witnesses=tuple(
            Assertion(
                subject=Subject("call", each.id),
                predicate="arguments",
                value=each.arguments,
                provenance=source,
                step=step,
            )
            for each, source, step in (
                (done.call, f"the earlier call, which {outcome}", done.step),
                (call, "the call that was chosen now", event.step),
            )
        ),
        message=(
            f"`{clipped(call.name, 48)}` was called with the same {same} before "
            f"(call {clipped(done.call.id, 48)}, which {outcome}){since}. "
            f"{look}{repair} Nothing was blocked."
        ),
        lane=event.lane,
        step=event.step,
        value_digest=digest.tagged("value", call.arguments.encode(errors="surrogatepass")),
        grade=done.settled,
        advisory=advisory,
    )
