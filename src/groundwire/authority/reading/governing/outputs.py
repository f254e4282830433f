"""Outputs: the schema that a tool's results have to fit, or where it is written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_inside,
    read_name,
    read_table,
    read_tables,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.checks.write.outputs.validator import LARGEST, Unusable, prepared
from groundwire.documents.declaration import OutputSource
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError

_STATUS: Final = re.compile(r"[1-5](?:[0-9]{2}|XX)|default")
_DEEPEST: Final = 200


def read_output(value: object, path: Path) -> OutputSource:
    """Where a schema is written: a path, or `{ description = "…", operation = "GET /users" }`."""
    if isinstance(value, str):
        return OutputSource(kind="schema", file=read_inside(value, path))
    table = read_table(value, "tools.<name>.output", path)
    demand(table, ("description", "operation"), "an output", path)
    status = read_name(table["status"], (*path, "status")) if "status" in table else ""
    if status and not _STATUS.fullmatch(status):
        raise Misdeclared(
            "bad-status",
            (*path, "status"),
            f'must be a status such as "201", "2XX" or "default", not {show(status)}',
        )
    return OutputSource(
        kind="operation",
        file=read_inside(table["description"], (*path, "description")),
        operation=read_name(table["operation"], (*path, "operation")),
        status=status,
    )


def read_output_schema(value: object, path: Path) -> str:
    """The text of a schema that is written out."""
    try:
        return schema_text(read_tables(value, path))
    except PolicyError as error:
        raise Misdeclared(error.reason, path, error.message) from error


def demand_one_output(declared: ToolDeclaration, path: Path) -> None:
    """The schema is written in one place."""
    if declared.output is not None and declared.output_schema:
        raise Misdeclared(
            "output-twice", path, "the schema stands in 'output' and in 'output_schema'; keep one"
        )


def schema_text(schema: object) -> str:
    """The text of a JSON Schema against which results can be held, and which needs no other file.

    A pattern that cannot be matched in linear time is let through; the check then says so.

    Raises:
        PolicyError: `output-schema-unusable`: it is no such schema, or too large.
    """
    text = ""
    if _is_json(schema, _DEEPEST):
        text = msgspec.json.encode(schema, order="sorted").decode(errors="replace")
    if not text or len(text) > LARGEST:
        raise PolicyError(
            "output-schema-unusable",
            f"this is no JSON Schema of at most {LARGEST} characters that JSON could hold",
        )
    made = prepared(text)
    if isinstance(made, Unusable) and made.reason != "pattern-not-linear":
        raise PolicyError(
            "output-schema-unusable",
            "this is no JSON Schema by itself: a keyword has no meaning, its draft is not known, or a "
            "reference leads to another document, by a name, or to nothing",
        )
    return text


def _is_json(value: object, depth: int) -> bool:
    if not depth:
        return False
    if isinstance(value, Mapping):
        return all(
            isinstance(key, str) and _is_json(each, depth - 1) for key, each in value.items()
        )
    if isinstance(value, list):
        return all(_is_json(each, depth - 1) for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str)
