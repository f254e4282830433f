"""The independent judge of witnesses: another implementation, on the documents as they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jsonschema_rs

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.schemas import Document

_VALIDATORS: Mapping[str, type[jsonschema_rs.Validator]] = {
    "draft-4": jsonschema_rs.Draft4Validator,
    "draft-6": jsonschema_rs.Draft6Validator,
    "draft-7": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
    "openapi-3.0": jsonschema_rs.Draft4Validator,
}


class Judge:
    """Says of values whether one document accepts them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._validator: jsonschema_rs.Validator | None = None

    def accepts(self, value: JSON) -> bool | None:
        """Whether the document accepts `value`; None where the judge cannot tell."""
        try:
            if self._validator is None:
                self._validator = self._build()
            return self._validator.is_valid(value)
        except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
            return None

    def _build(self) -> jsonschema_rs.Validator:
        root = self._document.root
        if self._document.dialect.name == "openapi-3.0":
            root = _as_draft_4(root)
        if isinstance(root, Mapping):
            schema: dict[str, JSON] | bool = {k: each for k, each in root.items() if k != "$schema"}
        else:
            schema = root is True
        validator = _VALIDATORS[self._document.dialect.name]
        return validator(schema, validate_formats=self._document.formats, offline=True)


def _as_draft_4(schema: JSON) -> JSON:
    """`nullable` as draft 4 says it; keywords that only draft 4 has are left out."""
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [_as_draft_4(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, JSON] = {}
    for name, value in schema.items():
        if name in {"patternProperties", "additionalItems", "dependencies", "nullable", "id"}:
            continue
        if name in {"enum", "default", "example"}:
            found[name] = value
        elif name == "properties" and isinstance(value, Mapping):
            found[name] = {key: _as_draft_4(each) for key, each in value.items()}
        else:
            found[name] = _as_draft_4(value)
    kind = schema.get("type")
    if schema.get("nullable") is True and isinstance(kind, str):
        found["type"] = [kind, "null"] if kind != "null" else kind
    return found
