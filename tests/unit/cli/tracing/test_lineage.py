from __future__ import annotations

import base64
import json
from pathlib import Path

import msgspec
import pytest
from securesystemslib.dsse import Envelope as StandardEnvelope
from securesystemslib.signer import SSlibKey

import groundwire as gw
from groundwire.attest.lineage import open_lineage
from groundwire.authority.keyrings import trusted_keyring
from groundwire.cli import main
from groundwire.documents.entry import Envelope
from groundwire.documents.lineage import LineagePolicy
from groundwire.errors import GroundwireError, TrustError
from groundwire.lineage.manifest import digest_of
from tests.recordings import IDENTITY, STRANGER, keyring_document, sample
from tests.unit.audit.lineage.test_reading import LOG
from tests.unit.stores.disk.test_reading import put


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keyring.json").write_bytes(keyring_document(IDENTITY))
    (tmp_path / "log.json").write_bytes(LOG)
    return tmp_path


def lineage(*arguments: str | Path) -> int:
    return main.run(["lineage", *map(str, arguments)])


def recorded(folder: Path) -> Path:
    return put(folder, sample())


def test_a_log_is_told_of_in_sentences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lineage("log.json") == 0
    told = capsys.readouterr().out
    assert "call c1 (look), lane 0, chosen in answer 0: injected" in told
    assert "request 1: whole, no bytes known, 2 characters" in told
    assert "ATTRIBUTION_GAP, HALT (answer-not-mapped)" in told


@pytest.mark.parametrize("form", [["--json"], ["--format", "json"]])
def test_json_is_one_document(
    folder: Path, capsys: pytest.CaptureFixture[str], form: list[str]
) -> None:
    assert lineage("log.json", *form) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "groundwire-lineage/1"
    [one] = document["runs"]
    assert one["manifest"]["calls"][0]["inputs_text"] == "{}"
    assert one["verdict"]["manifest"] == one["digest"]


def test_a_signed_statement_in_a_file_opens_and_is_accepted_by_another_verifier(
    folder: Path,
) -> None:
    assert lineage("log.json", "--format", "in-toto", "--out", "log.intoto.jsonl") == 0
    [line] = (folder / "log.intoto.jsonl").read_text().splitlines()
    envelope = msgspec.json.decode(line, type=Envelope)
    statement = open_lineage(envelope, trusted_keyring())
    key = trusted_keyring().find(statement.identity)
    assert key is not None
    public = base64.b64decode(key.public_key).hex()
    other = SSlibKey(statement.identity, "ed25519", "ed25519", {"public": public})
    assert StandardEnvelope.from_dict(json.loads(line)).verify([other], threshold=1)


def test_otel_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lineage("log.json", "--format", "otel") == 0
    assert "resourceSpans" in json.loads(capsys.readouterr().out)


def test_a_recording_is_verified_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(folder)
    assert lineage(path, "--keys", "keyring.json", "--json") in {0, 3}
    [one] = json.loads(capsys.readouterr().out)["runs"]
    assert one["manifest"]["source"] == "recording"
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"attempt":1', b'"attempt":2', 1))
    assert path.read_bytes() != data
    assert lineage(path, "--keys", "keyring.json") == 1


def test_a_recording_of_nobody_known_ends_with_three(folder: Path) -> None:
    path = recorded(folder)
    (folder / "other.json").write_bytes(keyring_document(STRANGER))
    assert lineage(path, "--keys", "other.json") == 3
    with pytest.raises(TrustError) as refused:
        gw.open_recording(path, "other.json", known_head=None)
    assert refused.value.reason == "signer-unknown"


def test_an_opened_recording_gives_its_manifest_and_a_verdict(folder: Path) -> None:
    run = gw.open_recording(str(recorded(folder)), Path("keyring.json"))
    assert run.verdict.state == "holds"
    assert isinstance(run.findings, tuple)
    verdict = gw.evaluate_lineage(run, LineagePolicy())
    assert verdict.manifest == digest_of(run.manifest())


def test_an_altered_recording_does_not_open(folder: Path) -> None:
    path = recorded(folder)
    path.write_bytes(path.read_bytes().replace(b'"attempt":1', b'"attempt":2', 1))
    with pytest.raises(TrustError):
        gw.open_recording(path, "keyring.json")


@pytest.mark.parametrize("data", [b"", b"no log", b'{"@":"open/1"', b"\x00\xff", b"[]"])
def test_what_is_neither_recording_nor_log_is_refused_by_name(folder: Path, data: bytes) -> None:
    (folder / "odd").write_bytes(data)
    assert lineage("odd") in {1, 3}
    with pytest.raises(GroundwireError):
        gw.open_recording("odd", "keyring.json")


def test_files_that_are_not_there_and_options_that_contradict_are_refused(folder: Path) -> None:
    assert lineage("nothing.gw") == 3
    assert lineage("log.json", "--json", "--format", "otel") == 2
    assert lineage("log.json", "--format", "prov") == 2
    assert lineage("log.json", "--json", "--out", "no/such/folder.json") == 3
