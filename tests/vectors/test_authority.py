"""The vectors of the authority: each file under vectors/authority is named after the attack it stops.

A vector has a call, its changes whole, a policy where one matters, and what is decided by which
rules. The working folder is `/srv/project`, the moment noon on 1 June 2031 in UTC.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from groundwire.authority.policy import decode_policy
from tests.unit.authority.guarding.questions import FOLDER, change, name, question, ruled

VECTORS = sorted((Path(__file__).parents[2] / "vectors" / "authority").glob("*.toml"))


def test_there_are_vectors() -> None:
    assert len(VECTORS) >= 21


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_vector_is_decided_as_it_says(path: Path) -> None:
    vector: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    changes = [
        change(
            each["path"],
            each["before"].encode() if "before" in each else None,
            each["after"].encode() if "after" in each else None,
            each.get("to"),
            each.get("root", FOLDER),
        )
        for each in vector.get("changes", ())
    ]
    asked = question(
        *changes,
        effect=vector.get("effect", "write"),
        facts=tuple(vector.get("facts", ())),
        lost=tuple(name(each) for each in vector.get("lost", ())),
        profile=vector.get("profile", "enforce/1"),
    )
    rules = decode_policy(vector.get("policy", ""), path.stem).guard
    decision = ruled(asked, rules).decision
    assert vector["about"].endswith(".")
    assert (decision.decision, list(decision.rules)) == (vector["decision"], vector["rules"])
