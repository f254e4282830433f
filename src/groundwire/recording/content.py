"""What a content line commits to, and the rules of its four forms (recording-format, Content lines)."""

from __future__ import annotations

import binascii
import re
from collections.abc import Sequence

import msgspec

from groundwire.canon import digest, dsse
from groundwire.documents.content import Content, Withheld
from groundwire.errors import EncodingError

# A content over this many bytes is always a file, a smaller one never.
LARGEST_INLINE = 1_000_000

# A text of so many characters has no more bytes than that: one character has at most four.
_SURELY_INLINE = LARGEST_INLINE // 4

# The shape of the later pieces of a secret that a stream handed over bit by bit.
CONTINUED = "continued"

_SALT_BYTES = 16
_PARTS = msgspec.json.Encoder(order="sorted")
_is_file = re.compile(r"sha256:[0-9a-f]{64}").fullmatch
_is_commitment = re.compile(r"gw1:[0-9a-f]{64}").fullmatch


def committed(content: Content) -> tuple[digest.Form, bytes]:
    """The form of this content line and the bytes its commitment is over.

    Does not look at salt or commitment, and not into the file of a `file` form.

    Raises:
        EncodingError: `content-form`, when the line breaks a rule of its form, so that the same
            content could be spelled in two ways.
    """
    if content.text is not None:
        _refuse(content.b64, content.parts, content.file, content.size)
        return "text", _inline(_utf8(content.text))
    if content.b64 is not None:
        _refuse(content.parts, content.file, content.size)
        return "b64", _inline(_not_utf8(content.b64))
    if content.parts is not None:
        _refuse(content.file, content.size)
        _check_parts(content.parts)
        return "parts", _encoded(content.parts)
    if content.file is not None and content.size is not None:
        if not _is_file(content.file):
            raise _wrong("`file` is not `sha256:` and 64 hex digits")
        if content.size <= LARGEST_INLINE:
            raise _wrong(f"a content of {content.size} bytes stands in the line, never in a file")
        return "file", digest.raw(content.file) + content.size.to_bytes(8, "big")
    raise _wrong("it has none of `text`, `b64`, `parts`, `file` with `size`")


def commitment(content: Content) -> str:
    """The commitment that this line's salt and content make; compare it with the line's own.

    Raises:
        EncodingError: `content-form`, as `committed`, or for a salt that is not 32 hex digits.
    """
    form, data = committed(content)
    return digest.commitment(salt(content), form, data)


def are_committed(contents: Sequence[Content]) -> bool:
    """Each of these content lines has the commitment that its salt and content make.

    For speed, where that is so; False does not say which line has another, nor why, and says
    nothing of a very long text.
    """
    plain = [each for each in contents if each.text is not None]
    if len(plain) < len(contents):
        others = [each for each in contents if each.text is None]
        try:
            if any(commitment(each) != each.commitment for each in others):
                return False
        except EncodingError:
            return False
    for each in plain:
        if each.b64 is not None or each.parts is not None or each.file is not None:
            return False
        if each.size is not None or len(each.text or "") > _SURELY_INLINE:
            return False
    return digest.are_text_commitments(plain)


def salt(content: Content) -> bytes:
    """The 16 bytes of the line's salt, which stands as 32 lower-case hex digits.

    Raises:
        EncodingError: `content-form`.
    """
    try:
        value = bytes.fromhex(content.salt)
    except ValueError:
        value = b""
    # fromhex also reads upper case and spaces: a second spelling of the same line.
    if len(value) != _SALT_BYTES or value.hex() != content.salt:
        raise _wrong("`salt` is not 32 lower-case hex digits")
    return value


def plain(content: Content) -> bytes | None:
    """The content's bytes, or None where they stand in a file beside the recording.

    In place of what was withheld stands a mark, `⟦withheld SHAPE COMMITMENT⟧`: such bytes are for
    reading and have the digest of nothing that crossed the wire.
    """
    if content.text is not None:
        return content.text.encode()
    if content.b64 is not None:
        return dsse.decode_base64(content.b64)
    if content.parts is not None:
        return "".join(
            part if isinstance(part, str) else mark(part) for part in content.parts
        ).encode()
    return None


def mark(part: Withheld) -> str:
    """What stands for a withheld secret where contents are shown; equal secrets of a run alike.

    The later pieces of one secret have no mark of their own.
    """
    if part.shape == CONTINUED:
        return ""
    return f"⟦withheld {part.shape} {part.withheld[4:16]}⟧"


def withheld_in(content: Content) -> int:
    """How many secrets were kept out of this content."""
    if content.parts is None:
        return 0
    return sum(not isinstance(part, str) for part in content.parts)


def _refuse(*others: object) -> None:
    if others.count(None) != len(others):
        raise _wrong("it has more than one of `text`, `b64`, `parts`, `file` with `size`")


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _wrong("`text` holds a lone surrogate; such bytes stand in `b64`") from error


def _not_utf8(text: str) -> bytes:
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise _wrong("`b64` is not standard base64 with padding") from error
    # Stray bits in the last digit decode to the same bytes: a second spelling.
    if binascii.b2a_base64(data, newline=False).decode() != text:
        raise _wrong("`b64` is not the canonical base64 of its bytes")
    try:
        data.decode()
    except UnicodeDecodeError:
        return data
    raise _wrong("`b64` holds valid UTF-8, which stands in `text`")


def _inline(data: bytes) -> bytes:
    if len(data) > LARGEST_INLINE:
        raise _wrong(f"a content of {len(data)} bytes stands in a file, never in the line")
    return data


def _check_parts(parts: tuple[str | Withheld, ...]) -> None:
    after_text = False
    withheld = 0
    for part in parts:
        if isinstance(part, str):
            if after_text or not part:
                raise _wrong("`parts` has two strings in a row, or an empty one")
            after_text = True
            continue
        if not _is_commitment(part.withheld):
            raise _wrong("`withheld` is not `gw1:` and 64 hex digits")
        after_text = False
        withheld += 1
    if not withheld:
        raise _wrong("`parts` with nothing withheld stands in `text`")


def _encoded(parts: tuple[str | Withheld, ...]) -> bytes:
    try:
        return _PARTS.encode(parts)
    except UnicodeEncodeError as error:
        raise _wrong("`parts` holds a lone surrogate") from error


def _wrong(what: str) -> EncodingError:
    return EncodingError("content-form", f"The content line breaks the rules of its form: {what}.")
