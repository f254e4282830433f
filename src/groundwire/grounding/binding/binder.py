"""Binder: whom a sentence names, and which of their fields it means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundwire.grounding.binding.fields import (
    covering,
    label_before,
    matching,
    nouns_after,
    ordinal_noun,
    phrase_before,
    same_word,
    which_after,
)
from groundwire.grounding.binding.names import Mention, Names
from groundwire.grounding.binding.text import AnswerText, Segment
from groundwire.grounding.records.evidence import ARGUMENT, Evidence
from groundwire.grounding.records.record import Field, Record
from groundwire.grounding.records.walk import key_words
from groundwire.grounding.values.value import Value

_PRONOUN = re.compile(r"\W*(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


NEAR_LINES = 8
MOST_OWNED = 3
MOST_IDENTIFIED = 12


def is_telling(mention: Mention) -> bool:
    """Whether a name says whose record is meant: few have it, or it is an identifier."""
    digits = any(map(str.isdigit, mention.name))
    return len(mention.records) <= (MOST_IDENTIFIED if digits else MOST_OWNED)


class Meant(msgspec.Struct, frozen=True):
    """The fields that the words around a value name. `sure`: its own noun does, not a label."""

    fields: tuple[Field, ...]
    sure: bool


class _Said(msgspec.Struct, frozen=True):
    """The words around a value: which one it counts, its nouns, its label, the phrase before it."""

    which: tuple[str, ...]
    nouns: tuple[str, ...]
    label: tuple[str, ...]
    phrase: tuple[str, ...]


class Binder:
    """The records of one answer's results, and who is meant where."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self.evidence = evidence
        self.names = Names(evidence)
        # Whether any sentence looked at so far named an entity whose record is known.
        self.has_named = False
        self._shared: dict[tuple[int, int], frozenset[str]] = {}
        self._keys: dict[tuple[int, int], tuple[str, ...]] = {}
        self._around: dict[tuple[str, int, int, int, bool], _Said] = {}

    def mentioned(
        self, answer: AnswerText, segment: Segment, number: int, seen: dict[int, list[Mention]]
    ) -> list[Mention]:
        """Whom the segment names; where it names nobody, whom the item above it does.

        A sentence that begins with a pronoun is about whom the one before it named first.
        """
        own = _merged(
            answer.text, list(self.names.mentions(answer.text, segment.start, segment.end))
        )
        self.has_named |= bool(own)
        found = [mention for mention in own if is_telling(mention)]
        if not found:
            found = self._inherited(answer, segment, number, seen) or own
        seen[number] = found
        return found

    def _inherited(
        self, answer: AnswerText, segment: Segment, number: int, seen: dict[int, list[Mention]]
    ) -> list[Mention]:
        """Whom a line before it in the same item names, or the closest item above it."""
        head = segment.above[-1] if segment.above else -1
        for place in range(number - 1, max(head, number - NEAR_LINES), -1):
            beside = answer.segments[place]
            if head < 0 or beside.above != segment.above or beside.indent != segment.indent:
                continue
            own = [m for m in seen.get(place, []) if m.start >= beside.start and is_telling(m)]
            if len(own) == 1 and any(map(str.isdigit, own[0].name)):
                return own
        for above in reversed(segment.above):
            if telling := [m for m in seen.get(above, []) if is_telling(m)]:
                return telling
        if number and not segment.above and _PRONOUN.match(answer.of(segment)):
            return seen.get(number - 1, [])[:1]
        return []

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

    def meant(self, answer: AnswerText, segment: Segment, value: Value, owner: Mention) -> Meant:
        """The owner's fields that the words around the value name; none where they name none."""
        found: list[Field] = []
        sure = True
        said = self._said(answer.text, segment, value)
        for place, number in sorted(owner.records):
            record = self.evidence[place].reading.records[number]
            keys = self._keys_of(place, number)
            if said.which:
                names: tuple[str, ...] = _numbered(keys, said.which, said.nouns)
            else:
                names = matching(keys, said.nouns, self._shared_words(place, record))
            if not names and not said.which and not is_article(value):
                names = _labelled(said, value, keys)
                sure = sure and not names
            if names:
                found += [field for field in record.fields if field.key in names]
        return Meant(tuple(found), sure)

    def _said(self, text: str, segment: Segment, value: Value) -> _Said:
        """The words around the value, read once however many names stand beside it."""
        place = (text, segment.start, value.start, value.end, value.worded)
        said = self._around.get(place)
        if said is None:
            said = self._around[place] = _around(text, segment, value)
        return said

    def _keys_of(self, place: int, number: int) -> tuple[str, ...]:
        """The keys of a record, each once, without those of the arguments of its call."""
        keys = self._keys.get((place, number))
        if keys is None:
            fields = self.evidence[place].reading.records[number].fields
            keys = tuple(dict.fromkeys(f.key for f in fields if not f.key.startswith(ARGUMENT)))
            self._keys[place, number] = keys
        return keys

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


def _nouns(text: str, segment: Segment, value: Value) -> tuple[str, ...]:
    own = key_words(text[value.start : value.end]) if value.unit is not None else ()
    nouns = (*own, *nouns_after(text, value.end, segment.end))
    if is_article(value):
        return nouns if len(nouns) == 1 else ()
    return nouns


def _around(text: str, segment: Segment, value: Value) -> _Said:
    if is_article(value):
        # It counts one only where its own noun is the field.
        return _Said((), _nouns(text, segment, value), (), ())
    noun = ordinal_noun(text, segment.start, segment.end)
    return _Said(
        which_after(text, value.end, segment.end, noun),
        _nouns(text, segment, value),
        label_before(text, segment.start, value.start),
        phrase_before(text, segment.start, value.start),
    )


def _labelled(said: _Said, value: Value, keys: tuple[str, ...]) -> tuple[str, ...]:
    for words in (said.label, said.phrase):
        if names := matching(keys, words, frozenset()):
            return names
    if names := covering(keys, said.label):
        return names
    if value.unit is not None and value.unit.family == "share":
        return tuple(k for k in keys if any(same_word(w, "percent") for w in key_words(k)))
    return ()


def _merged(text: str, mentions: list[Mention]) -> list[Mention]:
    """Names that stand side by side and have records in common are one: a first and a last name."""
    found: list[Mention] = []
    for mention in mentions:
        if found:
            last = found[-1]
            common = last.records & mention.records
            if common and text[last.end : mention.start].strip(" ,.'\u2019s-()") == "":
                found[-1] = Mention(last.start, mention.end, text[last.start : mention.end], common)
                continue
        found.append(mention)
    return found


def _numbered(keys: Sequence[str], which: Sequence[str], nouns: Sequence[str]) -> tuple[str, ...]:
    """The keys that name that one: `period2`, `PTS_QTR2` for points in the second quarter."""
    noun, number = which
    found = [key for key in keys if key_words(key)[-1:] == (number,) and len(key_words(key)) > 1]
    return tuple(
        key
        for key in found
        if same_word(key_words(key)[-2], noun)
        and all(any(same_word(w, n) for n in nouns) for w in key_words(key)[:-2])
    )


def is_article(value: Value) -> bool:
    """Whether the value is an article read as one."""
    return value.worded and value.end - value.start < 3
