"""A recording opened by its path: verified, and then asked."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from groundwire.audit.lineage.reading import manifest_of
from groundwire.audit.recordings import Evidence, KnownHead
from groundwire.audit.recordings import open_recording as open_evidence
from groundwire.audit.replay import replay
from groundwire.authority.keyrings import trusted_keyring
from groundwire.checks.engine import Engine
from groundwire.documents.finding import Finding
from groundwire.documents.manifest import Manifest
from groundwire.documents.verdict import Verdict
from groundwire.errors import TrustError
from groundwire.keys.keyring import Keyring
from groundwire.session.keeping import known_head as kept_head


class OpenedRun:
    """One recording that verified under a trusted key. Only `open_recording` makes one.

    Of a run in several segments it is the one segment that was opened.
    """

    def __init__(self, path: Path, evidence: Evidence) -> None:
        self.path = path
        self._evidence = evidence

    @property
    def verdict(self) -> Verdict:
        """What the verifier said of the very bytes that are read here."""
        return self._evidence.verdict

    @property
    def run_id(self) -> str:
        """The run's id, from its opening entry."""
        return self._evidence.verdict.run

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the checks of this version find in the run, by what it declares itself."""
        engine = Engine()
        for event in replay(self._evidence.reader):
            engine.feed(event)
        return engine.findings()

    def manifest(self) -> Manifest:
        """Each tool call, where its result stood in each later request, and the hashes of contexts."""
        return self._manifest

    @cached_property
    def _manifest(self) -> Manifest:
        return manifest_of(self._evidence.reader)


def open_recording(
    path: Path | str,
    keyring: Keyring | Path | str | None = None,
    *,
    known_head: KnownHead | None = kept_head,
) -> OpenedRun:
    """The run recorded at `path`, verified: it holds, and a key of the keyring signed it.

    `keyring` is one, or the path of one; without it the policy's here, else the user's own.
    `known_head` says what is known of the recording outside its file: by default the heads that
    this machine keeps. Does not show that the run was recorded from its beginning, or that nothing
    happened beside it.

    Raises:
        TrustError: it does not verify, or nobody of the keyring signed it; the reason is the
            verdict's.
        HostError: `recording-unreadable`, `keyring-unreadable`.
        EncodingError: it is no recording of this format, or no keyring.
    """
    place = Path(path)
    trusted = keyring
    if not isinstance(trusted, Keyring):
        trusted = trusted_keyring(None if trusted is None else Path(trusted))
    evidence = open_evidence(place, trusted, known_head)
    if evidence.verdict.state != "holds":
        raise TrustError(
            evidence.verdict.reason,
            f"{place} could not be judged: {evidence.verdict.message} "
            f"`groundwire verify {place}` says more.",
        )
    return OpenedRun(place, evidence)
