"""Recordings as evidence: verified first, then read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from groundwire.audit.replay import replay
from groundwire.audit.report import Report, audit_events
from groundwire.documents.verdict import Head, Verdict
from groundwire.errors import TrustError
from groundwire.keys.keyring import Keyring
from groundwire.recording.reader import Reader, read
from groundwire.stores.disk.reading import open_to_read
from groundwire.verify.recording import verify_recording

KnownHead = Callable[[str, int], Head | None]


class Evidence(msgspec.Struct, frozen=True):
    """A recording that does not fail, and the verdict on the very bytes that were read."""

    verdict: Verdict
    reader: Reader


def open_recording(path: Path, keyring: Keyring, known_head: KnownHead | None = None) -> Evidence:
    """The recording at `path`, verified as far as this keyring goes.

    The verdict may be `undecided` (the signer is not in the keyring): what was read is intact then,
    and nobody is known to have signed it. Attached files are read again when they are asked for.

    Raises:
        TrustError: it does not verify; the reason is the verdict's.
        HostError: `recording-unreadable`.
        EncodingError: it is no recording of this format.
    """
    # The head is asked for before the bytes are taken: a run that goes on being recorded meanwhile
    # would look cut back otherwise.
    known = None
    with open_to_read(path) as file:
        opening = file.opening
    if known_head is not None and opening is not None:
        known = known_head(opening.run, opening.segment)
    with open_to_read(path) as file:
        lines = list(file.lines())
        verdict = verify_recording(lines, keyring, files=file.file, known_head=known)
        if verdict.state == "broken":
            raise TrustError(
                verdict.reason,
                f"{path} does not verify: {verdict.message} Altered evidence is not read; "
                f"`groundwire verify {path}` says more.",
            )
        return Evidence(verdict, read(lines, _files(path), verdict.state))


def audit_recording(
    path: Path, keyring: Keyring, *, known_head: KnownHead | None = None, arm_all: bool = False
) -> Report:
    """What the checks say of a recording, by what it declares itself.

    Raises:
        TrustError, HostError, EncodingError: as `open_recording`.
    """
    evidence = open_recording(path, keyring, known_head)
    opening = evidence.reader.opening
    return audit_events(
        replay(evidence.reader, arm_all=arm_all),
        run=opening.run,
        model=opening.model,
        source="recording",
        notes=(standing_of(evidence.verdict),),
    )


def standing_of(verdict: Verdict) -> str:
    """One line: what the verifier said of the recording that a read-out is of."""
    signed = f"{verdict.signed_entries} of {verdict.entries} entries signed"
    if verdict.state == "undecided":
        return f"could not be judged ({verdict.reason}): {verdict.message}"
    return f"verified, {verdict.completeness}, {signed}"


def _files(path: Path) -> Callable[[str], bytes | None]:
    def file(digest: str) -> bytes | None:
        with open_to_read(path) as recording:
            return recording.file(digest)

    return file
