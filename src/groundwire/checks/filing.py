"""Filing: findings by identity, each once, with how often it was met."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from groundwire.documents.finding import Finding, Subject

Identity: TypeAlias = tuple[str, str, tuple[Subject, ...], str, str]


def identity(finding: Finding) -> Identity:
    """What makes it the same finding: kind, seam, sorted subjects, path, digest of the value.

    Never the message, the grade, the lane, the step or the advisory mark.
    """
    subjects = tuple(sorted(finding.subjects))
    return (finding.kind, finding.seam, subjects, finding.path, finding.value_digest)


class File:
    """The findings of a run, in the order they were first filed."""

    def __init__(self) -> None:
        self._filed: dict[Identity, Finding] = {}
        self._met: dict[Identity, tuple[int, int]] = {}

    def add(self, finding: Finding) -> bool:
        """The finding is counted; whether it is news.

        News is a first meeting, and a defect where only an advisory of the same identity stood: a
        doubt never hides a contradiction. The other way round nothing changes but the count.
        """
        name = identity(finding)
        count, _ = self._met.get(name, (0, -1))
        self._met[name] = (count + 1, finding.step)
        known = self._filed.get(name)
        if known is None or (known.advisory and not finding.advisory):
            self._filed[name] = finding
            return True
        return False

    def findings(self) -> tuple[Finding, ...]:
        """Every finding as it was filed, with its count and the step it was last met at."""
        return tuple(
            msgspec.structs.replace(finding, count=self._met[name][0], last_step=self._met[name][1])
            for name, finding in self._filed.items()
        )
