"""All keywords."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.contracts.jsonschema.compiling import (
    arrays,
    logic,
    objects,
    scalars,
    unevaluated,
)
from groundwire.contracts.jsonschema.compiling.schemas import Keyword

KEYWORDS: Mapping[str, Keyword] = {
    **scalars.KEYWORDS,
    **arrays.KEYWORDS,
    **objects.KEYWORDS,
    **logic.KEYWORDS,
    **unevaluated.KEYWORDS,
}
