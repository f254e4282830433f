"""The simulator: runs recorded as if bytes had crossed a wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.documents.event import Composed, Requested, Responded
from groundwire.documents.policy import ToolDeclaration
from groundwire.loop.agent import Agent
from groundwire.loop.messages import Request, UserText
from groundwire.testing.simulator import (
    SimulatedFailure,
    Simulator,
    Wire,
    assert_no_findings,
    replying,
)
from groundwire.testing.turns import Call, Failure, Turn
from tests.driving import replayed
from tests.simulated import project, session

REQUEST = Request(system="", messages=(UserText("Is it up?"),), tools=())
SCRIPT = [Turn(calls=(Call("look", '{"host": "petrel"}'),)), Turn(text="Up.")]


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("streamed", [False, True])
def test_every_form_is_read_back_as_what_was_said(
    tmp_path: Path, wire: Wire, streamed: bool
) -> None:
    of = project()
    with session(of, tmp_path) as run:
        model = Simulator(of, SCRIPT, wire=wire, streamed=streamed)
        Agent(model, [replying("look", "petrel is up")], system="Watch.").ask(run, "Is it up?")
    events = replayed(run.path)
    assert [e.tools for e in events if isinstance(e, Composed)] == [("look",)] * 2
    assert all(e.frame is not None for e in events if isinstance(e, Requested))
    answers = [e.response for e in events if isinstance(e, Responded)]
    assert [answer is not None and answer.complete for answer in answers] == [True, True]


def test_a_failure_is_recorded_as_one_and_raised(tmp_path: Path) -> None:
    of = project()
    with session(of, tmp_path) as run, pytest.raises(SimulatedFailure, match="429"):
        Agent(Simulator(of, [Failure(status=429)])).ask(run, "Is it up?")
    [answer] = [e.response for e in replayed(run.path) if isinstance(e, Responded)]
    assert answer is not None
    assert answer.error is not None


def test_outside_a_run_it_answers_and_nothing_is_recorded() -> None:
    of = project(outside_session="pass")
    with pytest.warns(UserWarning, match="outside any run"):
        answer = Simulator(of, [Turn(text="Up.")]).answer(REQUEST)
    assert answer.text == "Up."


def test_a_script_without_an_answer_left_says_so(tmp_path: Path) -> None:
    of = project()
    with session(of, tmp_path) as run, pytest.raises(LookupError, match="one more"):
        Agent(Simulator(of, [])).ask(run, "Is it up?")


def test_no_findings_means_nothing_where_nothing_was_checked(tmp_path: Path) -> None:
    of = project(ToolDeclaration(name="look", arguments_from=("hosts",)))
    with session(of, tmp_path) as run:
        with pytest.raises(AssertionError, match="nothing was checked"):
            assert_no_findings(run)
        script = [Turn(calls=(Call("look", '{"host": "gannet-9911"}'),)), Turn(text="Up.")]
        Agent(Simulator(of, script), [replying("look", "up")]).ask(run, "Is it up?")
        with pytest.raises(AssertionError, match="unsupported-argument"):
            assert_no_findings(run)
