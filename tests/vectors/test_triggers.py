"""The shared cases of a change detector, each as a real change of whole files, judged.

`vectors/triggers.toml` has what the rows leave out, and why some are counted apart or decided
otherwise. What a model says it intends is no part of any question.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.authority.ruling.contracts import contract_engines
from groundwire.documents.contract import DiffRules
from groundwire.documents.target import Change
from tests.unit.authority.guarding.questions import change, question, ruled

FILE = Path(__file__).parents[2] / ".." / "shared" / "cases" / "coderifts" / "trigger-vectors.json"
DATA: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "triggers.toml").read_text(encoding="utf-8")
)
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: rows of the change detector not run"
)
ROWS: list[dict[str, Any]] = msgspec.json.decode(FILE.read_bytes()) if FILE.is_file() else []


def code(row: dict[str, Any]) -> str:
    return str(row["description"]).partition(" ")[0]


def test_every_row_is_spoken_of_and_no_other() -> None:
    assert sorted(map(code, ROWS)) == sorted(DATA)
    counted = Counter(said.get("apart", "judged") for said in DATA.values())
    assert counted == {"judged": 56, "engine": 5, "shell": 6, "target": 1}
    assert [name for name, said in DATA.items() if "differs" in said] == ["EV-27", "EV-46"]


ENGINES = contract_engines(DiffRules(), lambda: "2026-12-01")
# What stands there afterwards is no plain file: the shell's own target refuses it.
LINKS = {name for name, said in DATA.items() if said.get("apart") == "target"}


@pytest.mark.parametrize("row", [row for row in ROWS if code(row) not in LINKS], ids=code)
def test_a_change_of_a_contract_is_held_and_an_ordinary_one_is_not(row: dict[str, Any]) -> None:
    said = DATA[code(row)]
    held = row["expected"]["trigger"]
    if "differs" in said or said.get("apart") == "engine":
        held = not held
    ruling = ruled(question(*changes(row, said)), engines=ENGINES)
    assert (ruling.decision.decision in {"approve", "deny"}) is held, ruling.decision.witnesses


def changes(row: dict[str, Any], said: dict[str, Any]) -> list[Change]:
    """The row's changes, of whole files."""
    given = row["input"]
    touched = given["filesTouched"] or ([said["path"]] if "path" in said else [])
    if not touched:
        return []  # it only reads
    made = [_first(touched[0], given["arguments"], said)]
    for path, (before, after) in said.get("also", {}).items():
        made.append(change(path, before.encode(), after.encode()))
    return [each for each in made if each.before != each.after or each.to is not None]


def _first(path: str, arguments: dict[str, Any], said: dict[str, Any]) -> Change:
    edit = arguments.get("edits", [arguments])[0]
    before = said.get("file")
    if "old_string" in edit:
        around = before or "{old}"
        before = around.replace("{old}", edit["old_string"])
        after = around.replace("{old}", edit["new_string"])
    else:
        after = said.get("after", arguments.get("contents"))
    if "to" in said:
        return change(path, before.encode(), before.encode(), to=said["to"])
    return change(path, None if before is None else before.encode(), after.encode())
