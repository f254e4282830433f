"""Whether the witnesses of real changes are what they say, by another judge on the raw documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bench.contracting.packages import AFTER, BEFORE, github
from bench.contracting.pairs import opened
from bench.contracting.raw_schemas import Raw
from groundwire.contracts.changes import Change, Content
from groundwire.contracts.openapi.comparing import compare

PAIRS = (
    ((BEFORE, "api.github.com"), (AFTER, "api.github.com")),
    ((BEFORE, "ghec"), (AFTER, "ghec")),
    ((AFTER, "ghes-3.17"), (AFTER, "ghes-3.18")),
    ((AFTER, "ghes-3.18"), (AFTER, "ghes-3.19")),
)
TOLD = frozenset({"breaking", "risky"})
WHOLE = frozenset({"path-removed", "operation-removed"})


class Confirmed(msgspec.Struct, frozen=True):
    """How many of the breaking and risky changes have a witness, and which are not confirmed."""

    changes: int
    of_values: int
    of_exchanges: int
    without: int
    not_confirmed: tuple[str, ...]


def confirm(old: Any, new: Any, changes: tuple[Change, ...]) -> Confirmed:
    """Every witness that is a value is tried on both raw schemas; of others, what is there.

    Of a removed operation it is that the new document has none at that path; of a status or media
    type, that the old document does not list it.
    """
    judged: Counter[str] = Counter()
    failed = []
    raw = Raw(old), Raw(new)
    told = [change for change in changes if change.grade in TOLD]
    for change in told:
        if change.witness is None:
            judged["without"] += 1
            continue
        kind, right = _judged(change, *raw)
        judged[kind] += 1
        if not right:
            failed.append(f"{change.rule} of {change.reaches[0]}")
    return Confirmed(
        len(told), judged["value"], judged["exchange"], judged["without"], tuple(failed)
    )


def _judged(change: Change, old: Raw, new: Raw) -> tuple[str, bool]:
    witness = change.witness
    assert witness is not None
    method, _, template = change.reaches[0].partition(" ")
    before, after = old.operation(method, template), new.operation(method, template)
    if change.rule in WHOLE:
        return "exchange", before is not None and after is None
    if before is None or after is None:
        return "value", False
    if witness.answered is None and change.rule.startswith("request-parameter"):
        return "value", _of_parameter(change, (old, *before), (new, *after))
    if witness.answered is None:
        return "value", _of_body(witness.asked.content, (old, before[1]), (new, after[1]))
    status = witness.answered.status
    were, are = (_response(raw, each[1], status) for raw, each in ((old, before), (new, after)))
    if change.rule == "response-status-added":
        return "exchange", were is None and are is not None
    content = witness.answered.content
    if content is None or were is None or are is None:
        return "value", False
    if change.rule.startswith("response-media-type"):
        return "exchange", content.media_type in are["content"]
    media = content.media_type
    sent, read = are["content"][media]["schema"], were["content"][media]["schema"]
    value = content.value
    return "value", new.takes(sent, value, asked=False) and not old.takes(read, value, asked=False)


def _of_body(content: Content | None, old: tuple[Raw, Any], new: tuple[Raw, Any]) -> bool:
    if content is None:
        return False
    schemas = [
        raw.resolved(operation["requestBody"])["content"][content.media_type]["schema"]
        for raw, operation in (old, new)
    ]
    value = content.value
    taken = old[0].takes(schemas[0], value, asked=True)
    return taken and not new[0].takes(schemas[1], value, asked=True)


def _of_parameter(change: Change, old: tuple[Raw, Any, Any], new: tuple[Raw, Any, Any]) -> bool:
    """A required parameter that is new is none of a value: it has to be there and was not."""
    sides = [_parameters(*side) for side in (old, new)]
    taken = []
    for key in {**sides[0], **sides[1]}:
        were, are = (side.get(key) for side in sides)
        if were is None or are is None:
            taken.append(were is not None or bool(are and are.get("required")))
        elif "schema" in were and "schema" in are:
            fits = old[0].takes(were["schema"], change.value, asked=True)
            taken.append(fits and not new[0].takes(are["schema"], change.value, asked=True))
    return any(taken)


def _parameters(raw: Raw, item: Any, operation: Any) -> Mapping[tuple[str, str], Any]:
    listed = [*item.get("parameters", ()), *operation.get("parameters", ())]
    found = map(raw.resolved, listed)
    return {(each["in"], each["name"]): each for each in found}


def _response(raw: Raw, operation: Any, status: str) -> Any:
    responses = operation["responses"]
    named = next(
        (name for name in (status, status[0] + "XX", "default") if name in responses), None
    )
    return None if named is None else raw.resolved(responses[named])


def real_pairs() -> bool:
    """Prints a line a pair of real descriptions; false where a witness was not confirmed."""
    print(f"{'witnesses of real changes':<40}{'told':>6}{'values':>8}{'others':>8}  not confirmed")
    held = True
    for before, after in PAIRS:
        paths = github(*before), github(*after)
        if None in paths:
            continue
        name = f"{before[1]} {before[0]} > {after[1]} {after[0]}"
        found = _of_files(*(path for path in paths if path))
        held &= not found.not_confirmed and not found.without
        shown = ", ".join(sorted(set(found.not_confirmed))[:5]) or "none"
        missing = f" ({found.without} without a witness)" if found.without else ""
        print(
            f"{name:<40}{found.changes:>6}{found.of_values:>8}{found.of_exchanges:>8}"
            f"  {shown}{missing}"
        )
    return held


def _of_files(before: Path, after: Path) -> Confirmed:
    old, new = (msgspec.json.decode(path.read_bytes()) for path in (before, after))
    return confirm(old, new, compare(opened(old), opened(new)))
