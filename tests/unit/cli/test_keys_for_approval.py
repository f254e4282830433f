"""`groundwire keys` for the keys of people: made at a terminal, opened by a passphrase alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.cli.main import run
from groundwire.documents.approving import Approver
from groundwire.errors import HostError, TrustError
from groundwire.session import clock
from groundwire.stores.keys import KeyStore
from tests.terminals import Typist, at_terminal

WORDS, OTHERS = "kettle under brass moon", "paper tram seven lamps"
MAIN = "import sys\nfrom groundwire.cli.main import main\nmain()"
NEW = ("-c", MAIN, "keys", "new", "--purpose", "approval", "--name", "ada")


@pytest.fixture
def store(own_home: Path) -> KeyStore:
    return KeyStore(own_home / "state" / "groundwire" / "keys")


def chosen(typist: Typist, words: str = WORDS) -> None:
    typist.answer("Passphrase: ", words)
    typist.answer("The same again: ", words)


def made(*more: str) -> str:
    with at_terminal(*NEW, *more, environment=os.environ) as typist:
        chosen(typist)
        assert typist.end() == 0
        assert WORDS not in typist.seen
        out, err = typist.process.communicate()
        assert err == b""
        return out.decode()


def test_a_persons_key_is_made_and_its_block_is_ready_to_paste(store: KeyStore) -> None:
    out = made()
    (key,) = store.list()
    assert (key.purposes, key.custody, key.comment) == (("approval",), "passphrase", "ada")
    assert out.startswith(key.id)
    block = out[out.index("[[approvers]]") : out.index("Give your")]
    assert decode_policy(block, "p").approvers == (Approver(name="ada", key=key.id),)
    assert store.approver(key.id, WORDS, clock.now()).key_id == key.id
    with pytest.raises(TrustError):
        store.approver(key.id, OTHERS, clock.now())


def test_json_is_one_document_and_holds_no_passphrase(store: KeyStore) -> None:
    out = made("--json", "--comment", "the laptop")
    assert json.loads(out)["key"]["custody"] == "passphrase"
    assert json.loads(out)["key"]["comment"] == "ada: the laptop"
    assert WORDS not in out


def test_it_is_listed_exported_and_revoked_as_any_other(
    store: KeyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    made()
    (key,) = store.list()
    assert run(["keys", "list"]) == 0
    assert f"{key.id}  active  approval  passphrase" in capsys.readouterr().out
    assert run(["keys", "export"]) == 0
    assert "PRIVATE" not in capsys.readouterr().out
    assert run(["keys", "revoke", key.id[:20]]) == 0
    assert store.list()[0].state == "revoked"


def test_without_a_terminal_no_key_is_made_whatever_is_piped_in(store: KeyStore) -> None:
    done = subprocess.run(
        [sys.executable, *NEW],
        input=f"{WORDS}\n{WORDS}\n".encode(),
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 3
    assert b"reason: no-terminal" in done.stderr
    assert done.stdout == b""
    assert store.list() == ()


@pytest.mark.parametrize(
    ("words", "again", "reason"),
    [
        ("too short", None, b"passphrase-weak"),
        ("ada ada ada ada", None, b"passphrase-weak"),
        (WORDS, OTHERS, b"passphrase-differs"),
    ],
)
def test_a_passphrase_that_does_not_do_makes_no_key(
    store: KeyStore, words: str, again: str | None, reason: bytes
) -> None:
    with at_terminal(*NEW, environment=os.environ) as typist:
        typist.answer("Passphrase: ", words)
        if again is not None:
            typist.answer("The same again: ", again)
        assert typist.end() == 2
        out, err = typist.process.communicate()
    assert out == b""
    assert b"reason: " + reason in err
    assert store.list() == ()


def test_an_interrupted_choice_makes_no_key(store: KeyStore) -> None:
    with at_terminal(*NEW, environment=os.environ) as typist:
        typist.answer("Passphrase: ", WORDS)
        typist.answer("The same again: ", "\x03")
        assert typist.end() == 130
        assert typist.shows_what_is_typed
    assert store.list() == ()


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--purpose", "approval"),
        ("new", "--purpose", "approval", "--name", "Ada Lovelace"),
        ("new", "--purpose", "approval", "--name", "\x1b[2J"),
        ("new", "--name", "ada"),
        ("new", "--purpose", "authority", "--name", "ada"),
    ],
)
def test_a_name_is_a_persons_and_asked_for_first(
    store: KeyStore, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(["keys", *arguments]) == 2
    captured = capsys.readouterr()
    assert "reason: bad-arguments" in captured.err
    assert "\x1b" not in captured.err
    assert store.list() == ()


def test_there_may_be_one_for_each_person(store: KeyStore) -> None:
    made()
    with at_terminal(*NEW[:-1], "bob", environment=os.environ) as typist:
        chosen(typist, OTHERS)
        assert typist.end() == 0
    assert [key.comment for key in store.list()] == ["ada", "bob"]
    assert store.identity(clock.now(), bytes(32)).key_id not in {
        key.id for key in store.list() if "approval" in key.purposes
    }


def test_a_rotation_asks_for_the_old_passphrase_and_chooses_another(store: KeyStore) -> None:
    made()
    (old,) = store.list()
    rotate = ("-c", MAIN, "keys", "rotate", old.id[:20])
    with at_terminal(*rotate, environment=os.environ) as typist:
        typist.answer(f"Passphrase of {old.id[:16]}: ", OTHERS)
        assert typist.end() == 1
        assert b"reason: passphrase-wrong" in typist.process.communicate()[1]
    assert store.list() == (old,)
    with at_terminal(*rotate, environment=os.environ) as typist:
        typist.answer(f"Passphrase of {old.id[:16]}: ", WORDS)
        chosen(typist, OTHERS)
        assert typist.end() == 0
        out = typist.process.communicate()[0].decode()
    retired, fresh = store.list()
    assert (retired.state, fresh.state, fresh.comment) == ("retired", "active", "ada")
    assert fresh.id in out
    assert f"Take out the block with {old.id}" in out
    assert store.approver(fresh.id, OTHERS, clock.now()).key_id == fresh.id


def test_a_key_of_another_purpose_is_not_rotated_by_name(
    store: KeyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    key = store.new("service", "", clock.now(), bytes(32))
    assert run(["keys", "rotate", key.id]) == 2
    assert "reason: bad-arguments" in capsys.readouterr().err
    identity = store.identity(clock.now(), b"\x01" * 32)
    assert run(["keys", "rotate", identity.key_id]) == 0
    assert [key.state for key in store.list()] == ["active", "retired", "active"]


def test_what_is_wrong_with_the_folder_is_said_before_anything_is_typed(
    store: KeyStore, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.identity(clock.now(), bytes(32))
    (own_home / "state" / "groundwire" / "keys" / "keyring.json").write_text("{}")
    assert run(list(NEW[2:])) == 3
    assert "reason: keyring-garbled" in capsys.readouterr().err
    with pytest.raises(HostError):
        store.list()
