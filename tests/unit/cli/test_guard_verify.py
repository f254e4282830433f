"""`groundwire guard verify`: a receipt offline, by a keyring alone, with an exit code for each end."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.canon import jcs
from groundwire.cli import main
from groundwire.documents.event import Guarded
from groundwire.keys.keyring import encode_keyring
from groundwire.session import clock
from groundwire.stores.file import FileSink
from tests.guarded import Call, trusting
from tests.recorders import START, recorder

CALL = Call()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "receipt.json").write_bytes(jcs.encode(msgspec.to_builtins(CALL.envelope)))
    trust()

    def offline(*_: Any) -> Any:
        raise AssertionError("a receipt is verified without a network")

    monkeypatch.setattr(socket.socket, "connect", offline)
    monkeypatch.setattr(clock, "now", lambda: START + timedelta(days=1))
    return tmp_path


def trust(**changes: Any) -> None:
    Path("keys.json").write_bytes(encode_keyring(trusting(**changes)))


def verified(named: str, *more: str) -> int:
    return main.run(["guard", "verify", named, "--keys", "keys.json", *more])


def recorded(*told: Guarded) -> None:
    writer = recorder(FileSink.create(Path("run.gw").resolve()))
    for each in told:
        writer.said(each)
    writer.close()


def test_a_receipt_of_a_trusted_authority_holds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verified("receipt.json") == 0
    said = capsys.readouterr().out
    for words in ("holds  receipt sha256:", "allow, by", "expired", "does not prove:", "keys.json"):
        assert words in said


@pytest.mark.parametrize(
    ("changes", "code", "reason"),
    [
        ({"authority": False}, 3, "unknown-signer"),
        ({"purposes": ("recording",)}, 1, "wrong-purpose"),
        ({"state": "retired", "retired_at": "2026-02-01T00:00:00.000000Z"}, 1, "retired-key"),
        ({"state": "revoked", "compromised_at": "2026-02-01T00:00:00.000000Z"}, 1, "revoked-key"),
    ],
)
def test_a_key_that_does_not_bear_it_out_has_a_name_and_a_code(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    code: int,
    reason: str,
) -> None:
    trust(**changes)
    assert verified("receipt.json") == code
    assert f"({reason})" in capsys.readouterr().out


def test_json_has_the_receipt_and_what_was_said_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verified("receipt.json", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["standing"], said["window"]) == ("holds", "over")
    assert said["receipt"]["asked"]["call"] == CALL.asked.call


def test_the_receipt_of_a_call_of_a_recording_comes_with_what_became_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(*CALL.whole(), Call(1).passed())
    assert verified("run.gw#0") == 0
    said = capsys.readouterr().out
    assert "in the run:     #0 `edit_spec`" in said
    assert "executed; attested executed" in said
    assert "recording:      verified, closed" in said
    assert verified("run.gw#1") == 3
    assert "reason: no-receipt" in capsys.readouterr().err
    assert verified("run.gw#7") == 3
    assert "reason: no-such-guarded-call" in capsys.readouterr().err


def test_of_a_recording_that_does_not_verify_nothing_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(CALL.executed())
    assert verified("run.gw#0") == 1
    said = capsys.readouterr()
    assert (said.out, "reason: guarded-unpermitted" in said.err) == ("", True)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("nothing.json", "file-unreadable"),
        ("nothing.gw#0", "file-unreadable"),
        ("keys.json", "not-an-envelope"),
        ("keys.json#0", "not-a-recording"),
        (".", "file-unreadable"),
    ],
)
def test_what_is_no_receipt_is_told_so(
    folder: Path, capsys: pytest.CaptureFixture[str], named: str, reason: str
) -> None:
    assert verified(named) == 3
    assert f"reason: {reason}" in capsys.readouterr().err


def test_changed_bytes_of_a_receipt_never_hold(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (folder / "receipt.json").read_bytes()
    for at in range(0, len(whole), 97):
        changed = bytearray(whole)
        changed[at] ^= 1
        (folder / "receipt.json").write_bytes(changed)
        assert verified("receipt.json") in (1, 3), at
        assert not capsys.readouterr().out.startswith("holds"), at


def test_a_name_in_a_receipt_cannot_move_the_cursor(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Call(path="a\x1b[2Jb\u202e.txt").envelope
    (folder / "receipt.json").write_bytes(jcs.encode(msgspec.to_builtins(made)))
    assert verified("receipt.json") == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_verify_counts_guarded_calls_in_a_row_of_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(CALL.decided(), CALL.intent())
    assert main.run(["verify", "run.gw", "--keys", "keys.json"]) == 0
    said = capsys.readouterr().out
    assert "1: 0 executed, 0 passed, 0 refused, 1 unknown (1 an intent alone)" in said


def test_an_audit_tells_of_guarded_calls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(*CALL.whole())
    main.run(["audit", "run.gw", "--keys", "keys.json"])
    said = capsys.readouterr().out
    assert "Guarded calls: 1: 1 executed, 0 passed, 0 refused, 0 unknown" in said
    assert "coverage unknown" in said


def test_an_outcome_that_its_executor_never_attested_is_said_to_be_so_and_the_receipt_holds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(CALL.decided(), CALL.intent(), CALL.executed())
    assert verified("run.gw#0") == 0
    assert "  closing:        unattested\n" in capsys.readouterr().out
    assert verified("run.gw#0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["call"]["lacking"] == ["unattested"]


def test_a_receipt_alone_says_that_it_does_not_know_how_the_call_was_closed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verified("receipt.json") == 0
    assert "closing:        not in a receipt" in capsys.readouterr().out
