"""Deeds: what the run's calls did, and whether one of them bears out what a sentence claims.

Only what the run shows: calls of every lane, by id, with their results or executions. A call whose
outcome nobody showed counts as done. Who owns a verb is narrow, who excuses a sentence is wide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.transcript import Chosen, Transcript
from groundwire.documents.frame import Frame, ToolSpec
from groundwire.documents.policy import ToolDeclaration
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
    lemma_of,
    near,
    past_of,
    singular,
    stems_of,
)

Word: TypeAlias = Literal["borne-out", "no-call", "other-target", "failed", "no-tool", "unjudged"]
_BREATH = 160
_REPORT = 300
_SAID = 12
_BEEN = re.compile(r"\b(?:been|was|were|is|are|got|already|you|they|she|he)\s+(?:\w+\s+)?$")
_ADDRESSED = re.compile(r"\b(?:you|your|successfully|as requested)\b", re.I)
_WRITES = frozenset({"write", "external", "destructive"})
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

    @property
    def tool(self) -> str:
        """The tool that was called."""
        return self.chosen.call.name

    def text(self) -> str:
        """Arguments and results, folded, with escapes read; made once for each new result."""
        if self._read != len(self.results):
            self._read = len(self.results)
            self._text = fold(unescape("\n".join((self.chosen.call.arguments, *self.results))))
        return self._text


@dataclass(eq=False)
class Ruling:
    """What the run says of one act. `tools` own its verb; `calls` are the ones that count."""

    word: Word
    tools: tuple[str, ...] = ()
    calls: tuple[Deed, ...] = ()
    is_declared: bool = False


class Deeds:
    """The run's calls so far, read once each."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._deeds: list[Deed] = []
        self._by_id: dict[tuple[int, str], Deed] = {}
        self._called = self._served = self._executed = 0
        self._offered: tuple[ToolSpec, ...] | None = None
        self._counted = 0
        self._families: dict[str, list[str]] = {}

    def catch_up(self) -> None:
        """What is new in the run is read; costs what is new."""
        run = self._run
        for chosen in run.called[self._called :]:
            deed = Deed(chosen, name_of(chosen.call.name))
            if self._is_known(chosen):
                continue
            self._deeds.append(deed)
            if chosen.call.id:
                self._by_id[chosen.lane, chosen.call.id] = deed
        self._called = len(run.called)
        for served in run.served[self._served :]:
            answered = self._by_id.get((served.lane, served.part.call_id))
            if answered is not None:
                answered.results.append(served.part.text)
                answered.failed = is_failure(served.part.text, is_error=served.part.is_error)
        self._served = len(run.served)
        for executed in run.executed[self._executed :]:
            ran = self._by_id.get((executed.lane or 0, executed.call_id))
            if ran is not None and executed.outcome == "raised":
                ran.failed = True
        self._executed = len(run.executed)

    def _is_known(self, chosen: Chosen) -> bool:
        known = self._by_id.get((chosen.lane, chosen.call.id)) if chosen.call.id else None
        return known is not None and known.chosen.call == chosen.call

    def says(self) -> dict[str, str]:
        """The past forms of every verb that a declaration names, each with that verb."""
        return {
            form: lemma
            for tool in self._run.tools.values()
            for lemma in map(lemma_of, tool.says)
            for form in past_of(lemma)
        }

    def is_armed(self) -> bool:
        """Whether some tool is declared to change something, or every tool is armed."""
        return self._run.arm_all or any(
            tool.says or tool.effect in _WRITES for tool in self._run.tools.values()
        )

    def rule(self, act: Act, frame: Frame | None, said: Callable[[], str]) -> Ruling:
        """What the run says of this act; `said` gives what people told it, folded."""
        declared, owners = self._owners(act, frame)
        tools = tuple(sorted(declared or owners))
        named = frozenset().union(*(name_of(tool).objects for tool in tools)) & act.words
        told = Told(act, named, tuple(targets_of(act.sentence.text)))
        if not told.is_of_this_run():
            return Ruling("unjudged")
        own = [deed for deed in self._deeds if self._is_of(deed, act) and told.names(deed)]
        done = [deed for deed in own if not deed.failed]
        aimed = [deed for deed in done if not told.is_elsewhere(deed)]
        if aimed or self._is_excused(told, said):
            return Ruling("borne-out", calls=tuple(aimed))
        is_declared = bool(declared)
        if not tools and not own:
            return Ruling("unjudged" if self._has_acted() or act.families & GENERIC else "no-tool")
        if done:
            return Ruling("other-target", tools, tuple(done), is_declared)
        return Ruling("failed" if own else "no-call", tools, tuple(own), is_declared)

    def _owners(self, act: Act, frame: Frame | None) -> tuple[set[str], set[str]]:
        declared = {tool.name for tool in self._run.tools.values() if _declares(tool, act)}
        if declared or not self._run.arm_all:
            return declared, set()
        names = [name for family in act.families for name in self._named_for(family, frame)]
        return set(), {name for name in names if self._is_named_for(name, act)}

    def _named_for(self, family: str, frame: Frame | None) -> list[str]:
        """The tools offered or called whose names hold a verb of this family."""
        offered = () if frame is None else frame.tools
        if offered is not self._offered or len(self._deeds) != self._counted:
            self._offered, self._counted = offered, len(self._deeds)
            self._families = {}
            names = [tool.name for tool in offered] + [deed.tool for deed in self._deeds]
            for name in dict.fromkeys(names):
                for own in name_of(name).families:
                    self._families.setdefault(own, []).append(name)
        return self._families.get(family, [])

    def _is_named_for(self, name: str, act: Act) -> bool:
        tool = self._run.tools.get(name)
        if tool is not None and (tool.says or tool.effect != "unstated"):
            return False
        read = name_of(name)
        if not read.families & act.families:
            return False
        return not (act.families & read.families) <= GENERIC or bool(read.objects & act.words)

    def _is_of(self, deed: Deed, act: Act) -> bool:
        """Whether the call's tool is one that does what the act says."""
        tool = self._run.tools.get(deed.tool)
        if tool is not None and act.verb in map(lemma_of, tool.says):
            return True
        if tool is not None and tool.effect == "read":
            return False
        return bool(deed.name.families & act.families)

    def _is_excused(self, told: Told, said: Callable[[], str]) -> bool:
        """Whether something else in the run may be what the sentence tells of."""
        if told.act.voice != "first" and told.was_said(said()):
            return True
        wide = near(told.act.families)
        for deed in self._deeds:
            if deed.failed or told.is_elsewhere(deed):
                continue
            reads = self._only_reads(deed)
            if told.is_reported(deed, plainly=reads and told.act.voice == "first"):
                return True
            close = deed.name.is_opaque or bool(deed.name.families & wide)
            if close and not reads and told.may_be_of(deed):
                return True
        return False

    def _has_acted(self) -> bool:
        """Whether any call that is not known to be only reading has not failed."""
        return any(not deed.failed and not self._only_reads(deed) for deed in self._deeds)

    def _only_reads(self, deed: Deed) -> bool:
        tool = self._run.tools.get(deed.tool)
        if tool is not None and tool.effect != "unstated":
            return tool.effect == "read"
        return deed.name.reads and not deed.name.families


def _declares(tool: ToolDeclaration, act: Act) -> bool:
    if tool.says:
        return act.verb in map(lemma_of, tool.says)
    if tool.effect not in _WRITES:
        return False
    read = name_of(tool.name)
    meant = read.families & act.families
    return bool(meant) and (not meant <= GENERIC or bool(read.objects & act.words))


@dataclass(eq=False)
class Told:
    """What a sentence tells, made ready to be looked for in calls and results.

    `named` are the words of the sentence that say what the tools in question act on: where there
    are any, only what is about one of them can be meant.
    """

    act: Act
    named: frozenset[str]
    targets: tuple[Target, ...]

    def is_of_this_run(self) -> bool:
        """Whether it says by whom or for whom: in the passive, much is told of the world."""
        if self.act.voice != "passive" or self.named or self.targets:
            return True
        return _ADDRESSED.search(self.act.sentence.text) is not None

    def names(self, deed: Deed) -> bool:
        """Whether the call is about the kind of thing that the sentence names, or shares a value."""
        if not self.named or deed.name.objects & self.act.words:
            return True
        return any(word in deed.text() for word in _content(self.act))

    def is_about(self, text: str, objects: frozenset[str] = frozenset()) -> bool:
        """Whether a folded text has a word of what the sentence is about, or need not have one."""
        words = self.named or _content(self.act)
        return not words or any(word in text or singular(word) in objects for word in words)

    def may_be_of(self, deed: Deed) -> bool:
        """Whether a call of another kind may be meant: by what it was given, or by its own word."""
        given = fold(unescape(deed.chosen.call.arguments))
        texts = _texts_in(deed.chosen.call.arguments)
        reports = [
            _without(result.lower(), texts) for result in deed.results if len(result) <= _REPORT
        ]
        if any(map(self._has_stem, (given, *reports))):
            return True
        if any(fold(target.text) in given for target in self.targets):
            return True
        if self.named:
            return self.is_about(given, deed.name.objects)
        words = _content(self.act)
        shared = {word for word in words if word in given or singular(word) in deed.name.objects}
        return len(shared) >= min(2, len(words)) or any(map(_is_specific, shared))

    def is_elsewhere(self, deed: Deed) -> bool:
        """The sentence names a thing of the kind that the call names, and the call another one."""
        kinds = {target.shape for target in targets_of(deed.chosen.call.arguments)}
        if not any(target.shape in kinds for target in self.targets):
            return False
        text = deed.text()
        return not any(fold(target.text) in text for target in self.targets)

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
        given = _texts_in(deed.chosen.call.arguments)
        for result in deed.results:
            # What a result repeats of the call is what the model wrote, and no report.
            low = _without(result.lower(), given)
            if len(result) <= _REPORT and self._has_stem(low):
                return True
            if plainly and len(result) > _REPORT:
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
