from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.errors import TrustError
from groundwire.stores.heads import Heads
from tests.recordings import IDENTITY, STRANGER, Draft, keyring_document, sample
from tests.unit.audit.test_verifying import story
from tests.unit.stores.disk.test_reading import put
from tests.unit.verify.judging import head_of, note_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keyring.json").write_bytes(keyring_document(IDENTITY))
    return tmp_path


def verify(*arguments: str | Path) -> int:
    return main.run(["verify", *map(str, arguments), "--keys", "keyring.json"])


def test_a_recording_that_holds_ends_with_zero_and_two_lines_of_meaning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(put(folder, sample())) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"holds  {folder / 'run.gw'}"
    assert sum(line.startswith("  proves:") for line in lines) == 1
    assert sum(line.startswith("  does not prove:") for line in lines) == 1
    text = "\n".join(lines)
    for words in ("closed: its last entry", "keyring.json", "custody: in-process", "22 entries"):
        assert words in text


def test_a_broken_recording_ends_with_one_and_says_where_what_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(folder, sample())
    path.write_bytes(path.read_bytes().replace(b"berth 7", b"berth 9", 1))
    assert verify(path) == 1
    out = capsys.readouterr().out
    assert out.startswith("broken  ")
    assert "(commitment-broken)" in out
    assert "line 2" in out
    assert "means:" in out
    assert "do:" in out
    assert "proves:         nothing" in out


def test_an_unknown_signer_ends_with_three(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(put(folder, sample(identity=STRANGER))) == 3
    out = capsys.readouterr().out
    assert out.startswith("undecided  ")
    assert "Intact, but the signer is unknown" in out


@pytest.mark.parametrize("data", [b"", b"\x00" * 64])
def test_a_file_without_an_entry_gets_a_sentence(
    folder: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.gw").write_bytes(data)
    assert verify("x.gw") == 3
    assert "(no-entries)" in capsys.readouterr().out


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"{}\n", b"\xff" * 99, b"to do: berths\n"])
def test_a_file_of_another_kind_is_called_none_and_its_reader_is_sent_to_audit(
    folder: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.gw").write_bytes(data)
    assert verify("x.gw") == 3
    out = capsys.readouterr().out
    assert out.startswith("undecided  x.gw\n")
    assert "This is no groundwire recording. (not-a-recording)" in out
    assert "use `groundwire audit`" in out


def test_the_counts_of_a_broken_recording_are_said_to_end_at_the_failure(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(folder, sample())
    path.write_bytes(path.read_bytes().replace(b'"seq":9', b'"seq":8', 1))
    assert verify(path) == 1
    row = next(line for line in capsys.readouterr().out.splitlines() if "recording:" in line)
    assert "9 entries" in row
    assert row.endswith("; only what was read before the failure is counted")
    assert verify(put(folder, sample())) == 0
    assert "only what was read" not in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_a_name_that_is_not_utf8_stands_in_json_that_everybody_can_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = Draft().open().certificate().close()
    path = put(folder, draft).rename(folder / os.fsdecode(b"h\xe4fen.gw"))
    code = verify(path, os.fsdecode(b"\xff"), "--json")
    out = capsys.readouterr().out
    document = json.loads(out)
    assert document["code"] == code == 3
    assert [Path(each["path"]).name for each in document["files"]] == ["h\\udce4fen.gw", "\\udcff"]
    assert "No such file" in document["files"][1]["unreadable"]
    assert "\\udcff" in document["files"][1]["unreadable"]
    out.encode()


def test_a_key_that_was_stolen_ends_alike_as_a_verdict_and_as_an_error(folder: Path) -> None:
    stolen = keyring_document(
        IDENTITY, state="revoked", compromised_at="2026-01-01T00:00:00.000000Z"
    )
    (folder / "keyring.json").write_bytes(stolen)
    raised = TrustError("revoked-undecidable", "no anchor dates it")
    assert verify(put(folder, sample())) == main.exit_code(raised) == 1


def test_what_is_not_there_or_no_file_gets_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("absent.gw", folder) == 3
    out = capsys.readouterr().out
    assert "No such file" in out
    assert "it is a folder" in out


def test_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = verify(put(folder, sample()), "absent.gw", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["code"] == code == 3
    assert document["files"][0]["verdict"]["completeness"] == "closed"
    assert document["files"][1]["verdict"] is None
    assert document["keyring"] == "keyring.json"


def test_the_policys_keyring_is_trusted_and_else_the_users_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(folder, sample())
    assert main.run(["verify", str(path)]) == 3
    assert "groundwire/keys/keyring.json" in capsys.readouterr().out
    (folder / "groundwire.toml").write_text('[recording]\nkeyring = "keyring.json"\n')
    assert main.run(["verify", str(path)]) == 0
    assert "keyring.json" in capsys.readouterr().out


def test_a_keyring_that_is_none_is_an_error_and_no_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "keyring.json").write_text("{}")
    assert verify(put(folder, sample())) == 3
    assert capsys.readouterr().out == ""


def test_a_file_behind_the_head_of_this_machine_was_rolled_back(
    folder: Path, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long, short = story("one", "two"), story("one")
    path = put(folder, short)
    assert verify(path) == 0
    assert not (own_home / "state" / "groundwire" / "heads.sqlite").exists()
    heads = Heads(own_home / "state" / "groundwire" / "heads.sqlite")
    heads.put(head_of(long), state="checkpointed", path=str(path), at="2026-05-04T10:20:30.000000Z")
    heads.close()
    capsys.readouterr()
    assert verify(path) == 1
    assert "rolled-back" in capsys.readouterr().out
    put(folder, long)
    assert verify(path) == 0
    assert "7 entries, as kept on this machine" in capsys.readouterr().out


def test_a_mirror_makes_a_closed_recording_anchored_and_shows_a_shortened_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = sample()
    path = put(folder, draft)
    mirror = folder / "mirror"
    mirror.mkdir()
    assert verify(path, "--against", mirror) == 3
    assert "not-in-mirror" in capsys.readouterr().out
    (mirror / f"{draft.run}-0.notes").write_text(note_of(draft, 8) + note_of(draft, draft.size - 1))
    assert verify(path, "--against", mirror) == 0
    assert "anchored: closed" in capsys.readouterr().out
    cut = next(i for i, line in enumerate(draft.raw) if b'"@":"checkpoint/1"' in line)
    path.write_bytes(b"".join(line + b"\n" for line in draft.raw[: cut + 1]))
    assert verify(path) == 0
    assert verify(path, "--against", mirror) == 1
    assert "rolled-back" in capsys.readouterr().out
    assert verify(path, "--against", folder / "nowhere") == 2


def test_equivocation_prints_the_two_signed_statements(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(put(folder, story("a"), "one.gw"), put(folder, story("b"), "other.gw")) == 1
    out = capsys.readouterr().out
    assert "(equivocation)" in out
    statements = [
        json.loads(line.partition(":")[2])
        for line in out.splitlines()
        if line.startswith("  statement:")
    ]
    assert len(statements) == 2
    assert all(each["payloadType"] == "application/vnd.in-toto+json" for each in statements)
    assert out.count("  certified by:") == 2


def test_consistent_copies_and_segments_end_with_zero(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(put(folder, story("a"), "one.gw"), put(folder, story("a", "b"), "two.gw")) == 0
    assert "Consistent: the second goes on" in capsys.readouterr().out
    first = Draft().open().certificate().close(next_segment=True)
    paths = put(folder, first, "first.gw"), put(folder, first.next().close(), "second.gw")
    assert verify(*paths) == 0
    capsys.readouterr()
    assert verify(paths[0]) == 0
    out = capsys.readouterr().out
    assert "the run goes on in another" in out
    assert "second.gw" in out


def test_a_strangers_name_cannot_move_the_cursor(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = Draft(run="run-\x1b[2Jx").open().certificate().checkpoint()
    assert verify(put(folder, draft)) == 0
    assert "\x1b" not in capsys.readouterr().out
