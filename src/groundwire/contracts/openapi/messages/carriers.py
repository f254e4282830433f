"""Carriers: parameters and headers, as one description has them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.comparing import Wanted
from groundwire.contracts.openapi.finding import Location, Part
from groundwire.contracts.openapi.messages.writing.media import media
from groundwire.contracts.openapi.messages.writing.styles import (
    STYLES,
    Written,
    json_of,
    render,
    text_of,
    written,
)
from groundwire.contracts.openapi.resolving import Resolved, join
from groundwire.contracts.openapi.schemas import ANYTHING, NoSample, Schemas, Side
from groundwire.contracts.verdict import Direction

_PLAIN: tuple[Wanted, ...] = ("scalar", "several-items", "members")


class Carrier(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter or a header; `noun` begins the names of the rules about it."""

    noun: str
    side: Side
    pointer: str
    members: Mapping[str, JSON]
    name: str
    how: Written
    required: bool
    # Where its schema stands, or that of the one media type that it has.
    schema: str
    media_type: str = ""

    @property
    def location(self) -> Location:
        return self.how.location

    @property
    def is_form(self) -> bool:
        """Whether what is in it is text without types."""
        return not self.media_type

    def shown(self) -> str:
        """What it is, for a sentence."""
        what = "header" if self.noun.endswith("header") else f"{self.location} parameter"
        return f"the {what} {name_shown(self.name)}"


def name_shown(name: str) -> str:
    """A name from a description, without signs that could be read as more than a name."""
    kept = "".join(sign if sign.isprintable() and sign not in "`\\" else "?" for sign in name)
    return f"`{kept[:80]}`"


def may_be_empty(carrier: Carrier) -> bool:
    """Whether it may be sent as nothing, whatever its schema says of that."""
    return carrier.location == "query" and carrier.members.get("allowEmptyValue") is True


def parameter(
    schemas: Schemas, side: Side, pointer: str, direction: Direction
) -> Carrier | Resolved:
    """The parameter at a pointer; what stands there where it is none that can be read."""
    found = schemas.at(side, pointer)
    name, place = found.members.get("name"), found.members.get("in")
    location = next((each for each in STYLES if each == place and each != "body"), None)
    if found.reason or not isinstance(name, str):
        return found
    if location is None:
        return Resolved(None, found.pointer, "parameter-location-unknown")
    noun = "request-parameter" if direction == "accepts" else "callback-parameter"
    required = location == "path" or found.members.get("required") is True
    return _carrier(schemas, side, found, noun, name, location, required=required)


def header(
    schemas: Schemas, side: Side, pointer: str, name: str, direction: Direction
) -> Carrier | Resolved:
    """The header at a pointer; what stands there where it is none that can be read."""
    found = schemas.at(side, pointer)
    if found.reason or not isinstance(found.value, Mapping):
        return found
    noun = "response-header" if direction == "produces" else "callback-response-header"
    required = found.members.get("required") is True
    return _carrier(schemas, side, found, noun, name, "header", required=required)


def _carrier(
    schemas: Schemas,
    side: Side,
    found: Resolved,
    noun: str,
    name: str,
    location: Location,
    *,
    required: bool,
) -> Carrier | Resolved:
    content = found.members.get("content")
    schema, media_type = schemas.below(found, "schema"), ""
    if isinstance(content, Mapping):
        if len(content) != 1:
            return Resolved(None, found.pointer, "content-of-several-types")
        media_type = next(iter(content))
        at = schemas.at(side, join(found.pointer, "content", media_type))
        if at.reason:
            return at
        schema = schemas.below(at, "schema")
    how = written(location, found.members)
    if how.style is None and not media_type:
        return Resolved(None, found.pointer, "style-unknown")
    return Carrier(
        noun=noun,
        side=side,
        pointer=found.pointer,
        members=found.members,
        name=name,
        how=how,
        required=required,
        schema=schema,
        media_type=media_type,
    )


def part(carrier: Carrier, value: JSON) -> Part:
    """The value as it stands on the wire; without fields where it cannot be written so."""
    if carrier.media_type:
        how = msgspec.structs.replace(carrier.how, style=STYLES[carrier.location][0], explode=False)
        fields = render(how, carrier.name, _body_text(carrier.media_type, value))
    else:
        fields = render(carrier.how, carrier.name, value)
    return Part(location=carrier.location, name=carrier.name, value=value, fields=fields or ())


def _body_text(media_type: str, value: JSON) -> str:
    """A value as its media type writes it: JSON puts a string in quotes, all else leaves it."""
    kind = media(media_type)
    is_json = kind is not None and (kind.sub == "json" or kind.sub.endswith("+json"))
    return json_of(value) if is_json else text_of(value)


def sampled(
    schemas: Schemas,
    carrier: Carrier,
    direction: Direction,
    both: str | None = None,
    wanted: Wanted = "any",
) -> Part | None:
    """A value that may be sent in it, written; None where none was found."""
    if carrier.schema == ANYTHING:
        return part(carrier, "a")
    value: JSON = None
    found = False
    # What stands on the wire as nothing, or as a text that says nothing, is the last choice.
    for each in (wanted, *(_PLAIN if wanted == "any" and carrier.is_form else ())):
        try:
            other = schemas.sample(carrier.side, carrier.schema, direction, both, each)
        except NoSample:
            continue
        if carrier.location == "path" and other == "":
            # A path without it is another path.
            fits = schemas.accepts(carrier.side, carrier.schema, "a", direction)
            other = "a" if fits else other
        if not found or _is_written(carrier, other):
            value, found = other, True
        if _is_written(carrier, value):
            break
    return part(carrier, value) if found else None


def _is_written(carrier: Carrier, value: JSON) -> bool:
    nothing: list[JSON] = [None, [], {}, *([""] if carrier.location == "path" else [])]
    return not carrier.is_form or value not in nothing
