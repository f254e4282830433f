"""Digests: what may be compared, and with what.

`sha256:` stands only where `sha256sum` over bytes one can name gives the same digits. `gw1:` is a
tagged digest: the domain and the length of every part are inside the hash, so no two different
questions have one answer. `leaf:` and `root:` are RFC 9162 tree hashes. The grammar and the exact
bytes are in docs/reference/recording-format.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Literal, Protocol, TypeAlias, get_args

from groundwire.errors import EncodingError

Domain: TypeAlias = Literal[
    "answer",
    "arguments",
    "asked",
    "call",
    "content",
    "context",
    "finding",
    "frame",
    "identity",
    "injection",
    "lineage",
    "manifest",
    "message",
    "packet",
    "policy",
    "requests",
    "result",
    "token",
    "toolset",
    "value",
]
Form: TypeAlias = Literal["text", "b64", "parts", "file"]

DOMAINS: frozenset[str] = frozenset(get_args(Domain))
FORMS: frozenset[str] = frozenset(get_args(Form))
PREFIXES = ("sha256:", "gw1:", "leaf:", "root:")
SALT_BYTES = 16
HASH_BYTES = 32


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


_TAGS = {domain: _framed(f"groundwire/1/{domain}".encode("ascii")) for domain in DOMAINS}
_HASH_LENGTH = HASH_BYTES.to_bytes(8, "big")
_FORM_FRAMES = {form: _framed(form.encode("ascii")) for form in FORMS}
_COMMITMENT_START = _TAGS["content"] + SALT_BYTES.to_bytes(8, "big")
_WITHOUT_END = itemgetter(slice(None, -1))
# To copy a hash that has begun is faster than to begin one.
_LEAF = hashlib.sha256(b"\x00")
_COMMITMENT = hashlib.sha256(_COMMITMENT_START)
_CONTEXT = hashlib.sha256(_TAGS["context"] + _HASH_LENGTH)
_FRAME = hashlib.sha256(_TAGS["frame"] + _HASH_LENGTH)
_PREFIXES = frozenset(PREFIXES)


def sha256(data: bytes) -> str:
    """`sha256:` and the hex SHA-256 of exactly these bytes; says nothing of what they mean."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Opened(Protocol):
    """A commitment with the salt, in hex digits, and the text that open it."""

    @property
    def commitment(self) -> str: ...
    @property
    def salt(self) -> str: ...
    @property
    def text(self) -> str | None: ...


class Sha256:
    """A SHA-256 that grows; `copy` keeps a prefix so that what follows it can differ."""

    __slots__ = ("_state",)

    def __init__(self, state: hashlib._Hash | None = None) -> None:
        self._state = hashlib.sha256() if state is None else state

    def update(self, data: bytes) -> None:
        """The hash covers `data` too, after all that came before."""
        self._state.update(data)

    def copy(self) -> Sha256:
        """An independent hash of the same bytes so far."""
        return Sha256(self._state.copy())

    def text(self) -> str:
        """`sha256:<hex>` of the bytes so far; does not end the hash."""
        return "sha256:" + self._state.hexdigest()


def tagged_raw(domain: Domain, *parts: bytes) -> bytes:
    """The 32 bytes of the tagged digest of `parts` in `domain`.

    `SHA-256(frame(tag) ‖ frame(part) ‖ …)` with `frame(x) = len(x) as 8 bytes big-endian ‖ x` and
    `tag = "groundwire/1/" + domain`. Two domains, or the same bytes cut elsewhere, never agree.

    Raises:
        EncodingError: `unknown-domain`.
    """
    tag = _TAGS.get(domain)
    if tag is None:
        raise EncodingError("unknown-domain", f"{domain!r} is not a digest domain of this format.")
    pieces = [tag]
    for part in parts:
        pieces += (len(part).to_bytes(8, "big"), part)
    # Parts are short: to join them costs less than to hand them over one by one.
    return hashlib.sha256(b"".join(pieces)).digest()


def frame_digest(shell: bytes, context: bytes) -> str:
    """`tagged("frame", shell, context)` of two parts of 32 bytes, faster.

    Raises:
        EncodingError: `bad-hash-length`.
    """
    if len(shell) != HASH_BYTES or len(context) != HASH_BYTES:
        raise EncodingError("bad-hash-length", f"Both parts have {HASH_BYTES} bytes.")
    state = _FRAME.copy()
    state.update(shell + _HASH_LENGTH + context)
    return "gw1:" + state.hexdigest()


def heads_of(head: bytes, links: Iterable[str]) -> list[bytes]:
    """The heads of a context chain after `head`, one for each of these digests.

    Each is `tagged_raw("context", head before it, raw(link))`.

    Raises:
        EncodingError: `bad-digest`.
    """
    begun = _CONTEXT.copy
    heads: list[bytes] = []
    for link in links:
        state = begun()
        state.update(head + _HASH_LENGTH + raw(link))
        head = state.digest()
        heads.append(head)
    return heads


def tagged(domain: Domain, *parts: bytes) -> str:
    """`gw1:` and the hex of `tagged_raw(domain, *parts)`.

    Raises:
        EncodingError: `unknown-domain`.
    """
    return "gw1:" + tagged_raw(domain, *parts).hex()


def commitment(salt: bytes, form: str, data: bytes) -> str:
    """The `gw1:` commitment to `data` under `salt`: domain `content`, parts salt, form, data.

    Hides `data` only as long as the salt stays hidden: 16 random bytes, never used twice for
    different contents. `form` is the name of the content line's field.

    Raises:
        EncodingError: `bad-salt` (not 16 bytes), `unknown-form`.
    """
    if len(salt) != SALT_BYTES:
        raise EncodingError("bad-salt", f"A salt has {SALT_BYTES} bytes, not {len(salt)}.")
    frame = _FORM_FRAMES.get(form)
    if frame is None:
        raise EncodingError("unknown-form", f"{form!r} is not a form of content.")
    start = _COMMITMENT_START + salt + frame + len(data).to_bytes(8, "big")
    return "gw1:" + hashlib.sha256(start + data).hexdigest()


def are_text_commitments(several: Iterable[Opened]) -> bool:
    """Each has the commitment to its text, in UTF-8, under its salt; faster than one by one.

    False, too, for a salt that is not 32 lower-case hex digits, and where there is no text or one
    that has no UTF-8.
    """
    begun, frame, fromhex = _COMMITMENT.copy, _FORM_FRAMES["text"], bytes.fromhex
    for each in several:
        spelled, text = each.salt, each.text
        if text is None:
            return False
        try:
            salt, data = fromhex(spelled), text.encode()
        except ValueError:
            return False
        state = begun()
        state.update(salt + frame + len(data).to_bytes(8, "big"))
        state.update(data)
        # `fromhex` also reads upper case and spaces.
        if salt.hex() != spelled or len(salt) != SALT_BYTES:
            return False
        if "gw1:" + state.hexdigest() != each.commitment:
            return False
    return True


def raw(digest: str) -> bytes:
    """The 32 bytes of `sha256: | gw1: | leaf: | root:` and 64 lower-case hex digits.

    Raises:
        EncodingError: `bad-digest`.
    """
    prefix, digits = digest[:-64], digest[-64:]
    try:
        value = bytes.fromhex(digits)
    except ValueError:
        value = b""
    # `fromhex` also reads upper case and spaces.
    if prefix not in _PREFIXES or value.hex() != digits:
        raise EncodingError(
            "bad-digest",
            "A digest is sha256:, gw1:, leaf: or root: and 64 lower-case hexadecimal digits.",
        )
    return value


def leaf_hash(line: bytes) -> bytes:
    """The 32-byte RFC 9162 leaf hash of one line without its line feed: SHA-256(0x00 ‖ line)."""
    return hashlib.sha256(b"\x00" + line).digest()


def leaf_hashes(lines: Iterable[bytes]) -> list[bytes]:
    """`leaf_hash` of each of these lines, which come with their line feeds; faster."""
    begun = _LEAF.copy
    leaves: list[bytes] = []
    for line in map(_WITHOUT_END, lines):
        leaf = begun()
        leaf.update(line)
        leaves.append(leaf.digest())
    return leaves


def listed(prefix: str, hashes: Sequence[bytes]) -> str:
    """The digests with this prefix and these 32 bytes each, one a line, without a last line feed."""
    spelled = b"".join(hashes).hex("\n", 32)
    return prefix + spelled.replace("\n", "\n" + prefix) if spelled else ""
