"""Order: which entry may stand where, as a machine over stages.

docs/reference/recording-format.md, The opening and Checkpoints. A stage is what has been seen:
`empty` nothing, `opened` the opening entry, `running` a certificate, `closing` the close entry,
`closed` a closing checkpoint, `certified` and `redacting` the first entries of a redaction.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from groundwire.documents.entry import (
    CertificateEntry,
    CheckpointEntry,
    CloseEntry,
    NoteEntry,
    Open,
    RedactionEntry,
)
from groundwire.verify.contents import Entry
from groundwire.verify.words import Broken, Code

Stage: TypeAlias = Literal[
    "empty", "opened", "running", "closing", "closed", "certified", "redacting"
]

_AFTER = "Only certificate, redaction and checkpoint, in that order, follow a closing checkpoint."

# Where one kind of entry may follow and no other: that kind, the stage it leads to, else why not.
_ONLY: dict[Stage, tuple[type, Stage, Code, str]] = {
    "empty": (Open, "opened", "opening-wrong", "The first entry is not an opening entry."),
    "opened": (
        CertificateEntry, "running", "opening-wrong", "The second entry is not a certificate.",
    ),
    "closing": (
        CheckpointEntry, "closed", "closing-wrong",
        "A close entry is not followed by its checkpoint.",
    ),
    "closed": (CertificateEntry, "certified", "after-closing", _AFTER),
    "certified": (RedactionEntry, "redacting", "after-closing", _AFTER),
    "redacting": (CheckpointEntry, "closed", "after-closing", _AFTER),
}  # fmt: skip


def next_stage(stage: Stage, entry: Entry, before: Entry | None) -> Stage:
    """The stage after this entry, `before` being the entry in front of it.

    Whether a checkpoint says that it closes is compared by `signatures`.

    Raises:
        Broken: `opening-wrong`, `certificate-misplaced`, `redaction-misplaced`, `closing-wrong`,
            `after-closing`.
    """
    if stage == "running":
        return _running(entry, before)
    kind, after, code, why = _ONLY[stage]
    if not isinstance(entry, kind):
        raise Broken(code, why)
    if isinstance(entry, Open) and (entry.segment == 0) != (entry.previous is None):
        raise Broken(
            "opening-wrong", "A first segment has none before it, and every other segment has one."
        )
    return after


def _running(entry: Entry, before: Entry | None) -> Stage:
    if isinstance(entry, Open):
        raise Broken("opening-wrong", "A second opening entry stands in the recording.")
    if isinstance(entry, CertificateEntry) and not says(before, "recovered", "certified-again"):
        raise Broken(
            "certificate-misplaced",
            "A run key is certified, and no note directly before it says why.",
        )
    if isinstance(entry, RedactionEntry):
        raise Broken("redaction-misplaced", "A redaction stands before the closing checkpoint.")
    return "closing" if isinstance(entry, CloseEntry) else "running"


def says(entry: Entry | None, *topics: str) -> bool:
    """Whether the entry is a note of one of these topics."""
    return isinstance(entry, NoteEntry) and entry.topic in topics
