"""Every file of vectors/recording gets the answer that stands in expected.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.documents.verdict import Head
from groundwire.keys.keyring import decode_keyring
from groundwire.verify.recording import verify_recording
from groundwire.verify.words import TABLE
from tests.recordings import canonical, lines
from tests.vectors.recording_vectors import FOLDER, expected, vectors

EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text("utf-8"))
KEYRING = (FOLDER / "keyring.json").read_bytes()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_recording_gets_the_answer_of_its_vector(name: str) -> None:
    answer = EXPECTED[name]
    keys = canonical(answer["keyring"]) if "keyring" in answer else KEYRING
    verdict = verify_recording(
        lines((FOLDER / f"{name}.gw").read_bytes()),
        decode_keyring(keys, "the vector's keyring"),
        files={}.get,
        known_head=Head(**answer["head"]) if "head" in answer else None,
        notes=answer.get("notes"),
    )
    assert verdict.reason == answer["reason"], verdict.message
    assert TABLE[verdict.reason].state == verdict.state
    assert (verdict.state == "holds") == name.startswith("good-")
    if verdict.state == "broken" and not {"head", "notes"} & set(answer):
        assert verdict.line > 0


def test_the_files_are_those_that_the_second_writer_makes() -> None:
    on_disk = {path.stem: path.read_bytes() for path in FOLDER.glob("*.gw")}
    assert on_disk == {name: data for name, _, data, _, _ in vectors()}
    assert expected() == EXPECTED


def test_the_attacks_are_spread_over_the_table_of_reasons() -> None:
    met = {answer["reason"] for answer in EXPECTED.values()}
    assert len(met) > 25
