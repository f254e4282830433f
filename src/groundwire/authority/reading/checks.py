"""Checks: how the checks of a run judge, and which of them are off."""

from __future__ import annotations

from typing import Literal

from groundwire.authority.reading.patterns import read_pattern
from groundwire.authority.reading.values import (
    Misdeclared,
    Table,
    demand,
    nearest,
    read_choice,
    read_count,
    read_day,
    read_entries,
    read_flag,
    read_listed_tables,
    read_name,
    read_table,
    read_tables,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import (
    CheckRules,
    Evidence,
    EvidencePosture,
    Off,
    Rules,
    TokenShape,
)

RULES: tuple[Rules, ...] = ("default", "original")
EVIDENCE_POSTURES: tuple[EvidencePosture, ...] = ("off", "assist", "guard", "rails")
COLUMNS: tuple[Literal["off", "warn", "enforce"], ...] = ("off", "warn", "enforce")

# By which a number of an answer is a served one, beside those that arguments have too.
_OF_NUMBERS = ("rounding", "magnitude", "percent", "unit")


def read_rules(table: Table, path: Path) -> CheckRules:
    """What `[checks]` says beside posture and grounding."""
    default = CheckRules()
    return CheckRules(
        rules=read_choice(table.get("rules", default.rules), RULES, (*path, "rules")),
        evidence=_read_evidence(table.get("evidence", {}), (*path, "evidence")),
        equivalences_off=_read_equivalences(table, (*path, "equivalences_off")),
        pins=_read_patterns(table, "pins", path, searched=True),
        off=_read_off_lines(table.get("off", []), (*path, "off")),
        prior_turns=read_flag(
            table.get("prior_turns", default.prior_turns), (*path, "prior_turns")
        ),
        empty_lookups=read_flag(
            table.get("empty_lookups", default.empty_lookups), (*path, "empty_lookups")
        ),
        columns=read_choice(table.get("columns", default.columns), COLUMNS, (*path, "columns")),
    )


def _read_evidence(value: object, path: Path) -> Evidence:
    table = read_table(value, "checks.evidence", path)
    default = Evidence()
    exempt: tuple[str, ...] = ()
    if "exempt" in table:
        exempt = read_entries(
            table["exempt"], (*path, "exempt"), read_name, "an empty list exempts nothing"
        )
    return Evidence(
        posture=read_choice(
            table.get("posture", default.posture), EVIDENCE_POSTURES, (*path, "posture")
        ),
        min_digits=read_count(
            table.get("min_digits", default.min_digits), 1, 15, (*path, "min_digits")
        ),
        shapes=tuple(
            TokenShape(
                name=read_name(name, (*path, "shapes", name)),
                pattern=read_pattern(said, (*path, "shapes", name)),
            )
            for name, said in read_tables(table.get("shapes", {}), (*path, "shapes")).items()
        ),
        exempt=exempt,
        exempt_patterns=_read_patterns(table, "exempt_patterns", path),
    )


def _read_patterns(
    table: Table, key: str, path: Path, *, searched: bool = False
) -> tuple[str, ...]:
    if key not in table:
        return ()

    def read(entry: object, place: Path) -> str:
        return read_pattern(entry, place, searched=searched)

    return read_entries(table[key], (*path, key), read, "an empty list has no pattern")


def _read_equivalences(table: Table, path: Path) -> tuple[str, ...]:
    if "equivalences_off" not in table:
        return ()
    known = equivalences()

    def read(entry: object, place: Path) -> str:
        name = read_name(entry, place)
        if name not in known:
            raise Misdeclared(
                "unknown-equivalence",
                place,
                f"there is no equivalence {show(name)}; the nearest is '{nearest(name, known)}'. "
                f"Known: {', '.join(known)}",
            )
        return name

    return read_entries(
        table["equivalences_off"], path, read, "an empty list turns nothing off; leave the key out"
    )


def _read_off_lines(value: object, path: Path) -> tuple[Off, ...]:
    lines: dict[tuple[str, str], Off] = {}
    for index, element in enumerate(read_listed_tables(value, "checks.off", path)):
        place = (*path, index)
        line = _read_off(element, place)
        if (line.check, line.tool) in lines:
            raise Misdeclared(
                "repeated-entry", place, f"{show(line.check)} is off there already; keep one line"
            )
        lines[line.check, line.tool] = line
    return tuple(lines.values())


def _read_off(value: object, path: Path) -> Off:
    table = read_table(value, "checks.off[]", path)
    demand(table, ("check", "reason", "until"), "a line that switches a check off", path)
    check = read_name(table["check"], (*path, "check"))
    known = kinds()
    if check not in known:
        raise Misdeclared(
            "unknown-check",
            (*path, "check"),
            f"there is no kind of finding {show(check)}; the nearest is '{nearest(check, known)}'. "
            f"Known: {', '.join(known)}",
        )
    return Off(
        check=check,
        reason=read_name(table["reason"], (*path, "reason")),
        until=read_day(table["until"], (*path, "until")),
        tool=read_name(table["tool"], (*path, "tool")) if "tool" in table else "",
    )


def kinds() -> tuple[str, ...]:
    """Every kind of finding there is."""
    from groundwire.checks.registry import KINDS  # noqa: PLC0415 -- only for a policy that names one

    return tuple(KINDS)


def equivalences() -> tuple[str, ...]:
    """Every equivalence that can be turned off, of arguments and of answers."""
    from groundwire.grounding.answers.judging import DERIVED  # noqa: PLC0415 -- as above
    from groundwire.grounding.answers.shelf import CALL, HEXADECIMAL  # noqa: PLC0415 -- as above
    from groundwire.grounding.lookup.search import EQUIVALENCES  # noqa: PLC0415 -- as above

    return tuple(dict.fromkeys((*EQUIVALENCES, *_OF_NUMBERS, CALL, HEXADECIMAL, DERIVED)))
