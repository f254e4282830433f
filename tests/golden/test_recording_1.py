"""Recordings of format 1 as they were first written: they verify and read for ever."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from groundwire.documents.verdict import Head, Verdict
from groundwire.keys.keyring import decode_keyring
from groundwire.recording.notes import split_notes
from groundwire.recording.reader import Reader, read
from groundwire.stores.disk.reading import open_to_read
from groundwire.verify.recording import Segment, verify_recording, verify_segments

FOLDER = Path(__file__).parent / "recording-1"
KEYRING = decode_keyring((FOLDER / "keyring.json").read_bytes(), "the golden keyring")
HEADS = {
    name: Head(**head) for name, head in json.loads((FOLDER / "heads.json").read_text()).items()
}
# The bytes themselves: nobody makes them anew and calls them golden.
DIGESTS = {
    "closed.gw": "75fa985a62af1b3f0482ba0a99f73e21f87e2bef4fa0ee051233d65b7d681fee",
    "closed.notes": "6b0f4328eea181bdfa880a4471c52ea9ea14305f1f5b2ec0a7be0a5ed1f8e5fa",
    "heads.json": "5ff1bbef2be3c48c00e6939b300a57de9454237dc166ed7d504dbf080a089096",
    "keyring.json": "bf97238709e4b5493ff8b348df13539141496bdcb9668cf8f739f4a43d42fb40",
    "open.gw": "fe36f9882d9e319b4397dcbdd0f78bef3923291092c5be95837c58f286a9f140",
    "redacted.gw": "61c51532fc1ec5c4a6a7298181b85ac1a42089c21e206fe0e80f8c2e55b6d496",
    "segment-0.gw": "093edf739a01e131208b56b2f386376b88ea8942a6a4beaec47331c0a8ffd044",
    "segment-1.gw": "641eea1884a0eaa32fecf5e8fd1365a52c43bd4d0562b3cd41bd3ef912fbf7e5",
}


def verdict_on(name: str, **options: object) -> Verdict:
    with open_to_read(FOLDER / name) as file:
        return verify_recording(
            file.lines(), KEYRING, files=file.file, known_head=HEADS.get(name), **options
        )


def reader_of(name: str) -> Reader:
    with open_to_read(FOLDER / name) as file:
        lines = list(file.lines())
        files = {digest: file.file(digest) for digest in _attached(lines)}
    return read(lines, files.get, "holds")


def _attached(lines: list[bytes]) -> list[str]:
    return [json.loads(line)["file"] for line in lines if b'"file":"sha256:' in line]


def test_the_files_are_the_ones_that_were_written_then() -> None:
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.glob("[!.]*.*")
        if path.is_file()
    }
    assert found == DIGESTS


def test_a_closed_recording_holds_with_its_attached_file_and_its_notes() -> None:
    verdict = verdict_on("closed.gw")
    assert (verdict.state, verdict.completeness) == ("holds", "closed")
    assert (verdict.entries, verdict.contents, verdict.withheld) == (22, 26, 1)
    notes = split_notes((FOLDER / "closed.notes").read_text(encoding="utf-8"))
    assert len(notes) == 2
    assert verdict_on("closed.gw", notes=notes).completeness == "anchored"


def test_a_redacted_recording_holds_and_says_what_is_gone() -> None:
    verdict = verdict_on("redacted.gw")
    assert (verdict.state, verdict.redacted) == ("holds", 1)


def test_an_open_recording_that_was_recovered_holds_as_far_as_it_is_signed() -> None:
    verdict = verdict_on("open.gw")
    assert (verdict.state, verdict.completeness) == ("holds", "open")
    assert verdict.entries - verdict.signed_entries == 2


def test_segments_lead_from_one_to_the_next() -> None:
    with open_to_read(FOLDER / "segment-0.gw") as one, open_to_read(FOLDER / "segment-1.gw") as two:
        verdicts = verify_segments(
            [Segment(lines=each.lines(), files=each.file) for each in (one, two)], KEYRING
        )
    assert [(each.state, each.completeness) for each in verdicts] == [("holds", "closed")] * 2


def test_the_bodies_that_left_are_still_built_byte_for_byte() -> None:
    reader = reader_of("closed.gw")
    assert [hashlib.sha256(bytes(reader.body(exchange))).hexdigest() for exchange in (0, 1, 2)] == [
        "5578675a6e1eb1af6a3ec8a7ee82d6e0a5302b727d79d7a85cce769196025514",
        "c2861a8c8d78347afc4c64f994543488682327bbb0af38ae6097568e653bde3a",
        "6e94e897c4c45b33b65f25ca9102e90773a7df424666464412d877187829a777",
    ]
    answer = reader.answer(3)
    assert isinstance(answer, bytes)
    assert len(answer) == 1_000_010
