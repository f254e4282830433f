"""Decision: what the authority says of one call, by which rules, and what each rule saw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from groundwire.documents.target import ChangeKind, TargetName

Word: TypeAlias = Literal["allow", "warn", "approve", "deny"]
"""From the mildest to the strictest; `approve`: a person has to be asked."""

WORDS: Final[tuple[Word, ...]] = get_args(Word)


class Witness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one rule saw: at which target, in which change. `says` is for a person alone.

    `target` and `change` are None where the rule looked at the call and not at a change of it.
    `says` may hold what a stranger wrote; it never goes to a model.
    """

    change: ChangeKind | None
    rule: str
    says: str
    target: TargetName | None


class Decision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The strictest word of any rule, and the ids of the rules whose word it is, in order of id.

    `witnesses` are of every rule that spoke, the gravest first.
    """

    decision: Word
    rules: tuple[str, ...]
    witnesses: tuple[Witness, ...]


def strictest(words: Iterable[Word]) -> Word:
    """The strictest of the words; of none at all, `deny`: what nothing judged nothing allows."""
    return WORDS[max((WORDS.index(word) for word in words), default=len(WORDS) - 1)]
