"""A description of an API as it is compared: one document, whose references all lead inside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Where
from groundwire.contracts.jsonschema.compiling.dialects import DialectName


class Locator(Protocol):
    """Knows where in which file a pointer of the one document was written."""

    def where(self, pointer: str) -> Where:
        """The place of a pointer such as `#/paths/~1users/get`; never raises."""
        ...


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a description, in the form of OpenAPI 3.x, whatever it was written in.

    `root` holds the document; references are left as they are and lead inside of it: what other
    files held stands beside the document's own keys. `unread` tells of pointers at which something
    could not be read, resolved or converted, and why: whatever is reached there is undecided. Inside
    of a schema that stands in the schema's place too, as a reference that leads nowhere, so whoever
    compares schemas need not look for it.
    """

    version: str
    """As the file says: `2.0`, `3.0.3`, `3.1.0`, `3.2.0`."""
    root: Mapping[str, JSON]
    dialect: DialectName
    locator: Locator
    unread: Mapping[str, str] = msgspec.field(default_factory=dict)
