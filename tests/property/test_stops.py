"""Whatever lies in the folder of stops: a run is held by a stop or by doubt, and by nothing else."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwire.attest.people.stops import LIFTS, STOPS
from groundwire.documents.stop import Lift, Stop
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring
from groundwire.session.guarding.people.halting import Halting, Halts, Watch
from groundwire.stores.people.stops import StopFolder
from tests.approving import ADA, BEN
from tests.recorders import keyring as recorders_keyring

AT = "2026-03-01T12:00:00.000000Z"
AUTHORITY = Ed25519Signer.from_seed(b"\x07" * 32)
(_KEY,) = recorders_keyring(AUTHORITY).keys
KEYRING = Keyring((replace(_KEY, purposes=("authority",)), ADA.key(), BEN.key()), "the tests")
SCOPES = ("all", "run", "above", "other")
ACTS = st.one_of(
    st.tuples(st.just("stop"), st.sampled_from(SCOPES)),
    st.tuples(st.just("lift by ada"), st.integers(0, 5)),
    st.tuples(st.just("lift by ben"), st.integers(0, 5)),
    st.tuples(st.just("garble"), st.binary(max_size=40)),
    st.tuples(st.just("take away"), st.just(0)),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(ACTS, max_size=8))
def test_a_run_is_held_exactly_while_a_stop_of_it_was_seen_and_not_lifted(
    acts: list[tuple[str, object]],
) -> None:
    with tempfile.TemporaryDirectory() as top:
        folder = StopFolder(Path(top) / "stops")
        halting = Halting(
            Halts(Watch(folder), lambda: (KEYRING, frozenset({ADA.signer.key_id}))),
            ("run", "above"),
            plans=False,
        )
        written: list[tuple[str, str]] = []
        lifted: set[str] = set()
        for number, (act, what) in enumerate(acts):
            name = f"{number:032x}"
            if act == "stop":
                stop = Stop(at=AT, authority=AUTHORITY.key_id, id=name, reason="", scope=str(what))
                digest = folder.put("stop", name, STOPS.seal(stop, AUTHORITY))
                written.append((digest, str(what)))
            elif act == "garble":
                assert isinstance(what, bytes)
                written.append((folder.put_bytes("stop", name, what), "all"))
            elif act == "take away":
                shutil.rmtree(folder.folder, ignore_errors=True)
            elif written:
                assert isinstance(what, int)
                digest = written[what % len(written)][0]
                person = ADA if act == "lift by ada" else BEN
                lift = Lift(approver=person.signer.key_id, at=AT, stop=digest)
                folder.put("lift", name, LIFTS.seal(lift, person.signer))
                if person is ADA:
                    lifted.add(digest)
            held = any(
                scope in {"all", "run", "above"} and digest not in lifted
                for digest, scope in written
            )
            for effect in ("read", "write", "unstated"):
                found = halting.found(effect)  # type: ignore[arg-type] -- one of the effects
                assert (found is not None) == held
                assert found is None or found.reason == "stopped"
