"""Content encodings: captured bodies as they were before the server compressed them.

`gzip` and `deflate` need nothing; `br` and `zstd` need the packages of the extra `compressed`.
Output is bounded, so that a small body cannot fill the memory.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Protocol

from groundwire.errors import EncodingError

MAX_BYTES = 256 << 20
_MOST_CODINGS = 4
_STEP = 64 << 10
_GZIP_MEMBER = b"\x1f\x8b"


class _Decompressor(Protocol):
    def process(self, data: bytes, *, output_buffer_limit: int) -> bytes: ...

    def is_finished(self) -> bool: ...

    def can_accept_more_data(self) -> bool: ...


class _ZstdReader(Protocol):
    def read(self, size: int) -> bytes: ...


def decode_content(data: bytes, encoding: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """The body before it was encoded; of a body cut short, as much as can be read.

    `encoding` is the value of the header `Content-Encoding`: codings in the order in which they
    were applied. Does not say whether the body is whole: its own protocol does.

    Raises:
        EncodingError: `unknown-content-encoding`, `content-encoding-unavailable`,
            `bad-content-encoding`, `content-too-large`.
    """
    codings = [word.strip().lower() for word in encoding.split(",")]
    codings = [word for word in codings if word not in {"", "identity"}]
    if len(codings) > _MOST_CODINGS:
        raise EncodingError(
            "unknown-content-encoding", "More codings stand there than anyone uses."
        )
    for coding in reversed(codings):
        decoder = _DECODERS.get(coding)
        if decoder is None:
            raise EncodingError("unknown-content-encoding", f"No coding is called {coding!r}.")
        data = _bounded(decoder(data), max_bytes) if data else data
    return data


def _bounded(chunks: Iterator[bytes], max_bytes: int) -> bytes:
    found: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise EncodingError(
                "content-too-large", f"The body decodes to more than {max_bytes} bytes."
            )
        found.append(chunk)
    return b"".join(found)


def _inflate(data: bytes, window: int) -> Iterator[bytes]:
    """A zlib stream; of several gzip members one after the other, all."""
    while data:
        decoder = zlib.decompressobj(window)
        while data and not decoder.eof:
            try:
                chunk = decoder.decompress(data, _STEP)
            except zlib.error as error:
                raise _bad(str(error)) from error
            data = decoder.unconsumed_tail
            yield chunk
        data = decoder.unused_data
        if window <= zlib.MAX_WBITS or not data.startswith(_GZIP_MEMBER):
            return  # What follows is padding: no client reads it either.


def _gzip(data: bytes) -> Iterator[bytes]:
    return _inflate(data, zlib.MAX_WBITS | 16)


def _deflate(data: bytes) -> Iterator[bytes]:
    """RFC 9110 says zlib; some servers send it bare, and the first byte tells (RFC 1950, 2.2)."""
    wrapped = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] * 256 + data[1]) % 31 == 0)
    return _inflate(data, zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


def _brotli(data: bytes) -> Iterator[bytes]:
    module = _module("brotli")
    decoder: _Decompressor = module.Decompressor()
    feed = data
    while True:
        try:
            chunk = decoder.process(feed, output_buffer_limit=_STEP)
        except TypeError as error:
            raise _unavailable("brotli 1.2 or newer") from error
        except module.error as error:
            raise _bad(str(error)) from error
        feed = b""
        yield chunk
        if decoder.is_finished() or (decoder.can_accept_more_data() and not chunk):
            return


def _zstd(data: bytes) -> Iterator[bytes]:
    module = _module("zstandard")
    reader: _ZstdReader = module.ZstdDecompressor().stream_reader(data, read_across_frames=True)
    while True:
        try:
            chunk = reader.read(_STEP)
        except module.ZstdError as error:
            raise _bad(str(error)) from error
        if not chunk:
            return
        yield chunk


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _bad(why: str) -> EncodingError:
    return EncodingError("bad-content-encoding", f"The body is not encoded as it says: {why}.")


def _unavailable(what: str) -> EncodingError:
    return EncodingError(
        "content-encoding-unavailable",
        f"Reading this body needs {what}: pip install 'groundwire[compressed]'.",
    )


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _unavailable(f"the package {name}") from error
