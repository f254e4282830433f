"""An office for tests: a user's keys, approvers with passphrases, requests in the mailbox, a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from groundwire.attest.people.approvals import APPROVALS, REQUESTS
from groundwire.audit.approving.asking import digest_to_type
from groundwire.canon.digest import raw, sha256
from groundwire.canon.dsse import decode_base64
from groundwire.documents.approval import Approval, ApprovalRequest, Packet, shown_digest
from groundwire.documents.entry import Envelope
from groundwire.keys.ed25519 import Ed25519Signer, encode_private_key
from groundwire.keys.keyring import Key
from groundwire.keys.locked import SALT_BYTES, lock_private_key
from groundwire.keys.times import format_time
from groundwire.session.clock import now, random_bytes
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.people.mailbox import Mailbox
from groundwire.stores.private_keys.opening import file_of
from tests.approving import SINCE, enrol
from tests.askings import ACTION, packet_of, replace
from tests.guarded import Call
from tests.recorders import keyring as recorders_keyring
from tests.terminals import Typist, at_terminal

PASSPHRASE = "correct horse battery"
RUN = "from groundwire.cli.main import main\nmain()"

# The clock goes on by itself: each look at it is so many seconds after the one before.
HASTY = """\
from datetime import timedelta
from groundwire.session import clock
looks = iter(range(10_000))
first = clock.now()
clock.now = lambda: first + timedelta(seconds={step} * next(looks))
"""


@cache
def _locked(name: str, passphrase: str) -> tuple[Ed25519Signer, bytes]:
    """A person's key, and its file; a passphrase is stretched once a process."""
    seed = raw(sha256(f"{name} at a terminal".encode()))
    drawn = raw(sha256(name.encode()))[:SALT_BYTES]
    return Ed25519Signer.from_seed(seed), lock_private_key(seed, passphrase, drawn)


def _put(key: Key, private: bytes) -> Key:
    enrol(key)
    path = default_folder(os.environ) / file_of(key.id)
    path.write_bytes(private)
    path.chmod(0o600)
    return key


class Office:
    """This user's keys and mailbox, in the home that a test has."""

    def __init__(self) -> None:
        self.store = KeyStore(default_folder(os.environ))
        self.authority = self.store.identity(now(), random_bytes(32), "authority")
        self.ada = self.approver("ada")
        self.mailbox = Mailbox(default_folder(os.environ).parent / "guard" / "approvals")

    def approver(self, name: str, passphrase: str = PASSPHRASE) -> Key:
        """A new approver of this name."""
        signer, data = _locked(name, passphrase)
        (made,) = recorders_keyring(signer).keys
        changes = {"custody": "passphrase", "not_before": SINCE, "purposes": ("approval",)}
        return _put(replace(made, comment=name, **changes), data)

    def open_key(self, name: str, seed: bytes) -> Key:
        """An approver of this name whose private half stands in the key folder in the clear.

        As somebody who can write the folder would make one: `keys new` does not.
        """
        (made,) = recorders_keyring(Ed25519Signer.from_seed(seed)).keys
        key = replace(made, comment=name, not_before=SINCE, purposes=("approval",))
        return _put(key, encode_private_key(seed))

    def request(
        self, *approvers: Key, call: Call | None = None, identity: str = "", needed: int = 1,
        lasting: timedelta = timedelta(minutes=10), since: datetime | None = None, **shown: Any,
    ) -> str:  # fmt: skip
        """The id of a new request that lies there; `shown` changes what is shown with it."""
        asked = (call or Call()).asked
        packet = packet_of(call, **shown)
        made = since or now()
        request = ApprovalRequest(
            action=ACTION,
            approvers=tuple(sorted(key.id for key in approvers or (self.ada,))),
            asked=asked,
            authority=self.authority.key_id,
            expires=format_time(made + lasting),
            id=identity or random_bytes(16).hex(),
            issued=format_time(made),
            needed=needed,
            receipt=sha256(b"the receipt"),
            shown=shown_digest(packet),
        )
        self.post(request, packet)
        return request.id

    def post(self, request: ApprovalRequest, packet: Packet, identity: str = "") -> None:
        """This request lies there, with this to be shown."""
        sealed = REQUESTS.seal(request, self.authority)
        self.mailbox.post_request(identity or request.id, sealed, packet)

    def digest(self, *identities: str) -> str:
        """How what is typed for these requests begins."""
        found = [self.mailbox.request(identity) for identity in identities]
        payloads = [decode_base64(each.payload) for each in found if each is not None]
        return digest_to_type(sha256(payload) for payload in payloads)[:8]

    def answers(self, identity: str) -> list[Approval]:
        """What was said to the request, each signed by a key of the keyring."""
        letters = self.mailbox.answers(identity)
        return [APPROVALS.read(each.envelope, self.store.keyring())[0] for each in letters]

    def broken(self, envelope: Envelope) -> Envelope:
        """The envelope with another signature in the place of its own."""
        (signature,) = envelope.signatures
        other = "A" * 86 + "=="
        return replace(envelope, signatures=(replace(signature, sig=other),))


@contextmanager
def approvals(
    *arguments: str, columns: int = 100, rows: int = 40, before: str = "",
    environment: Mapping[str, str] | None = None, folder: Path | None = None,
) -> Iterator[Typist]:  # fmt: skip
    """`groundwire approvals ARGUMENTS` runs at a terminal; `before` is done first in its process."""
    with at_terminal(
        "-c", before + RUN, "approvals", *arguments, columns=columns, rows=rows,
        environment=environment, folder=folder,
    ) as typist:  # fmt: skip
        yield typist


def ended(typist: Typist) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    code = typist.end()
    out, err = typist.process.communicate()
    return code, out.decode(), err.decode()


PAGE = re.compile(r"^\d+/\d+ (?:Enter: on, b: back, q: leave)?> \Z", re.MULTILINE)
LAST = re.compile(r"^Type the digest's first 8 characters \(b: back, q: leave\): \Z", re.MULTILINE)


def next_page(typist: Typist) -> tuple[str, bool]:
    """What is shown until the terminal waits, without its prompt, and whether it is the last page."""
    while True:
        shown = typist.seen[typist._at :]
        for prompt in (PAGE, LAST):
            if found := prompt.search(shown):
                typist._at = len(typist.seen)
                return shown[: found.start()], prompt is LAST
        if not typist._read():
            raise AssertionError(f"it ended before it asked; it showed {shown!r}")


def read_to_the_end(typist: Typist) -> list[str]:
    """Every page that is shown, until the digest is asked for."""
    pages = []
    while True:
        page, last = next_page(typist)
        pages.append(page.removeprefix("\n"))
        if last:
            return pages
        typist.type("\n")
