"""Compressed bodies, whole and cut, and small ones that would fill the memory."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from groundwire.errors import EncodingError
from groundwire.wire.encodings import decode_content

TEXT = b"data: " + bytes(range(256)) * 500 + b"\n\n"


def bare(data: bytes) -> bytes:
    squeezer = zlib.compressobj(wbits=-15)
    return squeezer.compress(data) + squeezer.flush()


SQUEEZE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("coding", SQUEEZE)
def test_a_body_comes_back_as_it_was(coding: str) -> None:
    assert decode_content(SQUEEZE[coding](TEXT), coding) == TEXT
    assert decode_content(SQUEEZE[coding](b""), coding) == b""
    assert decode_content(b"", coding) == b""


@pytest.mark.parametrize("coding", SQUEEZE)
def test_of_a_cut_body_as_much_as_can_be_read_comes_back(coding: str) -> None:
    whole = SQUEEZE[coding](TEXT)
    for cut in range(0, len(whole), max(1, len(whole) // 40)):
        assert TEXT.startswith(decode_content(whole[:cut], coding))


@pytest.mark.parametrize("coding", SQUEEZE)
def test_a_small_body_cannot_fill_the_memory(coding: str) -> None:
    bomb = SQUEEZE[coding](bytes(30_000_000))
    assert len(bomb) < 100_000
    with pytest.raises(EncodingError) as caught:
        decode_content(bomb, coding, max_bytes=1_000_000)
    assert caught.value.reason == "content-too-large"
    assert len(decode_content(bomb, coding, max_bytes=30_000_000)) == 30_000_000


def test_codings_are_undone_from_the_last_to_the_first() -> None:
    both = zlib.compress(gzip.compress(TEXT))
    assert decode_content(both, "gzip, deflate") == TEXT
    assert decode_content(TEXT, "identity") == TEXT
    assert decode_content(TEXT, "") == TEXT
    assert decode_content(gzip.compress(TEXT), " X-GZIP ,identity") == TEXT


def test_deflate_without_its_wrapper_and_gzip_of_several_members() -> None:
    assert decode_content(bare(TEXT), "deflate") == TEXT
    members = gzip.compress(b"one") + gzip.compress(b"two")
    assert decode_content(members, "gzip") == b"onetwo"
    assert decode_content(members + bytes(9), "gzip") == b"onetwo"
    frames = SQUEEZE["zstd"](b"one") + SQUEEZE["zstd"](b"two")
    assert decode_content(frames, "zstd") == b"onetwo"


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_bytes_that_are_not_encoded_so_are_refused(coding: str) -> None:
    with pytest.raises(EncodingError) as caught:
        decode_content(b"<html>not compressed at all</html>", coding)
    assert caught.value.reason == "bad-content-encoding"


@pytest.mark.parametrize("coding", ["compress", "gzip2", ",".join(["gzip"] * 9)])
def test_a_coding_nobody_knows_is_refused(coding: str) -> None:
    with pytest.raises(EncodingError) as caught:
        decode_content(b"x", coding)
    assert caught.value.reason == "unknown-content-encoding"


@pytest.mark.parametrize(("coding", "module"), [("br", "brotli"), ("zstd", "zstandard")])
def test_a_missing_package_is_named(
    coding: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EncodingError, match=r"groundwire\[compressed\]") as caught:
        decode_content(b"x", coding)
    assert caught.value.reason == "content-encoding-unavailable"
