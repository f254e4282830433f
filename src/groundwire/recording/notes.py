"""Signed notes: a checkpoint as a short text that anybody can keep elsewhere.

Spec: C2SP signed-note (https://c2sp.org/signed-note) and tlog-checkpoint
(https://c2sp.org/tlog-checkpoint). The origin is `groundwire/<run>/<segment>`, the key's name is
`groundwire/<run>`, the signature is Ed25519 (type 0x01) by the run key.
"""

from __future__ import annotations

import re

import msgspec

from groundwire.canon import digest
from groundwire.canon.dsse import decode_base64, encode_base64
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.ed25519 import verify
from groundwire.keys.signer import Signer

# A note of ours has under 500 bytes; witnesses may add lines.
LARGEST_NOTE = 65_536
_ED25519 = b"\x01"
_ROOT_BYTES = 32
_NOTE = re.compile(
    r"^groundwire/[^/\n]+/[0-9]+\n[0-9]+\n[A-Za-z0-9+/]{43}=\n(?:(?!groundwire/)[^\n—][^\n]*\n)*\n"
    r"(?:— [^\n]+\n)*?— groundwire/[^ \n]+ [A-Za-z0-9+/]{91}=\n(?:— [^\n]+\n)*",
    re.MULTILINE,
)
_ORIGIN = re.compile(r"groundwire/([^\n]+)/(0|[1-9][0-9]{0,9})\n")
_is_size = re.compile(r"0|[1-9][0-9]{0,18}").fullmatch
_is_name = re.compile(r"[^\s+\x00-\x1f\x7f]+").fullmatch


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What a signed note says: the first `size` entries of `origin` have this `root`."""

    name: str
    origin: str
    root: str
    size: int


def origin_of(run: str, segment: int) -> str:
    """The origin line of a segment's notes."""
    return f"groundwire/{run}/{segment}"


def name_of(run: str) -> str:
    """The key name under which a run's key signs notes."""
    return f"groundwire/{run}"


def encode_note(origin: str, size: int, root: str, name: str, signer: Signer) -> str:
    """The signed note that the first `size` entries of `origin` have this `root:` digest.

    Does not check that they do.

    Raises:
        EncodingError: `bad-note` for a name, origin or size that no note can have; `bad-digest`.
        TrustError: `run-key-forgotten`.
    """
    if not _is_name(name) or not _is_name(origin) or size < 0 or not root.startswith("root:"):
        raise _malformed("its origin, name, size or root cannot stand in a note")
    text = f"{origin}\n{size}\n{encode_base64(digest.raw(root))}\n"
    signature = _key_hash(name, signer.public_key) + signer.sign(text.encode())
    return f"{text}\n— {name} {encode_base64(signature)}\n"


def decode_note(text: str, public_key: bytes) -> Note:
    """What the note says, signed by `public_key`.

    Signatures by other keys are not looked at, as the spec demands; that a key may speak for the
    origin is the caller's to know.

    Raises:
        EncodingError: `bad-note`.
        TrustError: `unknown-signer` (no signature by this key), `bad-signature`.
    """
    if len(text) > LARGEST_NOTE:
        raise _malformed("it is too long")
    # The last blank line is the border: what is signed may hold others.
    body, border, signatures = text.rpartition("\n\n")
    if not border or not signatures.endswith("\n"):
        raise _malformed("it has no signature block after a blank line")
    signed = body + "\n"
    origin, size, root = _checkpoint(signed)
    names = [
        name
        for name, key_hash, signature in map(_signature, signatures[:-1].split("\n"))
        if key_hash == _key_hash(name, public_key) and _holds(public_key, signature, signed)
    ]
    if not names:
        raise TrustError("unknown-signer", "The note has no signature by the key of this run.")
    return Note(name=names[0], origin=origin, root=root, size=size)


def split_notes(text: str) -> list[str]:
    """Every note in a text that holds one after another, whole ones only, in order.

    Each begins on a line of its own. What stands between (the beginning of one whose writer
    crashed) is left out. Nothing is decoded or verified.
    """
    return _NOTE.findall(text)


def segment_of(note: str) -> tuple[str, int]:
    """The run and the segment that a note says it is about; nothing is verified.

    Raises:
        EncodingError: `bad-note`.
    """
    found = _ORIGIN.match(note)
    if found is None:
        raise _malformed("its origin is not groundwire/<run>/<segment>")
    return found[1], int(found[2])


def _holds(public_key: bytes, signature: bytes, signed: str) -> bool:
    """True, or raises: a signature that names this key and does not hold spoils the note."""
    verify(public_key, signature, _utf8(signed))
    return True


def _checkpoint(signed: str) -> tuple[str, int, str]:
    lines = signed.split("\n")
    # Origin, size, root, the empty end; extension lines may stand between.
    if len(lines) < 4 or not _is_name(lines[0]) or not _is_size(lines[1]) or "" in lines[:-1]:
        raise _malformed("it does not begin with origin, size and root")
    if any(ord(character) < 0x20 or character == "\x7f" for line in lines for character in line):
        raise _malformed("it holds control characters")
    return lines[0], int(lines[1]), "root:" + _decoded(lines[2], _ROOT_BYTES).hex()


def _signature(line: str) -> tuple[str, bytes, bytes]:
    mark, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if mark != "—" or not _is_name(name):
        raise _malformed("a signature line is not `— name base64`")
    data = _decoded(encoded, None)
    return name, data[:4], data[4:]


def _decoded(encoded: str, length: int | None) -> bytes:
    try:
        data = decode_base64(encoded)
    except EncodingError as error:
        raise _malformed("it holds base64 that is none") from error
    if encode_base64(data) != encoded or len(data) < 5 or (length or len(data)) != len(data):
        raise _malformed("it holds base64 of another alphabet or length")
    return data


def _key_hash(name: str, public_key: bytes) -> bytes:
    return digest.raw(digest.sha256(_utf8(name) + b"\n" + _ED25519 + public_key))[:4]


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _malformed("it is not UTF-8") from error


def _malformed(what: str) -> EncodingError:
    return EncodingError("bad-note", f"This is no signed note of a checkpoint: {what}.")
