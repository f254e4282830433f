"""Redaction: contents taken out of a closed recording, and a signed list of them put behind it.

The entries stay as they are, so the chain, the signatures and everything that was not taken out
still verify (recording-format, Checkpoints).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from groundwire.attest.statements import seal_checkpoint, seal_redaction
from groundwire.documents.entry import (
    AnyEntry,
    CertificateEntry,
    CheckpointEntry,
    CloseEntry,
    Envelope,
    GuardedEntry,
    RedactionEntry,
    RequestEntry,
    ResponseEntry,
)
from groundwire.documents.statement import Checkpoint, Redaction
from groundwire.errors import PolicyError
from groundwire.keys.signer import Signer
from groundwire.recording.chain import Chain
from groundwire.recording.lines import UnknownEntry, encode_line
from groundwire.recording.reader import Reader, read

_CONTENT = b'{"@":"content",'


class Redacted(msgspec.Struct, frozen=True, kw_only=True):
    """A recording without some contents.

    `lines` with their line feeds are to be written in place of the old ones, then the files
    beside it named in `files` deleted. `commitments` is what was taken out, sorted.
    """

    lines: tuple[bytes, ...]
    files: tuple[str, ...]
    commitments: tuple[str, ...]


def redact(
    lines: Iterable[bytes], commitments: Collection[str], *, at: str, reason: str,
    identity: Signer, run_key: Signer, certificate: Envelope,
) -> Redacted:  # fmt: skip
    """The recording without these contents, which `identity` answers for.

    With a message, or a body, goes every digest from which somebody who knows the rest could find
    it: the `digests` of each exchange that shows it, and the documents of each guarded call that
    stands in it, since a receipt has a digest of the call. It does not look for the same text in other
    contents: a result stands in the next request, and maybe in an answer; nor for files whose SHA-256
    a receipt has. `certificate` vouches for `run_key`, for this run; the recording is to have been
    verified.

    Raises:
        PolicyError: `not-closed`: redact it when its run is over; `nothing-to-redact`: none of
            the contents stands in it.
        EncodingError: a line is no document of this format.
    """
    kept = list(lines)
    reader = read(kept, lambda _: None)
    _require_closed(reader)
    standing = {each for each in commitments if reader.line(each) is not None}
    if not standing:
        raise PolicyError(
            "nothing-to-redact", "None of these contents stands in the recording; look for others."
        )
    telling = {*_telling(reader, standing), *_deciding(reader, standing)}
    gone = standing | {each for each in telling if reader.line(each)}
    files = {name for each in gone if (name := _file_of(reader, each))}
    kept = [line for line in kept if not _is_one_of(line, gone)]
    needed = {
        name
        for entry in reader.entries
        for each in _named_by(entry)
        if each not in gone and (name := _file_of(reader, each))
    }
    listed = tuple(sorted(gone))
    redaction = Redaction(
        at=at, commitments=listed, identity=identity.key_id, reason=reason, run=reader.opening.run
    )
    kept += _ending(reader, at, seal_redaction(redaction, identity), run_key, certificate)
    return Redacted(lines=tuple(kept), files=tuple(sorted(files - needed)), commitments=listed)


def _require_closed(reader: Reader) -> None:
    closed = any(isinstance(entry, CloseEntry) for entry in reader.entries)
    if not closed or reader.torn or not isinstance(reader.entries[-1], CheckpointEntry):
        raise PolicyError(
            "not-closed", "The recording is not closed; redact it when its run is over."
        )


def _telling(reader: Reader, gone: Collection[str]) -> Iterator[str]:
    """The digests of every exchange whose body, as it crossed the wire, holds one of these."""
    for entry in reader.entries:
        shown: tuple[str, ...] = ()
        if isinstance(entry, RequestEntry):
            shown = () if entry.whole else reader.messages(entry.exchange)
        elif not isinstance(entry, ResponseEntry):
            continue
        held = [entry.holds[name] for name in ("body", "shell", "whole") if name in entry.holds]
        if "digests" in entry.holds and not set(gone).isdisjoint((*held, *shown)):
            yield entry.holds["digests"]


def _deciding(reader: Reader, gone: Collection[str]) -> Iterator[str]:
    """The documents of each guarded call whose id, or name where it has none, is in one of these."""
    texts = [text for each in gone if isinstance(text := reader.content(each), bytes)]
    for entry in reader.entries:
        if not isinstance(entry, GuardedEntry) or "document" not in entry.holds:
            continue
        held = entry.holds.get("call", entry.holds["name"])
        word = reader.content(held)
        named = isinstance(word, bytes) and any(word in text for text in texts)
        if named or held in gone:
            yield entry.holds["document"]


def _ending(
    reader: Reader, at: str, redaction: Envelope, run_key: Signer, certificate: Envelope
) -> Iterator[bytes]:
    """Certificate, redaction and closing checkpoint, with their line feeds."""
    chain = Chain()
    for entry in reader.entries:
        chain.append(entry.raw if isinstance(entry, UnknownEntry) else encode_line(entry))

    def line(entry: AnyEntry) -> bytes:
        encoded = encode_line(entry)
        chain.append(encoded)
        return encoded + b"\n"

    yield line(
        CertificateEntry(at=at, holds={}, prev=chain.head, seq=chain.size, envelope=certificate)
    )
    yield line(RedactionEntry(at=at, holds={}, prev=chain.head, seq=chain.size, envelope=redaction))
    checkpoint = Checkpoint(
        at=at, closed=True, head=chain.head, root=chain.root(), run=reader.opening.run,
        segment=reader.opening.segment, size=chain.size,
    )  # fmt: skip
    envelope = seal_checkpoint(checkpoint, run_key)
    yield line(CheckpointEntry(at=at, holds={}, prev=chain.head, seq=chain.size, envelope=envelope))


def _is_one_of(line: bytes, gone: Collection[str]) -> bool:
    """A content line of one of these; its commitment stands at a fixed place."""
    start = len(_CONTENT) + len(b'"commitment":"')
    return line.startswith(_CONTENT) and line[start : start + 68].decode("ascii", "replace") in gone


def _file_of(reader: Reader, commitment: str) -> str | None:
    line = reader.line(commitment)
    return None if line is None else line.file


def _named_by(entry: AnyEntry | UnknownEntry) -> Iterable[str]:
    if isinstance(entry, RequestEntry):
        return (*entry.append, *(each for _, each in entry.replaced), *entry.holds.values())
    return entry.holds.values()
