"""Keys of `[[approvers]]` and `[approvals]`: who may say yes, and how they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.authority.reading.known.key import Key

PEOPLE: Final[Mapping[str, Mapping[str, Key]]] = {
    "approvers[]": {
        "name": Key("text", "must be given", "of the person, in small letters: `ada`"),
        "key": Key(
            "id of a key",
            "must be given",
            "`ed25519:` and 64 digits, as `groundwire keys new --purpose approval` prints it",
        ),
        "environments": Key("list of environments", "all", "where their yes counts"),
    },
    "approvals": {
        "wait_seconds": Key(
            "whole number, 0 to 14400",
            "`900`",
            "how long a call waits for an answer; 0: it is refused, and finds the answer when it is"
            " made again",
        ),
        "expires_seconds": Key(
            "whole number, 1 to 14400",
            "`900`",
            "how long a request can be answered; never longer than the call's receipt is good:"
            " 4 hours for `merge`, `deploy`, `publish`, else 15 minutes",
        ),
        "needed": Key("whole number, 1 to 16", "`1`", "how many people have to say yes"),
    },
}
"""Every key of a declaration about people, by the table it stands in."""
