"""Turns: in which turn of the conversation the values of an answer were last served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.checks.transcript import Served
from groundwire.documents.declaration import Evidence
from groundwire.grounding.answers import original
from groundwire.grounding.answers.judging import COMPUTED, UNREAD
from groundwire.grounding.answers.shelf import Shelf, Source
from groundwire.grounding.answers.verdict import Verdict
from groundwire.grounding.marks import touches_mark

Word: TypeAlias = Literal["checked-pass", "checked-fail", "not-applicable", "unreachable"]


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """How many values were last served in this turn, and in earlier ones; `newest` is the last of those.

    `results` are those of this turn. `truncated`: there was more than is read.
    """

    this_turn: int
    prior: int
    newest: int
    current: int
    results: int
    truncated: bool = False
    values: tuple[str, ...] = ()


def judge_turns(turns: Turns) -> tuple[Word, str]:
    """The disposition, and why nothing was compared. Spec: context integrity, 5.8."""
    if turns.truncated:
        return "not-applicable", "index-truncated"
    if not turns.current:
        return "unreachable", "no-turn"
    if not turns.this_turn + turns.prior:
        return "unreachable", "nothing-grounded"
    return ("checked-pass" if turns.this_turn else "checked-fail"), ""


def turns_of(
    verdict: Verdict,
    now: Sequence[Served],
    before: Sequence[Served],
    said: Sequence[str],
    current: int,
    off: Sequence[str] = (),
) -> Turns:
    """The turns of the values that results ground; what people and instructions said is left out.

    `now` are the results of this turn, `before` those of earlier ones. The first value of this turn
    ends the search. A value that was computed is this turn's where this turn has any result.
    """
    fresh, spoken = Shelf([source_of(each) for each in now]), _spoken(said)
    old = Shelf([source_of(each) for each in reversed(before)])
    newest = 0
    prior: dict[str, None] = {}
    for one in verdict.judged:
        if one.method in {"", UNREAD}:
            continue
        if touches_mark(verdict.answer.text, one.value.start, one.value.end):
            continue
        computed = one.method in COMPUTED
        is_fresh = fresh.ground(one.value, off) is not None or (bool(now) and computed)
        # What was said may be long, so it is looked through last.
        if not (is_fresh or before) or spoken.ground(one.value, off) is not None:
            continue
        if is_fresh:
            return Turns(this_turn=1, prior=0, newest=0, current=current, results=len(now))
        ground = old.ground(one.value, off)
        if ground is not None or computed:
            prior.setdefault(verdict.answer.text[one.value.start : one.value.end])
            newest = max(newest, 0 if ground is None else before[-1 - ground.source].turn)
    return Turns(
        this_turn=0,
        prior=len(prior),
        newest=newest,
        current=current,
        results=len(now),
        truncated=fresh.capped or spoken.capped,
        values=tuple(prior),
    )


def original_turns(
    text: str, served: Sequence[Served], said: Sequence[str], current: int, rules: Evidence
) -> Turns:
    """The same as the original reads it: tokens that stand exactly so in a result in view."""
    exempt = {token for each in said for token in original.tokenise(each)}
    turns = sorted({each.turn for each in served}, reverse=True)
    texts = {turn: [each.part.text for each in served if each.turn == turn] for turn in turns}
    indexes = {turn: original.Index(texts[turn]) for turn in turns}
    this_turn, newest = 0, 0
    prior: list[str] = []
    for value in original.candidates(text, rules):
        if value in exempt or f"0x{value}" in exempt:
            continue
        turn = next((turn for turn in turns if value in indexes[turn]), 0)
        if turn == current and turn:
            this_turn += 1
        elif turn:
            prior.append(value)
            newest = max(newest, turn)
    return Turns(
        this_turn=this_turn,
        prior=len(prior),
        newest=newest,
        current=current,
        results=len(texts.get(current, ())),
        truncated=any(index.cut for index in indexes.values()),
        values=tuple(prior),
    )


def _spoken(said: Sequence[str]) -> Shelf:
    return Shelf([Source(text, "said") for text in said if text.strip()])


def source_of(served: Served) -> Source:
    """The result as a source of values."""
    arguments = "" if served.call is None else served.call.arguments
    return Source(
        served.part.text, "result", served.number, served.tool, arguments, served.part.call_id
    )
