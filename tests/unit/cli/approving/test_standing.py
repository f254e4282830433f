"""A yes beforehand is given, listed with its uses, said by a second person too, and taken back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundwire.attest.people.approvals import REVOCATIONS, STANDINGS
from groundwire.cli.main import run
from groundwire.documents.approval import Standing
from groundwire.stores.keys import default_folder
from groundwire.stores.people.uses import Uses
from groundwire.stores.writing.database import Database
from tests.unit.cli.approving.office import (
    PASSPHRASE,
    Office,
    approvals,
    ended,
    next_page,
    read_to_the_end,
)

Captured = pytest.CaptureFixture[str]
TERMS = (
    "--tool", "write_file", "--argument", "path=docs/**", "--effect", "write", "--environment",
    "dev", "--uses", "3", "--until", "8h",
)  # fmt: skip


def lying(office: Office) -> list[tuple[Standing, str]]:
    return [
        STANDINGS.read(each.envelope, office.store.keyring()) for each in office.mailbox.standings()
    ]


def given(office: Office, *terms: str, name: str = "ada", word: str = PASSPHRASE) -> str:
    """What was shown before the person said yes."""
    with approvals("standing", *terms) as typist:
        shown = "".join(read_to_the_end(typist))
        typist.type(f"{shown.split('It begins with ')[1][:8]}\n")
        typist.answer(f"Passphrase of {name}: ", word)
        code, _, err = ended(typist)
    assert (code, err) == (0, "")
    return shown


def test_a_yes_beforehand_is_shown_with_its_terms_and_signed(office: Office) -> None:
    shown = given(office, *TERMS)
    assert "| write_file" in shown
    assert "| docs/**" in shown
    ((standing, _),) = lying(office)
    assert (standing.tool, standing.uses, standing.approver) == ("write_file", 3, office.ada.id)


def test_a_mistyped_digest_approves_nothing(office: Office) -> None:
    with approvals("standing", *TERMS) as typist:
        read_to_the_end(typist)
        typist.type("yesyesye\n")
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: digest-mistyped" in err
    assert lying(office) == []


@pytest.mark.parametrize(
    "terms",
    [(), ("--tool", "x"), (*TERMS, "--until", "99d"), (*TERMS, "--argument", "path")],
)
def test_terms_that_cannot_be_meant_are_a_usage_error(
    office: Office, terms: tuple[str, ...]
) -> None:
    with approvals("standing", *terms) as typist:
        code, _, err = ended(typist)
        assert typist.seen == ""
    assert code == 2
    assert "reason: bad-standing-terms" in err


def test_a_list_tells_how_many_uses_were_taken(office: Office, capsys: Captured) -> None:
    given(office, *TERMS)
    ((standing, digest),) = lying(office)
    uses = Uses(Database(default_folder(os.environ).parent / "guard" / "grants.sqlite"))
    for number in range(2):
        uses.take((digest,), 3, call="c", run="r", sequence=number, at=standing.at)
    uses.close()
    assert run(["approvals", "list"]) == 0
    assert "2 of 3 uses taken" in capsys.readouterr().out
    assert run(["approvals", "show", standing.id[:8]]) == 0
    assert "At most 3 calls" in capsys.readouterr().out


@pytest.mark.slow
def test_a_second_person_says_yes_to_the_same_words(office: Office) -> None:
    given(office, *TERMS)
    ((first, _),) = lying(office)
    bob = office.approver("bob", "another pass phrase")
    given(office, "--with", first.id, "--key", bob.id, name="bob", word="another pass phrase")
    by = {each.approver: each for each, _ in lying(office)}
    assert set(by) == {office.ada.id, bob.id}
    assert by[bob.id].id == first.id
    assert by[bob.id].until == first.until


@pytest.mark.slow
def test_what_two_people_said_is_taken_back_whole_by_one(office: Office, capsys: Captured) -> None:
    given(office, *TERMS)
    ((first, _),) = lying(office)
    bob = office.approver("bob", "another pass phrase")
    given(office, "--with", first.id, "--key", bob.id, name="bob", word="another pass phrase")
    with approvals("revoke", first.id[:8], "--key", office.ada.id) as typist:
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    keyring = office.store.keyring()
    gone = {
        REVOCATIONS.read(each.envelope, keyring)[0].standing
        for each in office.mailbox.revocations()
    }
    assert gone == {digest for _, digest in lying(office)}
    assert run(["approvals", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["standings"]
    assert [each["state"] for each in told] == ["revoked", "revoked"]


def test_nothing_is_taken_back_without_the_passphrase(office: Office) -> None:
    given(office, *TERMS)
    ((first, _),) = lying(office)
    with approvals("revoke", first.id) as typist:
        typist.answer("Passphrase of ada: ", "a guess of somebody")
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: passphrase-wrong" in err
    assert office.mailbox.revocations() == ()


@pytest.mark.slow
def test_one_that_an_approver_gives_elsewhere_is_delivered(
    office: Office, tmp_path: Path, capsys: Captured
) -> None:
    file = str(tmp_path / "standing.json")
    given(office, *TERMS, "--out", file)
    assert lying(office) == []
    assert run(["approvals", "deliver", file]) == 0
    assert "(standing)" in capsys.readouterr().out
    assert len(lying(office)) == 1


def test_who_leaves_gives_nothing(office: Office) -> None:
    with approvals("standing", *TERMS) as typist:
        next_page(typist)
        typist.type("q\n")
        assert ended(typist)[0] == 1
    assert lying(office) == []
