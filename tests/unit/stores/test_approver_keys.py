"""An approver's key in the key folder: locked, one for each person, never one that lies open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from groundwire.errors import EncodingError, GroundwireError, HostError, PolicyError, TrustError
from groundwire.keys import ed25519, locked
from groundwire.keys.ed25519 import Ed25519Signer, encode_private_key
from groundwire.keys.keyring import Key, Keyring, encode_keyring
from groundwire.keys.locked import is_locked, lock_private_key
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, Lock

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
ADA, BOB, THIRD = b"\x01" * 32, b"\x02" * 32, b"\x03" * 32
WORDS, OTHERS = "correct horse battery", "staple paper clip 9"
ONE, TWO = bytes(32), b"\x07" * 32


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locked, "COST", 1 << 10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "groundwire" / "keys"


@pytest.fixture
def store(folder: Path) -> KeyStore:
    return KeyStore(folder)


def made(store: KeyStore, seed: bytes = ADA, words: str = WORDS, drawn: bytes = ONE) -> Key:
    return store.new_approver("ada", NOW, seed, Lock(words, drawn))


def file_of(folder: Path, key: Key) -> Path:
    return folder / (key.id.removeprefix("ed25519:") + ".pem")


def refused(store: KeyStore, key_id: str, words: str = WORDS, now: datetime = NOW) -> str:
    with pytest.raises(GroundwireError) as caught:
        store.approver(key_id, words, now)
    assert words not in str(caught.value)
    return caught.value.reason


def test_an_approvers_key_is_kept_under_a_passphrase_and_says_so(
    store: KeyStore, folder: Path
) -> None:
    key = made(store)
    assert (key.purposes, key.custody, key.state, key.comment) == (
        ("approval",),
        "passphrase",
        "active",
        "ada",
    )
    path = file_of(folder, key)
    assert is_locked(path.read_bytes())
    assert path.stat().st_mode & 0o777 == 0o600
    assert store.list() == (key,)


def test_its_passphrase_opens_it_and_no_other_does(store: KeyStore) -> None:
    key = made(store)
    signer = store.approver(key.id, WORDS, NOW)
    ed25519.verify(Ed25519Signer.from_seed(ADA).public_key, signer.sign(b"m"), b"m")
    assert refused(store, key.id, OTHERS) == "passphrase-wrong"
    assert refused(store, key.id, WORDS.upper()) == "passphrase-wrong"


def test_there_is_one_for_each_person(store: KeyStore) -> None:
    keys = made(store), made(store, BOB, OTHERS, TWO)
    assert store.list() == keys
    assert [key.state for key in keys] == ["active", "active"]
    assert store.approver(keys[1].id, OTHERS, NOW).key_id == keys[1].id
    assert refused(store, keys[0].id, OTHERS) == "passphrase-wrong"


def test_a_key_that_approves_is_never_made_in_the_clear(store: KeyStore, folder: Path) -> None:
    for make in (
        lambda: store.new("approval", "", NOW, ADA),
        lambda: store.identity(NOW, ADA, "approval"),
    ):
        with pytest.raises(PolicyError) as caught:
            make()
        assert caught.value.reason == "passphrase-needed"
    assert not folder.exists()


def test_no_process_signs_with_it_as_its_own_identity(store: KeyStore) -> None:
    made(store)
    with pytest.raises(HostError) as caught:
        store.current_identity(NOW, "approval")
    assert caught.value.reason == "private-key-garbled"


def test_a_key_of_another_purpose_or_of_nobody_approves_nothing(store: KeyStore) -> None:
    assert refused(store, "ed25519:" + "0" * 64) == "unknown-key"
    signer = store.identity(NOW, BOB)
    assert refused(store, signer.key_id) == "unknown-key"
    assert refused(store, "ed25519:" + "0" * 64) == "unknown-key"


def test_a_revoked_or_retired_key_approves_nothing(store: KeyStore) -> None:
    key = made(store)
    fresh = store.rotate_approver(key.id, WORDS, LATER, BOB, Lock(OTHERS, TWO))
    assert refused(store, key.id, now=LATER) == "approver-revoked"
    store.revoke(fresh.id, LATER)
    assert refused(store, fresh.id, OTHERS, LATER) == "approver-revoked"


def test_rotating_asks_for_the_old_passphrase_and_forgets_the_old_key(
    store: KeyStore, folder: Path
) -> None:
    key = made(store)
    with pytest.raises(TrustError) as caught:
        store.rotate_approver(key.id, OTHERS, LATER, BOB, Lock(OTHERS, TWO))
    assert caught.value.reason == "passphrase-wrong"
    assert store.list() == (key,)
    fresh = store.rotate_approver(key.id, WORDS, LATER, BOB, Lock(OTHERS, TWO))
    assert not file_of(folder, key).exists()
    assert (fresh.comment, fresh.custody, fresh.purposes) == ("ada", "passphrase", ("approval",))
    old, new = store.list()
    assert (old.state, old.retired_at, new) == ("retired", format_time(LATER), fresh)
    assert store.approver(fresh.id, OTHERS, LATER).key_id == fresh.id
    assert store.keyring().judge(key.id, "approval", format_time(NOW), None).id == key.id


def test_rotating_one_persons_key_leaves_the_others(store: KeyStore) -> None:
    ada, bob = made(store), made(store, BOB, OTHERS, TWO)
    store.rotate_approver(ada.id, WORDS, LATER, THIRD, Lock(OTHERS, TWO))
    assert store.approver(bob.id, OTHERS, LATER).key_id == bob.id


def test_a_key_without_its_file_lies_elsewhere(store: KeyStore, folder: Path) -> None:
    key = made(store)
    file_of(folder, key).unlink()
    assert refused(store, key.id) == "private-key-missing"
    assert not store.opens_without_passphrase(key.id)


def test_a_key_that_lies_in_the_clear_is_opened_by_no_passphrase(
    store: KeyStore, folder: Path
) -> None:
    key = made(store)
    file_of(folder, key).write_bytes(encode_private_key(ADA))
    assert refused(store, key.id) == "self-approval"


def test_a_garbled_file_is_no_key(store: KeyStore, folder: Path) -> None:
    key = made(store)
    file_of(folder, key).write_bytes(lock_private_key(BOB, WORDS, TWO))
    assert refused(store, key.id) == "private-key-garbled"
    assert not store.opens_without_passphrase(key.id)


def test_a_file_that_others_can_read_is_not_opened(store: KeyStore, folder: Path) -> None:
    key = made(store)
    file_of(folder, key).chmod(0o644)
    assert refused(store, key.id) == "key-file-unsafe"


class TestWhatOpensWithoutAPassphrase:
    def test_a_locked_key_does_not(self, store: KeyStore) -> None:
        assert not store.opens_without_passphrase(made(store).id)

    def test_nothing_does_where_there_is_no_folder(self, store: KeyStore) -> None:
        assert not store.opens_without_passphrase("ed25519:" + "0" * 64)

    def test_the_keys_of_the_process_itself_do(self, store: KeyStore) -> None:
        for purpose in ("recording", "authority", "service"):
            seed = purpose.encode().ljust(32)
            assert store.opens_without_passphrase(store.identity(NOW, seed, purpose).key_id)

    def test_a_copy_in_the_clear_under_another_name_does(
        self, store: KeyStore, folder: Path
    ) -> None:
        key = made(store)
        (folder / "backup.pem").write_bytes(encode_private_key(ADA))
        assert store.opens_without_passphrase(key.id)

    def test_one_that_nobody_can_judge_is_taken_to(self, store: KeyStore, folder: Path) -> None:
        key = made(store)
        file_of(folder, key).write_bytes(b"what is this")
        assert store.opens_without_passphrase(key.id)
        file_of(folder, key).write_bytes(b"x" * 10_000)
        assert store.opens_without_passphrase(key.id)

    def test_garbage_of_another_name_says_nothing_of_it(
        self, store: KeyStore, folder: Path
    ) -> None:
        key = made(store)
        (folder / "notes.pem").write_bytes(b"what is this")
        (folder / "bob.pem").write_bytes(encode_private_key(BOB))
        assert not store.opens_without_passphrase(key.id)

    def test_what_the_keyring_says_of_its_custody_does_not_matter(
        self, store: KeyStore, folder: Path
    ) -> None:
        key = made(store)
        said = msgspec.structs.replace(key, custody="hardware")
        (folder / "keyring.json").write_bytes(encode_keyring(Keyring((said,), "x")))
        file_of(folder, key).write_bytes(encode_private_key(ADA))
        assert store.opens_without_passphrase(key.id)


def test_a_lock_does_not_print_the_passphrase() -> None:
    assert WORDS not in repr(Lock(WORDS, ONE))
    assert WORDS not in f"{Lock(WORDS, ONE)}"


def test_a_comment_that_is_none_is_refused_and_leaves_nothing(
    store: KeyStore, folder: Path
) -> None:
    with pytest.raises(EncodingError) as caught:
        store.new_approver("\x1b[2J", NOW, ADA, Lock(WORDS, ONE))
    assert caught.value.reason == "bad-comment"
    assert list(folder.glob("*.pem")) == []
