"""Simulated time: entries say it, and what ages does so without waiting."""

from __future__ import annotations

from pathlib import Path

from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Requested
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.loop.agent import Agent
from groundwire.session.project import Project
from groundwire.testing.clock import SimulatedClock
from groundwire.testing.simulator import Simulator, replying
from groundwire.testing.turns import Call, Turn
from tests.driving import replayed
from tests.simulated import Told


def test_a_result_grows_old_by_the_simulated_clock(tmp_path: Path) -> None:
    clock = SimulatedClock()
    load = ToolDeclaration(name="load", max_age=600)
    of = Project(Policy(tools=(load,), checks=CheckRules()), clock=clock)
    script = [
        Turn(calls=(Call("load"),)),
        Turn(text="The load is 4417 jobs."),
        Turn(text="The load is 4417 jobs."),
    ]
    with of.session(tmp_path / "run.gw") as run:
        agent = Agent(Simulator(of, script), [replying("load", '{"jobs": 4417}')])
        agent.ask(run, "How many jobs wait?")
        clock.advance(3600)
        agent.ask(run, "And now?")
    told = Told(run)
    assert told.replays()
    assert [finding.kind for finding in told.filed] == ["stale-evidence"]
    times = [event.at for event in replayed(run.path) if isinstance(event, Requested)]
    assert [at[:16] for at in times] == ["2031-05-02T08:00", "2031-05-02T08:00", "2031-05-02T09:00"]
