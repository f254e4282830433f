"""`groundwire init` on the recorded runs of real agents, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.cli import main

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


@pytest.mark.parametrize("name", ["taubench.dev.jsonl.gz", "cassettes.dev.jsonl.gz"])
@pytest.mark.slow
def test_the_draft_of_real_runs_is_a_policy(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not (DATA / name).is_file():
        pytest.skip(f"{DATA / name} is not here")
    assert main.run(["init", str(DATA / name)]) == 0
    policy = decode_policy(capsys.readouterr().out, "p")
    assert sum(len(tool.arguments) for tool in policy.tools) > 20
    assert {tool.effect for tool in policy.tools} == {"unstated"}
