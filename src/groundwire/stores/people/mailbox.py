"""Mailbox: a folder of signed requests and answers. Whoever can write it can lose mail, not forge it.

A file's name says what it is: `<id>.request.json`, `<id>.packet.json`, `<id>.<approver>.answer.json`,
`<id>.standing.json`, `<id>.<approver>.revocation.json`. Nothing here looks at a signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from groundwire.canon import jcs
from groundwire.documents.approval import Packet
from groundwire.documents.canonical import decode, encode
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, HostError
from groundwire.stores.private_folder import OTHERS_WRITE, PrivateFolder, open_private

MAX_PACKET_BYTES: Final = 64 << 20
_MAX_ENVELOPE_BYTES: Final = 1 << 20
_ID: Final = re.compile(r"[0-9a-f]{32}")
_KEY: Final = re.compile(r"ed25519:[0-9a-f]{64}")


class Letter(msgspec.Struct, frozen=True):
    """One envelope that lies in the mailbox, under the id that its name has. NOT trusted."""

    id: str
    envelope: Envelope


class Mailbox:
    """The requests and answers of this user, in a folder of mode 0700.

    Raises, from every method:
        HostError: `mailbox-failed`, or as `stores.private_folder`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._folder

    def mark(self) -> tuple[int, int]:
        """Something that differs once a file was put here, or taken away; (0, 0) without a folder."""
        try:
            found = self._folder.stat()
        except FileNotFoundError:
            return 0, 0
        except OSError as error:
            raise _failed(self._folder, error.strerror or str(error)) from error
        return found.st_ino, found.st_mtime_ns

    def post_request(self, identity: str, request: Envelope, packet: Packet) -> None:
        """A request lies here with what is to be shown, which is there first."""
        with _changing(self._folder) as folder:
            folder.write(f"{_name(identity)}.packet.json", jcs.encode_document(packet))
            folder.write(f"{_name(identity)}.request.json", encode(request))

    def post_answer(self, identity: str, approver: str, answer: Envelope) -> None:
        """An approver's answer to a request lies here; one before it by the same approver is gone."""
        with _changing(self._folder) as folder:
            folder.write(f"{_name(identity)}.{_short(approver)}.answer.json", encode(answer))

    def post_standing(self, identity: str, approver: str, standing: Envelope) -> None:
        """An approval beforehand lies here."""
        with _changing(self._folder) as folder:
            folder.write(f"{_name(identity)}.{_short(approver)}.standing.json", encode(standing))

    def post_revocation(self, identity: str, approver: str, revocation: Envelope) -> None:
        """That an approval beforehand is taken back lies here."""
        with _changing(self._folder) as folder:
            name = f"{_name(identity)}.{_short(approver)}.revocation.json"
            folder.write(name, encode(revocation))

    def requests(self) -> tuple[Letter, ...]:
        """Every request that can be read, in order of id."""
        return self._letters(".request.json")

    def request(self, identity: str) -> Envelope | None:
        """The request of this id; None where there is none that can be read."""
        found = self._letters(".request.json", f"{_name(identity)}.")
        return found[0].envelope if found else None

    def answers(self, identity: str) -> tuple[Letter, ...]:
        """Every answer to the request that can be read."""
        return self._letters(".answer.json", f"{_name(identity)}.")

    def standings(self) -> tuple[Letter, ...]:
        """Every approval beforehand that can be read."""
        return self._letters(".standing.json")

    def revocations(self) -> tuple[Letter, ...]:
        """Every revocation that can be read."""
        return self._letters(".revocation.json")

    def packet(self, identity: str) -> Packet | None:
        """What is to be shown with a request; None where there is none that can be read.

        Only its digest in the request says that it is the one.
        """
        with open_private(self._folder, create=False) as folder:
            if folder is None:
                return None
            name = f"{_name(identity)}.packet.json"
            data = folder.read(name, forbidden=OTHERS_WRITE, limit=MAX_PACKET_BYTES)
        if data is None:
            return None
        try:
            return decode(data, Packet)
        except EncodingError:
            return None

    def forget(self, *identities: str) -> None:
        """Everything under the ids is gone. Of what was used the recording has a copy."""
        gone = {_name(identity) for identity in identities}
        with _changing(self._folder) as folder:
            for name in folder.names():
                if name.partition(".")[0] in gone:
                    folder.remove(name)

    # -- inside -------------------------------------------------------------------------------

    def _letters(self, ending: str, beginning: str = "") -> tuple[Letter, ...]:
        with open_private(self._folder, create=False) as folder:
            if folder is None:
                return ()
            named = [
                name
                for name in folder.names()
                if name.endswith(ending) and name.startswith(beginning)
            ]
            return tuple(_read(folder, named))


@contextmanager
def _changing(path: Path) -> Iterator[PrivateFolder]:
    """The folder, made and locked."""
    with open_private(path, create=True) as folder:
        if folder is None:
            raise HostError("mailbox-failed", "The folder of approvals went away; try again.")
        with folder.locked():
            yield folder


def _read(folder: PrivateFolder, names: list[str]) -> Iterator[Letter]:
    for name in names:
        identity = name.partition(".")[0]
        if not _ID.fullmatch(identity):
            continue
        try:
            data = folder.read(name, forbidden=OTHERS_WRITE, limit=_MAX_ENVELOPE_BYTES)
            if data is not None:
                yield Letter(identity, decode(data, Envelope))
        except (EncodingError, HostError):
            continue  # somebody put something else there; it says nothing


def _name(identity: str) -> str:
    if not _ID.fullmatch(identity):
        raise HostError("mailbox-failed", "An id of the mailbox is 32 lower-case hex digits.")
    return identity


def _short(approver: str) -> str:
    if not _KEY.fullmatch(approver):
        raise HostError("mailbox-failed", "An approver is named by the id of a key.")
    return approver.removeprefix("ed25519:")[:16]


def _failed(folder: Path, why: str) -> HostError:
    return HostError("mailbox-failed", f"{folder} cannot be looked at ({why}); see to that.")
