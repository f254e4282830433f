"""Holding: what is said of a call that its receipt does not permit, where more can be said of why."""

from __future__ import annotations

from typing import Final

from groundwire.attest.receipts import Held
from groundwire.documents.question import Ruling
from groundwire.errors import GuardError
from groundwire.guard.steps import Denied

_CONTENT_MISSING: Final = "profile/content-missing"


def nobody_to_ask(ruling: Ruling | None) -> Denied:
    """Refused: a person would have to allow it; with the lines of a policy that would."""
    allow = ruling.would_allow if ruling else ""
    lines = allow.splitlines()
    if not any(line.startswith("[") for line in lines):
        how = "\n".join(
            ("No line added to groundwire.toml allows it:", *(x.lstrip("# ") for x in lines))
        )
    else:
        how = f"To allow it from now on, put this into groundwire.toml:\n{allow}"
    message = (
        "A person has to allow this, and nobody can be asked in this version; nothing was"
        f" changed. {how}"
    )
    return Denied(error=GuardError("approval-unavailable", message))


def without_content(held: Held) -> Denied | None:
    """Refused, where it is denied because nobody gave what it changes; None for other reasons."""
    if _CONTENT_MISSING not in held.receipt.rules:
        return None
    message = (
        "A change is declared and nobody gives what it changes, so it cannot be judged; nothing"
        " ran. Give each artifact whole, before and after."
    )
    return Denied(error=GuardError("content-missing", message), rules=held.receipt.rules)
