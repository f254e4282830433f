"""The loop: groups, providers, calls that it answers itself, executions, pauses, limits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules, Column, Evidence
from groundwire.documents.event import Authored, Executed, Parked
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import HostError, PolicyError
from groundwire.loop.agent import Agent
from groundwire.loop.groups import Group
from groundwire.loop.outcomes import Answered, Paused
from groundwire.loop.terms import Terms
from groundwire.loop.tools import Pause, Tool
from groundwire.session import declarations
from groundwire.testing.simulator import SimulatedFailure, Simulator, replying
from groundwire.testing.turns import Answer, Call, Hangup, Turn
from tests.driving import replayed
from tests.simulated import Told, calls, project, session

LOOK, RESTORE = replying("look", "all quiet"), replying("restore", "restored")
BACKUPS = Group(name="backups", tools=("restore",), prompt="Restore only what is lost.")
DONE = Turn(text="Done.")
DEFAULT = CheckRules()


@pytest.fixture(autouse=True)
def _no_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_declared", {})


class Ran:
    """An agent that was asked once; `bodies` are the requests it sent."""

    def __init__(
        self, folder: Path, script: Sequence[Answer], tools: Sequence[Tool], **more: object
    ):
        declared = more.pop("declared", ())
        of = project(*declared, rules=more.pop("rules", DEFAULT))
        model = Simulator(of, script)
        self.agent = Agent(model, tools, **more)
        with session(of, folder) as self.run:
            self.outcome = self.agent.ask(self.run, "Go on.")
        self.bodies = [msgspec.json.decode(body) for body in model.requests]
        self.told = Told(self.run)
        assert self.told.replays()

    def offered(self) -> list[list[str]]:
        return [[t["function"]["name"] for t in b.get("tools", ())] for b in self.bodies]

    def results(self) -> list[str]:
        return [m["content"] for m in self.bodies[-1]["messages"] if m["role"] == "tool"]

    def statuses(self) -> list[str]:
        return [record.status for record in self.outcome.calls]

    def events(self, kind: type) -> list:
        return [event for event in replayed(self.run.path) if isinstance(event, kind)]


def test_an_idle_group_is_parked_with_its_tools_and_its_prompt_and_asked_back(
    tmp_path: Path,
) -> None:
    looks = [calls(("look", "{}"))] * 3
    back = [calls(("engage_group", '{"group": "backups"}')), calls(("restore", "{}")), DONE]
    ran = Ran(tmp_path, [*looks, *back], [LOOK, RESTORE], system="Watch.", groups=[BACKUPS])
    assert ran.offered() == [
        *[["look", "restore"]] * 3,
        ["look", "engage_group"],
        *[["look", "restore"]] * 2,
    ]
    prompts = [body["messages"][0]["content"] for body in ran.bodies]
    assert prompts[0] == prompts[5] == "Watch.\n\nRestore only what is lost."
    assert "backups: parked" in prompts[3]
    assert "Restore only" not in prompts[3]
    assert [event.parked for event in ran.events(Parked)] == [True, False]
    assert ran.told.of("parked-but-served") == []
    assert ran.statuses() == ["ok"] * 5
    assert len(ran.events(Executed)) == 4


def test_a_provider_does_not_bring_a_parked_tool_back(tmp_path: Path) -> None:
    script = [calls(("look", "{}"))] * 4 + [DONE]
    ran = Ran(tmp_path, script, [LOOK], groups=[BACKUPS], providers=[lambda: [RESTORE]])
    assert ran.offered()[0] == ["look", "restore"]
    assert ran.offered()[-1] == ["look", "engage_group"]
    assert ran.told.of("parked-but-served") == []


def test_the_agents_own_tool_wins_over_a_providers_of_the_same_name(tmp_path: Path) -> None:
    brought = [replying("look", "from the provider"), replying("listen", "rain")]
    script = [calls(("look", "{}"), ("listen", "{}")), DONE]
    ran = Ran(tmp_path, script, [LOOK], providers=[lambda: brought])
    assert ran.results() == ["all quiet", "rain"]


def test_parking_and_engaging_by_hand_is_told_to_the_run(tmp_path: Path) -> None:
    of = project(rules=DEFAULT)
    agent = Agent(Simulator(of, [DONE, DONE]), [LOOK, RESTORE], groups=[BACKUPS])
    with session(of, tmp_path) as run:
        agent.park(run, "backups")
        agent.ask(run, "Go on.")
        agent.engage(run, "backups")
        agent.ask(run, "Go on.")
        with pytest.raises(PolicyError):
            agent.park(run, "nothing")
    parked = [event for event in replayed(run.path) if isinstance(event, Parked)]
    assert [(event.group, event.tools, event.parked) for event in parked] == [
        ("backups", ("restore",), True),
        ("backups", ("restore",), False),
    ]


def test_a_run_that_begins_while_a_group_is_parked_is_told_so(tmp_path: Path) -> None:
    of = project(rules=DEFAULT)
    agent = Agent(Simulator(of, [DONE, DONE]), [LOOK, RESTORE], groups=[BACKUPS])
    with session(of, tmp_path) as first:
        agent.park(first, "backups")
    with session(of, tmp_path, "more.gw") as second:
        agent.ask(second, "Go on.")
    assert [e.group for e in replayed(second.path) if isinstance(e, Parked)] == ["backups"]


@pytest.mark.parametrize(
    ("call", "says", "status"),
    [
        (("listen", "{}"), "no tool of this name", "not-dispatched"),
        (("look", "[1]"), "no JSON object", "not-dispatched"),
        (("look", '{"a": '), "no JSON object", "not-dispatched"),
        (("look", '{"host": "no-go"}'), "denied", "denied"),
        (("look", '{"host": "throws"}'), "Nobody could say", "denied"),
    ],
)
def test_a_call_that_may_not_run_is_answered_by_the_loop_and_known_as_its_own_text(
    tmp_path: Path, call: tuple[str, str], says: str, status: str
) -> None:
    def permit(call: ToolCall) -> str | None:
        if "throws" in call.arguments:
            raise RuntimeError
        return "Not this one." if "no-go" in call.arguments else None

    ran = Ran(tmp_path, [calls(call), DONE], [LOOK], terms=Terms(permit=permit))
    [text] = ran.results()
    assert says in text
    assert ran.statuses() == [status]
    assert ran.events(Executed) == []
    assert [event.text for event in ran.events(Authored)] == [text]


def test_a_call_of_a_parked_tool_is_answered_by_the_loop(tmp_path: Path) -> None:
    script = [calls(("look", "{}"))] * 3 + [calls(("restore", "{}")), DONE]
    ran = Ran(tmp_path, script, [LOOK, RESTORE], groups=[BACKUPS])
    assert "parked" in ran.results()[-1]
    assert ran.statuses()[-1] == "not-dispatched"


def test_a_group_that_is_not_parked_cannot_be_asked_back(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [calls(("engage_group", '{"group": "x"}')), DONE], [LOOK], groups=[BACKUPS])
    assert ran.results() == ["No such group is parked."]


def test_what_a_tool_ran_with_and_gave_is_told_once_however_it_is_made(tmp_path: Path) -> None:
    @gw.tool(name="measure")
    def measure(host: str) -> dict[str, object]:
        return {"host": host, "load": 7}

    def fail(host: str) -> str:
        raise ValueError(f"no {host}")

    tools = [Tool(name="measure", function=measure), Tool(name="fail", function=fail)]
    script = [calls(("measure", '{"host": "petrel"}'), ("fail", '{"host": "petrel"}')), DONE]
    ran = Ran(tmp_path, script, tools)
    told = [(e.name, e.link, e.arguments, e.result, e.outcome) for e in ran.events(Executed)]
    assert told == [
        ("measure", "id", '{"host":"petrel"}', '{"host":"petrel","load":7}', "returned"),
        ("fail", "id", '{"host": "petrel"}', "no petrel", "raised"),
    ]
    assert ran.results() == ['{"host":"petrel","load":7}', "error: ValueError: no petrel"]
    assert ran.statuses() == ["ok", "error"]


def test_a_tool_that_is_interrupted_leaves_an_unknown_outcome_behind(tmp_path: Path) -> None:
    of = project(rules=DEFAULT)
    stop = replying("look", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt), session(of, tmp_path) as run:
        Agent(Simulator(of, [calls(("look", "{}"))]), [stop]).ask(run, "Go on.")
    [told] = [event for event in replayed(tmp_path / "run.gw") if isinstance(event, Executed)]
    assert told.outcome == "unknown"


def test_withheld_rows_are_no_result_for_anybody(tmp_path: Path) -> None:
    disks = ToolDeclaration(name="disks", columns=(Column(name="size", type="number"),))
    ran = Ran(
        tmp_path,
        [calls(("disks", "{}")), DONE],
        [replying("disks", [{"size": "12"}])],
        declared=[disks],
        rules=CheckRules(columns="enforce"),
    )
    assert [event.text for event in ran.events(Authored)] == ran.results()
    assert [finding.kind for finding in ran.told.filed] == ["column-type-mismatch"]


def test_after_a_pause_the_other_calls_of_the_response_are_answered_too(tmp_path: Path) -> None:
    of = project(rules=DEFAULT)
    several = Turn(calls=tuple(Call(name, "{}") for name in ("look", "ask", "look")))
    model = Simulator(of, [several, DONE])
    agent = Agent(model, [LOOK, replying("ask", Pause("May I?"))])
    with session(of, tmp_path) as first:
        paused = agent.ask(first, "Go on.")
        assert not first.is_open
    assert isinstance(paused, Paused)
    with session(of, tmp_path, "more.gw") as second:
        outcome = agent.resume(second, paused, "Yes, you may.")
        with pytest.raises(HostError) as refused:
            agent.resume(second, paused, "Yes again.")
    assert refused.value.reason == "not-paused"
    assert isinstance(outcome, Answered)
    assert [record.status for record in outcome.calls] == ["ok"] * 3
    shown = msgspec.json.decode(model.requests[-1])["messages"]
    assert [m["content"] for m in shown if m["role"] == "tool"] == [
        "all quiet", "Yes, you may.", "all quiet",
    ]  # fmt: skip


def test_an_agent_that_never_answers_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(HostError) as refused:
        Ran(tmp_path, [calls(("look", "{}"))] * 4, [LOOK], terms=Terms(most_steps=3))
    assert refused.value.reason == "too-many-steps"


def test_a_model_that_fails_ends_the_run_with_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(SimulatedFailure):
        Ran(tmp_path, [Hangup()], [])


@pytest.mark.parametrize("terms", [Terms(corrections=-1), Terms(most_steps=0)])
def test_counts_that_are_none_are_refused(terms: Terms) -> None:
    with pytest.raises(PolicyError) as refused:
        Agent(Simulator(project(), []), terms=terms)
    assert refused.value.reason == "out-of-range"


@pytest.mark.parametrize("answer", ["Done.", "It is db-7412."])
def test_two_answers_of_which_the_gate_says_the_same_are_both_judged(
    tmp_path: Path, answer: str
) -> None:
    of = project(rules=CheckRules(evidence=Evidence(posture="rails")))
    agent = Agent(Simulator(of, [Turn(text=answer)] * 2), [])
    with session(of, tmp_path) as run:
        outcomes = [agent.ask(run, "What of db-7412?") for _ in range(2)]
    assert [one.judged for one in outcomes if isinstance(one, Answered)] == [True, True]
