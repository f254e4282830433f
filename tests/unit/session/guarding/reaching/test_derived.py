"""Contracts that a program makes of other files: made of both sides, before anything is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from groundwire.documents.contract import DerivedContract
from groundwire.documents.governing import CommandArguments
from groundwire.documents.outcome import Executed
from groundwire.documents.policy import ToolDeclaration
from groundwire.session.guarding.reaching import derived
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.ways.files import FileWay
from groundwire.targets.shell.staging import ShellTarget
from tests.unit.session.guarding.calls import DECLARED, Place, call, word
from tests.unit.targets.shell.commands import needs_overlay

pytestmark = needs_overlay

GENERATOR = """
import json, pathlib, sys, tomllib
model = tomllib.loads(pathlib.Path("model.toml").read_text())
if model.get("fails"):
    sys.exit(3)
schema = {"type": "object", "required": model["fields"],
          "properties": {name: {"type": "string"} for name in model["fields"]}}
answers = {"200": {"description": "fine", "content": {"application/json": {"schema": schema}}}}
if not model.get("quiet"):
    pathlib.Path("openapi.json").write_text(json.dumps({
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "paths": {"/users": {"get": {"responses": answers}}}}, indent=1) + "\\n")
"""
MODEL = 'fields = ["id", "email"]\n'
ASKED = "refused: approval-unavailable"
RUN = ToolDeclaration(name="sh", effect="write", target=CommandArguments(command="cmd"))
PYTHON = os.path.realpath(sys.executable)
CONTRACT = DerivedContract(
    path="openapi.json", generate=(PYTHON, "generate.py"), inputs=("model.toml", "generate.py")
)


def place(folder: Path, *, kept: bool = True, **more: object) -> Place:
    made = Place(folder / "project", declared=(*DECLARED, RUN), contracts=(CONTRACT,), **more)  # type: ignore[arg-type]  # given by name
    made.write("model.toml", MODEL)
    made.write("generate.py", GENERATOR)
    if kept:
        made.write("openapi.json", _made(made))
    return made


def _made(place: Place) -> str:
    """What the program makes of the model, made by the test itself."""
    subprocess.run([PYTHON, "generate.py"], cwd=place.folder, check=True)
    text = (place.folder / "openapi.json").read_text()
    (place.folder / "openapi.json").unlink()
    return text


def edits(place: Place, old: str, new: str, path: str = "model.toml") -> GuardedResult:
    with place.session():
        return place.table().dispatch(call("edit", path=path, old=old, new=new))


def runs(place: Place, command: str) -> GuardedResult:
    with place.session():
        return place.table().dispatch(call("sh", cmd=command))


def said_of(result: GuardedResult) -> str:
    """What is said of the derived contract."""
    assert result.ruling is not None
    found = [
        each.says
        for each in result.ruling.decision.witnesses
        if each.target is not None and each.target.path == "openapi.json"
    ]
    return "\n".join(found)


@pytest.mark.parametrize("kept", [True, False])
def test_an_input_whose_edit_breaks_the_contract_is_held(tmp_path: Path, kept: bool) -> None:
    given = place(tmp_path, kept=kept)
    before = sorted(given.folder.rglob("*"))
    result = edits(given, ', "email"', "")
    assert word(result) == ASKED
    assert "openapi, breaking" in said_of(result)
    assert "GET /users answered by 200" in said_of(result)
    assert given.text("model.toml") == MODEL
    assert sorted(given.folder.rglob("*")) == before


def test_a_command_that_changes_an_input_is_held_by_what_it_comes_to(tmp_path: Path) -> None:
    given = place(tmp_path)
    result = runs(given, "sed -i 's/, \"email\"//' model.toml")
    assert word(result) == ASKED
    assert "response-property-removed" in said_of(result)
    assert given.text("model.toml") == MODEL


def test_an_input_whose_edit_breaks_nobody_is_written_and_nothing_else(tmp_path: Path) -> None:
    given = place(tmp_path)
    kept = given.text("openapi.json")
    result = edits(given, '"email"]', '"email", "name"]')
    assert isinstance(result.outcome, Executed), result.message
    assert given.text("openapi.json") == kept
    assert isinstance(runs(given, "echo '# end' >> model.toml").outcome, Executed)
    assert "openapi, none" in said_of(result)


def test_a_command_that_makes_the_contract_anew_is_no_edit_by_hand(tmp_path: Path) -> None:
    given = place(tmp_path)
    result = runs(
        given, f'sed -i \'s/"email"]/"email", "name"]/\' model.toml && {PYTHON} generate.py'
    )
    assert isinstance(result.outcome, Executed), result.message
    assert '"name"' in (given.text("openapi.json") or "")


@pytest.mark.parametrize("act", ["edit", "delete", "command"])
def test_a_contract_that_is_edited_by_hand_is_asked_by_that_name(tmp_path: Path, act: str) -> None:
    given = place(tmp_path)
    if act == "edit":
        result = edits(given, '"title": "t"', '"title": "u"', path="openapi.json")
    elif act == "command":
        result = runs(given, "sed -i 's/fine/well/' openapi.json")
    else:
        with given.session():
            result = given.table().dispatch(call("delete", path="openapi.json"))
    assert word(result) == ASKED
    assert "derived-edited" in said_of(result)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ('fields = ["id", "email"]\nfails = true\n', "generator-failed"),
        ('fields = ["id", "email"]\nquiet = true\n', "generator-wrote-nothing"),
        ("fields = [", "generator-failed"),
    ],
)
def test_a_program_that_makes_nothing_decides_nothing(tmp_path: Path, new: str, why: str) -> None:
    result = edits(place(tmp_path), MODEL, new)
    assert word(result) == ASKED
    assert why in said_of(result)


def test_a_program_that_does_not_end_is_ended_and_decides_nothing(tmp_path: Path) -> None:
    given = place(tmp_path, rules={"command_seconds": 1})
    result = edits(given, "import json,", "while True: pass\nimport json,", path="generate.py")
    assert word(result) == ASKED
    assert "generator-failed" in said_of(result)


def test_a_program_reaches_no_network_and_writes_nothing_that_stays(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("generate.py", GENERATOR + "pathlib.Path('left.txt').write_text('x')\n")
    assert isinstance(edits(given, '"email"]', '"email", "name"]').outcome, Executed)
    assert given.text("left.txt") is None
    reaching = "import socket\nsocket.create_connection(('127.0.0.1', 9), timeout=1)\n"
    result = edits(given, "\nimport json", f"\n{reaching}import json", path="generate.py")
    assert "generator-failed" in said_of(result)


def test_where_nothing_holds_a_program_in_it_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path)
    made = ShellTarget.__init__

    def loose(self: ShellTarget, *arguments: object, **named: object) -> None:
        made(self, *arguments, **named)  # type: ignore[arg-type]  # as they were given
        self.measured = msgspec.structs.replace(self.measured, containment="files-only")

    monkeypatch.setattr(ShellTarget, "__init__", loose)
    result = edits(given, '"email"]', '"email", "name"]')
    assert word(result) == ASKED
    assert "generator-not-contained" in said_of(result)


def test_an_input_that_another_changes_before_the_write_refuses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path)
    recheck = FileWay.recheck

    def meanwhile(self: FileWay, proposal: object) -> None:
        given.write("generate.py", GENERATOR + "\n")
        recheck(self, proposal)  # type: ignore[arg-type]  # the same proposal

    monkeypatch.setattr(FileWay, "recheck", meanwhile)
    result = edits(given, '"email"]', '"email", "name"]')
    assert word(result) == "refused: state-drifted"
    assert given.text("model.toml") == MODEL


def test_what_is_no_input_runs_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = place(tmp_path)
    given.write("app.py", "x = 1\n")

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(derived, "_compared", never)
    assert isinstance(edits(given, "1", "2", path="app.py").outcome, Executed)
