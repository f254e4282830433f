"""The profiles and what each does about each fact that weakens a guarantee: one table.

A change of a row makes a new version of its profile: what a name means never changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

import msgspec

from groundwire.documents.decision import Word, strictest
from groundwire.documents.profile import Fact, Profile, Row, Treatment
from groundwire.errors import PolicyError

FACTS: Final[tuple[Fact, ...]] = get_args(Fact)
DEFAULT: Final = "enforce/1"

# Each fact with what `enforce/1` and `strict/1` do about it. `observe/1` reports every one.
_TABLE: Final[dict[Fact, tuple[Treatment, Treatment]]] = {
    "content-missing": ("refuse", "refuse"),
    "declared-content": ("report", "ask"),
    "environment-unknown": ("report", "ask"),
    "files-only": ("ask", "refuse"),
    "host-claimed": ("report", "refuse"),
    "non-atomic": ("report", "refuse"),
    "not-owned": ("report", "refuse"),
    "uncontained": ("ask", "refuse"),
    "unjudged-history": ("ask", "ask"),
    "unread-overwrite": ("ask", "ask"),
}
_WORDS: Final[dict[Treatment, Word]] = {"report": "allow", "ask": "approve", "refuse": "deny"}


class Judged(msgspec.Struct, frozen=True):
    """The word that is left, and every fact that was so: none hides another."""

    word: Word
    residuals: tuple[Fact, ...]


def _profile(name: str, treatments: Iterable[Treatment], *, guards: bool) -> Profile:
    rows = tuple(
        Row(fact=fact, treatment=treatment)
        for fact, treatment in zip(_TABLE, treatments, strict=True)
    )
    return Profile(guards=guards, name=name, rows=rows)


PROFILES: Final = {
    "observe/1": _profile("observe/1", ("report" for _ in _TABLE), guards=False),
    "enforce/1": _profile("enforce/1", (row[0] for row in _TABLE.values()), guards=True),
    "strict/1": _profile("strict/1", (row[1] for row in _TABLE.values()), guards=True),
}


def profile_named(name: str) -> Profile:
    """The profile of this name and version.

    Raises:
        PolicyError: `unknown-profile`.
    """
    profile = PROFILES.get(name)
    if profile is None:
        known = ", ".join(PROFILES)
        raise PolicyError("unknown-profile", f"There is no such profile; there are {known}.")
    return profile


def judge(profile: Profile, word: Word, facts: Iterable[Fact]) -> Judged:
    """The strictest of `word` and of what the profile says of each fact.

    A fact without a row is refused. Does not make any word milder.
    """
    so = tuple(sorted(set(facts)))
    rows = {row.fact: _WORDS[row.treatment] for row in profile.rows}
    return Judged(strictest([word, *(rows.get(fact, "deny") for fact in so)]), so)
