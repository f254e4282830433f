from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from groundwire.audit.guarding import approvers
from groundwire.cli import keys as command
from groundwire.cli.main import run
from groundwire.keys import keyring
from groundwire.keys.keyring import decode_keyring
from groundwire.stores.keys import KeyStore

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def store(own_home: Path) -> KeyStore:
    return KeyStore(own_home / "state" / "groundwire" / "keys")


def answer(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = run(["keys", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("name", ["new", "list", "rotate", "revoke", "add", "export"])
def test_each_command_has_a_help_with_an_example_of_itself(name: str, capsys: Captured) -> None:
    code, out, _ = answer(capsys, name, "--help")
    assert code == 0
    assert f"Example: groundwire keys {name}" in out
    assert "--json" in out


def test_the_help_waits_for_no_cryptography() -> None:
    script = (
        "import sys\nfrom groundwire.cli.main import run\nassert run(['keys', '--help']) == 0\n"
        "assert not {'cryptography', 'msgspec'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_purposes_of_the_command_are_those_of_the_keyring() -> None:
    assert get_args(command.Purpose) == get_args(keyring.Purpose)
    assert get_args(command.Elsewhere) == get_args(approvers.Elsewhere)


def test_no_keys_is_no_error(store: KeyStore, capsys: Captured) -> None:
    code, out, err = answer(capsys, "list")
    assert (code, err) == (0, "")
    assert "groundwire keys new" in out
    code, out, _ = answer(capsys, "list", "--json")
    assert (code, json.loads(out)["keys"]) == (0, [])


def test_a_new_key_is_listed_and_exported(store: KeyStore, capsys: Captured) -> None:
    code, out, err = answer(capsys, "new", "--comment", "the build machine")
    assert (code, err) == (0, "")
    (key,) = store.list()
    assert out.startswith(key.id)
    assert "groundwire keys export" in out
    code, out, _ = answer(capsys, "list")
    assert code == 0
    assert re.fullmatch(
        rf"{key.id}  active  recording  in-process  \S+Z to no end  the build machine\n", out
    )
    code, out, _ = answer(capsys, "export")
    assert code == 0
    assert decode_keyring(out.encode(), "printed").keys == (key,)


def test_a_second_recording_key_is_a_usage_error_that_names_rotate(
    store: KeyStore, capsys: Captured
) -> None:
    answer(capsys, "new")
    code, out, err = answer(capsys, "new")
    assert (code, out) == (2, "")
    assert "groundwire keys rotate" in err
    assert len(store.list()) == 1


@pytest.mark.parametrize("purpose", ["authority", "service"])
def test_a_key_for_something_else_is_made(store: KeyStore, capsys: Captured, purpose: str) -> None:
    code, out, _ = answer(capsys, "new", "--purpose", purpose, "--json")
    assert code == 0
    assert json.loads(out)["key"]["purposes"] == [purpose]


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--purpose", "everything"),
        ("new", "--comment", "\x1b[2J"),
        ("new", "--comment", "x" * 201),
        ("rotate",),
        ("export",),
        ("revoke",),
        ("revoke", "ed25519:00000000"),
        ("revoke", "00000000", "--since", "yesterday"),
        ("revoke", ""),
        ("revoke", "ed25519:"),
        ("delete",),
    ],
)
def test_what_was_asked_wrongly_ends_with_2_and_makes_nothing(
    store: KeyStore, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    code, out, err = answer(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err
    assert "\x1b" not in err
    assert store.list() == ()


def test_a_rotation_shows_the_new_key_and_retires_the_old(
    store: KeyStore, capsys: Captured
) -> None:
    answer(capsys, "new", "--comment", "mine")
    (old,) = store.list()
    code, out, _ = answer(capsys, "rotate")
    assert code == 0
    states = {key.id: key.state for key in store.list()}
    assert states.pop(old.id) == "retired"
    assert out.split()[0] in states
    code, out, _ = answer(capsys, "rotate", "--json")
    assert (code, json.loads(out)["key"]["state"]) == (0, "active")


def test_a_key_is_revoked_by_as_much_of_its_id_as_is_unique(
    store: KeyStore, capsys: Captured
) -> None:
    answer(capsys, "new")
    (key,) = store.list()
    since = "2999-05-04T10:20:30.000000Z"
    code, out, _ = answer(capsys, "revoke", key.id[: len("ed25519:") + 8], "--since", since)
    assert code == 0
    assert since in out
    assert (store.list()[0].state, store.list()[0].compromised_at) == ("revoked", since)
    code, out, _ = answer(capsys, "revoke", key.id.removeprefix("ed25519:"), "--json")
    assert (code, json.loads(out)["key"]["compromised_at"]) == (0, key.not_before)


def test_too_little_of_an_id_revokes_nothing_even_where_it_is_unique(
    store: KeyStore, capsys: Captured
) -> None:
    answer(capsys, "new")
    (key,) = store.list()
    for text in ("", "ed25519:", key.id[:15]):
        code, _, err = answer(capsys, "revoke", text)
        assert code == 2
        assert "8 digits" in err
    assert store.list()[0].state == "active"


def test_an_export_goes_to_a_file_and_says_how_many(
    store: KeyStore, capsys: Captured, tmp_path: Path
) -> None:
    answer(capsys, "new")
    path = tmp_path / "keyring.json"
    code, out, _ = answer(capsys, "export", "-o", str(path))
    assert (code, "1 public key and no private one" in out) == (0, True)
    assert decode_keyring(path.read_bytes(), "a file").keys == store.list()
    code, out, _ = answer(capsys, "export", "--output", str(path), "--json")
    assert (code, json.loads(out)) == (0, {"file": str(path), "keys": 1})


def test_a_host_that_fails_ends_with_3_and_the_next_step(
    store: KeyStore, capsys: Captured, own_home: Path, tmp_path: Path
) -> None:
    answer(capsys, "new")
    (own_home / "state" / "groundwire" / "keys").chmod(0o755)
    code, out, err = answer(capsys, "list")
    assert (code, out) == (3, "")
    assert "chmod 700" in err
    assert "reason: key-folder-unsafe" in err
    (own_home / "state" / "groundwire" / "keys").chmod(0o700)
    code, out, err = answer(capsys, "export", "-o", str(tmp_path / "nowhere" / "file"))
    assert (code, out) == (3, "")
    assert "reason: export-failed" in err


def test_no_command_prints_a_private_key(store: KeyStore, capsys: Captured, own_home: Path) -> None:
    printed = "".join(answer(capsys, "new", "--json")[1:])
    (pem,) = (own_home / "state" / "groundwire" / "keys").glob("*.pem")
    secret = pem.read_text().splitlines()[1][-40:]
    for arguments in (("list",), ("list", "--json"), ("export",), ("rotate", "--json")):
        printed += "".join(answer(capsys, *arguments)[1:])
    assert secret not in printed
    assert "PRIVATE KEY" not in printed
