from __future__ import annotations

import msgspec
import pytest

from groundwire.canon import digest
from groundwire.documents.content import Content, Withheld
from groundwire.documents.entry import FIRST, CloseEntry, NoteEntry, Open, RequestEntry, Window
from groundwire.errors import EncodingError
from groundwire.recording import content as contents
from groundwire.recording.lines import KINDS, UnknownEntry, decode_line, decode_lines, encode_line

AT = "2026-05-04T10:20:30.000000Z"
NOTE = NoteEntry(at=AT, holds={}, prev=FIRST, seq=3, topic="gap", count=2)
LINE = (
    b'{"@":"note/1","at":"2026-05-04T10:20:30.000000Z","count":2,"holds":{},'
    b'"prev":"leaf:' + b"0" * 64 + b'","seq":3,"topic":"gap"}'
)
SALT = "00112233445566778899aabbccddeeff"


def line(text: str | None = None, **fields: object) -> bytes:
    """A content line as a stranger may write it; nothing about it is checked here."""
    value = {"@": "content", "commitment": "gw1:" + "0" * 64, "salt": SALT, **fields}
    if text is not None:
        value["text"] = text
    return msgspec.json.encode(value, order="sorted")


def refused(data: bytes) -> str:
    with pytest.raises(EncodingError) as caught:
        decode_line(data)
    return caught.value.reason


def test_an_entry_has_exactly_the_bytes_of_the_format_page() -> None:
    assert encode_line(NOTE) == LINE
    assert decode_line(LINE) == NOTE


def test_a_content_line_shows_only_the_fields_of_its_form() -> None:
    content = Content(commitment="gw1:" + "a" * 64, salt=SALT, text='say "hé"\n')
    encoded = encode_line(content)
    assert encoded == (
        b'{"@":"content","commitment":"gw1:' + b"a" * 64 + b'","salt":"' + SALT.encode()
        + b'","text":"say \\"h\xc3\xa9\\"\\n"}'
    )  # fmt: skip
    assert decode_line(encoded) == content


@pytest.mark.parametrize(
    "spelling",
    [
        LINE.replace(b'"count":2', b'"count": 2'),
        LINE.replace(b'"count":2', b'"count":2.0'),
        LINE.replace(b'"count":2', b'"count":2,"count":2'),
        LINE.replace(b'"count":2', b'"count":9,"count":2'),
        LINE.replace(b'"gap"', b'"\\u0067ap"'),
        LINE.replace(b'"count":2,"holds":{}', b'"holds":{},"count":2'),
        LINE.replace(b'{"@":"note/1",', b"{").replace(b"}", b',"@":"note/1"}'),
        LINE + b" ",
        b" " + LINE,
        LINE + b"\r",
    ],
)
def test_another_spelling_of_the_same_entry_is_refused(spelling: bytes) -> None:
    assert refused(spelling) in {"line-not-canonical", "line-malformed"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 64,
        b"null",
        b"[]",
        b"{}",
        b'"@"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"@":' * 100_000,
        LINE[:-1],
        LINE.replace(b',"topic":"gap"', b""),
        LINE.replace(b'"count":2', b'"count":-2'),
        LINE.replace(b'"count":2', b'"count":9007199254740992'),
        LINE.replace(b'"count":2', b'"count":"2"'),
        LINE.replace(b'"count":2', b'"count":2,"extra":1'),
        LINE.replace(b"10:20:30.000000Z", b"10:20:30Z"),
        LINE.replace(b"10:20:30.000000Z", b"10:20:30.000000+00:00"),
        LINE.replace(b"2026-05-04", b"2026-02-30"),
        LINE.replace(b'"gap"', b'"\\ud800"'),
        LINE.replace(b'"gap"', b'"\xed\xa0\x80"'),
        LINE.replace(b'"holds":{}', '"holds":{"é":"gw1:"}'.encode()),
        LINE.replace(b"note/1", b"content/1"),
        LINE.replace(b"note/1", b"note"),
        LINE.replace(b"note/1", b"note/01"),
    ],
)
def test_bytes_that_are_no_entry_are_refused(data: bytes) -> None:
    assert refused(data) == "line-malformed"


def test_an_entry_of_an_unknown_kind_is_kept_whole() -> None:
    raw = LINE.replace(b"note/1", b"note/2").replace(b'"count":2', b'"count":[{"more":null}]')
    entry = decode_line(raw)
    assert entry == UnknownEntry(kind="note/2", at=AT, holds={}, prev=FIRST, seq=3, raw=raw)


@pytest.mark.parametrize(
    "change",
    [
        (b'"seq":3', b'"seq":"3"'),
        (b'"seq":3', b'"seq":true'),
        (b'"seq":3', b'"seq":-3'),
        (b'"holds":{}', b'"holds":{"a":1}'),
        (b'"holds":{}', b'"holds":[]'),
        (b'"prev":"leaf:' + b"0" * 64 + b'",', b""),
        (b'"at":"2026-05-04T10:20:30.000000Z",', b""),
        (b'"count":2', b'"count":2.5'),
        (b'"count":2', b'"count":[{"deep":0.5}]'),
        (b'"count":2', '"count":[{"é":1}]'.encode()),
    ],
)
def test_an_unknown_kind_still_needs_the_five_fields_and_a_canonical_line(
    change: tuple[bytes, bytes],
) -> None:
    unknown = LINE.replace(b"note/1", b"later/7")
    decode_line(unknown)
    assert refused(unknown.replace(*change)) == "line-malformed"


def test_the_known_kinds_are_those_with_a_struct() -> None:
    assert {"open/1", "request/1", "checkpoint/1", "deletion/1"} <= KINDS
    assert "content" not in KINDS
    assert len(KINDS) == 24


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": "a", "b64": "/w=="},
        {"text": "a", "size": 1},
        {"b64": "/w==", "parts": ["a"]},
        {"file": "sha256:" + "0" * 64},
        {"size": 2_000_000},
        {"file": "sha256:" + "0" * 64, "size": 1_000_000},
        {"file": "sha256:" + "A" * 64, "size": 2_000_000},
        {"file": "gw1:" + "0" * 64, "size": 2_000_000},
        {"text": "a" * 1_000_001},
        {"b64": "YWI="},
        {"b64": "/w"},
        {"b64": "/w= ="},
        {"b64": "/x=="},
        {"b64": "_w=="},
        {"b64": ""},
        {"parts": []},
        {"parts": ["only text"]},
        {"parts": ["", {"shape": "jwt", "size": 1, "withheld": "gw1:" + "0" * 64}]},
        {"parts": ["a", "b", {"shape": "jwt", "size": 1, "withheld": "gw1:" + "0" * 64}]},
        {"parts": [{"shape": "jwt", "size": 1, "withheld": "gw1:" + "G" * 64}]},
        {"salt": SALT.upper(), "text": "a"},
        {"salt": SALT[:30], "text": "a"},
        {"salt": SALT[:30] + " " + SALT[30:], "text": "a"},
    ],
)
def test_a_content_has_one_form_and_the_form_one_spelling(fields: dict[str, object]) -> None:
    assert refused(line(**fields)) == "content-form"


@pytest.mark.parametrize("absent", ["text", "b64", "parts", "file", "size"])
def test_a_form_that_is_absent_is_not_spelled_as_null(absent: str) -> None:
    other = "b" if absent == "text" else None
    data = line(other or "b", **({absent: None} if absent != "text" else {}))
    if absent == "text":
        data = data.replace(b'"text":"b"', b'"text":null')
    assert refused(data) in {"line-not-canonical", "content-form"}


def test_the_writer_cannot_encode_what_no_reader_takes() -> None:
    with pytest.raises(EncodingError):
        encode_line(Content(commitment="gw1:" + "0" * 64, salt=SALT, text="a", b64="/w=="))
    with pytest.raises(EncodingError):
        encode_line(NoteEntry(at="today", holds={}, prev=FIRST, seq=3, topic="gap", count=2))
    with pytest.raises(EncodingError):
        encode_line(NoteEntry(at=AT, holds={"é": "x"}, prev=FIRST, seq=3, topic="gap", count=2))
    with pytest.raises(EncodingError):
        encode_line(NoteEntry(at=AT, holds={}, prev=FIRST, seq=3, topic="\ud800", count=2))
    with pytest.raises(EncodingError):
        encode_line(Content(commitment="gw1:" + "0" * 64, salt=SALT, text="\ud800"))


def test_a_pin_with_a_name_that_is_not_ascii_is_refused() -> None:
    entry = Open(
        at=AT, holds={}, prev=FIRST, seq=0, agent="a", format="f", model="m",
        must_understand=(), on_behalf_of="o", parent=None, pins={"pythön": "3"}, policy="p",
        previous=None, run="r", segment=0, source="wire", toolset="t", trace=None,
        window=Window(since=AT, until=None),
    )  # fmt: skip
    with pytest.raises(EncodingError):
        encode_line(entry)
    encoded = encode_line(msgspec.structs.replace(entry, pins={"python": "3"}))
    assert refused(encoded.replace(b'"python"', '"pythön"'.encode())) == "line-malformed"


def test_every_kind_of_number_and_text_survives_the_round_trip() -> None:
    request = RequestEntry(
        at=AT, holds={"shell": "gw1:" + "1" * 64}, prev=FIRST, seq=7, append=("gw1:" + "2" * 64,),
        attempt=1, composed=None, context="gw1:c", exchange=2, frame="gw1:f", keep=3, lane=0,
        lane_name=None, lane_parent=None, lane_reason="first", method="POST", parent=None,
        path="/v1/é\x00\u2028", provider="openai-chat", replaced=((1, "gw1:" + "3" * 64),),
        size=2**53 - 1, unreadable="", whole=False,
    )  # fmt: skip
    assert decode_line(encode_line(request)) == request
    close = CloseEntry(
        at=AT, holds={}, prev=FIRST, seq=8, exchanges=1, findings=0, lateness_us=9,
        next_segment=False, withheld=0,
    )  # fmt: skip
    assert decode_line(encode_line(close)) == close


def test_a_commitment_is_over_salt_form_and_bytes() -> None:
    salt = bytes.fromhex(SALT)
    zero = "gw1:" + "0" * 64
    text = Content(commitment=zero, salt=SALT, text="é")
    raw = Content(commitment=zero, salt=SALT, b64="/w==")
    big = Content(commitment=zero, salt=SALT, file="sha256:" + "ab" * 32, size=1_000_001)
    held = Withheld(shape="jwt", size=40, withheld="gw1:" + "9" * 64)
    parts = Content(commitment=zero, salt=SALT, parts=("key ", held))
    assert contents.commitment(text) == digest.commitment(salt, "text", b"\xc3\xa9")
    assert contents.commitment(raw) == digest.commitment(salt, "b64", b"\xff")
    assert contents.commitment(big) == digest.commitment(
        salt, "file", b"\xab" * 32 + (1_000_001).to_bytes(8, "big")
    )
    assert contents.commitment(parts) == digest.commitment(
        salt, "parts",
        b'["key ",{"shape":"jwt","size":40,"withheld":"gw1:' + b"9" * 64 + b'"}]',
    )  # fmt: skip
    assert contents.plain(parts) == "key ⟦withheld jwt 999999999999⟧".encode()
    assert contents.withheld_in(parts) == 1
    assert contents.plain(big) is None


def feeds(*several: bytes) -> list[bytes]:
    return [each + b"\n" for each in several]


def test_lines_decoded_at_once_are_the_documents_of_each() -> None:
    content = line("héllo")
    assert decode_lines(feeds(LINE, content, LINE)) == [NOTE, decode_line(content), NOTE]
    assert decode_lines([]) == []


@pytest.mark.parametrize(
    "bad",
    [
        LINE.replace(b'"count":2', b'"count": 2'),
        LINE.replace(b'"count":2', b'"count":2,"count":2'),
        LINE.replace(b"10:20:30.000000Z", b"10:20:30Z"),
        LINE.replace(b"2026-05-04", b"2026-02-30"),
        LINE.replace(b"2026-05-04T10", "2026-05-04T1é".encode()),
        LINE.replace(b'"holds":{}', '"holds":{"é":"gw1:"}'.encode()),
        LINE.replace(b"note/1", b"note/2"),
        LINE[:-1],
        LINE + b"\n" + LINE,
        b"",
        b"[" * 50_000,
        line("a").replace(b'"@":"content",', b'"@":"content", '),
    ],
)
def test_lines_are_not_decoded_at_once_where_one_of_them_is_refused(bad: bytes) -> None:
    assert decode_lines(feeds(LINE, bad, LINE)) is None


def test_lines_without_ends_are_not_decoded_at_once() -> None:
    assert decode_lines([LINE + b"\n", LINE]) is None
    assert decode_lines([LINE, LINE + b"\n"]) is None


def test_an_opening_with_a_name_that_is_not_ascii_is_not_decoded_at_once() -> None:
    entry = Open(
        at=AT, holds={}, prev=FIRST, seq=0, agent="é", format="f", model="m",
        must_understand=(), on_behalf_of="o", parent=None, pins={"python": "3"}, policy="p",
        previous=None, run="r", segment=0, source="wire", toolset="t", trace=None,
        window=Window(since=AT, until=None),
    )  # fmt: skip
    good = encode_line(entry)
    assert decode_lines(feeds(good)) == [entry]
    assert decode_lines(feeds(good.replace(b'"python"', '"pythön"'.encode()))) is None


def test_a_line_that_is_longer_than_any_may_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire.recording.lines.LARGEST_LINE", len(LINE))
    decode_line(LINE)
    assert refused(LINE + b" ") == "line-malformed"
