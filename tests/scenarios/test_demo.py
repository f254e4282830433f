"""The demo's story, and what is told of its recordings afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from groundwire.audit.explain import boundary, life_of_call
from groundwire.audit.recordings import open_recording
from groundwire.audit.replay import replay
from groundwire.authority.keyrings import trusted_keyring
from groundwire.checks.engine import Engine
from groundwire.cli.main import run
from groundwire.demo import acts, asked, guarded, shop
from groundwire.documents.disposition import Row
from groundwire.documents.entry import DispositionEntry, FindingEntry
from groundwire.documents.finding import Finding
from groundwire.errors import EncodingError, TrustError
from groundwire.recording.reader import Reader

Told: TypeAlias = tuple[list[str], Path]


@pytest.fixture(scope="module")
def _told_once(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("demo") / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder.parent / "state"))
        return list(acts.run(folder)), folder


@pytest.fixture
def told(_told_once: Told, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.setenv("XDG_STATE_HOME", str(_told_once[1].parent / "state"))
    return _told_once


def reader_of(path: Path) -> Reader:
    return open_recording(path, trusted_keyring()).reader


@pytest.mark.parametrize(
    "name", ["demo.gw", "demo-attentive.gw", "demo-guarded.gw", "demo-asked.gw"]
)
def test_replay_finds_what_the_live_run_found(told: Told, name: str) -> None:
    reader = reader_of(told[1] / name)
    engine = Engine()
    news = [finding for event in replay(reader) for finding in engine.feed(event)]
    filed = [
        msgspec.json.decode(content, type=Finding)
        for entry in reader.entries
        if isinstance(entry, FindingEntry)
        and isinstance(content := reader.content(entry.holds["finding"]), bytes)
    ]
    [ledger] = [entry for entry in reader.entries if isinstance(entry, DispositionEntry)]
    rows = reader.content(ledger.holds["rows"])
    assert isinstance(rows, bytes)
    assert news == filed
    assert list(engine.rows()) == msgspec.json.decode(rows, type=list[Row])


def test_the_story_is_told_in_under_forty_lines_and_all_acts_in_seventy(told: Told) -> None:
    lines, _ = told
    text = "\n".join(lines)
    assert next(n for n, line in enumerate(lines) if line.startswith("5 ")) < 40
    assert len(lines) <= 70
    for fact in (
        "unsupported-argument (self)",
        "only in message 2, by the assistant",
        "entered at request 1",
        "gone since request 2",
        "not checked: missing-tools",
        "0 findings",
        "holds",
        "does not prove",
        "flipped, broken",
    ):
        assert fact in text


def test_a_coding_agents_change_of_a_governed_file_is_held_and_its_detour_too(told: Told) -> None:
    lines = [line.strip() for line in told[0]]
    begins, ends = (
        next(n for n, line in enumerate(lines) if line.startswith(each)) for each in ("5 ", "6 ")
    )
    act = lines[begins:ends]
    became = [line for line in act if line.startswith(("held", "lands", "passed"))]
    held = "held    approval-unavailable, by default/governed; not a byte changed"
    landed = "; the repository changed: content-match"
    assert became == [
        held,
        held,
        f"lands   unasked, by default/ordinary-write, default/write{landed}",
        f"lands   unasked, by default/git-ref, default/write{landed}",
    ]
    shown = [line for line in act if "GET /orders answered by 200" in line]
    assert len(shown) == 1
    assert 'answered by 200 {"id":""} shows (response-property-removed)' in shown[0]
    assert any(line.startswith("undo") and line.endswith("RATE = 4.90 again") for line in act)
    assert any(line.startswith("receipt holds: allow, by default/ordinary-write") for line in act)
    assert [
        path.name for path in told[1].iterdir() if path.is_dir()
    ] == []  # the repository is gone


def test_the_same_change_is_held_granted_at_a_terminal_applied_and_its_receipt_names_who(
    told: Told,
) -> None:
    lines = [line.strip() for line in told[0]]
    act = lines[next(n for n, line in enumerate(lines) if line.startswith("6 ")) :]
    became = [line for line in act if line.startswith(("held", "person", "lands", "receipt"))]
    assert [line.split()[0] for line in became] == ["held", "person", "lands", "receipt"]
    assert became[0].endswith("approval-pending, by default/governed; not a byte changed")
    assert "once a person allowed it, by default/governed; the repository changed" in became[2]
    [officer] = [key for key in trusted_keyring().keys if key.comment == asked.COMMENT]
    assert (officer.custody, officer.state) == ("passphrase", "retired")
    assert f"holds: allow, approved by {officer.id[:20]}" in became[3]


def test_playing_it_again_leaves_one_retired_key_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    for _ in range(2):
        list(asked.act(tmp_path / "demo-asked.gw"))
        (tmp_path / "demo-asked.gw").unlink()
    [officer] = [key for key in trusted_keyring().keys if key.comment == asked.COMMENT]
    assert officer.state == "retired"


@pytest.mark.parametrize("act", [guarded.act, asked.act])
def test_where_there_is_no_git_the_act_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], Iterator[str]]
) -> None:
    monkeypatch.setattr(shop, "is_git_here", lambda: False)
    [line] = act(tmp_path / "demo-guarded.gw")
    assert "left out" in line
    assert list(tmp_path.iterdir()) == []


def test_every_boundary_is_built_again_and_its_hash_proved(told: Told) -> None:
    for name in ("demo.gw", "demo-attentive.gw"):
        reader = reader_of(told[1] / name)
        for number in reader.exchanges:
            shown = boundary(reader, number)
            assert [proof.what for proof in shown.proofs if proof.holds] == [
                "context", "frame", "contents", "body",
            ]  # fmt: skip
            body = reader.body(number)
            assert isinstance(body, bytes)
            for row in shown.injections:
                assert row.form == "whole"
                assert body[row.body_start : row.body_end].startswith(b'"')


def test_the_life_of_a_call_goes_from_its_answer_to_its_eviction(
    told: Told,
) -> None:
    [life] = life_of_call(reader_of(told[1] / "demo.gw"), "call_hosts")
    assert (life.chosen_in, life.first_carried_in, life.last_carried_in, life.gone_since) == (
        0, 1, 1, 2,
    )  # fmt: skip


def test_a_call_that_is_not_there_is_named_with_those_that_are(
    told: Told,
) -> None:
    with pytest.raises(EncodingError, match="call_hosts") as error:
        life_of_call(reader_of(told[1] / "demo.gw"), "call_nowhere")
    assert error.value.reason == "no-such-call"


def test_altered_evidence_is_not_read(told: Told, tmp_path: Path) -> None:
    altered = tmp_path / "altered.gw"
    altered.write_bytes((told[1] / "demo.gw").read_bytes().replace(b"petrel-0482", b"petrel-0483"))
    with pytest.raises(TrustError):
        open_recording(altered, trusted_keyring())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["verify", "demo.gw"], 0),
        (["verify", "demo-guarded.gw"], 0),
        (["audit", "demo-guarded.gw"], 0),
        (["verify", "demo-asked.gw"], 0),
        (["audit", "demo-asked.gw"], 0),
        (["guard", "verify", "demo-asked.gw#1"], 0),
        (["guard", "verify", "demo-guarded.gw#2"], 0),
        (["guard", "verify", "demo-guarded.gw#9"], 3),
        (["verify", "demo-attentive.gw"], 0),
        (["audit", "demo.gw"], 1),
        (["audit", "demo-attentive.gw"], 0),
        (["audit", "demo.gw", "--json"], 1),
        (["explain", "demo.gw", "--boundary", "2"], 0),
        (["explain", "demo.gw", "--boundary", "2", "--json"], 0),
        (["explain", "demo.gw", "--call", "call_snap"], 0),
        (["explain", "demo.gw", "--call", "nothing"], 3),
        (["explain", "demo.gw", "--boundary", "99"], 3),
        (["explain", "demo.gw"], 2),
        (["explain", "nothing.gw", "--boundary", "0"], 3),
    ],
)
def test_the_commands_answer_for_the_demo(
    told: Told,
    arguments: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(told[1])
    assert run(arguments) == code, capsys.readouterr()
    if "--json" in arguments:
        msgspec.json.decode(capsys.readouterr().out)


def test_attack_a_recording_by_a_stranger_is_explained_as_such(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(told[1] / "demo.gw")
    assert run(["explain", path, "--boundary", "1"]) == 0
    assert capsys.readouterr().out.startswith("recording verified, closed, ")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "nobody"))
    for arguments in (["--boundary", "1"], ["--boundary", "1", "--json"]):
        assert run(["explain", path, *arguments]) == 3
    assert capsys.readouterr().out.startswith("recording could not be judged (signer-unknown)")
    run(["audit", path])
    assert "could not be judged (signer-unknown)" in capsys.readouterr().out
