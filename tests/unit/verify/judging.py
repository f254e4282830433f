"""What the tests of this room share: a keyring, and a verdict in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from groundwire.documents.verdict import Head, Verdict
from groundwire.keys.keyring import Keyring, decode_keyring
from groundwire.recording.notes import encode_note, name_of, origin_of
from groundwire.verify.recording import verify_recording
from groundwire.verify.walk import Walk
from tests.recordings import IDENTITY, Draft, Hand, keyring_document, lines, root

TRUSTED = decode_keyring(keyring_document(IDENTITY), "the tests' keyring")


class Signing:
    """A hand as a signer."""

    def __init__(self, hand: Hand) -> None:
        self.key_id, self.public_key, self.sign = hand.id, hand.public, hand.sign


def keyring(*hands: Hand, **changes: object) -> Keyring:
    return decode_keyring(keyring_document(*hands, **changes), "the tests' keyring")


def judge(
    recording: Draft | bytes,
    keys: Keyring = TRUSTED,
    *,
    files: dict[str, bytes] | None = None,
    head: Head | None = None,
    notes: Sequence[str] | None = None,
    anchored_at: str | None = None,
) -> Verdict:
    if isinstance(recording, Draft):
        files = recording.files if files is None else files
        recording = recording.data()
    return verify_recording(
        lines(recording), keys, files=(files or {}).get, known_head=head, notes=notes,
        anchored_at=anchored_at,
    )  # fmt: skip


def reason(recording: Draft | bytes, keys: Keyring = TRUSTED, **options: object) -> str:
    return judge(recording, keys, **options).reason


def walked(draft: Draft, keys: Keyring = TRUSTED) -> Walk:
    return Walk(keys, draft.files.get, keep=True).over(lines(draft.data()))


def head_of(draft: Draft, size: int | None = None) -> Head:
    size = draft.size if size is None else size
    return Head(run=draft.run, segment=draft.segment, size=size, root=root(draft.leaves[:size]))


def note_of(draft: Draft, size: int, by: Hand | None = None, **changes: object) -> str:
    hand = by or draft.key
    return encode_note(
        str(changes.get("origin", origin_of(draft.run, draft.segment))),
        size,
        str(changes.get("root", root(draft.leaves[:size]))),
        name_of(draft.run),
        Signing(hand),
    )


def data_of(raw: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in raw)


def at(draft: Draft, found: Callable[[bytes], bool]) -> int:
    """The index of the first line that is found."""
    return next(index for index, line in enumerate(draft.raw) if found(line))
