"""Judgement: what came of one claim, before it becomes an encounter."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.checks.claim.facts.ledger import Fact

# `same`: they agree. `declined`: the answer does not claim. `doubted`: they may agree.
# `disputed`: the facts themselves disagree. The last two are no words on whether the answer is true.
Word: TypeAlias = Literal["same", "declined", "doubted", "contradicted", "disputed", "unreachable"]


class Judgement(msgspec.Struct, frozen=True):
    """The word, by which spelling or for which reason, and the facts that it rests on.

    `figure`: what an aggregate over the facts comes to, as text.
    """

    word: Word
    how: str = ""
    facts: tuple[Fact, ...] = ()
    earlier: tuple[Fact, ...] = ()
    figure: str = ""
