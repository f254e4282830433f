"""Recorded runs of real agents, for measurements: `../shared/data` beside the checkout.

Nothing of them is copied into the project. Where the folder is missing, whoever asks is told.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart, Frame, Response
from groundwire.wire.importers import ImportedRun, import_log

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class Truth(msgspec.Struct):
    """What is known of a run from outside of it."""

    attacked: bool = False


class Row(msgspec.Struct):
    """The line of a run, as far as measurements read it."""

    run_id: str
    truth: Truth = msgspec.field(default_factory=Truth)


def is_there(*names: str) -> bool:
    """Whether these sets are beside the checkout; says so aloud where one is not."""
    missing = [name for name in (*names, "schemas") if not _path(name).is_file()]
    if missing:
        print(f"left out: {', '.join(missing)} not in ../shared/data")
    return not missing


@lru_cache(maxsize=4)
def runs(name: str, *, benign: bool = True) -> tuple[ImportedRun, ...]:
    """Every run of the set; of attacked ones none, if `benign`."""
    data = _path(name).read_bytes()
    schemas = msgspec.json.decode(_path("schemas").read_bytes(), type=dict[str, str])
    rows = [msgspec.json.decode(line, type=Row) for line in gzip.decompress(data).splitlines()]
    imported = list(import_log(data, tool_schemas=schemas))
    return tuple(
        run
        for row, run in zip(rows, imported, strict=True)
        if isinstance(run, ImportedRun) and not (benign and row.truth.attacked)
    )


def calls(run: ImportedRun) -> Iterator[tuple[int, Frame, Response, ToolCall]]:
    """Every call with its number in the run, the frame that it was chosen in, and its response."""
    number, frame = 0, None
    for step in run.steps:
        if isinstance(step, Frame):
            frame = step
            continue
        for part in step.parts:
            if isinstance(part, CallPart):
                if frame is not None:
                    yield number, frame, step, part.call
                number += 1


def _path(name: str) -> Path:
    return DATA / (f"{name}.json" if name == "schemas" else f"{name}.dev.jsonl.gz")
