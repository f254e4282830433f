"""Filing: findings by identity, each once, and what the policy keeps from being filed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from groundwire.canon import digest, jcs
from groundwire.checks.seams import Encounter, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.documents.finding import Finding, Subject

Identity: TypeAlias = tuple[str, str, tuple[Subject, ...], str, str]


def identity(finding: Finding) -> Identity:
    """What makes it the same finding: kind, seam, sorted subjects, path, digest of the value.

    Never the message, the grade, the lane, the step or the advisory mark.
    """
    subjects = tuple(sorted(finding.subjects))
    return (finding.kind, finding.seam, subjects, finding.path, finding.value_digest)


def name_of(finding: Finding) -> str:
    """A digest of its identity and of whether it is a defect, for a run that goes on from this one."""
    return digest.tagged(
        "finding", jcs.encode([msgspec.to_builtins(identity(finding)), finding.advisory])
    )


class File:
    """The findings of a run, in the order they were first filed."""

    def __init__(self) -> None:
        self._filed: dict[Identity, Finding] = {}
        self._met: dict[Identity, tuple[int, int]] = {}
        self._earlier: frozenset[str] = frozenset()

    def went_on(self, filed: Iterable[str]) -> None:
        """The run goes on from one that filed findings of these names: they are not news here."""
        self._earlier |= frozenset(filed)

    def add(self, finding: Finding, *, by_place: bool = False) -> bool:
        """The finding is counted; whether it is news.

        News is a first meeting, and a defect where only an advisory of the same identity stood: a
        doubt never hides a contradiction. The other way round nothing changes but the count. With
        `by_place` another value at the same place is the same finding, as in the original.
        """
        if self._earlier and self._is_earlier(finding):
            return False
        name = identity(finding)
        if by_place:
            name = (*name[:4], "")
        count, _ = self._met.get(name, (0, -1))
        self._met[name] = (count + 1, finding.step)
        known = self._filed.get(name)
        if known is None or (known.advisory and not finding.advisory):
            self._filed[name] = finding
            return True
        return False

    def _is_earlier(self, finding: Finding) -> bool:
        defect = msgspec.structs.replace(finding, advisory=False)
        return bool(self._earlier & {name_of(finding), name_of(defect)})

    def findings(self) -> tuple[Finding, ...]:
        """Every finding as it was filed, with its count and the step it was last met at."""
        return tuple(
            msgspec.structs.replace(finding, count=self._met[name][0], last_step=self._met[name][1])
            for name, finding in self._filed.items()
        )


def parted(encounter: Encounter, transcript: Transcript) -> tuple[Encounter, tuple[Finding, ...]]:
    """The encounter without what is switched off, and the findings that are.

    Where nothing that was found is left, it counts as out of scope (`off`): a declaration took it
    out, and neither a pass nor a failure would be true.
    """
    if not (encounter.findings and transcript.rules.off):
        return encounter, ()
    off = tuple(finding for finding in encounter.findings if _is_off(finding, transcript))
    if not off:
        return encounter, ()
    left = tuple(finding for finding in encounter.findings if finding not in off)
    if not left:
        return not_applicable("off"), off
    failed = any(not finding.advisory for finding in left)
    return (
        msgspec.structs.replace(
            encounter,
            disposition="checked-fail" if failed else "checked-pass",
            findings=left,
        ),
        off,
    )


def _is_off(finding: Finding, transcript: Transcript) -> bool:
    lines = [line for line in transcript.rules.off if line.check == finding.kind]
    if not lines:
        return False
    if any(not line.tool for line in lines):
        return True
    # A finding about several tools stands as long as one of them is not switched off.
    tools = set(_tools_of(finding, transcript))
    return bool(tools) and tools.issubset(line.tool for line in lines)


def _tools_of(finding: Finding, transcript: Transcript) -> Iterator[str]:
    for subject in finding.subjects:
        if subject.kind == "tool":
            yield subject.id
        elif subject.kind == "call":
            chosen = transcript.call(finding.lane, subject.id)
            yield "" if chosen is None else chosen.call.name
