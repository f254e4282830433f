"""Values: whether what one side writes into a parameter or header, the other reads as it was meant."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Field
from groundwire.contracts.jsonschema.comparing import Options, Pair, Wanted
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.messages.carriers import Carrier, part
from groundwire.contracts.openapi.messages.told import ends, reader_of, schema_findings
from groundwire.contracts.openapi.messages.writing.styles import Written, render, text_of
from groundwire.contracts.openapi.messages.writing.texts import (
    NotText,
    Texts,
    readings,
    readings_of_parameter,
)
from groundwire.contracts.openapi.schemas import ANYTHING, NoSample, Schemas
from groundwire.contracts.verdict import (
    Breaking,
    Compatible,
    Direction,
    Risky,
    Undecided,
    Verdict,
)

_WANTED: tuple[Wanted, ...] = ("scalar", "several-items", "members")
_EMPTY: list[JSON] = ["", [], {}]
_OF_TEXTS = Options(dialect="2020-12")


def compare_values(
    schemas: Schemas, sent: Carrier, read: Carrier, direction: Direction
) -> Iterator[Finding]:
    """What became of the values: how they are written, and then which there are."""
    told = _compare_writing(schemas, sent, read, direction)
    if told is not None:
        yield told
        if told.grade != "undecided":
            return
    old, new = (sent, read) if direction == "accepts" else (read, sent)
    ends = schemas.schema("old", old.schema), schemas.schema("new", new.schema)
    if sent.media_type:
        verdict = schemas.ask(*ends, direction)
    else:
        alike = _list_of_one_is_alike(sent.how) and _list_of_one_is_alike(read.how)
        in_path = sent.location == "path"
        verdict = ask_texts(schemas, *ends, direction, alike=alike, in_path=in_path)
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


# -- which values ----------------------------------------------------------------------------------


def ask_texts(
    schemas: Schemas,
    old: str,
    new: str,
    direction: Direction,
    *,
    alike: bool = False,
    in_path: bool = False,
) -> Verdict:
    """As `Schemas.ask`, of values that are only text on the wire.

    A witness is one whose text is refused however it is read. With `alike`, a list of one item is
    written as that item is. With `in_path`, nothing is sent as nothing: the path would be another.
    """
    verdict = schemas.ask(old, new, direction)
    if isinstance(verdict, Compatible):
        return verdict
    if (
        isinstance(verdict, Breaking | Risky)
        and not (in_path and verdict.witness in _EMPTY)
        and _is_refused(schemas, old, new, direction, verdict.witness, alike=alike)
    ):
        return verdict
    sends_old = direction == "accepts"
    try:
        before = Texts(schemas, "old", sends=sends_old, alike=alike).of(old)
        after = Texts(schemas, "new", sends=not sends_old, alike=alike).of(new)
    except NotText:
        return verdict if isinstance(verdict, Undecided) else Undecided("types-written-alike")
    if in_path and sends_old:
        before = {"allOf": [before, {"not": {"enum": _EMPTY}}]}
    elif in_path:
        after = {"allOf": [after, {"not": {"enum": _EMPTY}}]}
    of_texts = Pair(before, after, _OF_TEXTS).ask("#", "#", direction)
    if isinstance(of_texts, Breaking | Risky) and not _is_sent_and_refused(
        schemas, old, new, direction, of_texts.witness, alike=alike
    ):
        return Undecided("types-written-alike")
    if isinstance(of_texts, Undecided) and isinstance(verdict, Undecided):
        return verdict
    return of_texts


def _is_refused(
    schemas: Schemas, old: str, new: str, direction: Direction, value: JSON, *, alike: bool
) -> bool:
    if alike and value in ([], {}):
        # Nothing of it stands on the wire.
        return False
    side = reader_of(direction)
    pointer = new if side == "new" else old
    ways = readings_of_parameter(value) if alike else readings(value)
    return all(schemas.accepts(side, pointer, each, direction) is False for each in ways)


def _is_sent_and_refused(
    schemas: Schemas, old: str, new: str, direction: Direction, value: JSON, *, alike: bool
) -> bool:
    side, pointer = ("old", old) if direction == "accepts" else ("new", new)
    ways = readings_of_parameter(value) if alike else readings(value)
    sent = any(
        schemas.accepts("old" if side == "old" else "new", pointer, each, direction) is True
        for each in ways
    )
    return sent and _is_refused(schemas, old, new, direction, value, alike=alike)


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
    unknown = False
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
