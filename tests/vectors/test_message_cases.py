"""The shared cases of changed descriptions that are about what is inside of messages.

Operations are paired here by path and method alone, variables of paths by their position: what is
about security, statuses and servers is left to the comparison of exchanges, and not run here.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.messages.bodies import compare_body, compare_content
from groundwire.contracts.openapi.messages.headers import compare_headers
from groundwire.contracts.openapi.messages.parameters import compare_parameters
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.openapi.schemas import Schemas
from groundwire.contracts.verdict import Direction
from tests.unit.contracts.openapi.describing import described

FOLDER = Path(__file__).parents[2] / ".." / "shared" / "cases" / "contracts"
FILES = {"own-openapi": ("name", "want"), "issue-cases": ("n", "verdict")}
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="../shared/cases is not there: cases of descriptions not run"
)
# About security, which is no part of a message.
NOT_OF_MESSAGES = {"security-added", "scope-added", 26, 27}
FLIPPED: dict[Direction, Direction] = {"accepts": "produces", "produces": "accepts"}


def cases() -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for file, (name, wanted) in FILES.items():
        path = FOLDER / f"{file}.jsonl.gz"
        for line in gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else ():
            case = msgspec.json.decode(line)
            if case.get("type", "openapi") == "openapi" and case[name] not in NOT_OF_MESSAGES:
                found[case[name]] = {**case, "wanted": case[wanted]}
    return found


CASES = cases()


def operation(
    schemas: Schemas, old: str, new: str, roots: tuple[Any, Any], direction: Direction
) -> Iterator[Finding]:
    def at(root: Any, pointer: str, name: str) -> Any:
        for step in pointer[2:].split("/"):
            root = root[step.replace("~1", "/").replace("~0", "~")]
        return root.get(name)

    def parameters(root: Any, pointer: str) -> list[str]:
        owners = [pointer.rpartition("/")[0], pointer]
        return [
            join(owner, "parameters", str(index))
            for owner in owners
            for index in range(len(at(root, owner, "parameters") or ()))
        ]

    sides = [parameters(root, pointer) for root, pointer in zip(roots, (old, new), strict=True)]
    names = [
        [found["name"] for found in (at(root, p.rpartition("/")[0].rpartition("/")[0], "parameters")[int(p.rpartition("/")[2])] for p in side) if found["in"] == "path"]
        for root, side in zip(roots, sides, strict=True)
    ]  # fmt: skip
    renamed = dict(zip(names[1], names[0], strict=False))
    yield from compare_parameters(schemas, *sides, direction, renamed)
    bodies = [
        join(pointer, "requestBody") if at(root, pointer, "requestBody") else ""
        for root, pointer in zip(roots, (old, new), strict=True)
    ]
    yield from compare_body(schemas, bodies[0], bodies[1], direction)
    for status in at(roots[0], old, "responses"):
        both = [join(pointer, "responses", status) for pointer in (old, new)]
        for name, compare in (("content", compare_content), ("headers", compare_headers)):
            ends = [
                join(end, name) if at(root, end, name) else ""
                for root, end in zip(roots, both, strict=True)
            ]
            yield from compare(schemas, ends[0], ends[1], FLIPPED[direction])
    for event, urls in (at(roots[0], old, "callbacks") or {}).items():
        for url, methods in urls.items():
            for method in methods:
                ends = [join(end, "callbacks", event, url, method) for end in (old, new)]
                yield from operation(schemas, ends[0], ends[1], roots, FLIPPED[direction])


def findings(before: Any, after: Any) -> list[Finding]:
    schemas = Schemas(described(before), described(after), Options())
    found: list[Finding] = []
    for group in ("paths", "webhooks"):
        pairs = zip(before.get(group, {}).items(), after.get(group, {}), strict=True)
        for (path, methods), new_path in pairs:
            for method in methods.keys() - {"parameters"}:
                ends = [join("#", group, name, method) for name in (path, new_path)]
                direction: Direction = "accepts" if group == "paths" else "produces"
                found += operation(schemas, ends[0], ends[1], (before, after), direction)
    return found


def test_there_are_cases_of_messages() -> None:
    assert len(CASES) == 42


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_decided_as_a_careful_reader_does(name: Any) -> None:
    case = CASES[name]
    found = findings(case["before"], case["after"])
    grades: set[Grade] = {each.grade for each in found} - {"noted", "risky"}
    assert grades == ({"breaking"} if case["wanted"] == "breaking" else set()), found
