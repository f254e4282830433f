"""Reading a recording: entries in order, their contents, frames and bodies built again.

A reader believes what it reads. It stands behind the verifier, or its `standing` says that
nobody looked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias, TypeVar

import msgspec

from groundwire.attest.statements import inspect_redaction
from groundwire.canon import digest, merkle
from groundwire.documents.content import Content
from groundwire.documents.entry import AnyEntry, Open, RedactionEntry, RequestEntry, ResponseEntry
from groundwire.documents.verdict import State
from groundwire.errors import EncodingError, TrustError
from groundwire.recording import content as contents
from groundwire.recording.frames import Frames, no_such_exchange
from groundwire.recording.lines import UnknownEntry, decode_line

Files: TypeAlias = Callable[[str], bytes | None]


class Missing(msgspec.Struct, frozen=True):
    """A content that is not there.

    `redacted`: a redaction lists it. `withheld`: it, or a part of it, was never written.
    `missing`: it should be there and is not.
    """

    why: Literal["redacted", "withheld", "missing"]


class Inclusion(msgspec.Struct, frozen=True, kw_only=True):
    """The RFC 9162 proof that entry `index` is in the tree of `size` entries with this `root`."""

    leaf: str
    index: int
    size: int
    proof: tuple[str, ...]
    root: str


class Shell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The three pieces that stand around a request's messages."""

    after: str
    before: str
    between: str


class _Digests(msgspec.Struct, frozen=True):
    body: str


_Document = TypeVar("_Document", Shell, _Digests)


class Reader:
    """A recording that was read to its end; `torn` counts bytes after its last whole line.

    Contents of files are fetched when they are asked for, everything else is in memory.
    """

    def __init__(self, files: Files, standing: State | Literal["unverified"]) -> None:
        self.entries: list[AnyEntry | UnknownEntry] = []
        self.standing = standing
        self.torn = 0
        self._files = files
        self._contents: dict[str, Content] = {}
        self._redacted: set[str] = set()
        self._leaves: list[bytes] = []
        self._frames = Frames()
        self._requests: dict[int, RequestEntry] = {}
        self._responses: dict[int, ResponseEntry] = {}

    @property
    def opening(self) -> Open:
        """The opening entry.

        Raises:
            EncodingError: `no-opening`.
        """
        if self.entries and isinstance(self.entries[0], Open):
            return self.entries[0]
        raise EncodingError("no-opening", "The recording does not begin with an opening entry.")

    @property
    def exchanges(self) -> tuple[int, ...]:
        """The numbers of the exchanges whose request stands here, in order."""
        return tuple(self._requests)

    def request(self, exchange: int) -> RequestEntry:
        """The request entry of an exchange.

        Raises:
            EncodingError: `no-such-exchange`.
        """
        request = self._requests.get(exchange)
        if request is None:
            raise no_such_exchange(exchange, len(self._requests))
        return request

    def response(self, exchange: int) -> ResponseEntry | None:
        """The response entry of an exchange, if one was written."""
        return self._responses.get(exchange)

    def line(self, commitment: str) -> Content | None:
        """The content line that opens a commitment, with its salt."""
        return self._contents.get(commitment)

    def content(self, commitment: str) -> bytes | Missing:
        """The bytes behind a commitment; where secrets were kept out, a mark stands for each.

        `Missing("withheld")` where nothing but a secret stood there.

        Raises:
            TrustError: `attachment-changed`: the file beside the recording is another one.
        """
        line = self._contents.get(commitment)
        if line is None:
            return Missing("redacted" if commitment in self._redacted else "missing")
        if line.parts is not None and len(line.parts) == 1:
            return Missing("withheld")
        data = contents.plain(line)
        if data is not None:
            return data
        return self._attached(line)

    def exact(self, commitment: str) -> bytes | Missing:
        """The bytes behind a commitment as they crossed the wire; no marks, so none with secrets.

        Raises: as `content`.
        """
        line = self._contents.get(commitment)
        if line is not None and line.parts is not None:
            return Missing("withheld")
        return self.content(commitment)

    def messages(self, exchange: int) -> tuple[str, ...]:
        """The commitments of an exchange's messages, in order; none where its body stands whole.

        Raises:
            EncodingError: `no-such-exchange`.
        """
        return self._frames.messages(exchange)

    def body(self, exchange: int) -> bytes | Missing:
        """The exact bytes of a request's body, compared with the SHA-256 of what left.

        Where the digest itself was redacted the bytes are returned as they stand.

        Raises:
            EncodingError: `no-such-exchange`, or `shell-malformed`.
            TrustError: `body-differs`, `attachment-changed`.
        """
        request = self.request(exchange)
        body = self._whole(request) if request.whole else self._joined(request)
        if isinstance(body, bytes):
            self._compare(request, body)
        return body

    def answer(self, exchange: int) -> bytes | Missing:
        """The bytes of a response's body after content decoding, as far as they were captured.

        Raises:
            TrustError: `body-differs`, `attachment-changed`.
        """
        response = self._responses.get(exchange)
        if response is None or "body" not in response.holds:
            return Missing("missing")
        body = self.exact(response.holds["body"])
        if isinstance(body, bytes):
            self._compare(response, body)
        return body

    def inclusion(self, sequence: int, size: int | None = None) -> Inclusion:
        """The proof that an entry is in the tree of the first `size` entries (all, if None).

        Raises:
            EncodingError: `no-such-leaf`.
        """
        size = len(self._leaves) if size is None else size
        if not 0 <= sequence < size <= len(self._leaves):
            raise EncodingError(
                "no-such-leaf", f"There is no entry {sequence} in a tree of {size}."
            )
        leaves = self._leaves[:size]
        return Inclusion(
            leaf="leaf:" + leaves[sequence].hex(),
            index=sequence,
            size=size,
            proof=tuple(node.hex() for node in merkle.inclusion_proof(leaves, sequence)),
            root="root:" + merkle.root_of(leaves).hex(),
        )

    def _take(self, line: bytes) -> None:
        document = decode_line(line)
        if isinstance(document, Content):
            self._contents[document.commitment] = document
            return
        self.entries.append(document)
        self._leaves.append(digest.leaf_hash(line))
        if isinstance(document, RequestEntry):
            self._frames.take(document)
            self._requests[document.exchange] = document
        elif isinstance(document, ResponseEntry):
            self._responses[document.exchange] = document
        elif isinstance(document, RedactionEntry):
            self._redacted.update(inspect_redaction(document.envelope)[0].commitments)

    def _attached(self, line: Content) -> bytes | Missing:
        data = self._files(line.file or "")
        if data is None:
            return Missing("missing")
        if digest.sha256(data) != line.file or len(data) != line.size:
            raise TrustError(
                "attachment-changed",
                "A file beside the recording is not the one that was recorded; restore it.",
            )
        return data

    def _whole(self, request: RequestEntry) -> bytes | Missing:
        return self._held(request.holds, "whole")

    def _joined(self, request: RequestEntry) -> bytes | Missing:
        shell = self._held(request.holds, "shell")
        if isinstance(shell, Missing):
            return shell
        around = _typed(shell, Shell, "shell-malformed")
        messages: list[bytes] = []
        for commitment in self.messages(request.exchange):
            message = self.exact(commitment)
            if isinstance(message, Missing):
                return message
            messages.append(message)
        between = around.between.encode()
        return around.before.encode() + between.join(messages) + around.after.encode()

    def _held(self, holds: Mapping[str, str], name: str) -> bytes | Missing:
        commitment = holds.get(name)
        return Missing("missing") if commitment is None else self.exact(commitment)

    def _compare(self, entry: RequestEntry | ResponseEntry, body: bytes) -> None:
        stated = self._held(entry.holds, "digests")
        if isinstance(stated, Missing):
            return
        if _typed(stated, _Digests, "digests-malformed").body != digest.sha256(body):
            raise TrustError(
                "body-differs",
                f"The body of exchange {entry.exchange}, built from what was recorded, is not the "
                "one whose SHA-256 was recorded.",
            )


def read(
    lines: Iterable[bytes], files: Files, standing: State | Literal["unverified"] = "unverified"
) -> Reader:
    """The recording in these lines, each with its line feed; a torn end is left out.

    Checks no signature, link or commitment: give `standing` from the verdict of the same bytes.
    A request whose delta leads nowhere is refused.

    Raises:
        EncodingError: a line is no document of this format, or `frame-malformed`.
    """
    reader = Reader(files, standing)
    for line in lines:
        if reader.torn:
            raise EncodingError("line-malformed", "A line without an end stands before another.")
        if line.endswith(b"\n"):
            reader._take(line[:-1])  # noqa: SLF001 -- a reader is only ever filled here
        else:
            reader.torn = len(line)
    return reader


def _typed(data: bytes, kind: type[_Document], reason: str) -> _Document:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise EncodingError(reason, f"A content is not the document it should be: {error}") from (
            error
        )
