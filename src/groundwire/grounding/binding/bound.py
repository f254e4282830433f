"""Binding: a number of an answer looked for in the record of the entity its sentence names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import combinations, pairwise
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.binding.binder import Binder, is_telling
from groundwire.grounding.binding.fields import label_start, which_after, which_before
from groundwire.grounding.binding.names import Mention
from groundwire.grounding.binding.pairs import (
    BETWEEN,
    RUNNING,
    TAKEN,
    follows,
    form,
    has_pairs,
    is_that,
    key_pairs,
    label_after,
    scores,
)
from groundwire.grounding.binding.states import is_comparable, numbers_of, states
from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.records.record import Field, Record
from groundwire.grounding.values.value import Value

How: TypeAlias = Literal["field", "record"]

FEW_BESIDE = 40
MOST_BESIDE = 2000
# What may stand between a name and a number that is its: `Lagos: 4`, `2017 with 2.87`.
_BESIDE = re.compile(
    r"[*_`\"\s]*[:=(|]?[*_`\"\s]*(?:(?:is|was|has|had|at|with)\s+)?[$\u20ac\u00a3]?"
)
_NARROWED = re.compile(
    r"\b(?:averag\w*|per|each|streak|straight|consecutive|last|previous|past|combined?|combining|"
    r"together|respectively|both|total(?:ed|ing)? of|at least|at most|more than|less than|fewer|up to|"
    r"quarters?|half|halftime|halves|career|season|seasons|span|stretch|run|lead|deficit|advantage|"
    r"margin|by|difference|between)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"[*_`\"]*\s+(?:[\w-]+\s+)?(?:on|in|at|for|by|from|of|to|with)\s+(?:the\s+|host\s+|node\s+)?[*_`\"(]*"
)
_STRANGER = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][\w'\u2019.-]+)+")
# Not "an amount of": what an article with `of` behind its noun counts is no unit.
_ARTICLE = re.compile(r"(?<![\w\-])(?:a|an)(?= [a-z]+(?! of\b)\b)", re.IGNORECASE)


class Bound(msgspec.Struct, frozen=True):
    """A value whose owner is known and does not have it.

    `expected` are the owner's fields that the text means (`how` is `field`), or none where the
    value stands in no field of the owner but in one of another record (`elsewhere`).
    """

    value: Value
    segment: int
    owner: Mention
    how: How
    expected: tuple[Field, ...]
    elsewhere: tuple[int, Field] | None = None


def wrongly_bound(answer: AnswerText, binder: Binder) -> Iterator[Bound]:
    """Values that stand with an entity whose record is known and says otherwise."""
    seen: dict[int, list[Mention]] = {}
    for number, segment in enumerate(answer.segments):
        binder.mentioned(answer, segment, number, seen)
    together = form(answer, binder, seen)
    blocks: dict[int, list[Mention]] = {}
    for number, segment in enumerate(answer.segments):
        for above in segment.above[-1:]:
            blocks.setdefault(above, []).extend(seen[number])
    for number, segment in enumerate(answer.segments):
        mentions = seen[number]
        if not mentions:
            continue
        block = blocks.get(segment.above[-1], []) if segment.above else []
        judge = _Sentence(answer, binder, number, segment, mentions, block, together)
        yield from judge.pairs()
        yield from judge.singles()


class _Sentence:
    """One sentence and whom it names: a value is fine where any of them has it."""

    def __init__(
        self,
        answer: AnswerText,
        binder: Binder,
        number: int,
        segment: Segment,
        mentions: Sequence[Mention],
        block: Sequence[Mention],
        together: tuple[str, str] | None,
    ) -> None:
        self.block = block
        self.form = together
        self.answer = answer
        self.binder = binder
        self.number = number
        self.segment = segment
        self.mentions = mentions
        self.text = answer.of(segment)
        # What some pair of the sentence is labelled with is not what another label means.
        self.labels = {label_after(answer.text, value) for value in segment.values if value.joint}

    @cached_property
    def narrowed(self) -> bool:
        """Whether it speaks of less or more than what the records hold."""
        return _NARROWED.search(self.text) is not None

    def singles(self) -> Iterator[Bound]:
        """Numbers whose noun or label names a field that the owner has with another value."""
        for value in [*self.segment.values, *_articles(self.answer.text, self.segment)]:
            if value.kind == "identifier" or value.ordinal or value.joint or self._is_name(value):
                continue
            if self._is_strange(value):
                continue
            if value.worded and self.answer.text[value.end : value.end + 3].strip()[:1] == "-":
                continue  # a three-point line, a two-way player: a word of its own
            bound = self._single(value)
            if bound is not None:
                yield bound

    def _is_name(self, value: Value) -> bool:
        return any(mention.start <= value.start < mention.end for mention in self.mentions)

    def _is_strange(self, value: Value) -> bool:
        """Whether a name before the value is one that no record has: it may be its owner."""
        for found in _STRANGER.finditer(self.answer.text, self.segment.start, value.start):
            if not any(m.start < found.end() and found.start() < m.end for m in self.mentions):
                return True
        return False

    def _single(self, value: Value) -> Bound | None:
        owner: Mention | None = None
        expected: tuple[Field, ...] = ()
        labelled = label_start(self.answer.text, self.segment.start, value.start)
        sure = True
        for mention in self._candidates(value, labelled):
            meant = self.binder.meant(self.answer, self.segment, value, mention)
            fields = tuple(field for field in meant.fields if is_comparable(field, value))
            if not fields:
                continue
            if any(states(field, value) for field in fields) or _from_parts(value, fields):
                return None
            if owner is None or mention.end <= value.start:
                owner, expected, sure = mention, fields, meant.sure
        if owner is None:
            return self._swapped(value)
        if self.narrowed and not self._says_which(value):
            return None
        if (not sure and self._stands_within(value)) or self._is_behind(value):
            return None
        return Bound(value, self.number, owner, "field", expected)

    def _swapped(self, value: Value) -> Bound | None:
        """Where no field is named: the owner has no such value and another record's same field has.

        Only right behind a name (`Lagos: 4`), where it can be nobody else's.
        """
        if self.narrowed or value.kind != "number" or not value.number or value.joint:
            return None
        text = self.answer.text
        owners = [m for m in self.mentions if is_telling(m)]
        beside = [
            m
            for m in owners
            if m.end <= value.start and _BESIDE.fullmatch(text, m.end, value.start)
        ]
        if not beside or (value.unit is None and value.digits < 2):
            return None
        owner = beside[-1]
        if any(states(field, value) for field in self.binder.within(owner)):
            return None
        keys = {field.key for field in self.binder.fields(owner) if is_comparable(field, value)}
        elsewhere = self._elsewhere(value, owner, keys)
        if elsewhere is None:
            return None
        return Bound(value, self.number, owner, "record", (), elsewhere)

    def _elsewhere(self, value: Value, owner: Mention, keys: set[str]) -> tuple[int, Field] | None:
        """The same field of a record beside the owner's that has the value; None if two keys do."""
        found: dict[str, tuple[int, Field]] = {}
        tables = {(place, record.table) for place, record in self.binder.records(owner)}
        single = all(record.parent < 0 for _, record in self.binder.records(owner))
        for place, one in enumerate(self.binder.evidence):
            for number, record in enumerate(one.reading.records[:MOST_BESIDE]):
                if (place, number) in owner.records:
                    continue
                if (place, record.table) not in tables and not (single and record.parent < 0):
                    continue
                for field in record.fields:
                    if field.key in keys and states(field, value):
                        found.setdefault(field.key, (place, field))
        return next(iter(found.values())) if len(found) == 1 else None

    def _candidates(self, value: Value, labelled: int) -> Iterator[Mention]:
        """Those named before the value, or all where none is; never a word of its own label."""
        before = [mention for mention in self.mentions if mention.end <= value.start]
        for mention in before or self.mentions:
            in_label = labelled <= mention.start < value.start
            if is_telling(mention) and not in_label:
                yield mention

    def _stands_within(self, value: Value) -> bool:
        """Whether a record that the sentence or its list names holds the value anywhere."""
        return any(
            states(field, value)
            for mention in (*self.mentions, *self.block)
            for field in self.binder.within(mention)
        )

    def _is_behind(self, value: Value) -> bool:
        """Whether the next name is joined to the value and has it: `120 ms on n1`."""
        behind = [mention for mention in self.mentions if mention.start >= value.end]
        return (
            bool(behind)
            and _JOINED.fullmatch(self.answer.text, value.end, behind[0].start) is not None
            and any(states(field, value) for field in self.binder.within(behind[0]))
        )

    def _says_which(self, value: Value) -> bool:
        text, segment = self.answer.text, self.segment
        return bool(which_after(text, value.end, segment.end, "it"))

    def pairs(self) -> Iterator[Bound]:
        """Two numbers joined: a score, so many of so many."""
        last = -1
        for left, right in pairwise(self.segment.values):
            if not left.joint or left.joint != right.joint or left.joint in {"times", "dot"}:
                continue
            if left.number is None or right.number is None or left.start < last:
                continue
            if not BETWEEN.fullmatch(self.answer.text, left.end, right.start):
                continue
            last = right.end
            which = which_before(self.answer.text, self.segment.start, left.start)
            running = TAKEN if which else RUNNING
            if not self._is_strange(left) and not running.search(self.text):
                yield from self._pair(left, right, which)

    def _pair(self, left: Value, right: Value, which: tuple[str, ...]) -> Iterator[Bound]:
        owners = [m for m in self.mentions if is_telling(m)]
        before = [m for m in owners if m.end <= left.start]
        fields = [field for m in self.mentions for field in self.binder.fields(m)]
        if not owners or not fields:
            return
        behind = any(follows(self.answer.text, mention, left) for mention in self.mentions)
        for mention in self.mentions:
            for place, record in self.binder.records(mention):
                if not (left.joint == "of" or self._in_brackets(left)):
                    pass
                elif self._holds_pair(mention, record, left, right):
                    return
                if (
                    left.joint == "dash"
                    and not behind
                    and self._is_score(place, record, left, right, which)
                ):
                    return
        if left.joint == "slash" or not any(
            has_pairs(r) for m in owners for _, r in self.binder.records(m)
        ):
            return
        wrong = [v for v in (left, right) if not any(states(f, v) for f in fields)]
        owner = (before or owners)[-1]
        for value in wrong or [left, right]:
            yield Bound(value, self.number, owner, "record", ())

    def _in_brackets(self, left: Value) -> bool:
        before = self.answer.text[self.segment.start : left.start]
        return before.rfind("(") > before.rfind(")")

    def _holds_pair(self, mention: Mention, record: Record, left: Value, right: Value) -> bool:
        found = set(key_pairs(record, left, right))
        if not found:
            return False
        label = label_after(self.answer.text, right)
        if left.joint == "of" or label:
            stems = {one[:-1].lower() for one, other in found if one[:-1] == other[:-1]}
            own = {field.key[:-1].lower() for field in record.fields}
            if label in own:
                return label in stems
            return bool(stems - self.labels if label else stems)
        if self.form and follows(self.answer.text, mention, left):
            return self.form in found
        return True

    def _is_score(
        self, place: int, record: Record, left: Value, right: Value, which: tuple[str, ...]
    ) -> bool:
        """Whether the two are one field (or a sum of numbered ones) of two records side by side."""
        records = self.binder.evidence[place].reading.records
        beside = [r for r in records if r.table == record.table and r is not record]
        mine = dict(scores(record))
        for other in beside[:FEW_BESIDE]:
            for key, number in scores(other):
                own = mine.get(key)
                if which and not is_that(key, which):
                    continue
                if own is not None and {own, number} == {left.number, right.number}:
                    return True
        return False


def _articles(text: str, segment: Segment) -> Iterator[Value]:
    """`a steal`: an article counts one where its noun is a field of the owner, and only there."""
    for found in _ARTICLE.finditer(text, segment.start, segment.end):
        yield Value(
            start=found.start(), end=found.end(), kind="number", number=Decimal(1), worded=True
        )


def _from_parts(value: Value, meant: Sequence[Field]) -> bool:
    """Whether the value is the sum or difference of the owner's fields of that kind."""
    numbers = [abs(n) for field in meant for n, _ in numbers_of(field)]
    if value.number is None:
        return False
    stated = abs(value.number)
    return any(
        stated in {left + right, abs(left - right)} for left, right in combinations(numbers[:6], 2)
    )
