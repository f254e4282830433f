"""Finding: one contradiction between two channels, and the witnesses of both."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import jcs

Seam: TypeAlias = Literal["compose", "wire", "choice", "write", "claim"]


class Subject(msgspec.Struct, frozen=True, order=True):
    """Whom a finding is about: `("tool", "restart_host")`, `("call", "call_1")`."""

    kind: str
    id: str


class Assertion(msgspec.Struct, frozen=True, kw_only=True):
    """One statement by one channel.

    `value` is the statement's value as text (JSON for anything structured). `stratum` is
    `asserted` for what is live and `quoted` for what is history. `provenance` is a sentence that
    says where it was read; `step` is the sequence number of the entry it stands in.
    """

    subject: Subject
    predicate: str
    value: str
    provenance: str
    stratum: Literal["asserted", "quoted"] = "asserted"
    epoch: int | None = None
    step: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Two channels disagree. It names no winner; `message` says what to do.

    `path` is a JSON pointer into what it is about, `grade` the check's own sub-kind (`self`,
    `nowhere`, `fragment`, …). Identity is `(kind, seam, sorted subjects, path, value_digest)`:
    never the message, the step or the advisory mark.
    """

    kind: str
    seam: Seam
    subjects: tuple[Subject, ...]
    witnesses: tuple[Assertion, ...]
    message: str
    lane: int
    step: int
    path: str = ""
    value_digest: str = ""
    grade: str = ""
    advisory: bool = False
    synthetic: bool = False
    count: int = 1
    last_step: int = -1


def tally_of(finding: Finding) -> jcs.JSON:
    """A finding's identity, and how often it came."""
    return {
        "advisory": finding.advisory,
        "count": finding.count,
        "kind": finding.kind,
        "lane": finding.lane,
        "last_step": finding.last_step,
        "path": finding.path,
        "seam": finding.seam,
        "step": finding.step,
        "subjects": [[subject.kind, subject.id] for subject in sorted(finding.subjects)],
        "synthetic": finding.synthetic,
        "value_digest": finding.value_digest,
    }
