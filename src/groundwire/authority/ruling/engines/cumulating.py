"""Cumulating: how grave a change is together with those that led to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.authority.ruling.engine import Beside, Engine, Judgement, judged
from groundwire.documents.governing import Severity
from groundwire.documents.question import Question, Reached
from groundwire.documents.target import TargetName

_GRAVE: Final[frozenset[Severity]] = frozenset({"exposure", "breaking"})
MILD: Final[frozenset[Severity]] = frozenset({"none", "compatible", "risky"})
"""Severities of a step that may come to more together with the steps before it."""


def judged_since(
    kind: str,
    name: TargetName,
    after: bytes | None,
    engines: Mapping[str, Engine],
    question: Question,
    reached: Reached | None,
) -> Judgement | None:
    """What it comes to from before earlier guarded changes; None where that is no graver than it is.

    Only what surely breaks somebody, or weakens protection, counts: what cannot be told of the whole
    way was told of its last step.
    """
    if kind not in engines or not question.since:
        return None
    root = {
        each.path: content for each, content in question.since.items() if each.root == name.root
    }
    stood = {**(reached.before if reached else {}), **root}
    if reached is not None and not root.keys() & reached.before.keys():
        return None
    if reached is None and name not in question.since:
        return None
    beside = None if reached is None else Beside(name.path, stood, reached.after)
    found = judged(kind, stood.get(name.path), after, engines, beside)
    if found.severity not in _GRAVE:
        return None
    says = f"together with earlier changes here, {found.says}"
    return msgspec.structs.replace(found, says=says)
