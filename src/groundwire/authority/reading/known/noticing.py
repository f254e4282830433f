"""Keys of `[[notices]]`: where notice is given of calls that a rule warns of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.authority.reading.known.key import Key

NOTICING: Final[Mapping[str, Mapping[str, Key]]] = {
    "notices[]": {
        "url": Key(
            "address",
            "must be given",
            "`https://host/path`, which takes a POST; `http` only to this machine's loopback",
        ),
        "secret_from": Key(
            "name of an environment variable",
            "must be given",
            "where the secret of both sides stands, of 16 bytes or more; it is never recorded",
        ),
        "timeout_seconds": Key(
            "whole number, 1 to 60", "`5`", "how long the delivery may take, all in all"
        ),
    },
}
"""Every key of a declaration about notices, by the table it stands in."""
