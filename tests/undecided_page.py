"""The page of why changes of contracts are left undecided, and the reasons as they stand in the source."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.house.tree import CHECKOUT

TOLD = CHECKOUT / "docs" / "undecided.toml"
ROOMS = ("src/groundwire/contracts/jsonschema", "src/groundwire/contracts/openapi")
# What is handed a reason as an argument, whichever.
CALLED = {
    "NotComparable",
    "NotRegular",
    "Opaque",
    "Outside",
    "Requirement",
    "Resolved",
    "Undecided",
    "Unknown",
    "Unread",
    "Unresolved",
    "_NotRead",
    "_invalid",
    "_undecided",
    "not_read",
    "opaque",
}
KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+|format")
HEADING = """\
# Why a change is left undecided

<!-- Made by `make docs` from docs/undecided.toml. -->

The `reason` of a change of the grade `undecided`: neither was it proven that nobody breaks, nor was
anybody found who does. Undecided is never taken for compatible; `--fail-on` names it by default, and
then the exit code is 3. What stands behind a colon in a reason says more of the case."""
HEADINGS = {
    "search": "The search for a value",
    "schemas": "Schemas and references",
    "descriptions": "Descriptions of APIs",
    "swagger": "Swagger 2.0, which is converted",
    "files": "Files",
}


def told() -> Mapping[str, Mapping[str, str]]:
    """What is said of each reason, by groups."""
    return tomllib.loads(TOLD.read_text("utf-8"))


def undecided_page() -> str:
    """docs/reference/undecided.md: every reason once."""
    parts = [HEADING]
    for group, reasons in told().items():
        rows = "\n".join(
            f"| `{reason}` | {means.replace('|', '&#124;')} |" for reason, means in reasons.items()
        )
        parts.append(f"## {HEADINGS[group]}\n\n| reason | meaning |\n|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def reasons() -> set[str]:
    """What stands in the source where a reason does, without what comes after a colon."""
    modules = (path for room in ROOMS for path in (CHECKOUT / room).rglob("*.py"))
    modules_and_this = [*modules, CHECKOUT / "src/groundwire/contracts/regex/reading.py"]
    found = {text for path in modules_and_this for text in _reasons(path)}
    return {text for text in found if KEBAB.fullmatch(text)}


def _reasons(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            for argument in node.args if name in CALLED else ():
                yield from _texts(argument)
            for keyword in node.keywords:
                if keyword.arg == "reason":
                    yield from _texts(keyword.value)
        elif isinstance(node, ast.Assign) and any(
            getattr(each, "id", "") == "reason" for each in node.targets
        ):
            yield from _texts(node.value)


def _texts(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value.partition(":")[0]
