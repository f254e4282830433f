from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from groundwire.documents.lineage import BareRecord, LineagePolicy, Mapping
from groundwire.lineage.verdict import TABLE, evaluate_lineage
from tests.house.tree import CHECKOUT

VECTORS = sorted((CHECKOUT / "vectors" / "lineage").glob("*.json"))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_records_get_the_verdict_of_their_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    verdict = evaluate_lineage(
        msgspec.convert(vector["records"], list[BareRecord]),
        msgspec.convert(vector["policy"], LineagePolicy),
        mapping=msgspec.convert(vector["mapping"], Mapping | None),
    )
    said = (verdict.verdict, verdict.directive, verdict.why)
    assert said == (vector["verdict"], vector["directive"], vector["why"])


def test_every_row_that_records_can_reach_has_a_vector() -> None:
    reached = {json.loads(path.read_text())["why"] for path in VECTORS}
    # A list of records is never no manifest.
    assert reached == {row.why for row in TABLE} - {"no-manifest"}
