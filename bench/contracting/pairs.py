"""Pairs of contracts of which somebody said what the change does: `../shared/cases/contracts`.

What groundwire says otherwise stands in `vectors/contracts`, each with a reason.

Of openapi-oasdiff it is the level that the tests of oasdiff 1.26.1 expect. Levels and grades are not
the same things; a pair counts as *alike* where they send the same reader on the same way:

* ERR is `breaking` or `exposure`. oasdiff stops a release for it, and so do those two.
* WARN is `risky` or `undecided`. oasdiff describes it as what may break somebody and cannot be told
  from the description; one of the two is that for want of a declaration, the other for want of proof.
* INFO and nothing are `noted` and nothing: no one has to act.

Everything else is told apart, also where a policy would bring it together (oasdiff's INFO for a new
status is our `risky`), so that a reason for it is written down.
"""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from groundwire.contracts.changes import GRADES, Change
from groundwire.contracts.jsonschema.comparing import Options
from groundwire.contracts.jsonschema.comparing import compare as compare_schemas
from groundwire.contracts.openapi.comparing import compare
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.verdict import Direction

CHECKOUT = Path(__file__).parents[2]
CASES = CHECKOUT / ".." / "shared" / "cases" / "contracts"
VECTORS = CHECKOUT / "vectors" / "contracts"
ALIKE: Mapping[str, frozenset[str]] = {
    "ERR": frozenset({"breaking", "exposure"}),
    "WARN": frozenset({"risky", "undecided"}),
    "INFO": frozenset({"noted", "none"}),
    "none": frozenset({"noted", "none"}),
}


class Said(msgspec.Struct, frozen=True):
    """What groundwire says of a pair that is said otherwise elsewhere, and why."""

    grade: str
    why: str


class Pair(msgspec.Struct, frozen=True):
    """A pair, what is said of it elsewhere, and what was adjudicated. `grade` computes ours."""

    name: str
    theirs: str
    is_alike: Callable[[str], bool]
    grade: Callable[[], str]
    said: Said | None = None

    def outcome(self) -> tuple[str, str]:
        """`alike`, `adjudicated`, `wrong` or `stale`, and our grade.

        It is stale where an adjudication speaks of another grade than ours, or of a pair on which
        both agree.
        """
        grade = self.grade()
        if self.said is None:
            return ("alike" if self.is_alike(grade) else "wrong"), grade
        stands = grade == self.said.grade and not self.is_alike(grade)
        return ("adjudicated" if stands else "stale"), grade


def is_there(name: str) -> bool:
    """Whether the cases of this name are beside the checkout."""
    return (CASES / f"{name}.jsonl.gz").is_file()


def read(name: str) -> list[dict[str, Any]]:
    """The cases of a set, none where it is not there."""
    path = CASES / f"{name}.jsonl.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else []
    return [msgspec.json.decode(line) for line in lines]


def written(document: Any) -> bytes:
    """A description as a file holds it."""
    return document.encode() if isinstance(document, str) else msgspec.json.encode(document)


def opened(document: Any) -> Description:
    """A description from its bytes, as a file is read."""
    data = written(document)
    return open_description("api.json", lambda name: data if name == "api.json" else None)


def changes(old: Any, new: Any) -> tuple[Change, ...]:
    """What changed between two descriptions, both opened from bytes."""
    return compare(opened(old), opened(new))


def gravest(found: tuple[Change, ...]) -> str:
    """The gravest grade; `none` where nothing changed."""
    grades = {change.grade for change in found}
    return next((grade for grade in GRADES if grade in grades), "none")


def oasdiff() -> Iterator[Pair]:
    """The pairs of oasdiff's tests."""
    data = tomllib.loads((VECTORS / "openapi-oasdiff.toml").read_text("utf-8"))
    reasons, cases = data["reasons"], data["cases"]
    for row in read("openapi-oasdiff"):
        entry = cases.get(row["id"])
        said = None
        if entry is not None:
            said = Said(entry["grade"], f"{entry['why']} {reasons[entry['reason']]}")
        level = row["oasdiff_1_26_1"]["level"]
        yield Pair(
            row["id"], level, ALIKE[level].__contains__, _graded(row["before"], row["after"]), said
        )


def _graded(old: Any, new: Any) -> Callable[[], str]:
    return lambda: gravest(changes(old, new))


def described(name: str) -> Iterator[Pair]:
    """The pairs of descriptions of `own-openapi`, `issue-cases` or `openapi-jsoncompat`.

    Their verdicts do not tell what is risky or noted from what breaks nobody.
    """
    differs = tomllib.loads((VECTORS / "openapi.toml").read_text("utf-8")).get(name, {})
    for row in read(name):
        if row.get("type", "openapi") != "openapi":
            continue
        if name == "openapi-jsoncompat":
            want = "compatible" if row["expect"]["compatible"] else "breaking"
            case, old, new = row["case"], row["old"], row["new"]
        else:
            want = (row.get("want") or row["verdict"]).replace("unchanged", "compatible")
            case, old, new = str(row.get("name") or row["n"]), row["before"], row["after"]
        entry = differs.get(case)
        said = None if entry is None else Said(entry["verdict"], entry["why"])
        yield Pair(case, want, want.__eq__, _harm(old, new), said)


def _harm(old: Any, new: Any) -> Callable[[], str]:
    """The gravest of the three grades that a reader has to act on, else `compatible`."""
    grade = _graded(old, new)
    return lambda: found if (found := grade()) in GRADES[:3] else "compatible"


def schemas() -> Iterator[Pair]:
    """The pairs of schemas of `jsonschema-jsoncompat`, each in both directions."""
    path = VECTORS / "jsonschema-jsoncompat.toml"
    differs = tomllib.loads(path.read_text("utf-8"))
    ways: dict[Direction, str] = {"accepts": "deserializer", "produces": "serializer"}
    for row in read("jsonschema-jsoncompat"):
        for way, told in ways.items():
            want = "compatible" if row["expect"][told] else "breaking"
            entry = differs.get(row["case"], {}).get(way)
            said = None if entry is None else Said(entry["verdict"], entry["why"])
            grade = _asked(row["old"], row["new"], way)
            yield Pair(f"{row['case']}.{way}", want, want.__eq__, grade, said)


def _asked(old: Any, new: Any, way: Direction) -> Callable[[], str]:
    def grade() -> str:
        return type(compare_schemas(old, new, way, Options(formats=False))).__name__.lower()

    return grade


SETS: Mapping[str, Callable[[], Iterator[Pair]]] = {
    "own-openapi": lambda: described("own-openapi"),
    "issue-cases": lambda: described("issue-cases"),
    "openapi-jsoncompat": lambda: described("openapi-jsoncompat"),
    "jsonschema-jsoncompat": schemas,
    "openapi-oasdiff": oasdiff,
}
