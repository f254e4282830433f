"""The manifest of a run that is going on, read from what it has recorded so far."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from pathlib import Path

from groundwire.documents.finding import Finding
from groundwire.documents.manifest import Manifest
from groundwire.errors import HostError

# The read-out stands above the hall: it is imported by its name, when it is first asked for.
_READING = "groundwire.audit.lineage.unverified"


class Manifested(ABC):
    """What gives its manifest from the file that it writes."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """Where the recording is."""

    @property
    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """What the checks have filed so far; what was waiting to be recorded is recorded then."""

    @abstractmethod
    def _make_durable(self, *, covered: bool = False) -> None: ...

    def manifest(self) -> Manifest:
        """Each tool call so far, where its result stood in each request, the hashes of contexts.

        The same as a reader of the file gets, who waits as long: it costs the whole run each time.
        An answer that is still on its way is not in it. Verifies no signature.

        Raises:
            HostError: `run-not-recorded`; `recording-unreadable`, `segment-missing`.
            EncodingError: the file is no recording any more.
        """
        if self.path is None:
            raise HostError(
                "run-not-recorded",
                "This run has no recording, so nothing is known of its calls; open it first.",
            )
        _ = self.findings
        self._make_durable()
        made: Manifest = importlib.import_module(_READING).manifest_of_file(self.path)
        return made
