"""The closed table of reasons: what each code means, what to do, and the exception that carries one.

docs/reference/verdicts.md is generated from here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.verdict import State
from groundwire.errors import GroundwireError, TrustError

Code: TypeAlias = Literal[
    "holds",
    "no-entries",
    "nothing-signed",
    "signer-unknown",
    "format-unknown",
    "not-understood",
    "not-a-recording",
    "too-costly",
    "note-malformed",
    "not-in-mirror",
    "line-malformed",
    "line-not-canonical",
    "content-form",
    "opening-wrong",
    "sequence-wrong",
    "chain-broken",
    "commitment-broken",
    "content-misplaced",
    "content-missing",
    "attachment-changed",
    "frame-wrong",
    "context-wrong",
    "envelope-malformed",
    "bad-signature",
    "wrong-signer",
    "identity-mismatch",
    "wrong-purpose",
    "key-not-yet-valid",
    "expired-key",
    "retired-key",
    "revoked-key",
    "revoked-undecidable",
    "other-run",
    "outside-window",
    "certificate-misplaced",
    "checkpoint-wrong",
    "closing-wrong",
    "after-closing",
    "redaction-misplaced",
    "redaction-wrong",
    "rolled-back",
    "replaced",
    "segment-wrong",
    "equivocation",
    "guarded-wrong",
    "guarded-unpermitted",
    "authority-unknown",
    "receipt-expired",
]


class Word(msgspec.Struct, frozen=True):
    """One reason: the state it leads to, what it means, what to do."""

    state: State
    means: str
    do: str


_RESTORE = "Restore the file from a copy that verifies; do not rely on this one."
_ASK = "Ask whoever keeps the key; do not rely on this recording until they answer."
_REPORT = (
    "If the file is as the recorder wrote it, report a defect of the recorder; otherwise it was "
    "changed by somebody with the key."
)

TABLE: dict[Code, Word] = {
    "holds": Word(
        "holds",
        "Every line, link, content, certificate and checkpoint is as it was signed.",
        "Read the two lines below the verdict: what this proves, and what it does not.",
    ),
    "no-entries": Word(
        "undecided",
        "The file has no whole entry: it is empty, or its first line is still being written.",
        "Verify again when the run has begun; an old file that is empty has lost its contents.",
    ),
    "nothing-signed": Word(
        "undecided",
        "No checkpoint stands in the file: anybody could have written these entries.",
        "Verify again after the run's first checkpoint, or after its close.",
    ),
    "signer-unknown": Word(
        "undecided",
        "The recording is intact under the run key it names, but the keyring does not know the "
        "identity that vouches for that key: whoever made the file may have made both.",
        "Get the signer's public key from somebody you trust and give it with --keys.",
    ),
    "format-unknown": Word(
        "undecided",
        "The recording is of a format version that this groundwire does not know.",
        "Verify it with the version that wrote it, or a later one.",
    ),
    "not-understood": Word(
        "undecided",
        "The opening entry demands that a reader know kinds of entry that this one does not.",
        "Verify it with the version that wrote it, or a later one.",
    ),
    "not-a-recording": Word(
        "undecided",
        "The file is of another kind: nothing in it begins as the lines of a recording do.",
        "Name a recording, runs/<name>.gw; for a log of another kind use `groundwire audit`.",
    ),
    "too-costly": Word(
        "undecided",
        "Each request of a recording can build on any earlier one, and these do so in a way that "
        "no recorder has a reason for and that could keep a verifier busy for hours.",
        "Ask whoever sent the file how it was made; do not rely on it until they answer.",
    ),
    "note-malformed": Word(
        "undecided",
        "The mirror holds something in this recording's place that is no signed note.",
        "Ask whoever keeps the mirror; without it, verify with no --against.",
    ),
    "not-in-mirror": Word(
        "undecided",
        "The mirror was asked and has no note of this recording: nothing there confirms it.",
        "Ask whoever keeps the mirror whether it was in use then; without it, verify with no "
        "--against.",
    ),
    "authority-unknown": Word(
        "undecided",
        "The recording is intact, but the keyring does not know the key that decided of a guarded "
        "call or attested it: whoever made the file may have decided too.",
        "Get the authority's public key from somebody you trust and give it with --keys.",
    ),
    "receipt-expired": Word(
        "undecided",
        "By the recording's clock a guarded effect was begun when its receipt had run out: a clock "
        "jumped, or the executor did not look.",
        "Look at the clocks of that machine; `groundwire guard verify RUN#N` shows the receipt.",
    ),
    "line-malformed": Word(
        "broken",
        "A line is not a document of this format: bytes were changed, or blanked by a crash.",
        _RESTORE,
    ),
    "line-not-canonical": Word(
        "broken",
        "A line says what it should in another spelling than the one that every reader expects.",
        _RESTORE,
    ),
    "content-form": Word(
        "broken", "A content line breaks the rules of its form: it was changed.", _RESTORE
    ),
    "opening-wrong": Word(
        "broken",
        "The file does not begin with an opening entry and a certificate that fit together.",
        _RESTORE,
    ),
    "sequence-wrong": Word(
        "broken",
        "An entry has another number than its place: entries were removed, added or moved.",
        _RESTORE,
    ),
    "chain-broken": Word(
        "broken",
        "An entry does not name the entry before it: one of the two was changed, or entries were "
        "removed, added or moved.",
        _RESTORE,
    ),
    "commitment-broken": Word(
        "broken",
        "A content line's salt and content do not make the commitment it stands for: the content "
        "was changed.",
        _RESTORE,
    ),
    "content-misplaced": Word(
        "broken",
        "A content line stands where no entry asks for it: it was moved, doubled or added.",
        _RESTORE,
    ),
    "content-missing": Word(
        "broken",
        "A content, or the file beside the recording that holds it, was taken away and no signed "
        "redaction says so.",
        "Restore it. To take contents out and keep the rest verifiable, redact instead.",
    ),
    "attachment-changed": Word(
        "broken",
        "A file beside the recording is not the one that was recorded.",
        "Restore the file from a copy.",
    ),
    "frame-wrong": Word(
        "broken",
        "A request does not say from which earlier one its messages come in a way that can be "
        "followed.",
        _REPORT,
    ),
    "context-wrong": Word(
        "broken",
        "A request's context or frame digest is not that of the messages it names.",
        _REPORT,
    ),
    "envelope-malformed": Word(
        "broken",
        "A signed document (certificate, checkpoint, redaction, deletion, receipt or attestation) "
        "is not in its one spelling.",
        _RESTORE,
    ),
    "bad-signature": Word(
        "broken",
        "A signature is not by the key it must be by, over the bytes it stands with.",
        _RESTORE,
    ),
    "wrong-signer": Word(
        "broken", "A checkpoint is signed by another key than the certified run key.", _RESTORE
    ),
    "identity-mismatch": Word(
        "broken", "A signed document names another identity than the one that signed it.", _RESTORE
    ),
    "wrong-purpose": Word(
        "broken", "The keyring does not trust the signing key for what it signed.", _ASK
    ),
    "key-not-yet-valid": Word(
        "broken", "The document says it was signed before the key's time began.", _ASK
    ),
    "expired-key": Word(
        "broken", "The document says it was signed after the key's time ended.", _ASK
    ),
    "retired-key": Word(
        "broken", "The document says it was signed after the key was retired.", _ASK
    ),
    "revoked-key": Word(
        "broken",
        "The document says it was signed when the key was already in other hands.",
        _ASK,
    ),
    "revoked-undecidable": Word(
        "broken",
        "The key was revoked as stolen, and no anchor shows that the document is older than the "
        "theft: the thief could have written it with any date.",
        _ASK,
    ),
    "other-run": Word(
        "broken",
        "A signed document is of another run: it was brought in from somewhere else.",
        _RESTORE,
    ),
    "outside-window": Word(
        "broken",
        "A checkpoint says it was signed at a time for which its key was not certified.",
        _REPORT,
    ),
    "certificate-misplaced": Word(
        "broken",
        "A certificate stands where the run key cannot change.",
        _REPORT,
    ),
    "checkpoint-wrong": Word(
        "broken",
        "A checkpoint's signature is good, but it is about other entries than those before it.",
        _RESTORE,
    ),
    "closing-wrong": Word(
        "broken",
        "The recording's end is not close and closing checkpoint, one after the other.",
        _REPORT,
    ),
    "after-closing": Word(
        "broken",
        "Something that is no whole redaction follows the closing checkpoint.",
        "Cut nothing off yourself; restore the file from a copy that verifies.",
    ),
    "redaction-misplaced": Word(
        "broken", "A redaction stands before the recording was closed.", _REPORT
    ),
    "redaction-wrong": Word(
        "broken",
        "A redaction lists contents that still stand in the file or that no entry names.",
        _REPORT,
    ),
    "rolled-back": Word(
        "broken",
        "The file is shorter than what was known of it elsewhere: its end was cut off, or an "
        "older copy was put in its place.",
        "Restore the longer file. What was cut off can be shown missing, not what it said.",
    ),
    "replaced": Word(
        "broken",
        "The file's entries are not those that were known of it elsewhere: another recording of "
        "the same run stands in its place.",
        "Restore the file that was there; keep this one as evidence.",
    ),
    "segment-wrong": Word(
        "broken",
        "The files given are not the segments of one run, one going on where the other ended.",
        "Give every segment of one run, in order.",
    ),
    "equivocation": Word(
        "broken",
        "Two signed checkpoints of one run contradict each other: a holder of the key wrote two "
        "histories.",
        "Keep both files; the two signed statements prove it to anybody.",
    ),
    "guarded-wrong": Word(
        "broken",
        "The entries of a guarded call contradict each other, or what stands behind one is no "
        "document of its kind.",
        _REPORT,
    ),
    "guarded-unpermitted": Word(
        "broken",
        "A guarded effect is recorded that no receipt in the recording permits: there is none, or "
        "it is for another call, other changes, or no permission.",
        "Do not take the effect for one that was decided; look at what the run really changed.",
    ),
}

_BROKEN: dict[str, Code] = {code: code for code, word in TABLE.items() if word.state == "broken"}


class Broken(TrustError):
    """Something of the recording does not hold, or cannot be judged; it becomes the verdict.

    `line` is 0 where no line is to blame and None for the line at hand.
    """

    def __init__(self, reason: Code, message: str, line: int | None = None) -> None:
        super().__init__(reason, message)
        self.code: Code = reason
        self.line = line


def located(error: GroundwireError, number: int) -> Broken:
    """The error as a reason of the closed table, with the line it is about."""
    if isinstance(error, Broken):
        return error if error.line is not None else Broken(error.code, error.message, number)
    # What the rooms below say of a signature or a line has the same code here; anything else they
    # may come to say is no reason to call a line good.
    code = _BROKEN.get(error.reason, "line-malformed")
    return Broken(code, error.message, number)
