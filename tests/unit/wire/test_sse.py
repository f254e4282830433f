"""Server-sent events as the standard reads them."""

from __future__ import annotations

import pytest

from groundwire.wire.sse import Event, Parser


def events(*chunks: bytes) -> list[tuple[str, bytes]]:
    parser = Parser()
    return [(found.name, found.data) for chunk in chunks for found in parser.feed(chunk)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"data: one\n\n", [("message", b"one")]),
        (b"data:one\n\n", [("message", b"one")]),
        (b"data:  one\n\n", [("message", b" one")]),
        (b"data: one\ndata: two\n\n", [("message", b"one\ntwo")]),
        (b"data\n\n", [("message", b"")]),
        (b"data\ndata\n\n", [("message", b"\n")]),
        (b"data: one\r\n\r\n", [("message", b"one")]),
        (b"data: one\r\r", [("message", b"one")]),
        (b"data: one\r\n\ndata: two\n\r\n", [("message", b"one"), ("message", b"two")]),
        (b": comment\ndata: one\n\n", [("message", b"one")]),
        (b"event: error\ndata: one\n\n", [("error", b"one")]),
        (b"event: error\n\ndata: one\n\n", [("message", b"one")]),
        (b"id: 4\nretry: 9\ndata: one\n\n", [("message", b"one")]),
        (b"dat: one\nDATA: two\n\n", []),
        (b"data: a: b\n\n", [("message", b"a: b")]),
        (b"\xef\xbb\xbfdata: one\n\n", [("message", b"one")]),
        (b"\n\n\n", []),
        (b"data: one", []),
        (b"data: one\n", []),
        (b"data: \xff\n\n", [("message", b"\xff")]),
        (b"event: \xff\ndata: 1\n\n", [("\ufffd", b"1")]),
    ],
)
def test_lines_become_events(data: bytes, expected: list[tuple[str, bytes]]) -> None:
    assert events(data) == expected
    assert events(*[data[at : at + 1] for at in range(len(data))]) == expected


def test_a_byte_order_mark_counts_only_at_the_start() -> None:
    assert events(b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n") == [("message", b"1")]


def test_a_line_feed_after_a_carriage_return_that_was_cut_off_is_no_blank_line() -> None:
    assert events(b"data: one\r", b"\ndata: two\r", b"", b"\n", b"\r\n") == [
        ("message", b"one\ntwo")
    ]


def test_what_had_no_blank_line_yet_is_pending() -> None:
    parser = Parser()
    assert parser.pending() is None
    parser.feed(b"event: done\ndata: on")
    assert parser.pending() == Event("done", b"on")
    parser.feed(b"e\ndata: tw")
    assert parser.pending() == Event("done", b"one\ntw")
    parser.feed(b"o\n\nevent: x")
    assert parser.pending() is None


@pytest.mark.parametrize("begun", [b"", b"d", b"data", b"data: x", b"ev", b":", b"id", b"\xef\xbb"])
def test_the_start_of_a_field_is_nothing_strange(begun: bytes) -> None:
    parser = Parser()
    parser.feed(begun)
    assert not parser.is_strange()


@pytest.mark.parametrize("begun", [b"<html>", b"dates: x", b"{}", b"x\n", b"\xff"])
def test_anything_else_is_strange(begun: bytes) -> None:
    parser = Parser()
    parser.feed(begun)
    assert parser.is_strange()
