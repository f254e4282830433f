"""Deeds: what the run's calls did, and whether one of them bears out what a sentence claims.

Only what the run shows: calls of every lane, by id, with their results or executions. A call whose
outcome nobody showed counts as done. Who owns a verb is narrow, who excuses a sentence is wide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from groundwire.checks.claim.sentences.acts.told import Deed, Told, name_of
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.transcript import Chosen, Transcript
from groundwire.documents.frame import Frame, ToolSpec
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.sentences.acts import Act
from groundwire.grounding.sentences.targets import targets_of
from groundwire.grounding.sentences.verbs import GENERIC, lemma_of, near, past_of

Word: TypeAlias = Literal["borne-out", "no-call", "other-target", "failed", "no-tool", "unjudged"]
_WRITES = frozenset({"write", "external", "destructive"})


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
        told = Told(act, frozenset(), tuple(targets_of(act.sentence.text)))
        own = [deed for deed in self._deeds if self._is_of(deed, act)]
        plain = [deed for deed in own if deed.name.objects & act.words and not deed.failed]
        if any(not told.is_elsewhere(deed) for deed in plain):
            return Ruling("borne-out", calls=tuple(plain))
        declared, owners = self._owners(act, frame)
        tools = tuple(sorted(declared or owners))
        named = frozenset().union(*(name_of(tool).objects for tool in tools)) & act.words
        told = Told(act, named, told.targets)
        if not told.is_of_this_run():
            return Ruling("unjudged")
        own = [deed for deed in own if told.names(deed)]
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
        if offered is not self._offered:
            self._offered = offered
            self._families = _by_family(tuple([tool.name for tool in offered]))
        called = [deed.tool for deed in self._deeds if family in deed.name.families]
        return list(dict.fromkeys((*self._families.get(family, ()), *called)))

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
            if deed.failed:
                continue
            reads = self._only_reads(deed)
            close = not reads and (deed.name.is_opaque or bool(deed.name.families & wide))
            may_be = told.is_reported(deed, plainly=reads and told.act.voice == "first") or (
                close and told.may_be_of(deed)
            )
            if may_be and not told.is_elsewhere(deed):
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


# The runs of one agent offer the same tools. What it gives is never written to.
@lru_cache(maxsize=64)
def _by_family(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The names that hold a verb of each family, in order, each once."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        for family in name_of(name).families:
            found.setdefault(family, []).append(name)
    return found


def _declares(tool: ToolDeclaration, act: Act) -> bool:
    if tool.says:
        return act.verb in map(lemma_of, tool.says)
    if tool.effect not in _WRITES:
        return False
    read = name_of(tool.name)
    meant = read.families & act.families
    return bool(meant) and (not meant <= GENERIC or bool(read.objects & act.words))
