"""The shared cases of changed JSON Schemas, in both directions.

`vectors/contracts/jsonschema-jsoncompat.toml` has those that are decided otherwise, and why.
"""

from __future__ import annotations

import gzip
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.contracts.jsonschema.comparing import Options, compare
from groundwire.contracts.verdict import Direction

CHECKOUT = Path(__file__).parents[2]
FILE = CHECKOUT / ".." / "shared" / "cases" / "contracts" / "jsonschema-jsoncompat.jsonl.gz"
DIFFERS: dict[str, dict[str, dict[str, str]]] = tomllib.loads(
    (CHECKOUT / "vectors" / "contracts" / "jsonschema-jsoncompat.toml").read_text("utf-8")
)
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: cases of JSON Schema not run"
)
CASES: dict[str, dict[str, Any]] = (
    {
        case["case"]: case
        for case in map(msgspec.json.decode, gzip.decompress(FILE.read_bytes()).splitlines())
    }
    if FILE.is_file()
    else {}
)
EXPECTED: dict[Direction, str] = {"accepts": "deserializer", "produces": "serializer"}


def test_there_are_63_cases_and_each_adjudication_is_of_one_of_them() -> None:
    assert len(CASES) == 63
    assert set(DIFFERS) <= set(CASES)
    assert all(said["why"] for case in DIFFERS.values() for said in case.values())


@pytest.mark.parametrize("direction", EXPECTED)
@pytest.mark.parametrize("name", CASES)
def test_a_case_is_decided_as_it_says_or_as_it_was_adjudicated(
    name: str, direction: Direction
) -> None:
    case = CASES[name]
    fits = case["expect"][EXPECTED[direction]]
    expected = DIFFERS.get(name, {}).get(direction, {}).get("verdict")
    verdict = compare(case["old"], case["new"], direction, Options(formats=False))
    assert type(verdict).__name__.lower() == (expected or ("compatible" if fits else "breaking"))


def test_no_witness_fails_to_be_confirmed() -> None:
    for case in CASES.values():
        for direction in EXPECTED:
            verdict = compare(case["old"], case["new"], direction, Options(formats=False))
            assert not getattr(verdict, "reason", "").startswith("witness")
