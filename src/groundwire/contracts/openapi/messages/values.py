"""Values: whether what one side writes into a parameter or header, the other reads as it was meant."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Field
from groundwire.contracts.jsonschema.comparing import Wanted
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.messages.asking import Wire, ask_texts
from groundwire.contracts.openapi.messages.carriers import Carrier, may_be_empty, part
from groundwire.contracts.openapi.messages.told import ends, schema_findings
from groundwire.contracts.openapi.messages.writing.styles import Written, render, text_of
from groundwire.contracts.openapi.schemas import ANYTHING, NoSample, Schemas
from groundwire.contracts.verdict import (
    Direction,
)

_PLAIN = ("integer", "number", "boolean")
_WANTED: tuple[Wanted, ...] = ("scalar", "several-items", "members")


def compare_values(
    schemas: Schemas, sent: Carrier, read: Carrier, direction: Direction
) -> Iterator[Finding]:
    """What became of the values: how they are written, and then which there are."""
    told = _compare_writing(schemas, sent, read, direction)
    if told is not None:
        yield told
        if told.grade != "undecided" or _one_is_json(sent, read):
            return
    old, new = (sent, read) if direction == "accepts" else (read, sent)
    ends = schemas.schema("old", old.schema), schemas.schema("new", new.schema)
    if read.media_type:
        verdict = schemas.ask(*ends, direction)
    else:
        wire = Wire(
            list_of_one=_list_of_one_is_alike(sent.how) and _list_of_one_is_alike(read.how),
            empty_is_absent=True,
            in_path=sent.location == "path",
            empty_is_taken=may_be_empty(read),
        )
        verdict = ask_texts(schemas, ends, direction, wire)
    yield from schema_findings(
        schemas,
        verdict,
        direction,
        ends,
        "header" if sent.noun.endswith("header") else "parameter",
        sent.shown(),
        lambda value: part(sent, value),
    )


def _list_of_one_is_alike(how: Written) -> bool:
    return how.style in {"form", "simple"}


# -- how they are written --------------------------------------------------------------------------


def _compare_writing(
    schemas: Schemas, sent: Carrier, read: Carrier, direction: Direction
) -> Finding | None:
    """A value that the two sides write differently; None where there is none."""
    if sent.media_type or read.media_type:
        if sent.media_type.lower() == read.media_type.lower():
            return None
    elif (sent.how.style, sent.how.explode) == (read.how.style, read.how.explode):
        return _compare_reserved(sent, read, direction)
    unknown = _one_is_json(sent, read) and not _is_of_plain_types(schemas, sent)
    for wanted in _WANTED:
        try:
            value = _sample(schemas, sent, read, direction, wanted)
        except NoSample as error:
            unknown = unknown or error.args[0] != "nothing-fits"
            continue
        mine, theirs = _fields(sent, value), _fields(read, value)
        if mine == theirs and mine is not None:
            continue
        return _changed(sent, read, direction, value, (mine, theirs))
    if unknown:
        return _undecided(sent, read, direction, "serialisation-not-compared")
    return None


def _one_is_json(sent: Carrier, read: Carrier) -> bool:
    """Whether one side alone writes values as a media type does."""
    return bool(sent.media_type) != bool(read.media_type)


def _is_of_plain_types(schemas: Schemas, carrier: Carrier) -> bool:
    """Whether JSON and a style write all of its values alike: those without quotes or parts."""
    schema = schemas.value(carrier.side, schemas.schema(carrier.side, carrier.schema))
    named = schema.get("type") if isinstance(schema, dict) else None
    kinds = named if isinstance(named, list) else [named]
    return bool(kinds) and all(each in _PLAIN for each in kinds)


def _sample(
    schemas: Schemas, sent: Carrier, read: Carrier, direction: Direction, wanted: Wanted
) -> JSON:
    if sent.schema == ANYTHING:
        anything: dict[str, JSON] = {
            "scalar": "a",
            "several-items": ["a", "b"],
            "members": {"a": "b"},
        }
        return anything[wanted]
    return schemas.sample(sent.side, sent.schema, direction, read.schema, wanted)


def _fields(carrier: Carrier, value: JSON) -> tuple[Field, ...] | None:
    if carrier.media_type:
        return part(carrier, value).fields
    return render(carrier.how, carrier.name, value)


def _changed(
    sent: Carrier,
    read: Carrier,
    direction: Direction,
    value: JSON,
    fields: tuple[tuple[Field, ...] | None, tuple[Field, ...] | None],
) -> Finding:
    mine, theirs = (_shown(each) for each in fields)
    return Finding(
        rule=f"{sent.noun}-serialisation-changed",
        grade="breaking",
        says=f"{_title(sent)} is written differently: {mine} is now to be {theirs}.",
        before=ends(direction, sent.pointer, read.pointer)[0],
        after=ends(direction, sent.pointer, read.pointer)[1],
        instead="Keep how it is written, and add another parameter that is written the new way.",
        part=part(sent, value),
        value=value,
    )


def _compare_reserved(sent: Carrier, read: Carrier, direction: Direction) -> Finding | None:
    """Signs that stood as they are may be taken for others where they are to be escaped."""
    if sent.how.allow_reserved and not read.how.allow_reserved:
        return _undecided(sent, read, direction, "reserved-signs-escaped")
    return None


def _undecided(sent: Carrier, read: Carrier, direction: Direction, reason: str) -> Finding:
    return Finding(
        rule=f"{sent.noun}-serialisation-changed",
        grade="undecided",
        says=f"Whether {sent.shown()} is still written the same is undecided.",
        before=ends(direction, sent.pointer, read.pointer)[0],
        after=ends(direction, sent.pointer, read.pointer)[1],
        reason=reason,
    )


def _title(carrier: Carrier) -> str:
    shown = carrier.shown()
    return shown[0].upper() + shown[1:]


def _shown(fields: tuple[Field, ...] | None) -> str:
    if fields is None:
        return "something else"
    return "`" + "&".join(f"{name}={text_of(value)}" for name, value in fields) + "`"
