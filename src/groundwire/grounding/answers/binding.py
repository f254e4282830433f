"""Binding: a number of an answer looked for in the record of the entity its sentence names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.answers.fields import (
    label_before,
    matching,
    nouns_after,
    ordinal_noun,
    phrase_before,
    same_word,
    which_after,
    which_before,
)
from groundwire.grounding.answers.names import Mention, Names
from groundwire.grounding.answers.text import AnswerText, Segment
from groundwire.grounding.records.evidence import ARGUMENT, Evidence, key_unit
from groundwire.grounding.records.grounds import scales, tolerance
from groundwire.grounding.records.record import Field, Record
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.reading import read_short
from groundwire.grounding.values.value import EXACT, Value

How: TypeAlias = Literal["field", "record"]

# What narrows a number to something that the record as a whole does not state.
_NARROWED = re.compile(
    r"\b(?:averag\w*|per|each|streak|straight|consecutive|last|previous|past|combined?|combining|"
    r"together|respectively|both|total(?:ed|ing)? of|at least|at most|more than|less than|fewer|up to|"
    r"quarters?|half|halftime|halves|career|season|seasons|span|stretch|run|lead|deficit|advantage|"
    r"margin|by|difference|between)\b",
    re.IGNORECASE,
)


_PRONOUN = re.compile(r"\W*(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


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
    elsewhere: tuple[int, str] | None = None


class Binder:
    """The records of one answer's results, and who is meant where."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self.evidence = evidence
        self.names = Names(evidence)
        self._shared: dict[tuple[int, int], frozenset[str]] = {}

    def mentioned(
        self, answer: AnswerText, segment: Segment, number: int, seen: dict[int, list[Mention]]
    ) -> list[Mention]:
        """Whom the segment names; where it names nobody, whom the item above it does.

        A sentence that begins with a pronoun is about whom the one before it named first.
        """
        own = _merged(
            answer.text, list(self.names.mentions(answer.text, segment.start, segment.end))
        )
        found = own
        if not own:
            for above in reversed(segment.above):
                if seen.get(above):
                    found = seen[above]
                    break
            else:
                if number and _PRONOUN.match(answer.of(segment)):
                    found = seen.get(number - 1, [])[:1]
        seen[number] = found
        return found

    def records(self, owner: Mention) -> list[tuple[int, Record]]:
        """The owner's records, each with its result; of one around another, the inner."""
        return [
            (place, self.evidence[place].reading.records[n]) for place, n in sorted(owner.records)
        ]

    def fields(self, owner: Mention) -> list[Field]:
        """The fields of the owner's own records."""
        return [
            field
            for _, record in self.records(owner)
            for field in record.fields
            if not field.key.startswith(ARGUMENT)
        ]

    def meant(
        self, answer: AnswerText, segment: Segment, value: Value, owner: Mention
    ) -> tuple[Field, ...]:
        """The owner's fields that the words around the value name; empty where they name none."""
        text = answer.text
        found: list[Field] = []
        for place, record in self.records(owner):
            shared = self._shared_words(place, record)
            keys = list(
                dict.fromkeys(f.key for f in record.fields if not f.key.startswith(ARGUMENT))
            )
            own = key_words(text[value.start : value.end]) if value.unit is not None else ()
            nouns = (*own, *nouns_after(text, value.end, segment.end))
            if is_article(value):
                nouns = nouns[:1] if len(nouns) == 1 else ()
            noun = ordinal_noun(text, segment.start, segment.end)
            which = which_after(text, value.end, segment.end, noun)
            if which:
                names = _numbered(keys, which, nouns)
                found += [field for field in record.fields if field.key in names]
                continue
            for words in (
                nouns,
                label_before(text, segment.start, value.start),
                phrase_before(text, segment.start, value.start),
            )[: 1 if is_article(value) else None]:
                names = matching(keys, words, shared)
                if not names and value.unit is not None and value.unit.family == "share":
                    names = tuple(
                        k for k in keys if any(same_word(w, "percent") for w in key_words(k))
                    )
                if names:
                    found += [field for field in record.fields if field.key in names]
                    break
        return tuple(found)

    def within(self, owner: Mention) -> Iterator[Field]:
        """The fields of the owner's records, of what stands in them, and of what they stand in."""
        for place, number in sorted(owner.records):
            records = self.evidence[place].reading.records
            record = records[number]
            for inner in records[number : record.end]:
                yield from inner.fields
            parent = record.parent
            while parent >= 0:
                yield from records[parent].fields
                parent = records[parent].parent

    def _shared_words(self, place: int, record: Record) -> frozenset[str]:
        name = (place, record.table)
        if name not in self._shared:
            keys = [set(key_words(field.key)) for field in record.fields]
            common = set.intersection(*keys) if len(keys) > 2 else set()
            self._shared[name] = frozenset(common)
        return self._shared[name]


def _merged(text: str, mentions: list[Mention]) -> list[Mention]:
    """Names that stand side by side and have records in common are one: a first and a last name."""
    found: list[Mention] = []
    for mention in mentions:
        if found:
            last = found[-1]
            common = last.records & mention.records
            if common and text[last.end : mention.start].strip(" ,.'’s-()") == "":
                found[-1] = Mention(last.start, mention.end, text[last.start : mention.end], common)
                continue
        found.append(mention)
    return found


def _numbered(keys: Sequence[str], which: Sequence[str], nouns: Sequence[str]) -> frozenset[str]:
    """The keys that name that one: `period2`, `PTS_QTR2` for points in the second quarter."""
    noun, number = which
    found = [key for key in keys if key_words(key)[-1:] == (number,) and len(key_words(key)) > 1]
    return frozenset(
        key
        for key in found
        if same_word(key_words(key)[-2], noun)
        and all(any(same_word(w, n) for n in nouns) for w in key_words(key)[:-2])
    )


def is_article(value: Value) -> bool:
    """Whether the value is an article read as one."""
    return value.worded and value.end - value.start < 3


def numbers_of(field: Field) -> Iterator[tuple[Decimal, Value | None]]:
    """The numbers of a field: its own, or those that stand in its text."""
    if field.number is not None:
        yield field.number, None
    else:
        for value in read_short(field.text):
            if value.number is not None:
                yield value.number, value


def states(field: Field, value: Value) -> bool:
    """Whether the field holds this value, in any spelling."""
    if value.kind != "number":
        return any(_same_moment(value, other) for other in read_short(field.text))
    if value.number is None:
        return False
    for number, other in numbers_of(field):
        unit = other.unit if other is not None else key_unit(field.key)
        if unit and value.unit and unit.family != value.unit.family:
            continue
        for _, factor in scales(value):
            around = EXACT.multiply(abs(value.number), factor)
            margin = EXACT.multiply(tolerance(value), factor)
            if around - margin <= abs(number) <= around + margin:
                return True
    return False


def _same_moment(value: Value, other: Value) -> bool:
    if value.kind != other.kind:
        return False
    if value.kind == "time":
        mine, theirs = value.moment[:2], other.moment[:2]
        loose = "either" in {value.folded, other.folded}
        return mine == theirs or (
            loose and (mine[0] - theirs[0]) % 12 == 0 and mine[1] == theirs[1]
        )
    if value.kind == "date":
        years = {value.moment[0], other.moment[0]} - {0}
        return value.moment[1:] == other.moment[1:] and len(years) < 2
    return value.folded == other.folded


def wrongly_bound(answer: AnswerText, binder: Binder) -> Iterator[Bound]:
    """Values that stand with an entity whose record is known and says otherwise."""
    seen: dict[int, list[Mention]] = {}
    for number, segment in enumerate(answer.segments):
        binder.mentioned(answer, segment, number, seen)
    form = _form(answer, binder, seen)
    for number, segment in enumerate(answer.segments):
        mentions = seen[number]
        if not mentions or not segment.values:
            continue
        judge = _Sentence(answer, binder, number, segment, mentions, form)
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
        form: tuple[str, str] | None,
    ) -> None:
        self.form = form
        self.answer = answer
        self.binder = binder
        self.number = number
        self.segment = segment
        self.mentions = mentions
        self.text = answer.of(segment)
        # What some pair of the sentence is labelled with is not what another label means.
        self.labels = {_label(answer.text, value) for value in segment.values if value.joint}
        self.narrowed = bool(_NARROWED.search(self.text))

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
        before = [mention for mention in self.mentions if mention.end <= value.start]
        for mention in before or self.mentions:
            if len(mention.records) > MOST_OWNED:
                continue
            meant = tuple(
                field
                for field in self.binder.meant(self.answer, self.segment, value, mention)
                if _comparable(field, value)
            )
            if not meant:
                continue
            if any(states(field, value) for field in meant):
                return None
            if _from_parts(value, meant):
                return None
            if owner is None or mention.end <= value.start:
                owner, expected = mention, meant
        if owner is None or (self.narrowed and not self._says_which(value)):
            return None
        return Bound(value, self.number, owner, "field", expected)

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
            if not _BETWEEN.fullmatch(self.answer.text, left.end, right.start):
                continue
            last = right.end
            which = which_before(self.answer.text, self.segment.start, left.start)
            running = _TAKEN if which else _RUNNING
            if not self._is_strange(left) and not running.search(self.text):
                yield from self._pair(left, right, which)

    def _pair(self, left: Value, right: Value, which: tuple[str, ...]) -> Iterator[Bound]:
        owners = [m for m in self.mentions if len(m.records) <= MOST_OWNED]
        before = [m for m in owners if m.end <= left.start]
        fields = [field for m in self.mentions for field in self.binder.fields(m)]
        if not owners or not fields:
            return
        follows = any(_follows(self.answer.text, mention, left) for mention in self.mentions)
        for mention in self.mentions:
            for place, record in self.binder.records(mention):
                if not (left.joint == "of" or self._in_brackets(left)):
                    pass
                elif self._holds_pair(mention, record, left, right):
                    return
                if (
                    left.joint == "dash"
                    and not follows
                    and self._is_score(place, record, left, right, which)
                ):
                    return
        if left.joint == "slash" or not any(
            _has_pairs(r) for m in owners for _, r in self.binder.records(m)
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
        found = set(_key_pairs(record, left, right))
        if not found:
            return False
        label = _label(self.answer.text, right)
        if left.joint == "of" or label:
            stems = {one[:-1].lower() for one, other in found if one[:-1] == other[:-1]}
            own = {field.key[:-1].lower() for field in record.fields}
            if label in own:
                return label in stems
            return bool(stems - self.labels if label else stems)
        if self.form and _follows(self.answer.text, mention, left):
            return self.form in found
        return True

    def _is_score(
        self, place: int, record: Record, left: Value, right: Value, which: tuple[str, ...]
    ) -> bool:
        """Whether the two are one field (or a sum of numbered ones) of two records side by side."""
        records = self.binder.evidence[place].reading.records
        beside = [r for r in records if r.table == record.table and r is not record]
        mine = dict(_scores(record))
        for other in beside[:FEW_BESIDE]:
            for key, number in _scores(other):
                own = mine.get(key)
                if which and not _is_that(key, which):
                    continue
                if own is not None and {own, number} == {left.number, right.number}:
                    return True
        return False


def _is_that(key: str, which: tuple[str, ...]) -> bool:
    """Whether the key is that numbered field, or the sum from the first to it; others pass."""
    noun, number = which
    words = key_words(key)
    if not words or not words[-1].isdigit():
        return True
    at = -3 if "+" in key else -2
    stem = words[at] if len(words) >= -at else ""
    return words[-1] == number and (at == -2 or words[-2] == "1") and same_word(stem, noun)


FEW_BESIDE = 40
MOST_OWNED = 3


def _scores(record: Record) -> Iterator[tuple[str, Decimal]]:
    numbered: dict[str, list[tuple[str, Decimal]]] = {}
    for field in record.fields:
        if field.number is None:
            continue
        yield field.key, field.number
        stem = field.key.rstrip("0123456789")
        if stem != field.key:
            numbered.setdefault(stem, []).append((field.key[len(stem) :], field.number))
    for stem, parts in numbered.items():
        parts.sort()
        for first in range(len(parts)):
            total = parts[first][1]
            for last in range(first + 1, len(parts)):
                total += parts[last][1]
                yield f"{stem}{parts[first][0]}+{parts[last][0]}", total


_AFTER = re.compile(r"\s{0,2}([A-Za-z0-9]{1,12})(?=\s{0,2}[,)])")


def _label(text: str, value: Value) -> str:
    """The word between a pair and the end of its bracket: `( 5 - 6 FG , 8 - 12 FT )`."""
    found = _AFTER.match(text, value.end)
    return found[1].lower() if found else ""


def _key_pairs(record: Record, left: Value, right: Value) -> Iterator[tuple[str, str]]:
    """The pairs of keys under which the record holds these two."""
    lefts = [f.key for f in record.fields if states(f, left)]
    rights = [f.key for f in record.fields if states(f, right)]
    yield from ((one, other) for one in lefts for other in rights if one != other)


def _follows(text: str, mention: Mention, left: Value) -> bool:
    return 0 <= left.start - mention.end <= 3 and "(" in text[mention.end : left.start]


def _form(
    answer: AnswerText, binder: Binder, seen: Mapping[int, Sequence[Mention]]
) -> tuple[str, str] | None:
    """The two keys that pairs in brackets behind a name stand for, where most of them agree.

    One text writes one thing in one form: wins and losses behind every team.
    """
    counts: Counter[tuple[str, str]] = Counter()
    pairs: set[tuple[str, int, int]] = set()
    for number, segment in enumerate(answer.segments):
        for left, right in pairwise(segment.values):
            if (
                left.joint != "dash"
                or right.joint != "dash"
                or not left.number
                or right.number is None
            ):
                continue
            for mention in seen.get(number, ()):
                if not _follows(answer.text, mention, left):
                    continue
                name = (mention.name, int(left.number), int(right.number))
                if name in pairs:
                    continue
                pairs.add(name)
                found = {p for _, r in binder.records(mention) for p in _key_pairs(r, left, right)}
                counts.update(found)
    if not counts:
        return None
    best, most = counts.most_common(1)[0]
    rivals = [pair for pair, count in counts.items() if count == most]
    return best if most >= LEAST_AGREEING and len(rivals) == 1 else None


LEAST_AGREEING = 2


def _has_pairs(record: Record) -> bool:
    return sum(field.number is not None for field in record.fields) > 3


def _comparable(field: Field, value: Value) -> bool:
    if value.kind == "number":
        return _is_numeric(field)
    return any(other.kind == value.kind for other in read_short(field.text))


def _is_numeric(field: Field) -> bool:
    return any(True for _ in numbers_of(field))


_STRANGER = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][\w'’.-]+)+")
# A score that stood for a while is in no record.
_RUNNING = re.compile(r"\b(?:lead|leads|led|tied|tying|trail\w*|ahead|bring|brought|made it|remaining)\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:leads?|leading|led|trail\w*|ahead|bring|brought|t[ao]ke?n?|took)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s\-–—/]*(?:of|for|from|out of)?[\s\-–—/]*")
_ARTICLE = re.compile(r"(?<![\w\-])(?:a|an)(?= [a-z]+)", re.IGNORECASE)


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
