"""Told: what a sentence tells, looked for in the calls and results of a run.

A call that names another thing of the same kind is elsewhere; a call of another kind may be meant
where it was given what the sentence is about; a result may itself say that it was done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from groundwire.checks.transcript import Chosen
from groundwire.errors import EncodingError
from groundwire.grounding.folding import fold, unescape
from groundwire.grounding.leaves import read_leaves
from groundwire.grounding.sentences.acts import Act
from groundwire.grounding.sentences.targets import Target, targets_of
from groundwire.grounding.sentences.verbs import (
    FORMS,
    GENERIC,
    Name,
    families_of,
    past_of,
    singular,
    stems_of,
)

_BREATH = 160
_REPORT = 300
_SAID = 12
_BEEN = re.compile(r"\b(?:been|was|were|is|are|got|already|you|they|she|he)\s+(?:\w+\s+)?$")
_ADDRESSED = re.compile(r"\b(?:you|your|successfully|as requested)\b", re.I)
_WORD = re.compile(r"[a-z0-9][a-z0-9_.@#-]{2,}")
_COMMON_WORDS = (
    "the and for you your has have been with from that this was were are now its per successfully "
    "will can our their them they into all any new via using details following request order "
    "system account user email also both"
)
_COMMON = frozenset(_COMMON_WORDS.split())

name_of = lru_cache(maxsize=4096)(Name)


@dataclass(eq=False)
class Deed:
    """One call of the run and what is known of how it ended."""

    chosen: Chosen
    name: Name
    results: list[str] = field(default_factory=list)
    failed: bool = False
    _text: str = ""
    _read: int = -1
    _reports: list[tuple[int, str]] = field(default_factory=list)

    @property
    def tool(self) -> str:
        """The tool that was called."""
        return self.chosen.call.name

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The shapes of the identifiers that the call was given."""
        return frozenset(target.shape for target in targets_of(self.chosen.call.arguments))

    def holds(self, value: str) -> bool:
        """Whether the call was given this or gave it back, in whichever spelling of letters."""
        given = (self.chosen.call.arguments, *self.results)
        if any(value in text for text in given):
            return True
        if self._read != len(self.results):
            self._read = len(self.results)
            self._text = fold(unescape("\n".join(given)))
        return fold(value) in self._text

    def reports(self) -> list[tuple[int, str]]:
        """Each result in lower case without what it repeats of the call, and its whole length."""
        # What a result repeats of the call is what the model wrote, and no report.
        for result in self.results[len(self._reports) :]:
            low = _without(result.lower(), _texts_in(self.chosen.call.arguments))
            self._reports.append((len(result), low))
        return self._reports

    @cached_property
    def given(self) -> str:
        """The arguments, folded, with escapes read."""
        return fold(unescape(self.chosen.call.arguments))


@dataclass(eq=False)
class Told:
    """What a sentence tells, made ready to be looked for in calls and results.

    `named` are the words of the sentence that say what the tools in question act on: where there
    are any, only what is about one of them can be meant.
    """

    act: Act
    named: frozenset[str]
    targets: tuple[Target, ...]

    @cached_property
    def content(self) -> set[str]:
        """The words of the sentence that say what was acted on."""
        return _content(self.act)

    def is_of_this_run(self) -> bool:
        """Whether it says by whom or for whom: in the passive, much is told of the world."""
        if self.act.voice != "passive" or self.named or self.targets:
            return True
        return _ADDRESSED.search(self.act.sentence.text) is not None

    def names(self, deed: Deed) -> bool:
        """Whether the call is about the kind of thing that the sentence names, or shares a value."""
        if not self.named or deed.name.objects & self.act.words:
            return True
        return any(deed.holds(word) for word in self.content)

    def is_about(self, text: str, objects: frozenset[str] = frozenset()) -> bool:
        """Whether a folded text has a word of what the sentence is about, or need not have one."""
        content = self.content
        if any(word in text for word in content if _is_specific(word)):
            return True
        words = self.named or content
        return not words or any(word in text or singular(word) in objects for word in words)

    def may_be_of(self, deed: Deed) -> bool:
        """Whether a call of another kind may be meant: by what it was given, or by its own word."""
        given = deed.given
        reports = (low for length, low in deed.reports() if length <= _REPORT)
        if self._has_stem(given) or any(map(self._has_stem, reports)):
            return True
        if any(fold(target.text) in given for target in self.targets):
            return True
        if self.named:
            return self.is_about(given, deed.name.objects)
        words = self.content
        shared = {word for word in words if word in given or singular(word) in deed.name.objects}
        return len(shared) >= min(2, len(words)) or any(map(_is_specific, shared))

    def is_elsewhere(self, deed: Deed) -> bool:
        """The sentence names a thing of the kind that the call names, and the call another one."""
        if not any(target.shape in deed.kinds for target in self.targets):
            return False
        return not any(deed.holds(target.text) for target in self.targets)

    def was_said(self, said: str) -> bool:
        """Whether somebody said that it was done, and did not only ask for it."""
        return any(
            _BEEN.search(said[max(0, found.start() - 30) : found.start()])
            for found in self._pasts.finditer(said)
        )

    def is_reported(self, deed: Deed, *, plainly: bool) -> bool:
        """Whether a result says that it was done, in one breath with what the sentence is about.

        `plainly`: only a result that says little else, as a tool that reports on itself does.
        """
        for length, low in deed.reports():
            if length <= _REPORT and self._has_stem(low):
                return True
            if plainly and length > _REPORT:
                continue
            for found in self._pasts.finditer(low):
                if self.is_about(low[max(0, found.start() - _BREATH) : found.end() + _BREATH]):
                    return True
        return False

    def _has_stem(self, text: str) -> bool:
        stems = stems_of(self.act.families - GENERIC)
        return any(re.search(rf"(?<![/_]){stem}", text) for stem in stems)

    @property
    def _pasts(self) -> re.Pattern[str]:
        return _pasts(self.act.verb, self.act.families)


@lru_cache(maxsize=512)
def _pasts(verb: str, families: frozenset[str]) -> re.Pattern[str]:
    """The past forms of a verb and of those that mean the same."""
    same = [form for form, lemma in FORMS.items() if lemma == verb or families_of(lemma) & families]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, same or past_of(verb)))})\b")


@lru_cache(maxsize=64)
def _texts_in(arguments: str) -> tuple[str, ...]:
    """The texts of some length among a call's arguments, in lower case."""
    try:
        leaves = read_leaves(arguments)
    except EncodingError:
        return ()
    return tuple(leaf.value.strip().lower() for leaf in leaves if len(leaf.value) >= _SAID)


def _without(text: str, parts: Sequence[str]) -> str:
    for part in parts:
        text = text.replace(part, " ")
    return text


def _is_specific(word: str) -> bool:
    return not word.isalpha()


def _content(act: Act) -> set[str]:
    """The words of the sentence that say what was acted on."""
    found = set(_WORD.findall(fold(act.sentence.text)))
    return {
        word.rstrip(".-")
        for word in found
        if word not in _COMMON and word not in FORMS and len(word) > 3
    }
