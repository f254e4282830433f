"""Claims: which fields of the structured answer state which facts."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Literal

from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_choice,
    read_entries,
    read_flag,
    read_listed_tables,
    read_name,
    read_table,
    show,
    wrong_type,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import Aggregate, Claim

ORDERS: tuple[Literal["arrival", "measured_at"], ...] = ("arrival", "measured_at")
AGGREGATES: tuple[Aggregate, ...] = ("count", "sum", "mean", "min", "max")
EVERY_ENTITY = "*"

_TOLERANCE = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?%?", re.ASCII)
_ANSWER = re.compile(r"[^\s.\[\]][^.\[\]]*(?:\.[^\s.\[\]][^.\[\]]*)*")


def read_claims(value: object, path: Path) -> tuple[Claim, ...]:
    """Every `[[claims]]` table; one field of the answer states one fact."""
    claims: dict[str, Claim] = {}
    for index, element in enumerate(read_listed_tables(value, "claims", path)):
        place = (*path, index)
        claim = read_claim(element, place)
        demand_agreement(claims.get(claim.answer), claim, place)
        claims[claim.answer] = claim
    return tuple(claims.values())


def demand_agreement(known: Claim | None, claim: Claim, path: Path) -> None:
    """No claim was known of the same field of the answer."""
    if known is None:
        return
    if known == claim:
        raise Misdeclared(
            "repeated-entry", path, f"the field {show(claim.answer)} is declared already; keep one"
        )
    raise Misdeclared(
        "contradictory-claims",
        path,
        f"the field {show(claim.answer)} of the answer is said to state {known.field}("
        f"{known.entity}) and {claim.field}({claim.entity}), or the same in two ways; keep one",
    )


def read_claim(value: object, path: Path) -> Claim:
    """One claim, every part of which can be what was meant."""
    table = read_table(value, "claims[]", path)
    demand(table, ("answer", "entity", "field"), "a claim", path)
    answer = read_name(table["answer"], (*path, "answer"))
    if not _ANSWER.fullmatch(answer):
        raise Misdeclared(
            "bad-answer-path",
            (*path, "answer"),
            f"{show(answer)} is no path into an answer; write names and places joined by stops: "
            "result.0.size",
        )
    aggregate: Aggregate = ""
    if "aggregate" in table:
        aggregate = read_choice(table["aggregate"], AGGREGATES, (*path, "aggregate"))
    entity = read_name(table["entity"], (*path, "entity"))
    if (entity == EVERY_ENTITY) != bool(aggregate):
        raise Misdeclared(
            "contradictory-claims",
            path,
            'entity = "*" and an aggregate belong together: name one entity, or say which '
            "aggregate over all is stated",
        )
    return Claim(
        answer=answer,
        entity=entity,
        field=read_name(table["field"], (*path, "field")),
        tolerance=_read_tolerance(table.get("tolerance", ""), (*path, "tolerance")),
        unit=read_name(table["unit"], (*path, "unit")) if "unit" in table else "",
        synonyms=_read_synonyms(table.get("synonyms", ()), (*path, "synonyms")),
        ignore_case=read_flag(table.get("ignore_case", False), (*path, "ignore_case")),
        as_set=read_flag(table.get("as_set", False), (*path, "as_set")),
        order=read_choice(table.get("order", ORDERS[0]), ORDERS, (*path, "order")),
        aggregate=aggregate,
    )


def _read_tolerance(value: object, path: Path) -> str:
    if value == "":
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        value = format(Decimal(str(value)), "f")
    if isinstance(value, str) and _TOLERANCE.fullmatch(value):
        return value
    raise wrong_type('a number from 0 such as 0.5, or a share such as "1%"', value, path)


def _read_synonyms(value: object, path: Path) -> tuple[tuple[str, ...], ...]:
    if value == ():
        return ()
    known: set[str] = set()

    def read_group(group: object, place: Path) -> tuple[str, ...]:
        words = read_entries(group, place, read_name, "name at least two texts")
        if len(words) < 2:
            raise Misdeclared("empty-declaration", place, "name at least two texts")
        for word in words:
            if word in known:
                raise Misdeclared(
                    "repeated-entry", place, f"{show(word)} stands in two groups; join them"
                )
            known.add(word)
        return words

    return read_entries(value, path, read_group, "an empty list says nothing; leave the key out")
