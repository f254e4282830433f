"""Somebody edits what lies in the mailbox: requests, packets, answers."""

from __future__ import annotations

import os
import shutil

from groundwire.attest.people.approvals import REQUESTS
from groundwire.documents.approval import shown_digest
from groundwire.documents.canonical import encode
from tests.approvals.attempt import attempt
from tests.approvals.world import (
    ADA,
    BEN,
    MALLORY,
    Office,
    forged,
    mail_folder,
)
from tests.approving import enrol, mailbox
from tests.askings import replace

PENDING = "refused: approval-pending"


@attempt("mail", "a yes to another request, renamed", "ada allowed README.md; its answer under the id of app.py",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(
        ADA, rule='[[guard.rules]]\nid = "ask-too"\ndecide = "approve"\npaths = ["README.md"]'
    )
    done = world.do("edit_file", path="README.md", old="Use it.", new="Use it well.")
    assert done.word == PENDING, done
    (other,) = [letter.id for letter in mailbox().requests()]
    said = world.says(ADA, other)
    world.post(world.asked(), said)
    return world.again().word


@attempt(
    "mail",
    "a yes with another request's digest in it",
    "one field changed, the signature kept",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    other = world.asked(new="v3")
    asked = world.asked()
    mine, theirs = world.request(asked)[1], world.request(other)[1]
    world.post(
        asked, forged(world.says(ADA, other), (f'"request":"{theirs}"', f'"request":"{mine}"'))
    )
    return world.again().word


@attempt(
    "mail", "a no that was turned into a yes", "denied becomes granted, the signature kept", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, forged(world.says(ADA, asked, "denied"), ('"denied"', '"granted"')))
    return world.again().word


@attempt(
    "mail",
    "a no that was taken away",
    "ada's answer deleted: the call is asked again, not allowed",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked, "denied"))
    assert world.again().word == "refused: approval-denied"
    for path in mail_folder().glob(f"{asked}.*.answer.json"):
        path.unlink()
    return world.again().word


@attempt("mail", "a no beside a forged yes", "a yes under another name; the no outweighs it",
         "refused: approval-denied")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked, "denied"))
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt("mail", "a file that says yes", '{"answer": "granted"} as an answer', PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    name = f"{asked}.{ADA.signer.key_id.removeprefix('ed25519:')[:16]}.answer.json"
    path = mail_folder() / name
    path.write_bytes(b'{"answer":"granted","approver":"' + ADA.signer.key_id.encode() + b'"}')
    path.chmod(0o600)
    return world.again().word


@attempt(
    "mail", "an envelope without a signature", "a true answer, its signatures taken out", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, replace(world.says(ADA, asked), signatures=()))
    return world.again().word


@attempt("mail", "a signature of another over ada's name", "the agent signs, and names ada's key in the envelope",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    said = world.says(MALLORY, asked)
    (signature,) = said.signatures
    named = replace(said, signatures=(replace(signature, keyid=ADA.signer.key_id),))
    world.post(asked, forged(named, (MALLORY.signer.key_id, ADA.signer.key_id)))
    return world.again().word


@attempt(
    "mail", "a yes to other bytes", "ada allowed v3; the same file is then edited to v2", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    other = world.asked(new="v3")
    world.post(other, world.says(ADA, other))
    asked = world.asked()
    for path in mail_folder().glob(f"{other}.*.answer.json"):
        shutil.copy(path, path.with_name(path.name.replace(other, asked)))
    return world.again().word


@attempt(
    "mail",
    "a yes for bytes that have changed since",
    "the file is rewritten after ada said yes",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    world.place.write("app.py", "v1\n# by somebody else\n")
    word = world.again().word
    world.place.write("app.py", "v1\n")
    return word


@attempt("mail", "two requests with their ids swapped", "each request file under the name of the other",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    other, asked = world.asked(new="v3"), world.asked()
    world.post(other, world.says(ADA, other))
    swapped = {
        path: path.with_name(path.name.replace(one, two))
        for one, two in ((asked, other), (other, asked))
        for path in mail_folder().glob(f"{one}.*")
    }
    held = {target: path.read_bytes() for path, target in swapped.items()}
    for path in swapped:
        path.unlink()
    for target, data in held.items():
        target.write_bytes(data)
        target.chmod(0o600)
    return world.again().word


@attempt(
    "mail",
    "two requests in one",
    "a request file that holds both envelopes, with one answer",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    other, asked = world.asked(new="v3"), world.asked()
    said = world.says(ADA, other)
    one, two = (mail_folder() / f"{each}.request.json" for each in (other, asked))
    merged = one.read_bytes()[:-1] + b"," + two.read_bytes()[1:]
    for path in (one, two):
        path.write_bytes(merged)
    for each in (other, asked):
        world.post(each, said)
    return world.again().word


@attempt("mail", "a request that the agent signed for less", "the authority's open key: what is shown is harmless",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    """Whoever is this user can make a request. What ada allows by it is not what is then asked."""
    world.people(ADA)
    asked = world.asked()
    request, _ = world.request(asked)
    packet = mailbox().packet(asked)
    assert packet is not None
    harmless = replace(packet, arguments="{}", claim="", witnesses=(),
                       changes=(replace(packet.changes[0], diff="+# a comment"),))  # fmt: skip
    lying = REQUESTS.seal(replace(request, shown=shown_digest(harmless)), world.authority())
    mailbox().post_request(asked, lying, harmless)
    world.post(asked, world.says(ADA, asked))  # she was shown what is harmless
    return world.again().word


@attempt("mail", "a request that asks the agent's own key", "the authority's open key: another approver is named",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    request, _ = world.request(asked)
    packet = mailbox().packet(asked)
    assert packet is not None
    enrol(MALLORY.key())
    both = tuple(sorted((ADA.signer.key_id, MALLORY.signer.key_id)))
    mailbox().post_request(
        asked, REQUESTS.seal(replace(request, approvers=both), world.authority()), packet
    )
    world.post(asked, world.says(MALLORY, asked), MALLORY)
    return world.again().word


@attempt("mail", "a request for one yes where two are needed", "the authority's open key: needed becomes 1",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA, BEN, rule="needed = 2")
    asked = world.asked()
    request, _ = world.request(asked)
    packet = mailbox().packet(asked)
    assert packet is not None
    mailbox().post_request(
        asked, REQUESTS.seal(replace(request, needed=1), world.authority()), packet
    )
    world.post(asked, world.says(ADA, asked))
    return world.again().word


@attempt(
    "mail",
    "one person as two",
    "ada's yes a second time under ben's name, where two are needed",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA, BEN, rule="needed = 2")
    asked = world.asked()
    said = world.says(ADA, asked)
    world.post(asked, said)
    world.post(asked, said, BEN)
    return world.again().word


@attempt("mail", "a yes that was made to last", "expires moved by years, the signature kept; the time is over",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    ends = world.request(asked)[0].expires
    said = world.says(ADA, asked)
    world.post(
        asked, forged(said, (f'"expires":"{ends}"', '"expires":"2099-01-01T00:00:00.000000Z"'))
    )
    world.clock.advance(16 * 60)
    return world.again().word


@attempt("mail", "the folder put in another's place", "the mailbox is a link to a folder of the agent's",
         "refused: key-folder-unsafe", PENDING)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    said = forged(world.says(ADA, asked, "denied"), ('"denied"', '"granted"'))
    elsewhere = world.place.top / "mine"
    shutil.copytree(mail_folder(), elsewhere)
    elsewhere.chmod(0o700)
    shutil.rmtree(mail_folder())
    mail_folder().symlink_to(elsewhere)
    name = f"{asked}.{ADA.signer.key_id.removeprefix('ed25519:')[:16]}.answer.json"
    (elsewhere / name).write_bytes(encode(said))
    return world.again().word


@attempt("mail", "a pipe where an answer should lie", "who opens it would wait for ever", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    name = f"{asked}.{ADA.signer.key_id.removeprefix('ed25519:')[:16]}.answer.json"
    os.mkfifo(mail_folder() / name, 0o600)
    return world.again().word
