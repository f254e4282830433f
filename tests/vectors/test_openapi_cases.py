"""The shared cases of changed API descriptions, opened from their text as a file is.

`vectors/contracts/openapi.toml` has those that are decided otherwise, and why.
"""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from groundwire.contracts.changes import GRADES, Change
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.rules.table import BY_NAME

CHECKOUT = Path(__file__).parents[2]
FOLDER = CHECKOUT / ".." / "shared" / "cases" / "contracts"
DIFFERS: dict[str, dict[str, dict[str, str]]] = tomllib.loads(
    (CHECKOUT / "vectors" / "contracts" / "openapi.toml").read_text("utf-8")
)
COUNTS = {"own-openapi": 26, "issue-cases": 20, "openapi-jsoncompat": 17}
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="../shared/cases is not there: cases of API descriptions not run"
)


class Case(msgspec.Struct, frozen=True):
    """Two descriptions, and whether a careful reader says that the change breaks."""

    name: str
    old: Any
    new: Any
    want: str


def _read(file: str) -> Iterator[Case]:
    path = FOLDER / f"{file}.jsonl.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else []
    for row in map(msgspec.json.decode, lines):
        if file == "openapi-jsoncompat":
            want = "compatible" if row["expect"]["compatible"] else "breaking"
            yield Case(row["case"], row["old"], row["new"], want)
        elif row.get("type", "openapi") == "openapi":
            want = row.get("want") or row["verdict"]
            name = str(row.get("name") or row["n"])
            yield Case(name, row["before"], row["after"], want.replace("unchanged", "compatible"))


CASES = {(file, case.name): case for file in COUNTS for case in _read(file)}


def _opened(document: Any, name: str) -> Description:
    data = document.encode() if isinstance(document, str) else msgspec.json.encode(document)
    return open_description(name, lambda asked: data if asked == name else None)


def _changes(case: Case) -> tuple[Change, ...]:
    return compare(_opened(case.old, "old.json"), _opened(case.new, "new.json"))


def _verdict(changes: tuple[Change, ...]) -> str:
    """The gravest that a reader has to act on; what is risky or noted breaks nobody."""
    grades = {change.grade for change in changes}
    return next((grade for grade in GRADES[:3] if grade in grades), "compatible")


def test_the_cases_are_all_there_and_each_adjudication_is_of_one_of_them() -> None:
    assert {file: sum(1 for at, _ in CASES if at == file) for file in COUNTS} == COUNTS
    adjudicated = {(file, name) for file, cases in DIFFERS.items() for name in cases}
    assert adjudicated <= set(CASES)
    assert all(said["why"] for cases in DIFFERS.values() for said in cases.values())


@pytest.mark.parametrize(("file", "name"), CASES)
def test_a_case_is_decided_as_it_says_or_as_it_was_adjudicated(file: str, name: str) -> None:
    expected = DIFFERS.get(file, {}).get(name, {}).get("verdict", CASES[file, name].want)
    assert _verdict(_changes(CASES[file, name])) == expected


@pytest.mark.parametrize(("file", "name"), CASES)
def test_every_change_of_a_case_is_explained_and_a_break_is_shown(file: str, name: str) -> None:
    for change in _changes(CASES[file, name]):
        assert change.rule in BY_NAME
        assert change.reaches
        if change.grade == "breaking":
            assert change.witness is not None
            assert change.witness.asked.target.startswith(("/", "{"))


@pytest.mark.parametrize(("file", "name"), CASES)
def test_a_case_is_the_same_as_itself(file: str, name: str) -> None:
    case = CASES[file, name]
    for document in (case.old, case.new):
        assert compare(_opened(document, "a.json"), _opened(document, "a.json")) == ()


def test_a_broken_body_is_one_that_the_old_schema_takes_and_the_new_does_not() -> None:
    """By another judge, for bodies whose schemas stand in the description as they are."""
    judged = 0
    for case in CASES.values():
        for change in _changes(case):
            witness, before, after = change.witness, change.before, change.after
            if change.grade != "breaking" or witness is None or not before or not after:
                continue
            if not isinstance(case.old, dict) or not case.old["openapi"].startswith("3.1"):
                continue
            content = (witness.answered or witness.asked).content
            asked = witness.before == "accepted"
            if content is None or "/content/" not in before.pointer + after.pointer:
                continue
            sent, read = ("old", "new") if asked else ("new", "old")
            ends = {"old": (case.old, before), "new": (case.new, after)}
            schemas = {side: _schema(*end) for side, end in ends.items()}
            if None in schemas.values():
                continue
            judged += 1
            assert jsonschema_rs.is_valid(schemas[sent], content.value), change
            assert not jsonschema_rs.is_valid(schemas[read], content.value), change
    assert judged >= 5


def _schema(document: Any, where: Any) -> Any:
    """The schema of the body that `where` is in, with all that it may refer to."""
    steps = where.pointer.split("/")
    if "content" not in steps:
        return None
    end = steps.index("content") + 3
    if len(steps) < end or steps[end - 1] != "schema":
        return None
    pointer = "/".join(steps[:end])
    return {
        **document,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": f"#{pointer}",
    }
