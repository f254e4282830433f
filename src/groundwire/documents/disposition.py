"""Disposition: the row that proves a check ran, or says why it did not."""

from __future__ import annotations

import msgspec

from groundwire.documents.finding import Seam


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Encounters of one check in one run.

    `passed + failed` is what was checked. `reasons` counts why the rest was `not_applicable` or
    `unreachable`, keyed by reason code. `minted` and `caught` count canaries and are never part
    of the other numbers. `advised` counts encounters that passed with an advisory. `grades` counts
    the single things judged inside encounters (arguments, by how they were supported).
    `suppressed` counts the findings that an `off` line of the policy kept from being filed, each once.
    """

    check: str
    seam: Seam
    version: int
    passed: int
    failed: int
    not_applicable: int
    unreachable: int
    reasons: dict[str, int]
    grades: dict[str, int] = {}
    advised: int = 0
    minted: int = 0
    caught: int = 0
    last_fired_at: str | None = None
    suppressed: int = 0
