"""Encodings: how the parts of a form are written, and the items of a body without end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.comparing import Wanted
from groundwire.contracts.jsonschema.values import identity
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.carriers import name_shown
from groundwire.contracts.openapi.messages.told import ends
from groundwire.contracts.openapi.messages.writing.media import Media, is_form, media
from groundwire.contracts.openapi.messages.writing.styles import render, written
from groundwire.contracts.openapi.resolving import Resolved, join
from groundwire.contracts.openapi.schemas import NoSample, Schemas, Side
from groundwire.contracts.verdict import Direction

_OF_ITEMS = ("itemEncoding", "prefixEncoding")
_WANTED: tuple[Wanted, ...] = ("scalar", "several-items", "members")


def compare_encodings(
    schemas: Schemas,
    sent: Resolved,
    read: Resolved,
    kind: Media,
    direction: Direction,
    noun: str,
) -> Iterator[Finding]:
    """What became of the encodings of a media type's entry; only of forms do they count.

    Of headers of parts it is only told whether what is said of them changed.
    """
    if kind.main == "multipart":
        for name in _OF_ITEMS:
            if identity(sent.members.get(name)) != identity(read.members.get(name)):
                yield _undecided(noun, sent, read, direction, "item-encoding-changed")
    if not is_form(kind):
        return
    mine, theirs = _encodings(sent), _encodings(read)
    for name in dict.fromkeys((*mine, *theirs)):
        one, other = mine.get(name, {}), theirs.get(name, {})
        if identity(one) == identity(other):
            continue
        yield from _compare_types(sent, read, name, direction, noun)
        if kind.sub in {"x-www-form-urlencoded", "form-data"}:
            yield from _compare_writing(schemas, sent, read, name, direction, noun)
        if identity(one.get("headers", {})) != identity(other.get("headers", {})):
            yield _undecided(noun, sent, read, direction, "part-headers-changed")


def _encodings(entry: Resolved) -> dict[str, Mapping[str, JSON]]:
    found = entry.members.get("encoding")
    if not isinstance(found, Mapping):
        return {}
    return {name: each for name, each in found.items() if isinstance(each, Mapping)}


def _compare_types(
    sent: Resolved, read: Resolved, name: str, direction: Direction, noun: str
) -> Iterator[Finding]:
    """The media types of a part: what is sent as one has to be read as that."""
    mine = _encodings(sent).get(name, {}).get("contentType")
    theirs = _encodings(read).get(name, {}).get("contentType")
    if mine == theirs:
        return
    if not isinstance(mine, str) or not isinstance(theirs, str):
        # What it is by default depends on the part's schema.
        yield _undecided(noun, sent, read, direction, "part-type-by-default")
        return
    taken = [media(each.strip()) for each in theirs.split(",")]
    for each in (each.strip() for each in mine.split(",")):
        kind = media(each)
        if kind is None or None in taken:
            yield _undecided(noun, sent, read, direction, "media-type-invalid")
        elif not any(other is not None and other.takes(kind) for other in taken):
            before, after = ends(direction, sent.pointer, read.pointer)
            yield Finding(
                rule=f"{noun}-encoding-changed",
                grade="breaking",
                says=f"The part {name_shown(name)} could be of type {name_shown(each)}.",
                before=join(before, "encoding"),
                after=join(after, "encoding"),
                instead="Keep every type that was taken.",
            )


def _compare_writing(
    schemas: Schemas, sent: Resolved, read: Resolved, name: str, direction: Direction, noun: str
) -> Iterator[Finding]:
    """How a part of a form is written: a value that the two sides write differently."""
    encodings = _encodings(sent).get(name, {}), _encodings(read).get(name, {})
    ways = [written("body", each) for each in encodings]
    if (ways[0].style, ways[0].explode) == (ways[1].style, ways[1].explode):
        return
    side: Side = "old" if direction == "accepts" else "new"
    whole = schemas.schema(side, schemas.below(sent, "schema"))
    pointer = join(whole, "properties", name)
    if not whole or schemas.value(side, pointer) is None:
        yield _undecided(noun, sent, read, direction, "part-not-described")
        return
    for wanted in _WANTED:
        try:
            value = schemas.sample(
                side,
                pointer,
                direction,
                None,
                wanted,
            )
        except NoSample as error:
            if error.args[0] != "nothing-fits":
                yield _undecided(noun, sent, read, direction, "serialisation-not-compared")
            continue
        mine, theirs = (render(each, name, value) for each in ways)
        if mine is not None and mine == theirs:
            continue
        before, after = ends(direction, sent.pointer, read.pointer)
        yield Finding(
            rule=f"{noun}-encoding-changed",
            grade="breaking",
            says=f"The part {name_shown(name)} is written differently.",
            before=join(before, "encoding"),
            after=join(after, "encoding"),
            instead="Keep how it is written.",
            part=Part(location="body", name="", value={name: value}, fields=mine or ()),
            value=value,
        )
        return


def _undecided(
    noun: str, sent: Resolved, read: Resolved, direction: Direction, reason: str
) -> Finding:
    before, after = ends(direction, sent.pointer, read.pointer)
    return Finding(
        rule=f"{noun}-encoding-changed",
        grade="undecided",
        says="How parts of the body are written has changed.",
        before=before,
        after=after,
        reason=reason,
    )
