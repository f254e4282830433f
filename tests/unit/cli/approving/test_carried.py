"""A request is answered by somebody elsewhere, with files; what comes back is verified first."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from groundwire.attest.people.approvals import APPROVALS
from groundwire.audit.approving.asking import answer_of, judge, trusted
from groundwire.audit.approving.carrying import (
    CarriedAnswer,
    CarriedAnswers,
    answers_in,
    as_file,
)
from groundwire.cli.main import run
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Keyring, encode_keyring
from groundwire.session.clock import now
from groundwire.stores.keys import KeyStore
from tests.askings import replace
from tests.recorders import seed
from tests.unit.cli.approving.office import (
    PASSPHRASE,
    Office,
    approvals,
    ended,
    read_to_the_end,
)

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def elsewhere(office: Office, tmp_path: Path) -> dict[str, str]:
    """The environment of ada's own machine: her private key is there and no longer here."""
    state = tmp_path / "hers"
    here, there = Path(os.environ["XDG_STATE_HOME"]), state / "groundwire" / "keys"
    there.mkdir(parents=True, mode=0o700)
    (state / "groundwire").chmod(0o700)
    hex_name = office.ada.id.removeprefix("ed25519:")
    private = here / "groundwire" / "keys" / f"{hex_name}.pem"
    private.rename(there / private.name)
    (there / "keyring.json").write_bytes(encode_keyring(Keyring((office.ada,), "hers")))
    return {**os.environ, "XDG_STATE_HOME": str(state)}


def exported(office: Office, tmp_path: Path, *identities: str) -> tuple[Path, Path]:
    """The exported requests, and the keyring that knows who asks."""
    asked, keyring = tmp_path / "asked.json", tmp_path / "keyring.json"
    assert run(["approvals", "export", *identities, "--out", str(asked)]) == 0
    office.store.export_to(keyring)
    return asked, keyring


def test_a_request_is_answered_on_another_machine_and_delivered(
    office: Office, elsewhere: dict[str, str], tmp_path: Path, capsys: Captured
) -> None:
    one, two = office.request(), office.request()
    asked, keyring = exported(office, tmp_path, one, two)
    assert asked.stat().st_mode & 0o077 == 0
    out = tmp_path / "answer.json"
    with approvals(
        "grant", "--request", str(asked), "--keys", str(keyring), "--out", str(out),
        environment=elsewhere,
    ) as typist:  # fmt: skip
        assert "clients would break" in "".join(read_to_the_end(typist))
        typist.type(f"{office.digest(one, two)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    assert office.answers(one) == []
    assert run(["approvals", "deliver", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [each["id"] for each in told["delivered"]] == [one, two]
    assert [each.answer for each in office.answers(one)] == ["granted"]


def test_whoever_has_not_the_keyring_of_who_asks_is_shown_nothing(
    office: Office, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    asked, _ = exported(office, tmp_path, office.request())
    with approvals("grant", "--request", str(asked), environment=elsewhere) as typist:
        code, _, err = ended(typist)
        assert typist.seen == ""
    assert code == 1
    assert "unknown-signer" in err


def carried(office: Office, identity: str, signer: Ed25519Signer, **changes: object) -> Path:
    """A file with an answer to the request, signed by whoever."""
    sealed = office.mailbox.request(identity)
    assert sealed is not None
    given = trusted(
        judge(identity, sealed, office.mailbox.packet(identity), office.store.keyring())
    )
    said = replace(answer_of(given, signer.key_id, granted=True, now=now()), **changes)
    answer = CarriedAnswer(
        approver=signer.key_id, id=identity, kind="answer", said=APPROVALS.seal(said, signer)
    )
    path = Path(os.environ["HOME"]) / "forged.json"
    path.write_bytes(as_file(CarriedAnswers(answers=(answer,))))
    return path


def refused(capsys: Captured, path: Path) -> str:
    """The reason for which nothing was delivered."""
    assert run(["approvals", "deliver", str(path)]) in (1, 2, 3)
    return capsys.readouterr().err.strip().rpartition("reason: ")[2]


def test_an_answer_of_a_stranger_is_not_delivered(office: Office, capsys: Captured) -> None:
    asked = office.request()
    stranger = Ed25519Signer.from_seed(seed("mallory"))
    assert refused(capsys, carried(office, asked, stranger)) == "unknown-signer"
    assert office.mailbox.answers(asked) == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"shown": "gw1:" + "0" * 64}, "approval-for-another"),
        ({"request": "sha256:" + "0" * 64}, "approval-for-another"),
        ({"subject": "gw1:" + "0" * 64}, "approval-for-another"),
    ],
)
def test_an_answer_to_something_else_is_not_delivered(
    office: Office, capsys: Captured, changes: dict[str, object], reason: str
) -> None:
    asked = office.request()
    ada = office.store.approver(office.ada.id, PASSPHRASE, now())
    assert isinstance(ada, Ed25519Signer)
    assert refused(capsys, carried(office, asked, ada, **changes)) == reason
    assert office.mailbox.answers(asked) == ()


def test_an_answer_under_another_id_or_name_is_not_delivered(
    office: Office, capsys: Captured
) -> None:
    asked, other = office.request(), office.request()
    ada = office.store.approver(office.ada.id, PASSPHRASE, now())
    assert isinstance(ada, Ed25519Signer)
    path = carried(office, asked, ada)
    (answer,) = answers_in(path.read_bytes(), "f")
    bob = office.approver("bob")
    for changed, reason in (
        ({"id": other}, "approval-for-another"),
        ({"approver": bob.id}, "approval-for-another"),
        ({"kind": "standing"}, "wrong-predicate-type"),
        ({"kind": "revocation"}, "wrong-predicate-type"),
    ):
        swapped = msgspec.structs.replace(answer, **changed)
        path.write_bytes(as_file(CarriedAnswers(answers=(answer, swapped))))
        assert refused(capsys, path) == reason
        assert office.mailbox.answers(asked) == (), "none is delivered where one does not hold"


def test_an_answer_that_comes_too_late_is_not_delivered(office: Office, capsys: Captured) -> None:
    asked = office.request(since=now() - timedelta(minutes=12))
    ada = office.store.approver(office.ada.id, PASSPHRASE, now())
    assert isinstance(ada, Ed25519Signer)
    early = (now() - timedelta(minutes=5)).isoformat(timespec="microseconds")
    path = carried(office, asked, ada, at=early.replace("+00:00", "Z"))
    assert refused(capsys, path) == "approval-expired"


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\xfe", b"y\n"])
def test_a_file_that_holds_no_answers_is_said(
    office: Office, capsys: Captured, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "f"
    path.write_bytes(data)
    assert refused(capsys, path) == "not-carried"
    assert refused(capsys, tmp_path / "none") == "file-unreadable"


def test_a_place_that_cannot_be_written_is_said(office: Office, capsys: Captured) -> None:
    asked = office.request()
    assert run(["approvals", "export", asked, "--out", "/nowhere/at/all"]) == 3
    assert "reason: export-failed" in capsys.readouterr().err


def test_her_keys_are_not_here(office: Office, elsewhere: dict[str, str]) -> None:
    """What the other tests of this file rest on."""
    here = KeyStore(Path(os.environ["XDG_STATE_HOME"], "groundwire", "keys"))
    with pytest.raises(Exception, match="is not there"):
        here.approver(office.ada.id, PASSPHRASE, now())
