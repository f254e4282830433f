"""Agent: the loop. A model, tools, a window, groups that can be parked, judges of the answer.

    agent = Agent(OpenAIChat(client, "gpt-5-mini"), [look_up], system="…", window=last_turns(6))
    with project.session() as run:
        outcome = agent.ask(run, "Which hosts are down?")

It is small and has no retries, no streaming of its own and one thread. What crosses the wire is
recorded by the watched client of its model; everything else the agent tells the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.documents.call import ToolCall
from groundwire.errors import HostError
from groundwire.grounding.substring import usable
from groundwire.loop.answers import Again, Answers
from groundwire.loop.calls import Calls, Shown, arguments_of
from groundwire.loop.evidence import Gate
from groundwire.loop.groups import Change, EngagedBy, Group, Groups
from groundwire.loop.messages import (
    Message,
    Model,
    ModelTurn,
    Offer,
    Request,
    ToolResult,
    UserText,
)
from groundwire.loop.outcomes import CallRecord, Outcome, Paused
from groundwire.loop.terms import Terms, require_sound
from groundwire.loop.tools import Pause, Tool, ToolProvider, gathered
from groundwire.loop.windows import Window, everything
from groundwire.session.live.binding import current_lane
from groundwire.session.project import Session

ENGAGE = "engage_group"


class Agent:
    """An agent and its conversation so far. For one thread; each turn belongs to the run it is given.

    Raises:
        PolicyError: terms or groups that cannot be what was meant.
    """

    def __init__(
        self,
        model: Model,
        tools: Iterable[Tool] = (),
        *,
        system: str = "",
        window: Window = everything,
        groups: Iterable[Group] = (),
        providers: Iterable[ToolProvider] = (),
        terms: Terms | None = None,
    ) -> None:
        self._terms = terms or Terms()
        require_sound(self._terms)
        self._model, self._tools, self._system = model, tuple(tools), system
        self._window, self._providers = window, tuple(providers)
        self._groups = Groups(groups)
        self._waiting: list[ToolCall] = []
        self._turn: _Turn | None = None
        self.messages: list[Message] = []

    def ask(self, run: Session, text: str) -> Outcome:
        """The turn that this text begins is over, or pauses.

        Raises:
            UnsupportedValuesError: posture `rails`.
            HostError: `too-many-steps`.
        """
        self._waiting = []
        self.messages.append(UserText(text))
        return self._go_on(self._turn_in(run))

    def resume(self, run: Session, paused: Paused, text: str) -> Outcome:
        """The paused turn goes on in this run, with `text` for the result of the call it waits at.

        What the paused run filed is not filed again. Raises as `ask`, and:

        Raises:
            HostError: `not-paused`: the agent does not wait at this call.
        """
        if not self._waiting or self._waiting[0] != paused.call:
            raise HostError("not-paused", "The agent does not wait at this call any more.")
        run.continues(paused.run, paused.filed)
        turn = self._turn_in(run)
        turn.tools = self._gathered()
        call = self._waiting.pop(0)
        shown = turn.calls.resumed(call, text)
        self.messages.append(shown.result)
        turn.records += [*paused.calls, CallRecord(call, shown.status)]
        return self._go_on(turn)

    def park(self, run: Session, group: str) -> None:
        """The group is withheld from here on.

        Raises:
            PolicyError: `unknown-group`, `group-not-parkable`.
        """
        _tell(self._turn_in(run).run, self._groups.park(group))

    def engage(self, run: Session, group: str, engaged_by: EngagedBy = "explicit") -> None:
        """The group is offered from here on.

        Raises:
            PolicyError: `unknown-group`, `unknown-evidence`.
        """
        _tell(self._turn_in(run).run, self._groups.engage(group, engaged_by))

    # -- one turn -----------------------------------------------------------------------------

    def _turn_in(self, run: Session) -> _Turn:
        """What belongs to this run: everything is told to each run once."""
        if self._turn is None or self._turn.run is not run:
            self._turn = _Turn(run, self._terms)
            _tell(run, self._groups.standing())
        return self._turn

    def _go_on(self, turn: _Turn) -> Outcome:
        paused = self._answer_calls(turn)
        if paused is not None:
            return paused
        turn.answers.begin()
        for _ in range(self._terms.most_steps):
            turn.gate.answer_follows()
            said = self._step(turn)
            self.messages.append(said)
            if said.calls:
                self._waiting = list(said.calls)
                paused = self._answer_calls(turn)
                if paused is not None:
                    return paused
                continue
            ending = turn.answers.judge(said.text, turn.records)
            if isinstance(ending, Again):
                self.messages.append(UserText(ending.text, "correction"))
                continue
            if ending.unsaid:
                self.messages.pop()
            turn.records = []
            return ending.outcome
        raise HostError(
            "too-many-steps",
            f"The agent took {self._terms.most_steps} steps without an answer; allow more with "
            "`most_steps`, or look at what it repeats.",
        )

    def _step(self, turn: _Turn) -> ModelTurn:
        turn.vouch(self._terms)
        turn.tools = self._gathered()
        offers = [tool.offer for tool in turn.tools.values()]
        if self._groups.parked:
            offers.append(_engaging(self._groups.parked))
        messages = tuple(self._window(self.messages))
        turn.own_up(messages)
        request = Request(
            system="\n\n".join(filter(None, [self._system, *self._groups.prompts()])),
            messages=messages,
            tools=tuple(offers),
        )
        if self._terms.transform is not None:
            request = self._terms.transform(request)
        # A window may leave nothing by which one request is known to go on from the other.
        with turn.run.lane(current_lane.get() or self._terms.lane):
            said = self._model.answer(request)
        served = {offer.name for offer in request.tools}
        _tell(turn.run, self._groups.passed(served, [call.name for call in said.calls]))
        return said

    def _gathered(self) -> dict[str, Tool]:
        return gathered(self._tools, self._providers, self._groups.held_out)

    def _answer_calls(self, turn: _Turn) -> Paused | None:
        """Every waiting call has its answer in the conversation, or the run pauses at the first."""
        while self._waiting:
            call = self._waiting[0]
            try:
                shown = (
                    self._engage_for(turn, call)
                    if call.name == ENGAGE and ENGAGE not in turn.tools
                    else turn.calls.answer(call, turn.tools, self._groups.held_out)
                )
            except Pause as pause:
                return self._pause(turn, call, pause.asks)
            self._waiting.pop(0)
            self.messages.append(shown.result)
            turn.records.append(CallRecord(call, shown.status))
        return None

    def _pause(self, turn: _Turn, call: ToolCall, asks: str) -> Paused:
        paused = Paused(
            call=call,
            asks=asks,
            run=turn.run.run_id,
            filed=turn.run.findings,
            calls=turn.take_records(),
        )
        # A pause ends the run: its ledger is filed, and no check need have had its work yet.
        turn.run.close(succeeded=False)
        return paused

    def _engage_for(self, turn: _Turn, call: ToolCall) -> Shown:
        """The model asks for a group; the loop itself answers."""
        wanted = arguments_of(call)
        name = None if wanted is None else wanted.get("group")
        if not isinstance(name, str) or name not in self._groups.parked:
            return turn.calls.settle(call, "No such group is parked.", "not-dispatched")
        _tell(turn.run, self._groups.engage(name))
        return turn.calls.settle(call, "The group is engaged: its tools are offered again.", "ok")


class _Turn:
    """What an agent needs of the run that its turns belong to."""

    def __init__(self, run: Session, terms: Terms) -> None:
        policy = run.project.declared_policy()
        self.run = run
        self.gate = Gate(run)
        self.answers = Answers(run, terms, policy.checks.evidence, self.gate)
        self.calls = Calls(run, policy, terms.permit)
        self.tools: dict[str, Tool] = {}
        self.records: list[CallRecord] = []
        self._told: set[str] = set()
        self._vouched: set[tuple[str, str]] = set()

    def take_records(self) -> tuple[CallRecord, ...]:
        """What became of the calls since this was last asked."""
        records, self.records = tuple(self.records), []
        return records

    def own_up(self, messages: Sequence[Message]) -> None:
        """The run knows which of these texts nobody but the loop wrote."""
        for message in messages:
            text = message.text
            if text in self._told or not text.strip():
                continue
            if isinstance(message, UserText) and message.authored:
                self.run.authored(text, message.authored)
                self._told.add(text)
            elif isinstance(message, ToolResult) and message.settled:
                self.run.authored(text)
                self._told.add(text)

    def vouch(self, terms: Terms) -> None:
        """The run knows what the host vouches for now; a function that fails vouches for nothing."""
        if terms.grounds is None:
            return
        try:
            given = terms.grounds()
        except Exception:  # noqa: BLE001 -- a stranger's function; without it nothing is vouched for
            return
        for ground in usable(given) if isinstance(given, list | tuple) else ():
            pair = (ground.value, ground.source)
            if pair not in self._vouched:
                self._vouched.add(pair)
                self.run.vouch(*pair)


def _tell(run: Session, changes: Iterable[Change]) -> None:
    for change in changes:
        act = run.park if change.parked else run.engage
        act(change.group.name, change.group.tools)


def _engaging(parked: Sequence[str]) -> Offer:
    """The tool by which the model asks for a parked group."""
    group = {"type": "string", "enum": list(parked)}
    return Offer(
        ENGAGE,
        "Offers the tools of a parked group again.",
        {"type": "object", "properties": {"group": group}, "required": ["group"]},
    )
