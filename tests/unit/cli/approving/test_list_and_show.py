"""What a list and `show` tell, and to whom: no key and no terminal is needed to look."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from groundwire.cli.main import run
from groundwire.session.clock import now
from groundwire.stores.keys import default_folder
from tests.unit.cli.approving.office import PASSPHRASE, Office, approvals, ended

Captured = pytest.CaptureFixture[str]


def answer(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = run(["approvals", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    "name", ["list", "show", "grant", "deny", "standing", "revoke", "export", "deliver"]
)
def test_each_command_has_a_help_with_an_example_of_itself(name: str, capsys: Captured) -> None:
    code, out, _ = answer(capsys, name, "--help")
    assert code == 0
    assert f"Example: groundwire approvals {name}" in " ".join(out.split())
    assert "--json" in out


def test_the_help_waits_for_no_cryptography() -> None:
    script = (
        "import sys\nfrom groundwire.cli.main import run\nassert run(['approvals', '--help']) == 0\n"
        "assert not {'cryptography', 'msgspec'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_with_no_mailbox_nothing_is_asked_and_nothing_is_made(
    capsys: Captured, own_home: Path
) -> None:
    code, out, err = answer(capsys, "list")
    assert (code, err) == (0, "")
    assert out.startswith("Nobody is asked anything")
    assert list(own_home.rglob("*")) == []


def test_the_list_has_what_waits_first_and_says_what_is_untrusted(
    office: Office, capsys: Captured
) -> None:
    waiting, forged = office.request(), office.request(tool="grant me")
    gone = office.request(since=now() - timedelta(minutes=12))
    packet, sealed = office.mailbox.packet(forged), office.mailbox.request(forged)
    assert packet is not None
    assert sealed is not None
    office.mailbox.post_request(forged, office.broken(sealed), packet)
    code, out, _ = answer(capsys, "list")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()] == [
        [waiting, "pending"],
        [gone, "expired"],
        [forged, "untrusted"],
    ]
    assert "grant me" not in out
    code, out, _ = answer(capsys, "list", "--json")
    rows = json.loads(out)["requests"]
    assert [each["state"] for each in rows] == ["pending", "expired", "untrusted"]
    assert rows[2]["reason"] == "bad-signature"
    assert "grant me" not in out


def test_files_of_somebodys_own_in_the_mailbox_change_nothing(
    office: Office, capsys: Captured
) -> None:
    asked = office.request()
    for name in ("grant.txt", f"{'0' * 32}.request.json", "x.answer.json", f"{asked}.answer.json"):
        (office.mailbox.folder / name).write_bytes(b"\xff" * 40)
    code, out, _ = answer(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [asked]


def test_show_tells_all_of_a_request_and_how_its_digest_begins(
    office: Office, capsys: Captured
) -> None:
    asked = office.request(claim="I only \u202efix a typo")
    code, out, _ = answer(capsys, "show", asked[:6])
    assert code == 0
    assert out.index("clients would break") < out.index("| +after") < out.index("nobody checked")
    assert "| I only \\u{202e}fix a typo" in out
    assert office.digest(asked) in out


def test_show_in_json_is_one_document(office: Office, capsys: Captured) -> None:
    asked = office.request()
    code, out, _ = answer(capsys, "show", asked, "--json")
    told = json.loads(out)
    assert (code, told["id"], told["reason"]) == (0, asked, "")
    assert told["packet"]["changes"][0]["diff"] == "-before\n+after"


def test_of_what_is_untrusted_show_tells_why_and_nothing_else(
    office: Office, capsys: Captured
) -> None:
    asked = office.request(claim="please")
    packet, sealed = office.mailbox.packet(asked), office.mailbox.request(asked)
    assert packet is not None
    assert sealed is not None
    office.mailbox.post_request(asked, office.broken(sealed), packet)
    code, out, _ = answer(capsys, "show", asked)
    assert code == 1
    assert "reason: bad-signature" in out
    assert "please" not in out
    code, out, _ = answer(capsys, "show", asked, "--json")
    assert (code, json.loads(out)["packet"]) == (1, None)
    assert "please" not in out


@pytest.mark.parametrize("start", ["abc", "0" * 32, "", "../x"])
def test_what_names_nothing_is_a_usage_error(office: Office, capsys: Captured, start: str) -> None:
    office.request()
    code, _, err = answer(capsys, "show", start)
    assert code == 2
    assert "reason: no-such-approval" in err


def test_the_keyring_that_a_project_names_does_not_judge_requests(
    office: Office, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent may write a policy into a folder of its own, with a keyring of its own."""
    asked = office.request()
    (tmp_path / "empty.json").write_bytes(b'{"format":"groundwire-keyring/1","keys":[]}\n')
    (tmp_path / "groundwire.toml").write_text('keyring = "empty.json"\n')
    monkeypatch.chdir(tmp_path)
    code, out, _ = answer(capsys, "show", asked)
    assert code == 0
    assert "clients would break" in out


def test_a_list_tells_what_was_answered(office: Office, capsys: Captured) -> None:
    yes, no = office.request(), office.request()
    with approvals("deny", no) as typist:
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    code, out, _ = answer(capsys, "list", "--json")
    told = {each["id"]: each for each in json.loads(out)["requests"]}
    assert code == 0
    assert (told[yes]["state"], told[no]["state"]) == ("pending", "denied")
    assert told[no]["answers"] == {office.ada.id: "denied"}


def test_looking_uses_nothing_up(office: Office, capsys: Captured) -> None:
    office.request()
    answer(capsys, "list")
    assert not (default_folder(os.environ).parent / "guard" / "grants.sqlite").exists()
