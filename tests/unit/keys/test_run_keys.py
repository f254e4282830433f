from __future__ import annotations

import pickle

import pytest

from groundwire.errors import EncodingError, TrustError
from groundwire.keys.ed25519 import verify
from groundwire.keys.run_keys import new_run_key


def test_a_run_key_signs_until_it_is_forgotten() -> None:
    run_key = new_run_key(b"\x05" * 32)
    signer = run_key.signer
    verify(signer.public_key, signer.sign(b"m"), b"m")
    run_key.forget()
    with pytest.raises(TrustError) as refused:
        run_key.signer.sign(b"m")
    assert refused.value.reason == "run-key-forgotten"


def test_a_signer_handed_out_earlier_is_forgotten_too() -> None:
    run_key = new_run_key(b"\x05" * 32)
    signer = run_key.signer
    run_key.forget()
    run_key.forget()
    with pytest.raises(TrustError) as refused:
        signer.sign(b"m")
    assert refused.value.reason == "run-key-forgotten"


def test_the_public_half_outlives_the_private_one() -> None:
    run_key = new_run_key(b"\x05" * 32)
    before = run_key.signer.key_id, run_key.signer.public_key
    run_key.forget()
    assert (run_key.signer.key_id, run_key.signer.public_key) == before


def test_a_run_key_is_shown_by_its_name_and_not_pickled() -> None:
    signer = new_run_key(b"\x05" * 32).signer
    assert repr(signer) == f"RunKey({signer.key_id!r})"
    with pytest.raises(TrustError) as refused:
        pickle.dumps(signer)
    assert refused.value.reason == "key-not-copied"


def test_a_run_key_needs_a_whole_seed() -> None:
    with pytest.raises(EncodingError) as refused:
        new_run_key(b"")
    assert refused.value.reason == "bad-seed"
