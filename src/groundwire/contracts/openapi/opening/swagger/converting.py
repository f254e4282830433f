"""A whole description of Swagger 2.0, in the form of OpenAPI 3.0.

Bodies and forms become request bodies, in each operation that they are sent to. References to
definitions, and to parameters and responses that stay what they are, stay references.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.bundling import FILES_KEY
from groundwire.contracts.openapi.opening.structure import METHODS
from groundwire.contracts.openapi.opening.swagger.bodies import Bodies, Sent
from groundwire.contracts.openapi.opening.swagger.parameters import Object, parameter
from groundwire.contracts.openapi.opening.swagger.responses import Responses
from groundwire.contracts.openapi.opening.swagger.schemas import Schemas
from groundwire.contracts.openapi.opening.swagger.security import security_scheme, servers
from groundwire.contracts.openapi.opening.swagger.trail import Trail, texts
from groundwire.contracts.openapi.resolving import join

_GONE: Final = frozenset(
    {
        "swagger",
        "host",
        "basePath",
        "schemes",
        "consumes",
        "produces",
        "paths",
        "definitions",
        "parameters",
        "responses",
        "securityDefinitions",
    }
)
_OF_OPERATION: Final = frozenset({"consumes", "produces", "parameters", "responses", "schemes"})
_IN_BODY: Final = ("body", "formData")
_METHODS: Final = frozenset(METHODS) - {"trace", "query"}


class Converted(msgspec.Struct, frozen=True):
    """`moved` leads from pointers of `root` to those of the description that it was made of."""

    root: dict[str, JSON]
    moved: Mapping[str, str]
    unread: Mapping[str, str]


class _Given(msgspec.Struct, frozen=True):
    """A parameter as it is referred to (`reference`), and as it is."""

    reference: str
    value: Object
    pointer: str

    @property
    def key(self) -> tuple[str, str]:
        return str(self.value.get("in")), str(self.value.get("name"))


def convert(document: dict[str, JSON], unread: Mapping[str, str]) -> Converted:
    """The description in the form of 3.0; `document` may be changed and is not to be used after.

    What 3.0 cannot say is in `unread`, together with what was unread before.
    """
    return _Conversion(document, unread).run()


class _Conversion:
    def __init__(self, document: dict[str, JSON], unread: Mapping[str, str]) -> None:
        self._document = document
        self._trail = Trail(document, unread)
        self._schemas = Schemas(self._trail)
        self._bodies = Bodies(self._trail, self._schemas)
        self._responses = Responses(self._trail, self._schemas)

    def run(self) -> Converted:
        old = self._document
        made: dict[str, JSON] = {"openapi": "3.0.3"}
        made |= {name: value for name, value in old.items() if name not in _GONE}
        made["servers"] = servers(old, old.get("schemes"), "#/servers", self._trail)
        made["components"] = self._components()
        made["paths"] = {
            path: self._item(item, join("#", "paths", path), path)
            for path, item in _members(old, "paths").items()
        }
        if FILES_KEY in old:
            made[FILES_KEY] = old[FILES_KEY]
        self._schemas.lead_on()
        return Converted(made, self._trail.moved, self._trail.unread_now())

    # -- components ------------------------------------------------------------------------------

    def _components(self) -> JSON:
        made: dict[str, JSON] = {}
        schemas = _members(self._document, "definitions")
        for name, schema in schemas.items():
            pointer = join("#/components/schemas", name)
            self._trail.made(pointer, join("#/definitions", name))
            self._schemas.convert(schema)
        made["schemas"] = schemas
        parameters: dict[str, JSON] = {}
        for name, value in _members(self._document, "parameters").items():
            given = self._given(value, join("#/parameters", name))
            if given is not None and given.value.get("in") not in _IN_BODY:
                pointer = join("#/components/parameters", name)
                parameters[name] = parameter(given.value, pointer, given.pointer, self._trail)
        made["parameters"] = parameters
        produces = self._media(self._document, "produces", "#")
        made["responses"] = {
            name: self._response(
                value,
                produces,
                join("#/components/responses", name),
                join("#/responses", name),
                inline=True,
            )
            for name, value in _members(self._document, "responses").items()
        }
        made["securitySchemes"] = {
            name: security_scheme(
                value,
                join("#/components/securitySchemes", name),
                join("#/securityDefinitions", name),
                self._trail,
            )
            for name, value in _members(self._document, "securityDefinitions").items()
        }
        return made

    # -- paths -----------------------------------------------------------------------------------

    def _item(self, item: JSON, new: str, path: str) -> JSON:
        found, before = self._trail.followed(item, new)
        if not isinstance(found, dict):
            if not path.startswith("x-"):
                self._trail.not_read(new, "invalid-path-item" if found else "reference-dangling")
            return item
        if not path.startswith(("/", "x-")):
            self._trail.not_read(new, "invalid-path")
        self._trail.made(new, before)
        shared = self._parameters(found, new, before)
        made: dict[str, JSON] = {n: v for n, v in found.items() if n.startswith("x-")}
        made["parameters"] = self._written(shared, join(new, "parameters"))
        for method, operation in found.items():
            if method in _METHODS:
                at = join(new, method), join(before, method)
                made[method] = self._operation(operation, *at, shared)
        return made

    def _operation(self, old: JSON, new: str, before: str, shared: list[_Given]) -> JSON:
        if not isinstance(old, dict):
            self._trail.not_read(new, "invalid-operation")
            return {}
        made: dict[str, JSON] = {n: v for n, v in old.items() if n not in _OF_OPERATION}
        own = self._parameters(old, new, before)
        made["parameters"] = self._written(own, join(new, "parameters"))
        if "schemes" in old:
            made["servers"] = servers(
                self._document, old["schemes"], join(new, "servers"), self._trail
            )
        body = self._bodies.body(
            self._sent(own, shared),
            self._media(old, "consumes", new),
            join(new, "requestBody"),
            join(before, "parameters"),
        )
        if body is not None:
            made["requestBody"] = body
        produces = self._media(old, "produces", new)
        responses = old.get("responses", {})
        if not isinstance(responses, dict):
            self._trail.not_read(join(new, "responses"), "invalid-responses")
            responses = {}
        made["responses"] = {
            status: self._response(
                value,
                produces,
                join(new, "responses", status),
                join(before, "responses", status),
                inline="produces" in old,
            )
            for status, value in responses.items()
        }
        return made

    @staticmethod
    def _sent(own: list[_Given], shared: list[_Given]) -> list[Sent]:
        """What an operation is sent in a body or form, its own before those of its path."""
        has_body = any(each.value.get("in") == "body" for each in own)
        known = {each.key for each in own}
        inherited = [
            each
            for each in shared
            if each.key not in known and not (has_body and each.value.get("in") == "body")
        ]
        return [
            Sent(each.value, each.pointer)
            for each in (*own, *inherited)
            if each.value.get("in") in _IN_BODY
        ]

    def _response(
        self, old: JSON, produces: list[str], new: str, before: str, *, inline: bool
    ) -> JSON:
        reference = old.get("$ref") if isinstance(old, dict) else None
        if isinstance(reference, str) and not inline and reference.startswith("#/responses/"):
            self._trail.made(new, before)
            return {"$ref": "#/components/responses/" + reference.removeprefix("#/responses/")}
        found, pointer = self._trail.followed(old, before)
        if isinstance(found, dict):
            return self._responses.response(found, produces, new, pointer)
        self._trail.made(new, before)
        if not new.rpartition("/")[2].startswith("x-"):
            self._trail.not_read(new, "reference-dangling" if found is None else "invalid-response")
        return old

    # -- parameters ------------------------------------------------------------------------------

    def _parameters(self, holder: Object, new: str, before: str) -> list[_Given]:
        """The parameters of a path or an operation; one that leads nowhere is not read."""
        listed = holder.get("parameters", [])
        if not isinstance(listed, list):
            self._trail.not_read(join(new, "parameters"), "invalid-parameters")
            return []
        found: list[_Given] = []
        for index, value in enumerate(listed):
            given = self._given(value, join(before, "parameters", str(index)))
            if given is None:
                self._trail.not_read(join(new, "parameters"), "reference-dangling")
                # It may have been the body.
                self._trail.not_read(join(new, "requestBody"), "reference-dangling")
            else:
                found.append(given)
        return found

    def _given(self, value: JSON, pointer: str) -> _Given | None:
        found, at = self._trail.followed(value, pointer)
        if not isinstance(found, dict):
            return None
        reference = value.get("$ref") if isinstance(value, dict) else None
        plain = isinstance(reference, str) and at.startswith("#/parameters/")
        return _Given(at if plain else "", found, at)

    def _written(self, given: list[_Given], pointer: str) -> list[JSON]:
        """Those that are parameters in 3.0 too."""
        made: list[JSON] = []
        for each in given:
            if each.value.get("in") in _IN_BODY:
                continue
            at = join(pointer, str(len(made)))
            if each.reference:
                self._trail.made(at, each.pointer)
                name = each.reference.removeprefix("#/parameters/")
                made.append({"$ref": f"#/components/parameters/{name}"})
            else:
                made.append(parameter(each.value, at, each.pointer, self._trail))
        return made

    def _media(self, holder: Object, name: str, pointer: str) -> list[str]:
        """`consumes` or `produces` of an operation, or else of the whole."""
        value = holder.get(name, self._document.get(name, []))
        found = texts(value)
        if found is None:
            what = "requestBody" if name == "consumes" else "responses"
            self._trail.not_read(join(pointer, what), f"invalid-{name}")
        return found or []


def _members(holder: Object, name: str) -> dict[str, JSON]:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}
