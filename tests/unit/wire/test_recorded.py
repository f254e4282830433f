"""Recorded exchanges and runs of real models, where they lie beside the checkout."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from bench.wire import Tally, exchanges, read_exchange

from groundwire.wire.importers import ImportedRun, import_log

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="no ../shared/data beside the checkout"),
]
RUNS = {"agentdojo": 384, "agentdyn": 824, "taubench": 124, "cassettes": 344}


def test_every_recorded_exchange_is_decoded_and_every_body_rebuilt() -> None:
    tally = Tally()
    for row in exchanges(DATA / "wire.dev.jsonl.gz"):
        read_exchange(row, tally)
    bodies, _, differing = tally.rebuilt
    assert (bodies, differing) == (330, 0)
    assert sum(tally.decoded.values()) == 726
    # Two come from a server that echoes requests and never was a provider.
    assert sorted(line.split(": ")[1] for line in tally.refused) == [
        "not-a-response",
        "not-a-stream",
    ]
    assert tally.undecoded == {"gemini": 181, "bedrock": 96}


@pytest.mark.parametrize("name", RUNS)
def test_every_recorded_run_is_read(name: str) -> None:
    schemas = json.loads((DATA / "schemas.json").read_text("utf-8"))
    data = (DATA / f"{name}.dev.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    found = list(import_log(data, tool_schemas=schemas))
    assert len(found) == len(rows) == RUNS[name]
    for run, row in zip(found, rows, strict=True):
        assert isinstance(run, ImportedRun)
        assert (run.run_id, run.model) == (row["run_id"], row["model"])
        answers = [message for message in row["messages"] if message["role"] == "assistant"]
        assert sum(hasattr(step, "stop") for step in run.steps) == len(answers)
