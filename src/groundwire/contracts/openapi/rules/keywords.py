"""Keywords of JSON Schema that bound values, and how rules spell them."""

from __future__ import annotations

from typing import Final

FLOORS: Final = {
    "minimum": "minimum",
    "exclusiveMinimum": "exclusive-minimum",
    "minLength": "min-length",
    "minItems": "min-items",
    "minProperties": "min-properties",
    "minContains": "min-contains",
}
CEILINGS: Final = {
    "maximum": "maximum",
    "exclusiveMaximum": "exclusive-maximum",
    "maxLength": "max-length",
    "maxItems": "max-items",
    "maxProperties": "max-properties",
    "maxContains": "max-contains",
}
OTHERS: Final = {
    "multipleOf": "multiple-of",
    "pattern": "pattern",
    "format": "format",
    "const": "const",
    "contains": "contains",
    "uniqueItems": "unique-items",
    "propertyNames": "property-names",
    "dependentRequired": "dependent-required",
    "dependencies": "dependent-required",
    "not": "not",
    "unevaluatedItems": "unevaluated-items",
}
