"""Whole-agent cases run under both sets of rules, but for those that `vectors/differs.toml` lists."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests import simulated

DIFFERS = tomllib.loads((Path(__file__).parents[2] / "vectors" / "differs.toml").read_text("utf-8"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("whole_agent")
    if marker is not None:
        both = () if marker.args[0] in DIFFERS["agents"] else ("default",)
        metafunc.fixturenames.append("rules_in_force")
        metafunc.parametrize("rules_in_force", ("original", *both), indirect=True)


@pytest.fixture
def rules_in_force(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated, "RULES", request.param)
