"""Canaries: a made-up run for each check, judged by an engine like the live one.

A canary proves that a check can still find; it says nothing of whether the check is fed. So what
it finds is marked synthetic, stays out of every other number, and is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from groundwire.checks.seams import Check
from groundwire.documents.event import Event
from groundwire.documents.finding import Finding


class Shadow(Protocol):
    """What a canary needs of an engine."""

    def feed(self, event: Event) -> tuple[Finding, ...]:
        """Newly filed findings."""
        ...


def release(check: Check, shadow: Callable[[], Shadow]) -> tuple[bool, tuple[Finding, ...]]:
    """Whether the check filed its own canary in a shadow engine, and what was filed, marked.

    A canary that cannot even be made counts as not caught.
    """
    engine = shadow()
    filed = tuple(
        msgspec.structs.replace(finding, synthetic=True)
        for event in _events(check)
        for finding in engine.feed(event)
    )
    own = any((finding.kind, finding.seam) == (check.kind, check.seam) for finding in filed)
    return own, filed


def _events(check: Check) -> Sequence[Event]:
    try:
        return tuple(check.canary())
    except Exception:  # noqa: BLE001 -- a check is a stranger; its dead canary is the answer
        return ()
