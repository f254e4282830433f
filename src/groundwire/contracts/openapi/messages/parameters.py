"""Parameters of a request: what became of those that are sent, and which have to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.carriers import (
    Carrier,
    may_be_empty,
    parameter,
    part,
    sampled,
)
from groundwire.contracts.openapi.messages.told import ends
from groundwire.contracts.openapi.messages.values import compare_values
from groundwire.contracts.openapi.resolving import Resolved
from groundwire.contracts.openapi.schemas import Schemas, Side
from groundwire.contracts.verdict import Direction

_Key: TypeAlias = tuple[str, str]
# Headers of which the standard says that they are described elsewhere.
_DESCRIBED_ELSEWHERE = frozenset({"accept", "content-type", "authorization"})
_NONE: Mapping[str, str] = {}


def compare_parameters(
    schemas: Schemas,
    old: Sequence[str],
    new: Sequence[str],
    direction: Direction,
    renamed: Mapping[str, str] = _NONE,
) -> Iterator[Finding]:
    """What became of parameters, by location and name; `renamed`: a path variable's new name → old.

    The pointers are those of an operation, its path's merged in. One that is gone is not refused:
    requests that carry it are answered as if they did not, which is risky.
    """
    before = _read(schemas, "old", old, direction, _NONE)
    after = _read(schemas, "new", new, direction, renamed)
    yield from _unread(before, after, direction)
    sent, read = (before, after) if direction == "accepts" else (after, before)
    for key, mine in sent.items():
        theirs = read.get(key)
        if isinstance(mine, Carrier) and isinstance(theirs, Carrier):
            # A path's variable is shown under the name that the sender has for it.
            yield from _compare_one(schemas, mine, theirs, direction)
        elif isinstance(mine, Carrier) and theirs is None and _all_read(read):
            yield from _gone(schemas, mine, read, sent, direction)
    for key, theirs in read.items():
        if not _all_read(sent):
            break
        wanted = isinstance(theirs, Carrier) and key not in sent and theirs.required
        if wanted and isinstance(theirs, Carrier) and not _is_moved(theirs, sent, read):
            yield _missing(schemas, theirs, direction)


def sample_parameters(
    schemas: Schemas, side: Side, pointers: Sequence[str], direction: Direction
) -> tuple[Part, ...]:
    """A value for each parameter that has to be sent, written; what has none is left out."""
    found = _read(schemas, side, pointers, direction, _NONE).values()
    parts = [
        sampled(schemas, each, direction)
        for each in found
        if isinstance(each, Carrier) and each.required
    ]
    return tuple(each for each in parts if each is not None)


def _read(
    schemas: Schemas,
    side: Side,
    pointers: Sequence[str],
    direction: Direction,
    renamed: Mapping[str, str],
) -> dict[_Key, Carrier | Resolved]:
    """The parameters by what they are matched by; what cannot be read, by its pointer."""
    found: dict[_Key, Carrier | Resolved] = {}
    for pointer in pointers:
        each = parameter(schemas, side, pointer, direction)
        if isinstance(each, Resolved):
            found["", each.pointer] = each
        elif each.location == "header":
            if each.name.lower() not in _DESCRIBED_ELSEWHERE:
                found["header", each.name.lower()] = each
        elif each.location == "path":
            found["path", renamed.get(each.name, each.name)] = each
        else:
            found[each.location, each.name] = each
    return found


def _all_read(found: Mapping[_Key, Carrier | Resolved]) -> bool:
    """Whether what is not among the parameters is not there."""
    return not any(isinstance(each, Resolved) for each in found.values())


def _unread(
    before: Mapping[_Key, Carrier | Resolved],
    after: Mapping[_Key, Carrier | Resolved],
    direction: Direction,
) -> Iterator[Finding]:
    noun = "request-parameter" if direction == "accepts" else "callback-parameter"
    for side, found in ((0, before), (1, after)):
        for each in found.values():
            if isinstance(each, Resolved):
                yield Finding(
                    rule=f"{noun}-not-read",
                    grade="undecided",
                    says="What the parameter is could not be read.",
                    before="" if side else each.pointer,
                    after=each.pointer if side else "",
                    reason=each.reason or "parameter-invalid",
                )


def _compare_one(
    schemas: Schemas, sent: Carrier, read: Carrier, direction: Direction
) -> Iterator[Finding]:
    if sent.location == "path" and sent.name != read.name:
        # Only its place counts: what it is called does not stand on the wire.
        read = msgspec.structs.replace(read, name=sent.name)
    if read.required and not sent.required:
        yield _became_required(schemas, read, sent, direction)
    if may_be_empty(sent) and not may_be_empty(read):
        refused = schemas.accepts(read.side, read.schema, "", direction) if read.schema else True
        if refused is False:
            yield Finding(
                rule=f"{sent.noun}-empty-value-refused",
                grade="breaking",
                says=f"{_begin(sent)} could be sent without a value.",
                before=ends(direction, sent.pointer, read.pointer)[0],
                after=ends(direction, sent.pointer, read.pointer)[1],
                instead="Keep `allowEmptyValue`.",
                part=part(sent, ""),
                value="",
            )
    if _is_deprecated(read) and not _is_deprecated(sent) and direction == "accepts":
        yield Finding(
            rule="request-parameter-deprecated",
            grade="noted",
            says=f"{_begin(read)} is deprecated now.",
            before=sent.pointer,
            after=read.pointer,
        )
    yield from compare_values(schemas, sent, read, direction)


def _is_deprecated(carrier: Carrier) -> bool:
    return carrier.members.get("deprecated") is True


def _became_required(
    schemas: Schemas, read: Carrier, sent: Carrier, direction: Direction
) -> Finding:
    action = "became-required" if direction == "accepts" else "became-optional"
    says = "has to be sent now" if direction == "accepts" else "may be missing now"
    return Finding(
        rule=f"{read.noun}-{action}",
        grade=_demanded(schemas, read),
        says=f"{_begin(read)} {says}.",
        before=ends(direction, sent.pointer, read.pointer)[0],
        after=ends(direction, sent.pointer, read.pointer)[1],
        instead="Leave it as it was, or demand it in a new operation or version.",
    )


def _missing(schemas: Schemas, read: Carrier, direction: Direction) -> Finding:
    """The reader wants what the sender does not know of."""
    asked = direction == "accepts"
    says = "has to be sent and was not known" if asked else "was always sent and is gone"
    return Finding(
        rule=f"{read.noun}-{'added-required' if asked else 'removed'}",
        grade=_demanded(schemas, read),
        says=f"{_begin(read)} {says}.",
        before=ends(direction, "", read.pointer)[0],
        after=ends(direction, "", read.pointer)[1],
        instead="Add it as one that may be left out." if asked else "Keep sending it.",
    )


def _demanded(schemas: Schemas, read: Carrier) -> Grade:
    """How grave a demand is: where there is a default, a policy may say so."""
    schema = schemas.value(read.side, schemas.schema(read.side, read.schema))
    if isinstance(schema, Mapping) and "default" in schema and read.side == "new":
        return schemas.knobs.required_with_default
    return "breaking"


def _is_moved(
    wanted: Carrier,
    sent: Mapping[_Key, Carrier | Resolved],
    read: Mapping[_Key, Carrier | Resolved],
) -> bool:
    """Whether the sender has it at another place, which is told where that is gone."""
    return any(
        isinstance(each, Carrier)
        and each.name.lower() == wanted.name.lower()
        and key not in read
        and each.noun == "request-parameter"
        for key, each in sent.items()
    )


def _gone(
    schemas: Schemas,
    sent: Carrier,
    read: Mapping[_Key, Carrier | Resolved],
    known: Mapping[_Key, Carrier | Resolved],
    direction: Direction,
) -> Iterator[Finding]:
    """What the sender sends and the reader does not know: not refused, and not looked at either."""
    if direction == "produces" or sent.location == "path":
        return
    elsewhere = next(
        (
            each
            for key, each in sorted(read.items(), key=lambda item: item[0])
            if isinstance(each, Carrier)
            and each.name.lower() == sent.name.lower()
            and key not in known
        ),
        None,
    )
    if elsewhere is None:
        yield Finding(
            rule=f"{sent.noun}-removed",
            grade="risky",
            says=f"{_begin(sent)} is gone: what is sent in it is not looked at any more.",
            before=ends(direction, sent.pointer, "")[0],
            after=ends(direction, sent.pointer, "")[1],
            instead="Keep it, and mark it as deprecated.",
            part=sampled(schemas, sent, direction),
        )
        return
    yield Finding(
        rule=f"{sent.noun}-moved",
        grade="breaking" if elsewhere.required else "risky",
        says=f"{_begin(sent)} is expected in another place now: {elsewhere.location}.",
        before=ends(direction, sent.pointer, elsewhere.pointer)[0],
        after=ends(direction, sent.pointer, elsewhere.pointer)[1],
        instead="Take it in both places.",
        part=sampled(schemas, sent, direction),
    )


def _begin(carrier: Carrier) -> str:
    shown = carrier.shown()
    return shown[0].upper() + shown[1:]
