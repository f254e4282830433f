"""The registry matrix: which tools a table guards. Where this differs from the family, data says why."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.errors import PolicyError
from groundwire.guard.effects import propose_effect
from groundwire.session.project import Project
from tests.house.tree import CHECKOUT

ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    (CHECKOUT / "vectors" / "effects" / "registry.toml").read_text()
)


class Tool:
    """A tool that does nothing."""

    parameters: dict[str, object] = {"type": "object", "properties": {}}  # noqa: RUF012 -- never written

    def __init__(self, name: str) -> None:
        self.name = name

    def execute(self) -> None:
        """Does nothing."""


def declared(row: dict[str, Any]) -> str:
    lines = []
    for name, effect in row["tools"].items():
        if effect:
            lines += [f"[tools.{name}]", f'effect = "{effect}"']
            if "operation" in row:
                lines.append(f'operation = "{row["operation"]}"')
    return "\n".join(lines)


def given(row: dict[str, Any]) -> list[object]:
    if not row.get("code", True):
        return [{"name": name, "input_schema": Tool.parameters} for name in row["tools"]]
    return [Tool(name) for name in row["tools"]] * (2 if row.get("twice") else 1)


@pytest.mark.parametrize("row", ROWS)
def test_a_table_guards_what_is_declared_to_change_something(
    row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = ROWS[row]
    project = Project(decode_policy(declared(case), "p"))
    if "refused" in case:
        with pytest.raises(PolicyError) as refused:
            project.guard(given(case))
        assert refused.value.reason == case["refused"]
        assert all(name in str(refused.value) for name in case["tools"])
        return
    report = project.guard(given(case)).report()
    assert list(report.guarded) == case["guarded"]
    assert list(report.passing) == case["passing"]
    suspected = {suspicion.partition(":")[0] for suspicion in report.suspicions}
    assert suspected == set(case.get("suspected", ()))
    assert report.coverage.state == "unknown"


def test_a_row_that_differs_says_why_and_one_that_agrees_does_not() -> None:
    assert len(ROWS) == 16
    assert [name for name, row in ROWS.items() if ("why" in row) == row["agrees"]] == []


@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if "proposed" in row])
def test_what_is_proposed_for_an_undeclared_tool_is_the_stricter_word(row: str) -> None:
    for name in ROWS[row]["tools"]:
        assert propose_effect(name).effect == ROWS[row]["proposed"]


@pytest.mark.parametrize("name", ["send_emails", "list_and_purge", "lsof_kill", "shred_reads"])
def test_a_tool_that_substrings_take_for_a_read_never_passes_undeclared(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolicyError) as refused:
        Project().guard([Tool(name)])
    assert refused.value.reason == "undeclared-tools"
