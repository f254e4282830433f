"""Sources: what the author of a tool said an argument comes from, and whether it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.frame import ToolSpec
from groundwire.grounding.arguments.places import Place, places
from groundwire.grounding.ground import Ground, Support
from groundwire.grounding.leaves import Leaf
from groundwire.grounding.spellings.composed import elements

# In what a value that was served is not what was declared.
Astray: TypeAlias = Literal["", "elsewhere", "other-record", "other-form"]


class Judged(msgspec.Struct, frozen=True):
    """One argument judged by its declaration.

    `support` says whether it was served at all. `astray` says in what it is not what was declared
    although it was. `places` are where it stands in results. `free`: the
    model words or computes it, so it was not looked for.
    """

    support: Support
    astray: Astray = ""
    places: tuple[Place, ...] = ()
    free: bool = False


def source_of(declared: Sequence[ArgumentSource], path: Sequence[str]) -> ArgumentSource | None:
    """The declaration of the argument at this path: the longest that leads to it or above it."""
    matching = [source for source in declared if _leads(source.argument, path)]
    return max(matching, key=lambda source: len(_steps(source.argument)), default=None)


def judge(
    ground: Ground, lane: int, leaf: Leaf, source: ArgumentSource, tools: tuple[ToolSpec, ...]
) -> Judged:
    """How this argument stands to its declaration.

    A value that no declared source holds is looked for everywhere: it was served elsewhere, or
    not at all.
    """
    match source.kind:
        case "free-text" | "derived":
            return Judged(Support(grade="exact", method=source.kind), free=True)
        case "list":
            return _judge_list(ground, lane, leaf, source, tools)
        case "pattern":
            if re.fullmatch(source.pattern, leaf.value):
                return Judged(Support(grade="exact", method="pattern"))
            return _elsewhere(ground, lane, leaf, tools, "other-form")
        case "user":
            found = ground.said_by_user(lane, leaf.value)
            return Judged(found) if found else _elsewhere(ground, lane, leaf, tools, "elsewhere")
        case "result":
            return _judge_result(ground, lane, leaf, source, tools)


def _judge_list(
    ground: Ground, lane: int, leaf: Leaf, source: ArgumentSource, tools: tuple[ToolSpec, ...]
) -> Judged:
    found: tuple[Place, ...] = ()
    for part in elements(leaf.value) or (leaf.value,):
        element = msgspec.structs.replace(leaf, value=part)
        judged = Judged(ground.support(lane, part, tools, leaf.key))
        if source.tool:
            judged = _judge_result(ground, lane, element, source, tools)
        support = judged.support
        if support.grade != "exact" or judged.astray:
            named = msgspec.structs.replace(support, part=support.part or part)
            return msgspec.structs.replace(judged, support=named)
        found += judged.places
    return Judged(Support(grade="exact", method="list"), places=found)


def _judge_result(
    ground: Ground, lane: int, leaf: Leaf, source: ArgumentSource, tools: tuple[ToolSpec, ...]
) -> Judged:
    support, found = None, []
    for hit in ground.in_results_of(lane, leaf.value, source.tool):
        arguments = ground.arguments_of(hit.number)
        fields = places(hit.number, hit.passage.text, arguments, leaf.value, source.at)
        if fields or not source.at:
            support = support or Support(grade="exact", method="declared", hit=hit)
            found += fields
    if support is not None:
        return Judged(support, places=tuple(found))
    return _elsewhere(ground, lane, leaf, tools, "elsewhere")


def _elsewhere(
    ground: Ground, lane: int, leaf: Leaf, tools: tuple[ToolSpec, ...], astray: Astray
) -> Judged:
    support = ground.support(lane, leaf.value, tools, leaf.key)
    if support.grade != "exact":
        return Judged(support)
    return Judged(support, astray, places_of(ground, support))


def places_of(ground: Ground, support: Support) -> tuple[Place, ...]:
    """The fields, and their records, of the result that an accepted value was found in.

    Empty where it was found in no result, or in prose: then `support.hit` is all that is known.
    """
    hit = support.hit
    if hit is None or hit.passage.voice != "result":
        return ()
    arguments = ground.arguments_of(hit.number)
    return tuple(places(hit.number, hit.passage.text, arguments, hit.spelling))


def of_other_records(
    judged: Sequence[tuple[ArgumentSource | None, Judged]],
) -> list[int]:
    """Which arguments of one call stand in no record of the first from the same tool.

    That is a real value bound to the wrong place. Silent where no field was found for one of them.
    """
    anchors: dict[str, tuple[Place, ...]] = {}
    astray = []
    for number, (source, one) in enumerate(judged):
        if source is None or source.kind != "result" or one.astray or not one.places:
            continue
        anchor = anchors.setdefault(source.tool, one.places)
        if not any(place.is_with(other) for place in one.places for other in anchor):
            astray.append(number)
    return astray


def _steps(argument: str) -> list[str]:
    return argument.replace("[*]", ".*").split(".")


def _leads(argument: str, path: Sequence[str]) -> bool:
    steps = _steps(argument)
    return len(steps) <= len(path) and all(
        step == taken or (step == "*" and taken.isdigit())
        for step, taken in zip(steps, path, strict=False)
    )
