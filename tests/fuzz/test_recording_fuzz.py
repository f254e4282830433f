"""Any bytes: a document or `EncodingError`, a verdict of the table, a reader or `EncodingError`."""

from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.content import Content
from groundwire.documents.entry import RequestEntry
from groundwire.errors import EncodingError, GroundwireError
from groundwire.recording import content as contents
from groundwire.recording.frames import Frames
from groundwire.recording.lines import decode_line, decode_lines
from groundwire.recording.reader import read
from groundwire.verify.words import TABLE
from tests.recordings import lines, sample
from tests.unit.verify.judging import TRUSTED, judge

SAMPLE = sample(large=False)
LINES = SAMPLE.raw
PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([*LINES, b"\n", b"\x00" * 40, b'{"@":"', b'{"@":"content",', b"{}", b"[[[["]),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    line = bytearray(draw(st.sampled_from(LINES)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(line)))
        line[place : place + draw(st.integers(0, 3))] = draw(
            st.one_of(
                st.binary(max_size=3), st.sampled_from([b'"', b"{", b"null", b"1e9", b"\\u00"])
            )
        )
    return bytes(line)


@settings(max_examples=120)
@given(st.one_of(st.binary(max_size=300), damaged()))
def test_any_bytes_are_a_document_or_an_encoding_error(data: bytes) -> None:
    try:
        document = decode_line(data)
    except EncodingError as error:
        refused = error.reason
    else:
        refused = "line-malformed"
        if isinstance(document, Content):
            contents.commitment(document)
        elif isinstance(document, RequestEntry):
            with contextlib.suppress(EncodingError):
                Frames().take(document)
    assert refused in TABLE


@settings(max_examples=120)
@given(st.lists(st.one_of(damaged(), st.sampled_from(LINES)), max_size=4))
def test_lines_at_once_are_documents_or_none(several: list[bytes]) -> None:
    together = decode_lines([line + b"\n" for line in several])
    singly = []
    for line in several:
        try:
            singly.append(decode_line(line))
        except EncodingError:
            assert together is None or line.startswith(b'{"@":"content"')
            return
    assert together is None or together == singly


@settings(max_examples=120)
@given(st.lists(PIECES, max_size=6).map(b"".join), st.integers(0, len(LINES)))
def test_any_file_gets_a_verdict_of_the_table(data: bytes, kept: int) -> None:
    begun = b"".join(line + b"\n" for line in LINES[:kept])
    verdict = judge(begun + data)
    assert verdict.reason in TABLE
    assert TABLE[verdict.reason].state == verdict.state


@settings(max_examples=100)
@given(st.lists(PIECES, max_size=6).map(b"".join), st.integers(0, len(LINES)))
def test_any_file_is_read_or_refused_with_our_own_error(data: bytes, kept: int) -> None:
    begun = b"".join(line + b"\n" for line in LINES[:kept])
    with contextlib.suppress(GroundwireError):
        reader = read(lines(begun + data), {}.get)
        for exchange in reader.exchanges:
            reader.body(exchange)
            reader.answer(exchange)


@settings(max_examples=120)
@given(st.one_of(st.text(max_size=200), st.text("groundwie/0123456789\n—+=AB ", max_size=200)))
def test_any_note_leaves_a_verdict_of_the_table(note: str) -> None:
    assert judge(SAMPLE, TRUSTED, notes=[note]).reason in {
        "note-malformed", "not-in-mirror", "rolled-back", "replaced",
    }  # fmt: skip
