"""Headers of a response: what became of those that came, and which always do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.carriers import Carrier, header, sampled
from groundwire.contracts.openapi.messages.told import ends
from groundwire.contracts.openapi.messages.values import compare_values
from groundwire.contracts.openapi.resolving import Resolved, join
from groundwire.contracts.openapi.schemas import Schemas, Side
from groundwire.contracts.verdict import Direction


def compare_headers(
    schemas: Schemas, old: str, new: str, direction: Direction
) -> Iterator[Finding]:
    """What became of a map of headers, by name in any case; `Content-Type` is not one of them."""
    before = _read(schemas, "old", old, direction)
    after = _read(schemas, "new", new, direction)
    noun = "response-header" if direction == "produces" else "callback-response-header"
    for found, is_new in ((before, False), (after, True)):
        for each in found.values():
            if isinstance(each, Resolved):
                yield Finding(
                    rule=f"{noun}-not-read",
                    grade="undecided",
                    says="What the header is could not be read.",
                    before="" if is_new else each.pointer,
                    after=each.pointer if is_new else "",
                    reason=each.reason or "header-invalid",
                )
    sent, read = (before, after) if direction == "accepts" else (after, before)
    for key, theirs in read.items():
        mine = sent.get(key)
        if not isinstance(theirs, Carrier) or isinstance(mine, Resolved):
            continue
        if mine is None:
            told = _missing(theirs, direction)
            if told is not None:
                yield told
            continue
        if theirs.required and not mine.required:
            yield _not_always(mine, theirs, direction)
        yield from compare_values(schemas, mine, theirs, direction)


def sample_headers(
    schemas: Schemas, side: Side, pointer: str, direction: Direction
) -> tuple[Part, ...]:
    """A value for each header of a map that always comes, written; what has none is left out."""
    parts = [
        sampled(schemas, each, direction)
        for each in _read(schemas, side, pointer, direction).values()
        if isinstance(each, Carrier) and each.required
    ]
    return tuple(each for each in parts if each is not None)


def _read(
    schemas: Schemas, side: Side, pointer: str, direction: Direction
) -> dict[str, Carrier | Resolved]:
    if not pointer:
        return {}
    found = schemas.at(side, pointer)
    if found.reason or not isinstance(found.value, Mapping):
        return {"": found}
    return {
        name.lower(): header(schemas, side, join(found.pointer, name), name, direction)
        for name in found.value
        if name.lower() != "content-type"
    }


def _missing(read: Carrier, direction: Direction) -> Finding | None:
    """The reader knows a header that the sender does not."""
    if direction == "accepts":
        if not read.required:
            return None
        return Finding(
            rule=f"{read.noun}-added-required",
            grade="breaking",
            says=f"{_begin(read)} has to be sent and was not known.",
            before=ends(direction, "", read.pointer)[0],
            after=ends(direction, "", read.pointer)[1],
            instead="Add it as one that may be left out.",
        )
    always = read.required
    return Finding(
        rule=f"{read.noun}-removed",
        grade="breaking" if always else "noted",
        says=f"{_begin(read)} {'always came' if always else 'could come'} and is gone.",
        before=ends(direction, "", read.pointer)[0],
        after=ends(direction, "", read.pointer)[1],
        instead="Keep sending it.",
    )


def _not_always(sent: Carrier, read: Carrier, direction: Direction) -> Finding:
    asked = direction == "accepts"
    return Finding(
        rule=f"{read.noun}-{'became-required' if asked else 'became-optional'}",
        grade="breaking",
        says=f"{_begin(read)} {'has to be sent now' if asked else 'may be missing now'}.",
        before=ends(direction, sent.pointer, read.pointer)[0],
        after=ends(direction, sent.pointer, read.pointer)[1],
        instead="Leave it as it was.",
    )


def _begin(carrier: Carrier) -> str:
    shown = carrier.shown()
    return shown[0].upper() + shown[1:]
