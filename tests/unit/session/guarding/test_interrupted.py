"""What is told of a call whose driver was itself interrupted, where no outcome was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.guard.flow import Flow
from groundwire.guard.steps import Execute, InThread, LetPass
from groundwire.session.guarding import calling
from groundwire.session.guarding.host import GuardHost
from tests.unit.session.guarding.calls import CREATE, READ, Place, call, word


def interrupted(flow: Flow, host: GuardHost) -> None:
    """As `drive`, until what was to be carried out has been."""
    step = next(flow)
    while not isinstance(step, Execute | LetPass):
        given = host.answer(step)
        assert not isinstance(given, InThread)
        step = flow.send(given)
    host.answer(step)
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("profile", "told"), [("enforce/1", "unknown: cancelled"), ("observe/1", "passed: observe")]
)
def test_a_call_whose_driver_is_interrupted_after_it_began_is_not_told_as_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, told: str
) -> None:
    monkeypatch.setattr(calling, "drive", interrupted)
    place = Place(tmp_path / "project", declared=[CREATE], rules={"profile": profile})
    table = place.project.guard([{"name": "create", "parameters": {"type": "object"}}])
    heard: list[str] = []
    with place.session() as run:
        run.on("settled", lambda result: heard.append(word(result)))
        with pytest.raises(KeyboardInterrupt):
            table.dispatch(call("create", path="a.txt", content="x"))
    assert heard == [told]
    assert place.text("a.txt") == "x"


def test_a_read_whose_driver_is_interrupted_after_it_began_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "drive", interrupted)
    place = Place(tmp_path / "project", declared=[READ])
    place.write("a.txt", "x")
    table = place.table()
    heard: list[str] = []
    with place.session() as run:
        run.on("settled", lambda result: heard.append(word(result)))
        with pytest.raises(KeyboardInterrupt):
            table.dispatch(call("read", path="a.txt"))
    assert heard == ["passed: read"]
