"""Which version a description says that it is of, and what its schemas are read by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import DialectName, dialect_of
from groundwire.contracts.reading.unreadable import Unreadable

_VERSION: Final = re.compile(r"3\.([012])(?:\.[0-9]{1,4})?(?:-[0-9A-Za-z.+-]{1,40})?")
_OWN_DIALECT: Final = re.compile(r"https://spec\.openapis\.org/oas/3\.[12]/dialect/[a-z0-9-]+")


def version_of(root: Mapping[str, JSON]) -> str:
    """What the root says: `2.0`, `3.0.3`, `3.1.0`.

    Raises:
        Unreadable: `not-openapi` (says none, or both of `openapi` and `swagger`),
            `openapi-version` (a version that is not known, or no text).
    """
    named = [key for key in ("openapi", "swagger") if key in root]
    if len(named) != 1:
        both = "both" if named else "neither"
        raise Unreadable("not-openapi", f"The file has {both} of `openapi` and `swagger`.")
    version = root[named[0]]
    if not isinstance(version, str):
        message = f"`{named[0]}` is no text; write the version in quotes."
        raise Unreadable("openapi-version", message)
    known = version == "2.0" if named[0] == "swagger" else _VERSION.fullmatch(version)
    if not known:
        message = "The version is none of 2.0, 3.0, 3.1 and 3.2."
        raise Unreadable("openapi-version", message)
    return version


def dialect_named(root: Mapping[str, JSON], version: str) -> DialectName | None:
    """The dialect of the description's schemas; None where it names one that is not known."""
    if version.startswith(("2.", "3.0")):
        return "openapi-3.0"
    named = root.get("jsonSchemaDialect")
    if named is None or (isinstance(named, str) and _OWN_DIALECT.fullmatch(named)):
        return "2020-12"
    dialect = dialect_of({"$schema": named})
    return None if dialect is None else dialect.name
