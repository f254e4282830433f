"""Naming: a receipt as a person names it, on the way to its digest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from groundwire.documents.entry import Envelope

_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def receipt_digest(named: str) -> str:
    """The digest of the receipt that is named so: itself, a file with it, or `RUN.gw#N`.

    Of a recording's call the recording is verified; a receipt is not: its digest is looked up among
    what was written here.

    Raises:
        GroundwireError: nothing is named so, or it cannot be read.
    """
    from groundwire.attest.envelope import unverified_payload
    from groundwire.canon.digest import sha256

    if _DIGEST.fullmatch(named):
        return named
    return sha256(unverified_payload(_envelope(named)))


def _envelope(named: str) -> Envelope:
    from groundwire.audit.guarding.receipts import (
        envelope_of_file,
        recorded_call,
        run_and_number,
    )
    from groundwire.audit.recordings import open_recording
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.errors import HostError
    from groundwire.session.keeping import known_head

    found = None if Path(named).is_file() else run_and_number(named)
    if found is not None:
        evidence = open_recording(Path(found[0]), trusted_keyring(None), known_head)
        return recorded_call(evidence.reader, found[1])[0]
    try:
        return envelope_of_file(Path(named).read_bytes(), named)
    except OSError as error:
        raise HostError(
            "file-unreadable",
            f"{named} cannot be read ({error.strerror or error}); name a receipt by its digest, a"
            " file with it, or RUN.gw#N.",
        ) from error
