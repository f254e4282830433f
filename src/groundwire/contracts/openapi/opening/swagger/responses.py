"""Responses of 2.0 as 3.0 writes them: a schema for each media type that is produced."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.swagger.bodies import DEFAULT
from groundwire.contracts.openapi.opening.swagger.parameters import Object, header
from groundwire.contracts.openapi.opening.swagger.schemas import Schemas
from groundwire.contracts.openapi.opening.swagger.trail import Trail
from groundwire.contracts.openapi.resolving import join

_CONVERTED = frozenset({"schema", "headers", "examples"})


class Responses:
    """Makes responses."""

    def __init__(self, trail: Trail, schemas: Schemas) -> None:
        self._trail = trail
        self._schemas = schemas

    def response(self, old: Object, produces: list[str], new: str, before: str) -> dict[str, JSON]:
        """The response that will stand at `new` and was written at `before`."""
        self._trail.made(new, before)
        made: dict[str, JSON] = {
            name: value for name, value in old.items() if name not in _CONVERTED
        }
        headers = old.get("headers")
        if isinstance(headers, dict):
            made["headers"] = {
                name: self._header(each, join(new, "headers", name), join(before, "headers", name))
                for name, each in headers.items()
            }
        elif headers is not None:
            self._trail.not_read(join(new, "headers"), "invalid-headers")
        if "schema" in old:
            made["content"] = self._content(old, produces, new, before)
        return made

    def _header(self, old: JSON, new: str, before: str) -> JSON:
        if isinstance(old, dict):
            return header(old, new, before, self._trail)
        self._trail.not_read(new, "invalid-header")
        return {}

    def _content(self, old: Object, produces: list[str], new: str, before: str) -> JSON:
        schema, examples = old["schema"], old.get("examples")
        if not produces:
            is_file = isinstance(schema, dict) and schema.get("type") == "file"
            produces = ["application/octet-stream"] if is_file else list(DEFAULT)
        content: dict[str, JSON] = {}
        for media in produces:
            at = join(new, "content", media)
            self._trail.made(at, before)
            self._trail.made(join(at, "schema"), join(before, "schema"))
            self._schemas.convert(schema)
            made: dict[str, JSON] = {"schema": schema}
            if isinstance(examples, dict) and media in examples:
                self._trail.made(join(at, "example"), join(before, "examples", media))
                made["example"] = examples[media]
            content[media] = made
        return content
