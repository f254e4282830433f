"""Arguments that a tool's own code does not take refuse the call; results and tables in a line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from groundwire.documents.event import Guarded
from groundwire.documents.governing import FileArguments, ReadArguments
from groundwire.documents.policy import ToolDeclaration
from tests.driving import replayed
from tests.unit.session.guarding.calls import Place, call, word

LOOK = ToolDeclaration(name="look", effect="read", target=ReadArguments(paths=("path",)))
SEND = ToolDeclaration(name="send", effect="external", operation="send")
SAVE = ToolDeclaration(name="save", effect="write", target=FileArguments(edit="whole"))
ALLOWED = {"id": "send", "decide": "allow", "operations": ["send"]}


@pytest.mark.parametrize("profile", ["observe/1", "enforce/1"])
@pytest.mark.parametrize("arguments", [{}, {"path": 3}, {"path": "a", "more": 1}])
def test_a_call_that_a_tool_does_not_take_is_refused_and_raises_nothing(
    tmp_path: Path, profile: str, arguments: dict[str, Any]
) -> None:
    place = Place(
        tmp_path / "project",
        rules={"profile": profile, "rules": [ALLOWED]},
        declared=[LOOK, SEND, SAVE],
    )
    ran: list[str] = []

    def look(path: str) -> None:
        ran.append(path)

    async def send(path: str) -> None:
        ran.append(path)

    def save(path: str, content: str = "") -> None:
        ran.append(path)

    table = place.project.guard([look, send, save])
    with place.session() as run:
        told = table.dispatch(call("look", **arguments))
        awaited = asyncio.run(table.adispatch(call("send", **arguments)))
        written = table.dispatch(call("save", **arguments))
    assert {word(each) for each in (told, awaited, written)} == {"refused: arguments-do-not-fit"}
    assert "nothing ran. Make" in told.message
    assert (ran, list(place.folder.iterdir())) == ([], [])
    states = [each.state for each in replayed(run.path) if isinstance(each, Guarded)]
    assert "outcome" in states
    assert not {"decided", "intent"} & set(states)


@pytest.mark.parametrize(
    ("profile", "told"),
    [("observe/1", "refused: arguments-do-not-fit"), ("enforce/1", "executed")],
)
def test_code_that_only_runs_where_nothing_is_guarded_is_fitted_there(
    tmp_path: Path, profile: str, told: str
) -> None:
    place = Place(tmp_path / "project", rules={"profile": profile}, declared=[SAVE])

    def save(path: str, content: str, title: str) -> None:
        raise AssertionError(title)

    table = place.project.guard([save])
    with place.session():
        assert word(table.dispatch(call("save", path="a.py", content="x"))) == told


def test_a_tool_gets_its_arguments_converted_once(tmp_path: Path) -> None:
    place = Place(tmp_path / "project", declared=[LOOK])
    made: list[object] = []

    class Reading:
        @staticmethod
        def model_json_schema() -> dict[str, object]:
            return {"type": "string"}

        @staticmethod
        def model_validate(value: object) -> Reading:
            made.append(value)
            return Reading()

    def look(path: Reading) -> str:
        return type(path).__name__

    look.__annotations__["path"] = Reading
    table = place.project.guard([look])
    with place.session():
        assert table.dispatch(call("look", path="a.py")).value == "Reading"
    assert made == ["a.py"]


def test_a_person_is_told_which_rule_denies(tmp_path: Path) -> None:
    rule = {"id": "no-secrets", "decide": "deny", "paths": ["secrets/**"]}
    place = Place(tmp_path / "project", rules={"rules": [rule]}, declared=[SAVE])
    table = place.table()
    with place.session():
        denied = table.dispatch(call("save", path="secrets/a", content="x"))
    assert word(denied) == "refused: decision-denied"
    assert denied.message == (
        "The policy denies this; nothing was changed. No line added to groundwire.toml allows it:\n"
        "no-secrets holds it; no line that is added changes that: change that one."
    )
    assert "no-secrets holds it" not in denied.text


def test_a_result_is_one_line_whatever_was_written(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    table = place.table()
    with place.session():
        done = table.dispatch(call("write", path="a.py", content="x" * 10_000))
        refused = table.dispatch(call("send", to="y" * 10_000))
        unknown = table.dispatch(call("z\x1b[2J" * 1_000))
    assert repr(done) == "<GuardedResult write: executed>"
    assert repr(refused) == "<GuardedResult send: refused (approval-unavailable)>"
    assert repr(unknown).startswith("<GuardedResult sha256:")
    assert repr(table) == "<GuardedTable edit, write, create, delete, move, read, own, send>"
