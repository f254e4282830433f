"""Evicted rule: a rule stood in an earlier frame, stands in this one no more, and a write is chosen.

A rule is a text that the host pinned (`run.pin`), or any message that a pattern of the policy
matches. It is in view where its words stand whole in the instructions or in any message, whoever
wrote that. Catches a rule that the window dropped; not one that was rewritten to say less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from groundwire.checks import made_up
from groundwire.checks.seams import (
    Encounter,
    Resting,
    judged,
    no_response,
    not_applicable,
    unreachable,
)
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Event, Pinned, Requested, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import CallPart, Frame, Message, Part, Text
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.folding import fold
from groundwire.grounding.passages import passages

_WRITES = frozenset({"write", "external", "destructive"})


class EvictedRule:
    """Armed by `run.pin(...)` or a pattern of the policy; one encounter a response."""

    kind = "evicted-rule"
    seam: Seam = "compose"
    version = 1
    armed_by = "run.pin(...) or pins of the policy, and a tool with effect write"
    catches = (
        "A pinned rule stood in an earlier frame and stands nowhere in the frame of a request "
        "whose response chose a call that changes something."
    )
    fences = (
        "silent when the rule never stood in a frame of the lane, because nothing was evicted",
        (
            "silent when its words stand in the instructions or in any message of the frame, "
            "because then the model was shown them"
        ),
        (
            "silent about calls of tools that are not declared to change something, because only "
            "those need the rule"
        ),
        "silent where the provider keeps the conversation, because it may hold the rule",
    )
    severity = "defect"
    sees = (Requested, Pinned, Responded)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A rule that the second request has dropped, and a write after it."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        return (
            Declared(
                step=made_up.BEFORE,
                at="",
                declarations=(ToolDeclaration(name="canary_tool", effect="write"),),
                grounding="whole",
                posture="observe",
            ),
            Pinned(step=made_up.BEFORE, at="", name="canary", text="Ask before canary writes."),
            made_up.request(made_up.message("user", Text("Ask before canary writes. Go on."))),
            made_up.request(made_up.message("user", Text("Go on."))),
            made_up.response(call),
        )


class Rule(msgspec.Struct, frozen=True):
    """A rule to keep in view: a pinned text, or what a pattern matches."""

    name: str
    text: str = ""
    pattern: str = ""

    def stands_in(self, folded: str, text: str) -> bool:
        """Whether it stands in a text, given folded and as it is."""
        if self.pattern:
            return re.search(self.pattern, text) is not None
        return self.text in folded


class _View:
    """The rules that stand in each message of a lane's frame, and that ever did."""

    def __init__(self) -> None:
        self.rules: tuple[Rule, ...] = ()
        self.stack: list[frozenset[Rule]] = []
        self.system: tuple[Part, ...] = ()
        self.of_system: frozenset[Rule] = frozenset()
        self.ever: dict[Rule, int] = {}

    def show(self, frame: Frame, kept: int, rules: tuple[Rule, ...], step: int) -> None:
        """The frame is what stands now; only what is new of it is read, or all for a new rule."""
        if rules != self.rules:
            kept, self.rules, self.system = 0, rules, ()
            self.of_system = frozenset()
        del self.stack[kept:]
        if frame.system != self.system:
            self.system = frame.system
            self.of_system = frozenset(_standing(rules, "system", frame.system))
        new = [frozenset(_in_message(rules, message)) for message in frame.messages[kept:]]
        self.stack += new
        for rule in self.of_system.union(*new):
            self.ever[rule] = step

    def gone(self) -> list[Rule]:
        """The rules that stood in an earlier frame and stand in this one no more."""
        present = self.of_system.union(*self.stack)
        return [rule for rule in self.rules if rule in self.ever and rule not in present]


class Watch:
    """The rules in view of each lane."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._views: dict[int, _View] = {}
        self._known: tuple[int, tuple[str, ...]] = (0, ())
        self._made: tuple[Rule, ...] = ()

    def rests(self) -> Resting | None:
        """No rule is declared."""
        return None if self._rules() else Resting(response=not_applicable("not-declared"))

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each response."""
        match event:
            case Requested(frame=frame) if frame is not None:
                self._show(event, frame)
            case Pinned():
                # A rule that is in view when it is pinned stood there.
                for lane in self._run.lanes.values():
                    if lane.frame is not None:
                        self._view(lane.number).show(lane.frame, 0, self._rules(), event.step)
            case Responded():
                yield self._meet(event)
            case _:
                pass

    def _show(self, event: Requested, frame: Frame) -> None:
        rules = self._rules()
        if rules:
            view = self._view(event.lane)
            kept = self._run.lane(event.lane).kept if len(view.stack) else 0
            view.show(frame, min(kept, len(view.stack)), rules, event.step)

    def _view(self, lane: int) -> _View:
        return self._views.setdefault(lane, _View())

    def _rules(self) -> tuple[Rule, ...]:
        known = (len(self._run.pinned), self._run.rules.pins)
        if known != self._known:
            pinned = [Rule(pin.name, text=fold(pin.text)) for pin in self._run.pinned]
            patterns = [Rule(pattern, pattern=pattern) for pattern in self._run.rules.pins]
            self._known = known
            self._made = tuple(dict.fromkeys([rule for rule in pinned if rule.text] + patterns))
        return self._made

    def _meet(self, event: Responded) -> Encounter:
        rules = self._rules()
        if not rules:
            return not_applicable("not-declared")
        response = event.response
        if response is None:
            return no_response(event)
        calls = [part.call for part in response.parts if isinstance(part, CallPart)]
        writes = [call for call in calls if self._changes(call)]
        if not writes:
            return not_applicable("no-write-call")
        request = self._run.request(event.exchange)
        if request is None or request.frame is None:
            return unreachable("request-not-seen" if request is None else "unreadable-body")
        view = self._view(event.lane)
        if not view.ever:
            # A rule pinned in other words than those that were sent is compared with nothing.
            return not_applicable("rule-never-shown")
        gone = view.gone()
        if gone and request.frame.held_by_provider is not None:
            return unreachable("held-by-provider")
        return judged([self._finding(rule, call, event) for rule in gone for call in writes])

    def _changes(self, call: ToolCall) -> bool:
        declared = self._run.tools.get(call.name)
        return call.executed_by == "host" and declared is not None and declared.effect in _WRITES

    def _finding(self, rule: Rule, call: ToolCall, event: Responded) -> Finding:
        subject = Subject("rule", rule.name)
        seen = self._view(event.lane).ever[rule]
        return Finding(
            kind=EvictedRule.kind,
            seam=EvictedRule.seam,
            subjects=(subject, Subject("tool", call.name)),
            witnesses=(
                Assertion(
                    subject=subject,
                    predicate="in view",
                    value="yes",
                    provenance="an earlier frame of the lane",
                    stratum="quoted",
                    step=seen,
                ),
                Assertion(
                    subject=subject,
                    predicate="in view",
                    value="no",
                    provenance=f"the frame that call {clipped(call.id)} was chosen from",
                    step=event.step,
                ),
            ),
            message=(
                f"`{clipped(call.name)}` changes something, and was chosen from a frame without "
                f"the rule `{clipped(rule.name)}`"
                + (f" (`{clipped(rule.text)}`)" if rule.text else "")
                + ", which stood in an earlier frame. Keep the rule out of the window's reach, or "
                "repeat it before such calls. Nothing was blocked."
            ),
            lane=event.lane,
            step=event.step,
            grade="evicted",
        )


def _in_message(rules: Sequence[Rule], message: Message) -> Iterator[Rule]:
    return _standing(rules, message.role, message.parts)


def _standing(rules: Sequence[Rule], role: str, parts: tuple[Part, ...]) -> Iterator[Rule]:
    texts = [passage.text for passage in passages("system" if role == "system" else "user", parts)]
    for text in texts:
        folded = fold(text)
        yield from (rule for rule in rules if rule.stands_in(folded, text))
