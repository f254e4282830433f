"""The vectors of statements: each file under vectors/sql is named after the attack it stops.

A vector has a statement, what is read in it (`parts` with their tables), why nobody can tell what it
does (`undecided`), whether it `ends` a transaction or runs `alone`, outside of any; what it did in
its transaction (`tables`, `schema`); and what is decided by which rules. Its database is of the
environment `staging` where nothing else is said.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.sql import SchemaChange
from tests.unit.authority.guarding.questions import ruled
from tests.unit.authority.guarding.statements import POLICY, ROOT, asked_of, rows, work

VECTORS = sorted((Path(__file__).parents[2] / "vectors" / "sql").glob("*.toml"))


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_there_are_vectors() -> None:
    assert len(VECTORS) >= 80


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_statement_is_read_as_its_vector_says(path: Path) -> None:
    vector = read(path)
    found = read_statement(vector["statement"], vector["dialect"])
    assert vector["about"].endswith(".")
    assert [" ".join((part.kind, *part.tables)) for part in found.parts] == vector["parts"]
    assert list(found.undecided) == vector["undecided"]
    assert found.ends_transaction == vector.get("ends", False)
    assert found.transactional != vector.get("alone", False)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_statement_is_decided_as_its_vector_says(path: Path) -> None:
    vector = read(path)
    tables = [
        rows(each.pop("table"), before=each.pop("rows_before", 1000), **each)
        for each in vector.get("tables", ())
    ]
    schema = tuple(
        SchemaChange(**{"before": None, "after": None} | each) for each in vector.get("schema", ())
    )
    done = work(
        vector["statement"],
        *tables,
        dialect=vector["dialect"],
        schema=schema,
        unseen=tuple(vector.get("unseen", ())),
        root=vector.get("root", ROOT),
    )
    said = vector.get("policy", "")
    rules = decode_policy(said if "[databases.shop]" in said else POLICY + said, path.stem).guard
    decision = ruled(asked_of(done, vector.get("environment", "staging")), rules).decision
    assert (decision.decision, list(decision.rules)) == (vector["decision"], vector["rules"])
