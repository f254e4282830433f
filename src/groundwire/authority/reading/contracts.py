"""Contracts: what `[diff]` and `[[contracts]]` say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, get_args

import msgspec

from groundwire.authority.reading.governing.rules import read_path_pattern
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_choice,
    read_day,
    read_entries,
    read_inside,
    read_listed_tables,
    read_name,
    read_table,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.contract import DerivedContract, DiffRules, Harm, Waiver

HARMS: Final[tuple[Harm, ...]] = get_args(Harm)
_RULE: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def read_diff(value: object, path: Path) -> DiffRules:
    """What `[diff]` and its tables say."""
    table = read_table(value, "diff", path)
    fields: dict[str, object] = {}
    for key, said in table.items():
        place = (*path, key)
        match key:
            case "fail_on":
                fields[key] = read_entries(said, place, _harm, "names no grade; leave it out")
            case "version_bump":
                fields[key] = read_choice(said, ("none", "major"), place)
            case "labels":
                fields[key] = read_entries(said, place, read_name, "names no label; leave it out")
            case "openapi":
                fields[key] = _read_knobs(said, place)
            case _:  # `read_table` let nothing but waivers through
                listed = read_listed_tables(said, "diff.waivers", place)
                fields[key] = tuple(
                    _read_waiver(each, (*place, index)) for index, each in enumerate(listed)
                )
    return msgspec.convert(fields, DiffRules)


def read_derived(value: object, path: Path) -> tuple[DerivedContract, ...]:
    """What `[[contracts]]` says; no file is made by two programs."""
    found: dict[str, DerivedContract] = {}
    for index, each in enumerate(read_listed_tables(value, "contracts", path)):
        place = (*path, index)
        table = read_table(each, "contracts[]", place)
        demand(table, ("path", "generate", "inputs"), "a derived contract", place)
        derived = DerivedContract(
            path=read_inside(table["path"], (*place, "path")),
            generate=_read_words(table["generate"], (*place, "generate")),
            inputs=read_entries(
                table["inputs"],
                (*place, "inputs"),
                read_path_pattern,
                "names no file that it is made of",
            ),
        )
        if derived.path in found:
            raise Misdeclared(
                "repeated-entry", place, f"{show(derived.path)} is made twice; keep one of them"
            )
        found[derived.path] = derived
    return tuple(found.values())


def _harm(value: object, path: Path) -> Harm:
    return read_choice(value, HARMS, path)


def _read_knobs(value: object, path: Path) -> Mapping[str, Harm]:
    table = read_table(value, "diff.openapi", path)
    return {name: _harm(table[name], (*path, name)) for name in sorted(table)}


def _read_waiver(value: object, path: Path) -> Waiver:
    table = read_table(value, "diff.waivers[]", path)
    demand(table, ("rule", "reason", "until"), "a waiver", path)
    rule = read_name(table["rule"], (*path, "rule"))
    if not _RULE.fullmatch(rule):
        raise Misdeclared(
            "unknown-rule", (*path, "rule"), f"must be the name of a rule, not {show(rule)}"
        )
    return Waiver(
        rule=rule,
        reason=read_name(table["reason"], (*path, "reason")),
        until=read_day(table["until"], (*path, "until")),
        file=read_path_pattern(table["file"], (*path, "file")) if "file" in table else "",
        operation=read_name(table["operation"], (*path, "operation"))
        if "operation" in table
        else "",
    )


def _read_words(value: object, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise Misdeclared(
            "wrong-type", path, 'must be the words of a command, as ["python", "-m", "app.export"]'
        )
    return tuple(read_name(each, (*path, index)) for index, each in enumerate(value))
