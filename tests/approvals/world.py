"""The world of one attempt: a project whose policy asks ada, her key, an agent, and its shells."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.audit.approving.carrying import CarriedAnswer, CarriedAnswers, as_file
from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.documents.approval import Approval, ApprovalRequest, subject_of
from groundwire.documents.entry import Envelope
from groundwire.keys.ed25519 import Ed25519Signer, decode_private_key, encode_private_key
from groundwire.keys.keyring import Key
from groundwire.keys.locked import SALT_BYTES, lock_private_key
from groundwire.keys.times import format_time
from groundwire.session.clock import now
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.private_keys.opening import file_of
from groundwire.testing.clock import SimulatedClock
from tests.adversarial.world import FILES, World
from tests.approving import ADA, BEN, Person, enrol, mailbox
from tests.askings import replace
from tests.hands import Done, own_declarations
from tests.terminals import at_terminal
from tests.unit.cli.approving.office import ended, read_to_the_end
from tests.workplaces import Workplace, workplace

PASSPHRASE: Final = "correct horse battery"
OWN_PASSPHRASE: Final = "the agent's own words"
MALLORY: Final = Person("mallory", 66)
"""A key that the agent made."""

COMMAND: Final = (sys.executable, "-c", "from groundwire.cli.main import main; main()")
OLD, NEW = "v1", "v2"

_POLICY: Final = """\
[guard]
profile = "enforce/1"
folder = "."

[[guard.rules]]
id = "ask-first"
decide = "approve"
paths = ["app.py"]
{rule}
{approvers}
[approvals]
wait_seconds = 0
{rules}
"""


@cache
def locked(person: Person, passphrase: str) -> bytes:
    """The person's private key under a passphrase, as a file; stretched once a process."""
    seed = bytes([{ADA: 61, BEN: 62, MALLORY: 66}[person]]) * 32
    return lock_private_key(seed, passphrase, b"drawn for the attempts to forge!"[:SALT_BYTES])


class Office(World):
    """One project in which `app.py` is written only where a person says yes."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(place)
        self.clock = SimulatedClock(now())

    def catch_up(self) -> None:
        """The project's clock says what the real one does, which commands go by."""
        self.clock.advance((now() - self.clock()).total_seconds() + 1)

    def people(self, *named: Person, rule: str = "", rules: str = "") -> None:
        """The policy names these, who have a passphrase each; it is in force from the run's start."""
        approvers = "".join(
            f'[[approvers]]\nname = "{each.name}"\nkey = "{each.signer.key_id}"\n' for each in named
        )
        self.policy(_POLICY.format(approvers=approvers, rule=rule, rules=rules))
        KeyStore(default_folder(os.environ)).identity(
            self.clock(), os.urandom(32), "authority"
        )  # as an earlier run would have
        enrol(*(each.key() for each in named if each is not MALLORY))
        for each in named:
            if each is not MALLORY:
                self.put_key(each, locked(each, PASSPHRASE))

    def put_key(self, person: Person, data: bytes) -> None:
        """The key folder has this file as the person's private key, whoever put it there."""
        path = default_folder(os.environ) / file_of(person.signer.key_id)
        path.write_bytes(data)
        path.chmod(0o600)

    def put_open_key(self, person: Person, **said: Any) -> None:
        """The person's private key lies in the clear, and the keyring says this of it."""
        self.put_key(person, encode_private_key(bytes([66]) * 32))
        enrol(person.key(**said))

    # -- the agent's call -----------------------------------------------------------------------

    def again(self, path: str = "app.py", new: str = NEW) -> Done:
        """The call that a person has to allow, made once more: under a new id, as a model does."""
        return self.do("edit_file", path=path, old=OLD, new=new)

    def asked(self, **how: Any) -> str:
        """The id of the request that the call made."""
        before = {letter.id for letter in mailbox().requests()}
        done = self.again(**how)
        assert done.word == "refused: approval-pending", done
        (found,) = {letter.id for letter in mailbox().requests()} - before
        return found

    @property
    def landed(self) -> bool:
        """Whether what a person had to allow was done."""
        return self.place.read("app.py") != FILES["app.py"].encode()

    # -- what lies in the mailbox ---------------------------------------------------------------

    def request(self, identity: str) -> tuple[ApprovalRequest, str]:
        """The request, and the SHA-256 of its signed bytes."""
        envelope = mailbox().request(identity)
        assert envelope is not None
        return REQUESTS.inspect(envelope)

    def says(
        self, person: Person, identity: str, word: Any = "granted", **changes: Any
    ) -> Envelope:
        """What the person says to the request, signed by their key; with `changes` something else."""
        request, digest = self.request(identity)
        return person.says(word, request, digest, self.clock(), **changes)

    def post(self, identity: str, envelope: Envelope, person: Person = ADA) -> None:
        """The answer lies there, under the name of the person's key."""
        mailbox().post_answer(identity, person.signer.key_id, envelope)

    def says_as(self, signer: Ed25519Signer, identity: str) -> Envelope:
        """A yes to the request by this key, whole but for whose it is."""
        request, digest = self.request(identity)
        said = Approval(
            answer="granted", approver=signer.key_id, at=format_time(self.clock()),
            expires=request.expires, request=digest, shown=request.shown,
            subject=subject_of(request.asked, request.action),
        )  # fmt: skip
        return APPROVALS.seal(said, signer)

    def authority(self) -> Ed25519Signer:
        """The key that decides: it lies open to whoever is this user."""
        store = KeyStore(default_folder(os.environ))
        (key,) = [key for key in store.list() if "authority" in key.purposes]
        path = default_folder(os.environ) / file_of(key.id)
        return decode_private_key(path.read_bytes())

    def key_of(self, purpose: str) -> tuple[Key, Ed25519Signer]:
        """The user's own key of this purpose, and its signer."""
        store = KeyStore(default_folder(os.environ))
        (key,) = [key for key in store.list() if purpose in key.purposes]
        return key, decode_private_key((default_folder(os.environ) / file_of(key.id)).read_bytes())

    # -- the agent's shell without a guard ------------------------------------------------------

    def command(self, *arguments: str, typed: str = "", **variables: str) -> tuple[int, str]:
        """`groundwire ARGUMENTS` without a terminal: exit code and what it said."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=typed, capture_output=True, text=True, start_new_session=True, check=False,
            env={**os.environ, **variables},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def typed(self, identity: str, passphrase: str, *, shown: bool = True) -> str:
        """How `approvals grant` ended at a terminal of the agent's, where this was typed last."""
        arguments = ("approvals", "grant", identity)
        with at_terminal("-c", COMMAND[2], *arguments, columns=100, rows=60) as typist:
            if shown:
                text = "".join(read_to_the_end(typist))
                typist.type(f"{text.split('It begins with ')[1][:8]}\n")
                typist.answer("Passphrase of ada: ", passphrase)
            code, out, err = ended(typist)
        return self.ended(code, out + err)

    def carried(self, identity: str, person: Person, said: Envelope) -> Path:
        """A file that says what `grant --out` would."""
        answer = CarriedAnswer(approver=person.signer.key_id, id=identity, kind="answer", said=said)
        path = self.place.top / "answer.json"
        path.write_bytes(as_file(CarriedAnswers(answers=(answer,))))
        return path

    def ended(self, code: int, said: str) -> str:
        """How a command ended: accepted, or the reason that it gave."""
        if code == 0:
            return f"accepted: {said[:200]}"
        return "refused: " + (
            said.strip().rpartition("reason: ")[2] if "reason: " in said else said
        )


def forged(envelope: Envelope, *changes: tuple[str, str]) -> Envelope:
    """The envelope with other words in its signed bytes and the signature of the old ones."""
    payload = decode_base64(envelope.payload).decode()
    for old, new in changes:
        assert payload.count(old) == 1, (old, payload)
        payload = payload.replace(old, new)
    return replace(envelope, payload=encode_base64(payload.encode()))


def moment(at: Any) -> str:
    """A time as documents write it."""
    return format_time(at)


@contextmanager
def office(files: Mapping[str, str] = FILES) -> Iterator[Office]:
    """A world of its own; nothing of it is left."""
    with workplace(files, git=False) as place, own_declarations():
        there = Office(place)
        try:
            yield there
        finally:
            there.close()


def mail_folder() -> Path:
    """Where requests and answers lie."""
    return mailbox().folder
