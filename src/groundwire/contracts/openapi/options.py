"""What a policy may say of changes to a description; by default the contract means what it says."""

from __future__ import annotations

import msgspec

from groundwire.contracts.changes import Grade
from groundwire.contracts.jsonschema.comparing import STEPS


class Knobs(msgspec.Struct, frozen=True, kw_only=True):
    """By what grade a kind of change goes that people disagree about."""

    response_enum_added: Grade = "breaking"
    """A response may hold a value that the old enum did not list."""
    extensible_enum: Grade = "risky"
    """The same, where the old schema says by `x-extensible-enum` that the list may grow."""
    required_with_default: Grade = "breaking"
    """A request must hold a value that the new contract gives a default for."""
    response_status_added: Grade = "risky"
    """A response may have a status that the old contract did not list."""
    operation_removed_after_sunset: Grade = "noted"
    """An operation that said when it would go is gone, and that day is past."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How two descriptions are compared. `steps` bounds each question, `all_steps` all of them.

    `today` is a date such as `2026-12-01`, for sunsets; without it none is past.
    """

    knobs: Knobs = Knobs()
    steps: int = STEPS
    all_steps: int = 500_000
    today: str = ""
