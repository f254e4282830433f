"""The dialects of JSON Schema: which keywords mean something in each, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON

DialectName: TypeAlias = Literal[
    "draft-4", "draft-6", "draft-7", "2019-09", "2020-12", "openapi-3.0"
]

_DRAFT_4 = frozenset(
    {
        "$ref",
        "type",
        "enum",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "items",
        "additionalItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "minProperties",
        "maxProperties",
        "dependencies",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
    }
)
_DRAFT_6 = _DRAFT_4 | {"const", "contains", "propertyNames"}
_DRAFT_7 = _DRAFT_6 | {"if", "then", "else"}
_2019 = (_DRAFT_7 - {"dependencies"}) | {
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "minContains",
    "maxContains",
    "contentMediaType",
    "contentEncoding",
}
_2020 = (_2019 - {"additionalItems"}) | {"prefixItems", "$dynamicRef"}
_OPENAPI_30 = (_DRAFT_4 - {"patternProperties", "additionalItems", "dependencies"}) | {"nullable"}

# What says nothing about which values are valid.
ANNOTATIONS = frozenset(
    {
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$defs",
        "definitions",
        "$comment",
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "externalDocs",
        "xml",
        "discriminator",
        "$dynamicAnchor",
        "$vocabulary",
    }
)
# Changes what the other keywords of a schema mean, in ways that are not followed.
NOT_FOLLOWED = frozenset({"$recursiveRef", "$recursiveAnchor"})
# Keywords that mean something in OpenAPI, in whichever dialect.
OF_OPENAPI = frozenset({"discriminator"})


class Dialect(msgspec.Struct, frozen=True):
    """One dialect."""

    name: DialectName
    keywords: frozenset[str]
    # `$ref` hides what stands beside it.
    ref_alone: bool = False
    # `exclusiveMinimum` is a boolean that belongs to `minimum`.
    exclusive_flags: bool = False
    # A list in `items` gives the first items, and `additionalItems` the others.
    items_list: bool = True
    id_keyword: str = "$id"


DIALECTS: Mapping[DialectName, Dialect] = {
    "draft-4": Dialect("draft-4", _DRAFT_4, ref_alone=True, exclusive_flags=True, id_keyword="id"),
    "draft-6": Dialect("draft-6", _DRAFT_6, ref_alone=True),
    "draft-7": Dialect("draft-7", _DRAFT_7, ref_alone=True),
    "2019-09": Dialect("2019-09", _2019),
    "2020-12": Dialect("2020-12", _2020, items_list=False),
    "openapi-3.0": Dialect(
        "openapi-3.0", _OPENAPI_30, ref_alone=True, exclusive_flags=True, items_list=False
    ),
}

_BY_SCHEMA: Mapping[str, DialectName] = {
    "http://json-schema.org/draft-04/schema": "draft-4",
    "http://json-schema.org/draft-06/schema": "draft-6",
    "http://json-schema.org/draft-07/schema": "draft-7",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
    "https://spec.openapis.org/oas/3.1/dialect/base": "2020-12",
}


def dialect_of(document: JSON, default: DialectName = "2020-12") -> Dialect | None:
    """The dialect that `$schema` names, or `default` where there is none; None if not known."""
    named = document.get("$schema") if isinstance(document, Mapping) else None
    if named is None:
        return DIALECTS[default]
    name = _BY_SCHEMA.get(named.removesuffix("#")) if isinstance(named, str) else None
    return DIALECTS[name] if name is not None else None
