"""What it costs a guarded call to ask whether a person stopped it, which it does twice.

`python -m bench.stops` exits 1 where the two looks of one call take more than 5 µs together: where no
stop ever was, where one was lifted, and where one of another run lies there. That is processor time,
the least of several rounds, so that a busy machine changes little.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.quiet import load, outcome
from groundwire.attest.people.stops import LIFTS, STOPS
from groundwire.canon.dsse import encode_base64
from groundwire.documents.stop import Lift, Stop
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Custody, Key, Keyring, Purpose
from groundwire.session.guarding.people.halting import Halting, Halts, Watch
from groundwire.stores.people.stops import StopFolder

BOUND_US = 5.0
LOOKS = 2
CALLS = 50_000
ROUNDS = 7
AT = "2026-03-01T12:00:00.000000Z"
AUTHORITY = Ed25519Signer.from_seed(b"\x01" * 32)
ADA = Ed25519Signer.from_seed(b"\x02" * 32)


def key(signer: Ed25519Signer, purpose: Purpose, custody: Custody) -> Key:
    """The signer's key as a keyring has it."""
    return Key(
        comment="", compromised_at=None, custody=custody, id=signer.key_id, not_after=None,
        not_before="2020-01-01T00:00:00.000000Z", public_key=encode_base64(signer.public_key),
        purposes=(purpose,), retired_at=None, state="active",
    )  # fmt: skip


KEYRING = Keyring(
    (key(AUTHORITY, "authority", "in-process"), key(ADA, "approval", "passphrase")), "the bench"
)


def put_stop(folder: StopFolder, scope: str) -> str:
    """A signed stop lies there; its digest."""
    document = Stop(at=AT, authority=AUTHORITY.key_id, id="0a" * 16, reason="", scope=scope)
    return folder.put("stop", document.id, STOPS.seal(document, AUTHORITY))


def nothing(_: StopFolder) -> None:
    """No stop ever was."""


def lifted(folder: StopFolder) -> None:
    """Every run was stopped, and an approver lifted that."""
    document = Lift(approver=ADA.key_id, at=AT, stop=put_stop(folder, "all"))
    folder.put("lift", "0b" * 16, LIFTS.seal(document, ADA))


def of_another(folder: StopFolder) -> None:
    """Another run is stopped."""
    put_stop(folder, "another-run")


def cost(prepare: Callable[[StopFolder], None]) -> float:
    """Microseconds of the processor's time that the looks of one call take."""
    with tempfile.TemporaryDirectory() as top:
        folder = StopFolder(Path(top) / "stops")
        prepare(folder)
        watch = Watch(folder, lambda: datetime.now(UTC) + timedelta(hours=1))
        halts = Halts(watch, lambda: (KEYRING, frozenset({ADA.key_id})))
        halting = Halting(halts, ("a-run", "its-parent"), plans=False)
        halting.refuse("write")
        rounds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            for _ in range(CALLS * LOOKS):
                halting.found("write")
            rounds.append((time.process_time() - began) / CALLS * 1e6)
    return min(rounds)


def main() -> int:
    """Prints one line a case; 1 if one is over its bound."""
    before, over = load(), False
    print(f"{'a guarded call':<34}{'µs for its two looks':>22}{'aim':>6}")
    for name, prepare in (
        ("where no stop ever was", nothing),
        ("where every run was, and is lifted", lifted),
        ("where another run is stopped", of_another),
    ):
        spent = cost(prepare)
        over = over or spent > BOUND_US
        print(f"{name:<34}{spent:>22.2f}{BOUND_US:>6.0f}")
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main())
