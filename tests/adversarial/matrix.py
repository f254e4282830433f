"""The published attack matrix, row by row: which attacks of this list carry each out."""

from __future__ import annotations

from typing import Final

MATRIX: Final[dict[str, tuple[str, ...]]] = {
    "AM-RAW-TOOL": ("a raw tool beside the table", "an undeclared raw tool"),
    "AM-REPLAY": (
        "grant of an earlier call replayed",
        "receipt replayed for the same call",
        "one grant consumed by 200 threads",
    ),
    "AM-CONCURRENT": (
        "200 calls at once, a file each",
        "200 calls at once on one file",
        "200 calls with one grant for all",
    ),
    "AM-STALE-STATE": (
        "rewritten between T1 and T2",
        "rewritten between T2 and the write",
        "rewritten within the write",
    ),
    "AM-EXPIRED-NONCE": ("grant that ran out", "receipt that ran out"),
    "AM-PAYLOAD-SWAP": ("grant with the payload swapped", "receipt with the payload swapped"),
    "AM-MISSING-ATTESTATION": ("the host says that it committed",),
    "AM-GIT-MISSING-PIN": ("a move without an expected old value",),
    "AM-HTTP-MISSING-ETAG": (),
    "AM-RECONCILE-FORGED-ATTEST": ("a forged attestation of a grant",),
}
"""Rows without an attack have no target yet: nothing here writes over HTTP."""


def rows() -> list[str]:
    """What is said of each row."""
    return [
        f"{row:28} {'; '.join(names) if names else 'not yet: there is no HTTP target'}"
        for row, names in MATRIX.items()
    ]
