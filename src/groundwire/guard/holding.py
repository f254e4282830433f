"""Holding: what is said of a call that its receipt does not permit, where more can be said of why."""

from __future__ import annotations

from typing import Final

from groundwire.attest.receipts import Held
from groundwire.documents.question import Ruling
from groundwire.errors import GuardError
from groundwire.guard.steps import Denied

_CONTENT_MISSING: Final = "profile/content-missing"
_OF_LINES: Final = frozenset({"approval-unavailable", "decision-denied"})


def how_to_allow(ruling: Ruling | None) -> str:
    """What to put into the policy so that the call is allowed, or that no such line does it."""
    allow = ruling.would_allow if ruling else ""
    lines = allow.splitlines()
    if any(line.startswith("[") for line in lines):
        return f"To allow it from now on, put this into groundwire.toml:\n{allow}"
    reasons = [line.removeprefix("# ") for line in lines]
    return "\n".join(("No line added to groundwire.toml allows it:", *reasons))


def nobody_to_ask(ruling: Ruling | None) -> Denied:
    """Refused: a person would have to allow it; with the lines of a policy that would."""
    message = (
        "A person has to allow this, and the policy names no approver ([[approvers]]); nothing was"
        f" changed. {how_to_allow(ruling)}"
    )
    return Denied(error=GuardError("approval-unavailable", message))


def denied_words(ruling: Ruling | None) -> str:
    """What a person is told of a call that the policy denies."""
    return f"The policy denies this; nothing was changed. {how_to_allow(ruling)}"


def without_content(held: Held) -> Denied | None:
    """Refused, where it is denied because nobody gave what it changes; None for other reasons."""
    if _CONTENT_MISSING not in held.receipt.rules:
        return None
    message = (
        "A change is declared and nobody gives what it changes, so it cannot be judged; nothing"
        " ran. Give each artifact whole, before and after."
    )
    return Denied(error=GuardError("content-missing", message), rules=held.receipt.rules)


def as_told(message: str, reason: str) -> str:
    """The message as a person is shown it: what strangers named in it begins no line of its own.

    A name may hold line ends, and what looks like lines for a policy. Only of the refusals that show
    such lines themselves, in which no name stands as it is, more than one is left.
    """
    lines = message.split("\n") if reason in _OF_LINES else [message]
    return "\n".join(map(_printable, lines))


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
