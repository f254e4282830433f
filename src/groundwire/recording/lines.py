"""One line of a recording to its document and back: canonical bytes only.

A typed document is canonical if encoding it again gives the same bytes: the structs hold no
floats and no whole numbers that a reader could lose and have their fields in order, the encoder
orders the keys of the rest, and what the decoder forgives (repeated keys, white space, other
escapes, `1.0` for `1`) the comparison does not. See docs/reference/recording-format.md, Entries
and Content lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias, get_args

import msgspec

from groundwire.canon import jcs
from groundwire.documents.content import Content
from groundwire.documents.entry import AnyEntry, Open
from groundwire.errors import EncodingError
from groundwire.keys.times import parse_time
from groundwire.recording import content as contents


class UnknownEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a kind this version does not know: chained and counted, not understood."""

    kind: str
    at: str
    holds: dict[str, str]
    prev: str
    seq: int
    raw: bytes


Line: TypeAlias = AnyEntry | UnknownEntry | Content

# The kinds this version understands, as `must_understand` names them.
KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyEntry))

# A line longer than this is refused before it is read.
LARGEST_LINE = 256 * 1024 * 1024

_CONTENT_START = b'{"@":"content",'
_ENCODER = msgspec.json.Encoder(order="deterministic")
_ENTRY: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)
_CONTENT = msgspec.json.Decoder(Content)
_ANY: msgspec.json.Decoder[AnyEntry | Content] = msgspec.json.Decoder(AnyEntry | Content)
_TIME_SHAPE = b"0000-00-00T00:00:00.000000Z"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_kind_of = re.compile(rb'\{"@":"([a-z][a-z0-9-]*/[1-9][0-9]*)",').match


def encode_line(document: AnyEntry | Content) -> bytes:
    """The one line that stands for this document, without its line feed.

    Does not compute anything: sequence number, links and commitments are the caller's.

    Raises:
        EncodingError: the document breaks a rule of the format and no reader would take it.
    """
    if isinstance(document, Content):
        contents.committed(document)
        contents.salt(document)
        return encode_content(document)
    _check_entry(document)
    try:
        return _ENCODER.encode(document)
    except UnicodeEncodeError as error:
        raise EncodingError(
            "line-malformed", "An entry holds a lone surrogate; give it well-formed text."
        ) from error


def encode_content(content: Content) -> bytes:
    """The line of a content line that was made by the rules of its form, without its line feed.

    Does not look at them again, as `encode_line` does.
    """
    return _ENCODER.encode(content)


def decode_line(line: bytes) -> Line:
    """The document that these bytes, without a line feed, are the one spelling of.

    Does not check where the line stands, its links, its signature, or that a content line's
    commitment is that of its content.

    Raises:
        EncodingError: `line-malformed` (not a document of this format), `line-not-canonical`
            (another spelling of one), `content-form`.
    """
    if len(line) > LARGEST_LINE:
        raise EncodingError("line-malformed", f"The line is longer than {LARGEST_LINE} bytes.")
    if line.startswith(_CONTENT_START):
        return _decode_content(line)
    try:
        entry = _ENTRY.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        return _decode_unknown(line, error)
    if _ENCODER.encode(entry) != line:
        raise _not_canonical()
    _check_entry(entry)
    return entry


def decode_lines(lines: Sequence[bytes]) -> list[AnyEntry | Content] | None:
    """The documents of these lines, each with its line feed, in one go; None where any is refused.

    For speed only, and only of use before a call of `decode_line` for each says which is refused
    and why: an entry of an unknown kind is None here too. Leaves the forms of content lines to
    `content.commitment`, which looks at them again.
    """
    data = b"".join(lines)
    try:
        documents = _ANY.decode_lines(data)
    except (msgspec.DecodeError, RecursionError):
        return None
    # No document has a raw line feed inside, so equal wholes are equal lines.
    if len(documents) != len(lines) or _ENCODER.encode_lines(documents) != data:
        return None
    if not _are_times([each.at for each in documents if type(each) is not Content]):
        return None
    # A name that is not ASCII stands in its line as it is.
    if data.isascii() or all(
        isinstance(each, Content) or _has_ascii_names(each) for each in documents
    ):
        return documents
    return None


def _decode_content(line: bytes) -> Content:
    try:
        content = _CONTENT.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _malformed(error) from error
    if _ENCODER.encode(content) != line:
        raise _not_canonical()
    contents.committed(content)
    contents.salt(content)
    return content


def _check_entry(entry: AnyEntry | UnknownEntry) -> None:
    try:
        parse_time(entry.at)
    except EncodingError as error:
        raise EncodingError("line-malformed", f"The entry's `at`: {error.message}") from error
    if not _has_ascii_names(entry):
        raise EncodingError("line-malformed", "A name in `holds` or `pins` is not ASCII.")


def _has_ascii_names(entry: AnyEntry | UnknownEntry) -> bool:
    names = (*entry.holds, *entry.pins) if isinstance(entry, Open) else entry.holds
    return "".join(names).isascii()


def _are_times(texts: Sequence[str]) -> bool:
    """Each text is one that `parse_time` reads."""
    # Every digit made a zero, each text has to be of the one shape.
    shapes = "\n".join(texts).encode(errors="replace").translate(_ZEROS)
    return shapes == b"\n".join([_TIME_SHAPE] * len(texts)) and _are_moments(texts)


def _are_moments(texts: Sequence[str]) -> bool:
    try:
        msgspec.convert(texts, list[datetime])
    except msgspec.ValidationError:
        return False
    return True


def _decode_unknown(line: bytes, error: Exception) -> UnknownEntry:
    """An entry of a kind not known here; for a known kind, the error why it is malformed."""
    found = _kind_of(line)
    kind = found[1].decode() if found else ""
    if not kind or kind in KINDS or kind.startswith("content/"):
        raise _malformed(error) from error
    try:
        value = jcs.decode(line)
    except EncodingError as refusal:
        raise (
            _not_canonical() if refusal.reason == "not-canonical" else _malformed(refusal)
        ) from refusal
    if not isinstance(value, Mapping):
        raise _malformed(error) from error
    _require_plain(value)
    entry = UnknownEntry(
        kind=kind,
        at=_text(value, "at"),
        holds=_holds(value),
        prev=_text(value, "prev"),
        seq=_number(value, "seq"),
        raw=line,
    )
    _check_entry(entry)
    return entry


def _text(value: Mapping[str, jcs.JSON], name: str) -> str:
    field = value.get(name)
    if not isinstance(field, str):
        raise _field_missing(name)
    return field


def _number(value: Mapping[str, jcs.JSON], name: str) -> int:
    field = value.get(name)
    if not isinstance(field, int) or isinstance(field, bool) or field < 0:
        raise _field_missing(name)
    return field


def _holds(value: Mapping[str, jcs.JSON]) -> dict[str, str]:
    field = value.get("holds")
    if not isinstance(field, Mapping):
        raise _field_missing("holds")
    holds: dict[str, str] = {}
    for name, held in field.items():
        if not isinstance(held, str):
            raise _field_missing("holds")
        holds[name] = held
    return holds


def _require_plain(value: jcs.JSON) -> None:
    """No floats and only ASCII keys, at any depth; the typed kinds have this by their types."""
    waiting: list[jcs.JSON] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, float):
            raise EncodingError("line-malformed", "An entry holds a float.")
        if isinstance(each, Mapping):
            if not all(map(str.isascii, each)):
                raise EncodingError("line-malformed", "An entry has a key that is not ASCII.")
            waiting.extend(each.values())
        elif isinstance(each, Sequence) and not isinstance(each, str):
            waiting.extend(each)


def _field_missing(name: str) -> EncodingError:
    return EncodingError(
        "line-malformed", f"An entry of an unknown kind lacks a well-formed `{name}`."
    )


def _malformed(error: Exception) -> EncodingError:
    # msgspec's sentence names a type and a path, never a value of more than a tag.
    what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return EncodingError(
        "line-malformed", f"The line is not a document of this format: {what[:200]}."
    )


def _not_canonical() -> EncodingError:
    return EncodingError(
        "line-not-canonical",
        "The line is another spelling of its document: order, white space, escapes or a "
        "repeated key differ from the one canonical form.",
    )
