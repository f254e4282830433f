"""`groundwire keys add`: the public key of an approver who works elsewhere comes into the keyring here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.cli.main import run
from groundwire.documents.approving import Approver
from groundwire.errors import HostError
from groundwire.keys import locked
from groundwire.session import clock
from groundwire.stores.keys import KeyStore, Lock

WORDS = "kettle under brass moon"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locked, "COST", 1 << 10)


@pytest.fixture
def store(own_home: Path) -> KeyStore:
    return KeyStore(own_home / "state" / "groundwire" / "keys")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    there = KeyStore(tmp_path / "there" / "keys")
    there.identity(clock.now(), b"\x21" * 32)
    there.new_approver("ada: her laptop", clock.now(), b"\x22" * 32, Lock(WORDS, bytes(32)))
    gone = there.new_approver("old", clock.now(), b"\x23" * 32, Lock(WORDS, bytes(32)))
    there.revoke(gone.id, None)
    path = tmp_path / "ada.json"
    there.export_to(path)
    return path


def test_its_active_key_for_approval_alone_is_taken(
    store: KeyStore, exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["keys", "add", str(exported)]) == 0
    out = capsys.readouterr().out
    (key,) = store.list()
    assert (key.custody, key.purposes, key.state) == (
        "other-user-agent",
        ("approval",),
        "active",
    )
    block = out[out.index("[[approvers]]") :]
    assert decode_policy(block, "p").approvers == (Approver(name="ada", key=key.id),)
    assert not store.opens_without_passphrase(key.id)
    with pytest.raises(HostError) as caught:
        store.approver(key.id, WORDS, clock.now())
    assert caught.value.reason == "private-key-missing"


def test_a_key_that_is_there_stays_as_it_is(
    store: KeyStore, exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a revocation could be taken back with a file from before it."""
    assert run(["keys", "add", str(exported), "--custody", "hardware", "--json"]) == 0
    (key,) = store.list()
    assert json.loads(capsys.readouterr().out)["added"][0]["custody"] == "hardware"
    store.revoke(key.id, None)
    assert run(["keys", "add", str(exported)]) == 0
    assert "nothing was changed" in capsys.readouterr().out
    assert store.list()[0].state == "revoked"


@pytest.mark.parametrize("custody", ["in-process", "passphrase", "vault"])
def test_of_a_private_half_elsewhere_no_other_custody_can_be_said(
    store: KeyStore, exported: Path, custody: str
) -> None:
    assert run(["keys", "add", str(exported), "--custody", custody]) == 2
    assert store.list() == ()


def test_what_is_no_keyring_or_has_no_such_key_is_refused(
    store: KeyStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    assert run(["keys", "add", str(path)]) == 3
    assert "reason: keyring-unreadable" in capsys.readouterr().err
    path.write_text("{}")
    assert run(["keys", "add", str(path)]) == 3
    assert "reason: bad-keyring" in capsys.readouterr().err
    there = KeyStore(tmp_path / "there" / "keys")
    there.identity(clock.now(), bytes(32))
    there.export_to(path)
    assert run(["keys", "add", str(path)]) == 2
    assert "reason: no-keys" in capsys.readouterr().err
    assert store.list() == ()
