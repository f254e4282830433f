"""Bodies of 2.0, which are parameters there, as the request body of 3.0."""

from __future__ import annotations

from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.swagger.parameters import Object, simple_schema, style
from groundwire.contracts.openapi.opening.swagger.schemas import Schemas
from groundwire.contracts.openapi.opening.swagger.trail import Trail
from groundwire.contracts.openapi.resolving import join

URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
# What a body is sent as where nothing says so.
DEFAULT: Final = ("application/json",)


class Sent(msgspec.Struct, frozen=True):
    """A parameter in a body or a form, and the pointer that it was written at."""

    parameter: Object
    pointer: str


class Bodies:
    """Makes request bodies."""

    def __init__(self, trail: Trail, schemas: Schemas) -> None:
        self._trail = trail
        self._schemas = schemas

    def body(
        self, sent: list[Sent], consumes: list[str], pointer: str, before: str
    ) -> dict[str, JSON] | None:
        """The request body that these parameters are together; None where there are none.

        It will stand at `pointer`; `before` is where the operation has its parameters.

        More than one of them in a body, or some in a body and some in a form, is not read.
        """
        if not sent:
            return None
        whole = [each for each in sent if each.parameter.get("in") == "body"]
        if not whole:
            self._trail.made(pointer, before)
            return self._form(sent, consumes, pointer)
        if len(sent) > 1:
            self._trail.not_read(pointer, "several-bodies")
        return self._whole(whole[0], consumes, pointer)

    def _whole(self, sent: Sent, consumes: list[str], pointer: str) -> dict[str, JSON]:
        old = sent.parameter
        self._trail.made(pointer, sent.pointer)
        made = _kept(old)
        schema = old.get("schema")
        content: dict[str, JSON] = {}
        for media in consumes or DEFAULT:
            at = join(pointer, "content", media, "schema")
            self._trail.made(at, join(sent.pointer, "schema"))
            self._schemas.convert(schema)
            content[media] = {"schema": {} if schema is None else schema}
        if old.get("required") is True:
            made["required"] = True
        return {**made, "content": content}

    def _form(self, sent: list[Sent], consumes: list[str], pointer: str) -> dict[str, JSON]:
        """A form: an object with a property for each parameter."""
        media = [each for each in consumes if _bare(each) in {URLENCODED, MULTIPART}]
        has_file = any(each.parameter.get("type") == "file" for each in sent)
        if has_file:
            media = [each for each in media if _bare(each) == MULTIPART]
        content: dict[str, JSON] = {}
        for each in media or [MULTIPART if has_file else URLENCODED]:
            content[each] = self._form_as(each, sent, join(pointer, "content", each))
        made: dict[str, JSON] = {"content": content}
        if any(each.parameter.get("required") is True for each in sent):
            made["required"] = True
        return made

    def _form_as(self, media: str, sent: list[Sent], pointer: str) -> JSON:
        properties: dict[str, JSON] = {}
        encoding: dict[str, JSON] = {}
        for each in sent:
            old, name = each.parameter, str(each.parameter.get("name", ""))
            at = join(pointer, "schema", "properties", name)
            properties[name] = simple_schema(old, at, each.pointer, self._trail) | _kept(old)
            written = join(pointer, "encoding", name)
            if _bare(media) == URLENCODED:
                styled = style(old, "query", at, self._trail)
                if styled:
                    self._trail.made(written, each.pointer)
                    encoding[name] = styled
            elif old.get("type") == "array" and old.get("collectionFormat", "csv") != "multi":
                # A part of a form in 3.0 is not joined by any sign.
                self._trail.not_read(at, "collection-format-in-multipart")
        required = [
            str(each.parameter.get("name", ""))
            for each in sent
            if each.parameter.get("required") is True
        ]
        schema: dict[str, JSON] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        return {"schema": schema, "encoding": encoding} if encoding else {"schema": schema}


def _kept(old: Object) -> dict[str, JSON]:
    kept = {name: value for name, value in old.items() if name.startswith("x-")}
    kept.pop("x-nullable", None)
    return {"description": old["description"], **kept} if "description" in old else kept


def _bare(media: str) -> str:
    return media.partition(";")[0].strip().lower()
