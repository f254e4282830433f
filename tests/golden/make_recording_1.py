"""Made tests/golden/recording-1 once. Not to be run again: what it wrote is kept for ever.

Recordings of format 1 as the second writer of the tests wrote them, fixed keys, fixed clock. A
later version has to go on verifying and reading exactly these bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.recordings import IDENTITY, RESULT, Draft, Hand, keyring_document, sample
from tests.unit.verify.judging import head_of, note_of

FOLDER = Path(__file__).parent / "recording-1"


def put(name: str, draft: Draft) -> None:
    (FOLDER / name).write_bytes(draft.data())
    for digest, data in draft.files.items():
        beside = FOLDER / f"{name}.d"
        beside.mkdir(exist_ok=True)
        (beside / digest[7:]).write_bytes(data)


def main() -> None:
    if FOLDER.exists():
        sys.exit(f"{FOLDER} is kept for ever; a new format gets a folder of its own")
    FOLDER.mkdir()
    closed = sample()
    put("closed.gw", closed)
    small = sample(large=False, run="run-quay-4")
    put("redacted.gw", small.redacted([small.commitment_of(RESULT)]))
    opened = Draft(run="run-quay-5").open().certificate().note().checkpoint().note(text="unsigned")
    opened.note("recovered", "0 bytes cut")
    opened.key = Hand("run key after the crash")
    put("open.gw", opened.certificate().checkpoint().note(text="after it"))
    first = Draft(run="run-quay-6").open().certificate().note().close(next_segment=True)
    put("segment-0.gw", first)
    put("segment-1.gw", first.next().note(text="in the second").close())
    (FOLDER / "keyring.json").write_bytes(keyring_document(IDENTITY))
    heads = {
        "closed.gw": {"run": closed.run, "segment": 0, "size": closed.size, "root": closed.root},
        "open.gw": {"run": opened.run, "segment": 0, "size": 5, "root": head_of(opened, 5).root},
    }
    (FOLDER / "heads.json").write_text(json.dumps(heads, indent=1, sort_keys=True) + "\n")
    (FOLDER / "closed.notes").write_text(
        note_of(closed, 8) + note_of(closed, closed.size - 1), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
