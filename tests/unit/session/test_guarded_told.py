"""States of guarded calls in a run: recorded, told to whoever listens, and read back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import groundwire as gw
from groundwire.checks.engine import Engine
from groundwire.documents.event import Event, Guarded
from groundwire.documents.policy import Policy
from groundwire.session.project import Session
from tests.driving import answers, assistant, choice, exchange, replayed, user
from tests.guarded import Call


def say(run: Session, told: Guarded) -> None:
    rail = run._rail()
    assert rail is not None
    with rail.lock:
        rail.say(told)


def test_each_state_is_told_as_it_stands_in_the_recording_and_read_back_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live: list[Event] = []
    feed = Engine.feed

    def spied(self: Engine, event: Event) -> Any:
        live.append(event)
        return feed(self, event)

    monkeypatch.setattr(Engine, "feed", spied)
    heard: list[object] = []
    with Session(tmp_path / "run.gw", project=gw.Project(Policy())) as run:
        run.on("guarded", heard.append)
        exchange(run, [user("Edit.")], assistant(choice("call-0", "edit_spec")))
        for told in Call(run=run.run_id).whole():
            say(run, told)
        run.record_child("run-child", "researcher")
        exchange(run, [user("Edit."), answers("call-0", "done")], assistant(text="Done."))
    assert run.lost == 0, run.lost_reason
    states = [event for event in live if isinstance(event, Guarded)]
    assert [each.state for each in states] == ["decided", "intent", "outcome", "attested"]
    assert heard == states
    assert [each.step for each in states] == sorted({each.step for each in states})
    assert replayed(run.path) == live
