from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from groundwire.errors import EncodingError, HostError, PolicyError, TrustError
from groundwire.keys import ed25519
from groundwire.keys.ed25519 import Ed25519Signer, encode_private_key
from groundwire.keys.keyring import MAX_KEYRING_BYTES, Purpose, decode_keyring, encode_keyring
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.private_folder import PrivateFolder
from tests.unit.keys.samples import key_of, ring

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SEED, OTHER_SEED, THIRD_SEED = b"\x01" * 32, b"\x02" * 32, b"\x03" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "groundwire" / "keys"


@pytest.fixture
def store(folder: Path) -> KeyStore:
    return KeyStore(folder)


def private_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.pem"))


def reason_of(refused: pytest.ExceptionInfo[HostError | PolicyError | EncodingError]) -> str:
    return refused.value.reason


# -- where --------------------------------------------------------------------------------------


def test_keys_live_in_the_state_folder_of_the_user() -> None:
    assert default_folder({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/groundwire/keys")
    expected = Path("/h/.local/state/groundwire/keys")
    assert default_folder({"HOME": "/h"}) == expected
    assert default_folder({"XDG_STATE_HOME": "", "HOME": "/h"}) == expected


@pytest.mark.parametrize(
    "environment", [{}, {"HOME": ""}, {"XDG_STATE_HOME": "state", "HOME": "/h"}]
)
def test_a_relative_state_folder_would_put_keys_in_a_project_and_is_refused(
    environment: dict[str, str],
) -> None:
    with pytest.raises(HostError) as refused:
        default_folder(environment)
    assert reason_of(refused) == "no-state-home"


@pytest.mark.parametrize("mark", ["groundwire.toml", ".git"])
def test_keys_in_a_project_are_refused(tmp_path: Path, mark: str) -> None:
    (tmp_path / mark).touch()
    store = KeyStore(tmp_path / "deep" / "inside" / "keys")
    for act in (store.keyring, lambda: store.identity(NOW, SEED)):
        with pytest.raises(HostError) as refused:
            act()
        assert reason_of(refused) == "key-folder-in-project"
    assert not (tmp_path / "deep").exists()


def test_a_link_above_does_not_hide_a_project(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "groundwire.toml").touch()
    (tmp_path / "state").symlink_to(inner)
    with pytest.raises(HostError) as refused:
        KeyStore(tmp_path / "state" / "keys").identity(NOW, SEED)
    assert reason_of(refused) == "key-folder-in-project"


def test_a_home_folder_under_git_is_no_project(own_home: Path) -> None:
    (own_home / ".git").mkdir()
    KeyStore(own_home / ".local" / "state" / "keys").identity(NOW, SEED)
    (own_home / "groundwire.toml").touch()
    with pytest.raises(HostError) as refused:
        KeyStore(own_home / ".local" / "state" / "keys").identity(NOW, SEED)
    assert reason_of(refused) == "key-folder-in-project"


# -- first use ----------------------------------------------------------------------------------


def test_looking_makes_nothing(store: KeyStore, folder: Path) -> None:
    assert store.list() == ()
    assert decode_keyring(store.export(), "x").keys == ()
    assert not folder.exists()


def test_asking_for_the_current_identity_makes_none(store: KeyStore, folder: Path) -> None:
    assert store.current_identity(NOW) is None
    assert not folder.exists()
    made = store.identity(NOW, SEED)
    current = store.current_identity(NOW)
    assert current is not None
    assert current.key_id == made.key_id
    store.revoke(made.key_id, None)
    with pytest.raises(HostError) as refused:
        store.current_identity(NOW)
    assert reason_of(refused) == "no-active-identity"


def test_the_identity_is_made_on_first_use_and_is_the_same_ever_after(
    store: KeyStore, folder: Path
) -> None:
    signer = store.identity(NOW, SEED)
    assert signer.key_id == Ed25519Signer.from_seed(SEED).key_id
    assert KeyStore(folder).identity(LATER, OTHER_SEED).key_id == signer.key_id
    ed25519.verify(signer.public_key, signer.sign(b"m"), b"m")
    (key,) = store.list()
    assert (key.id, key.purposes, key.state) == (signer.key_id, ("recording",), "active")
    assert key.custody == "in-process"
    assert store.keyring().judge(key.id, "recording", format_time(NOW), None) == key


def test_a_process_whose_clock_was_read_before_the_key_was_made_can_use_it(
    store: KeyStore,
) -> None:
    signer = store.identity(NOW, SEED)
    assert store.identity(NOW - timedelta(seconds=1), OTHER_SEED).key_id == signer.key_id


def test_the_private_key_is_a_private_file_and_the_keyring_holds_none_of_it(
    store: KeyStore, folder: Path
) -> None:
    signer = store.identity(NOW, SEED)
    (name,) = private_files(folder)
    assert name == signer.key_id.removeprefix("ed25519:") + ".pem"
    assert (folder / name).read_bytes() == encode_private_key(SEED)
    assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert (folder / "keyring.json").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    secret = encode_private_key(SEED).splitlines()[1]
    assert secret not in store.export()
    assert SEED.hex().encode() not in store.export()


def test_what_is_exported_is_the_keyring_that_judges(store: KeyStore) -> None:
    signer = store.identity(NOW, SEED)
    keyring = decode_keyring(store.export(), "given away")
    assert keyring.judge(signer.key_id, "recording", format_time(NOW), None).id == signer.key_id


# -- many at once -------------------------------------------------------------------------------

MAKER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from groundwire.stores.keys import KeyStore
sys.stdin.readline()
store = KeyStore(Path(sys.argv[1]))
print(store.identity(datetime(2026, 3, 1, 12, tzinfo=UTC), bytes([int(sys.argv[2])]) * 32).key_id)
"""


def test_processes_that_make_the_identity_at_once_end_with_one(
    store: KeyStore, folder: Path
) -> None:
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER, str(folder), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(1, 7)
    ]
    for maker in makers:  # all have started before the first may begin
        assert maker.stdin is not None
        maker.stdin.write("go\n")
        maker.stdin.flush()
    answers = [maker.communicate(timeout=60)[0].strip() for maker in makers]
    assert [maker.returncode for maker in makers] == [0] * 6
    assert len(set(answers)) == 1
    assert [key.id for key in store.list()] == [answers[0]]
    assert len(private_files(folder)) == 1


def test_threads_that_make_keys_at_once_lose_none(store: KeyStore) -> None:
    def make(number: int) -> None:
        store.new("service", str(number), NOW, bytes([number]) * 32)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it waits for ever"
    assert sorted(key.comment for key in store.list()) == [str(number) for number in range(8)]


def test_a_rotation_between_keyring_and_private_key_does_not_fail_the_run_that_opens(
    store: KeyStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.identity(NOW, SEED)
    read = PrivateFolder.read
    rotated: list[str] = []

    def read_late(self: PrivateFolder, name: str, *, forbidden: int, limit: int) -> bytes | None:
        if name.endswith(".pem") and not rotated:
            rotated.append(KeyStore(folder).rotate(NOW, OTHER_SEED).id)
        return read(self, name, forbidden=forbidden, limit=limit)

    monkeypatch.setattr(PrivateFolder, "read", read_late)
    assert [store.identity(LATER, THIRD_SEED).key_id] == rotated


# -- crashes and full disks ---------------------------------------------------------------------


class PowerCut(BaseException):
    """Ends everything where it stands: no handler of ours may tidy up after it."""


STEPS = ("write", "fsync", "replace", "unlink", "mkdir", "open", "fchmod")


def cut_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The system refuses every change from the one after `steps` on."""
    seen: list[str] = []

    def step(name: str, real: object) -> object:
        def change(*arguments: object, **named: object) -> object:
            if name == "open" and not arguments[1] & os.O_CREAT:  # type: ignore[operator] -- flags
                return real(*arguments, **named)  # type: ignore[operator] -- a function of os
            if len(seen) >= steps:
                raise PowerCut
            seen.append(name)
            return real(*arguments, **named)  # type: ignore[operator] -- a function of os

        return change

    for name in STEPS:
        monkeypatch.setattr(os, name, step(name, getattr(os, name)))
    return seen


def changes_of(act: object, monkeypatch: pytest.MonkeyPatch) -> int:
    with monkeypatch.context() as patch:
        seen = cut_after(10_000, patch)
        act()  # type: ignore[operator] -- a closure of the test's
    return len(seen)


def test_a_power_cut_at_any_step_of_the_first_use_leaves_a_store_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = KeyStore(tmp_path / "whole" / "keys")
    count = changes_of(lambda: whole.identity(NOW, SEED), monkeypatch)
    assert count > 12
    for steps in range(count):
        store = KeyStore(tmp_path / str(steps) / "keys")
        with monkeypatch.context() as patch:
            cut_after(steps, patch)
            with pytest.raises(PowerCut):
                store.identity(NOW, SEED)
        before = store.list()
        signer = store.identity(LATER, OTHER_SEED)
        assert [key.id for key in store.list()] == [signer.key_id]
        assert before in {(), store.list()}


def test_a_power_cut_at_any_step_of_a_rotation_leaves_one_identity_that_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = KeyStore(tmp_path / "whole" / "keys")
    whole.identity(NOW, SEED)
    count = changes_of(lambda: whole.rotate(LATER, OTHER_SEED), monkeypatch)
    for steps in range(count):
        store = KeyStore(tmp_path / str(steps) / "keys")
        old = store.identity(NOW, SEED)
        with monkeypatch.context() as patch:
            cut_after(steps, patch)
            with pytest.raises(PowerCut):
                store.rotate(LATER, OTHER_SEED)
        signer = store.identity(LATER, THIRD_SEED)
        states = {key.id: key.state for key in store.list()}
        assert states[signer.key_id] == "active"
        assert states in ({old.key_id: "active"}, {old.key_id: "retired", signer.key_id: "active"})


@pytest.mark.parametrize("limit", [0, 40, 100, 118, 119, 200, 300])
def test_a_disk_that_fills_up_ends_in_one_error_and_a_store_that_goes_on(
    store: KeyStore, folder: Path, limit: int
) -> None:
    """Files of this process end at `limit` bytes, after a short write, as on a full disk."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(HostError) as refused:
            store.identity(NOW, SEED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert reason_of(refused) == "key-store-failed"
    assert private_files(folder) == []
    assert not list(folder.glob(".*"))
    assert store.list() == ()
    store.identity(LATER, OTHER_SEED)


def test_a_folder_that_cannot_be_synced_keeps_the_private_key_that_its_keyring_names(
    store: KeyStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.identity(NOW, SEED)
    real, calls = os.fsync, 0

    def failing(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # the private key's two, the keyring's file, then its folder
            raise OSError(5, "Input/output error")
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(HostError):
            store.new("service", "", NOW, OTHER_SEED)
    assert len(store.list()) == len(private_files(folder)) == 2


# -- what is unsafe, garbled or gone ------------------------------------------------------------


def test_an_open_folder_is_refused_in_every_use(store: KeyStore, folder: Path) -> None:
    signer = store.identity(NOW, SEED)
    folder.chmod(0o755)
    for act in (
        store.keyring,
        store.list,
        store.export,
        lambda: store.identity(NOW, SEED),
        lambda: store.new("service", "", NOW, OTHER_SEED),
        lambda: store.rotate(NOW, OTHER_SEED),
        lambda: store.revoke(signer.key_id, NOW),
    ):
        with pytest.raises(HostError, match="chmod 700") as refused:
            act()
        assert reason_of(refused) == "key-folder-unsafe"


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660])
def test_a_private_key_that_others_can_read_does_not_sign(
    store: KeyStore, folder: Path, bits: int
) -> None:
    store.identity(NOW, SEED)
    (folder / private_files(folder)[0]).chmod(bits)
    with pytest.raises(HostError, match="chmod 600") as refused:
        store.identity(NOW, SEED)
    assert reason_of(refused) == "key-file-unsafe"


def test_a_keyring_that_others_can_write_is_not_believed(store: KeyStore, folder: Path) -> None:
    store.identity(NOW, SEED)
    (folder / "keyring.json").chmod(0o644)
    assert store.list()
    (folder / "keyring.json").chmod(0o666)
    with pytest.raises(HostError) as refused:
        store.keyring()
    assert reason_of(refused) == "key-file-unsafe"


@pytest.mark.parametrize("data", [b"", b"{}", b"\0" * 400, b"not a keyring", b"\xff\xfe"])
def test_a_garbled_keyring_is_refused_and_left_as_it_is(
    store: KeyStore, folder: Path, data: bytes
) -> None:
    store.identity(NOW, SEED)
    (folder / "keyring.json").write_bytes(data)
    for act in (
        store.keyring,
        lambda: store.identity(NOW, SEED),
        lambda: store.rotate(NOW, OTHER_SEED),
        lambda: store.new("service", "", NOW, OTHER_SEED),
    ):
        with pytest.raises(HostError, match="backup") as refused:
            act()
        assert reason_of(refused) == "keyring-garbled"
    assert (folder / "keyring.json").read_bytes() == data


def test_a_keyring_with_one_key_twice_is_refused(store: KeyStore, folder: Path) -> None:
    store.identity(NOW, SEED)
    path = folder / "keyring.json"
    whole = path.read_bytes()
    key = whole[whole.index(b"[{") + 1 : whole.rindex(b"]}")]
    path.write_bytes(whole.replace(key, key + b"," + key))
    with pytest.raises(HostError, match="duplicate-key"):
        store.keyring()


def test_a_keyring_that_is_gone_is_not_begun_anew_beside_its_private_keys(
    store: KeyStore, folder: Path
) -> None:
    store.identity(NOW, SEED)
    (folder / "keyring.json").unlink()
    for act in (store.keyring, lambda: store.identity(NOW, OTHER_SEED)):
        with pytest.raises(HostError) as refused:
            act()
        assert reason_of(refused) == "keyring-missing"
    assert len(private_files(folder)) == 1


def test_a_private_key_that_is_gone_verifies_still_and_says_how_to_sign_again(
    store: KeyStore, folder: Path
) -> None:
    signer = store.identity(NOW, SEED)
    (folder / private_files(folder)[0]).unlink()
    assert store.keyring().judge(signer.key_id, "recording", format_time(NOW), None)
    with pytest.raises(HostError, match="groundwire keys rotate") as refused:
        store.identity(LATER, OTHER_SEED)
    assert reason_of(refused) == "private-key-missing"
    fresh = store.rotate(LATER, OTHER_SEED)
    assert store.identity(LATER, THIRD_SEED).key_id == fresh.id


@pytest.mark.parametrize("data", [b"", b"\0" * 119, b"-----BEGIN PRIVATE KEY-----\n"])
def test_a_garbled_private_key_is_refused_and_not_shown(
    store: KeyStore, folder: Path, data: bytes
) -> None:
    store.identity(NOW, SEED)
    (folder / private_files(folder)[0]).write_bytes(data)
    with pytest.raises(HostError) as refused:
        store.identity(NOW, SEED)
    assert reason_of(refused) == "private-key-garbled"


def test_another_key_under_the_name_of_the_identity_does_not_sign(
    store: KeyStore, folder: Path
) -> None:
    store.identity(NOW, SEED)
    (folder / private_files(folder)[0]).write_bytes(encode_private_key(OTHER_SEED))
    with pytest.raises(HostError) as refused:
        store.identity(NOW, SEED)
    assert reason_of(refused) == "private-key-garbled"


def test_a_private_key_that_is_a_link_does_not_sign(
    store: KeyStore, folder: Path, tmp_path: Path
) -> None:
    store.identity(NOW, SEED)
    path = folder / private_files(folder)[0]
    path.rename(tmp_path / "moved.pem")
    path.symlink_to(tmp_path / "moved.pem")
    with pytest.raises(HostError):
        store.identity(NOW, SEED)


def test_a_keyring_with_two_identities_leaves_nothing_to_chance(
    store: KeyStore, folder: Path
) -> None:
    store.identity(NOW, SEED)
    both = (*store.list(), key_of())
    (folder / "keyring.json").write_bytes(encode_keyring(ring(*both)))
    with pytest.raises(HostError) as refused:
        store.identity(NOW, SEED)
    assert reason_of(refused) == "two-identities"
    store.revoke(key_of().id, None)
    store.identity(NOW, SEED)


def test_a_clock_that_went_back_makes_no_recording_that_nobody_can_verify(
    store: KeyStore,
) -> None:
    store.identity(NOW, SEED)
    with pytest.raises(HostError, match="set the clock") as refused:
        store.identity(NOW - timedelta(days=1), OTHER_SEED)
    assert reason_of(refused) == "identity-unusable"


def test_a_keyring_that_would_outgrow_its_bound_is_not_written(
    store: KeyStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.identity(NOW, SEED)
    size = (folder / "keyring.json").stat().st_size
    assert size < MAX_KEYRING_BYTES
    monkeypatch.setattr("groundwire.stores.private_keys.folder.MAX_KEYRING_BYTES", size + 10)
    with pytest.raises(HostError) as refused:
        store.new("service", "", NOW, OTHER_SEED)
    assert reason_of(refused) == "keyring-full"
    assert len(store.list()) == len(private_files(folder)) == 1


# -- new, rotate, revoke ------------------------------------------------------------------------


def test_there_is_one_recording_key_at_a_time_and_as_many_others_as_wanted(
    store: KeyStore,
) -> None:
    store.new("recording", "first", NOW, SEED)
    with pytest.raises(PolicyError, match="keys rotate") as refused:
        store.new("recording", "second", NOW, OTHER_SEED)
    assert reason_of(refused) == "identity-exists"
    store.new("service", "one", NOW, OTHER_SEED)
    store.new("service", "two", NOW, THIRD_SEED)
    assert [key.comment for key in store.list()] == ["first", "one", "two"]


def test_an_approval_key_is_no_identity(store: KeyStore) -> None:
    approval = store.new("service", "", NOW, SEED)
    assert store.identity(NOW, OTHER_SEED).key_id != approval.id


def test_the_same_seed_twice_is_refused_and_changes_nothing(store: KeyStore, folder: Path) -> None:
    store.identity(NOW, SEED)
    for act in (
        lambda: store.new("service", "", NOW, SEED),
        lambda: store.rotate(LATER, SEED),
    ):
        with pytest.raises(EncodingError) as refused:
            act()
        assert reason_of(refused) == "duplicate-key"
    assert len(store.list()) == len(private_files(folder)) == 1
    store.identity(NOW, SEED)


def test_a_comment_that_a_terminal_would_obey_is_refused_and_nothing_is_made(
    store: KeyStore, folder: Path
) -> None:
    with pytest.raises(EncodingError) as refused:
        store.new("recording", "\x1b[2J", NOW, SEED)
    assert reason_of(refused) == "bad-comment"
    assert private_files(folder) == []


def test_after_a_rotation_the_old_key_verifies_what_it_signed_before_and_nothing_after(
    store: KeyStore, folder: Path
) -> None:
    old = store.identity(NOW, SEED)
    fresh = store.rotate(LATER, OTHER_SEED)
    assert store.identity(LATER, THIRD_SEED).key_id == fresh.id
    keyring = store.keyring()
    assert keyring.judge(old.key_id, "recording", format_time(NOW), None).state == "retired"
    with pytest.raises(TrustError) as refused:
        keyring.judge(old.key_id, "recording", format_time(LATER), None)
    assert refused.value.reason == "retired-key"
    assert private_files(folder) == [fresh.id.removeprefix("ed25519:") + ".pem"]


def test_a_rotation_keeps_comment_and_purposes(store: KeyStore) -> None:
    store.new("recording", "the build machine", NOW, SEED)
    fresh = store.rotate(LATER, OTHER_SEED)
    assert (fresh.comment, fresh.purposes) == ("the build machine", ("recording",))


def test_nothing_to_rotate_is_said(store: KeyStore) -> None:
    with pytest.raises(PolicyError, match="keys new") as refused:
        store.rotate(NOW, SEED)
    assert reason_of(refused) == "no-active-identity"


def test_a_revoked_identity_is_not_replaced_behind_its_users_back(
    store: KeyStore, folder: Path
) -> None:
    signer = store.identity(NOW, SEED)
    revoked = store.revoke(signer.key_id, NOW)
    assert (revoked.state, revoked.compromised_at) == ("revoked", format_time(NOW))
    assert private_files(folder) == []
    with pytest.raises(HostError, match="keys new") as refused:
        store.identity(LATER, OTHER_SEED)
    assert reason_of(refused) == "no-active-identity"
    fresh = store.new("recording", "", LATER, OTHER_SEED)
    assert store.identity(LATER, THIRD_SEED).key_id == fresh.id


def test_a_key_revoked_without_a_time_counts_for_nothing_it_ever_signed(store: KeyStore) -> None:
    signer = store.identity(NOW, SEED)
    store.revoke(signer.key_id, None)
    with pytest.raises(TrustError) as refused:
        store.keyring().judge(signer.key_id, "recording", format_time(NOW), format_time(NOW))
    assert refused.value.reason == "revoked-key"


def test_a_revocation_is_moved_back_and_never_forward(store: KeyStore) -> None:
    key = store.identity(NOW, SEED).key_id
    store.revoke(key, LATER)
    assert store.revoke(key, NOW).compromised_at == format_time(NOW)
    assert store.revoke(key, NOW).compromised_at == format_time(NOW)
    with pytest.raises(PolicyError) as refused:
        store.revoke(key, LATER)
    assert reason_of(refused) == "already-revoked"
    beginning = store.revoke(key, None).compromised_at
    assert beginning == store.list()[0].not_before < format_time(NOW)
    earlier = store.revoke(key, NOW - timedelta(days=1)).compromised_at
    assert store.revoke(key, None).compromised_at == earlier


def test_a_retired_key_can_be_revoked_and_stays_retired(store: KeyStore) -> None:
    old = store.identity(NOW, SEED).key_id
    store.rotate(LATER, OTHER_SEED)
    revoked = store.revoke(old, NOW)
    assert (revoked.state, revoked.retired_at) == ("revoked", format_time(LATER))


def test_a_key_that_is_not_there_cannot_be_revoked(store: KeyStore) -> None:
    store.identity(NOW, SEED)
    with pytest.raises(PolicyError, match="keys list") as refused:
        store.revoke("ed25519:" + "0" * 64, NOW)
    assert reason_of(refused) == "unknown-key"


def test_a_private_key_that_cannot_be_deleted_is_named_after_the_keyring_says_so(
    store: KeyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = store.identity(NOW, SEED)
    real = os.unlink

    def refusing(name: str, **named: object) -> None:
        if str(name).endswith(".pem"):
            raise PermissionError(1, "Operation not permitted")
        real(name, **named)  # type: ignore[arg-type] -- passed on as it came

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refusing)
        with pytest.raises(HostError, match="delete it") as refused:
            store.revoke(signer.key_id, NOW)
    assert reason_of(refused) == "private-key-left"
    assert store.list()[0].state == "revoked"


# -- export -------------------------------------------------------------------------------------


def test_an_export_replaces_what_stood_there_whole(store: KeyStore, tmp_path: Path) -> None:
    store.identity(NOW, SEED)
    path = tmp_path / "keyring.json"
    path.write_bytes(b"older and much longer " * 100)
    assert store.export_to(path) == 1
    assert path.read_bytes() == store.export()
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["keyring.json"]


def test_an_export_that_fails_leaves_what_stood_there(store: KeyStore, tmp_path: Path) -> None:
    store.identity(NOW, SEED)
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    for path in (blocked, tmp_path / "nowhere" / "keyring.json"):
        with pytest.raises(HostError) as refused:
            store.export_to(path)
        assert reason_of(refused) == "export-failed"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["blocked", "state"]


def test_attack_a_key_made_after_the_clock_was_read_still_certifies(store: KeyStore) -> None:
    # Another process makes the first key, or rotates it, while this one waits for the lock; the
    # certificate that this one then writes begins some minutes before it read the clock.
    store.identity(NOW, SEED)
    certified_from = format_time(NOW - timedelta(seconds=30) - timedelta(minutes=5))
    (key,) = store.list()
    assert store.keyring().judge(key.id, "recording", certified_from, None) == key


def test_attack_an_identity_made_while_waiting_for_the_lock_is_the_one(
    store: KeyStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = store.current_identity
    made = []

    def looked_too_early(now: datetime, purpose: Purpose) -> object:
        found = look(now, purpose)
        made.append(KeyStore(folder).identity(NOW, SEED))
        return found

    monkeypatch.setattr(store, "current_identity", looked_too_early)
    assert store.identity(NOW, OTHER_SEED).key_id == made[0].key_id
    assert len(store.list()) == 1


def test_an_authority_has_a_key_of_its_own_that_signs_no_recordings(store: KeyStore) -> None:
    recording = store.identity(NOW, SEED)
    authority = store.identity(NOW, OTHER_SEED, "authority")
    assert recording.key_id != authority.key_id
    assert [key.purposes for key in store.list()] == [("recording",), ("authority",)]
    assert store.identity(NOW, SEED, "authority").key_id == authority.key_id


def test_an_authority_whose_only_key_was_revoked_gets_no_new_one_by_itself(store: KeyStore) -> None:
    store.revoke(store.identity(NOW, SEED, "authority").key_id, None)
    with pytest.raises(HostError) as raised:
        store.identity(NOW, OTHER_SEED, "authority")
    assert raised.value.reason == "no-active-identity"
    assert "--purpose authority" in raised.value.message
