"""Whatever a locked key file holds, and whatever is typed: our own errors, and never another's key as ours."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.errors import EncodingError, GroundwireError
from groundwire.keys import locked
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.locked import is_locked, lock_private_key, unlock_private_key

SEEDS = st.binary(min_size=32, max_size=32)
TYPED = st.text(max_size=40)


@settings(deadline=None, max_examples=60)
@given(SEEDS, TYPED, TYPED, SEEDS)
def test_a_key_opens_by_its_passphrase_alone(
    seed: bytes, words: str, others: str, drawn: bytes
) -> None:
    with mock.patch.object(locked, "COST", 1 << 4):
        data = lock_private_key(seed, words, drawn)
        own = Ed25519Signer.from_seed(seed).key_id
        assert is_locked(data)
        assert unlock_private_key(data, words).key_id == own
        try:
            opened = unlock_private_key(data, others).key_id
        except GroundwireError as error:
            opened = error.reason
        same = locked._stretched(words, drawn[:16]) == locked._stretched(others, drawn[:16])
        assert (opened == own) == same


@settings(deadline=None, max_examples=100)
@given(st.one_of(st.binary(max_size=400), st.text(max_size=400).map(str.encode)), TYPED)
def test_whatever_the_file_holds_only_our_own_errors_come_out(data: bytes, words: str) -> None:
    with mock.patch.object(locked, "COST", 1 << 4):
        with pytest.raises(EncodingError) as caught:
            unlock_private_key(data, words)
        assert caught.value.reason == "bad-private-key"
        assert not is_locked(data)
