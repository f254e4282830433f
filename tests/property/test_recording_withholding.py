"""Whatever stands around a secret, it is in no line, and everything else is."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon.positions import Range
from groundwire.documents.content import Content
from groundwire.recording.content import commitment, plain
from groundwire.recording.lines import decode_line
from groundwire.recording.segments.contents import Contents, Draft
from groundwire.recording.withholding.secrets import find_secrets
from tests.recorders import Salts
from tests.unit.recording.withholding.test_secrets import SECRETS

# No letter, digit or sign that could go on with a secret on either side.
AROUND = st.text(st.sampled_from(" \n\t\"'(),;:<>[]{}!?|é☂😀\\"), max_size=20)
SECRET = st.sampled_from(sorted(SECRETS.values()))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=150)
@given(st.lists(st.tuples(AROUND, SECRET), min_size=1, max_size=4), AROUND, st.integers(0, 3))
def test_secrets_go_and_what_is_around_them_stays(
    pieces: list[tuple[str, str]], last: str, depth: int
) -> None:
    text = "".join(around + " " + secret + " " for around, secret in pieces) + last
    for _ in range(depth):
        text = json.dumps({"t": text}, ensure_ascii=False)
    data = text.encode()
    draft = Draft()
    contents = Contents(Salts(), b"sixteen bytes ok")
    named = contents.put(draft, data)
    content = decode_line(draft.lines[named])
    assert isinstance(content, Content)
    assert commitment(content) == named
    for _, secret in pieces:
        assert secret.encode() not in draft.lines[named]
    kept = "".join(part for part in content.parts or () if isinstance(part, str))
    for found in reversed(find_secrets(data)):
        data = data[: found.start] + data[found.end :]
    assert kept.encode() == data
    assert draft.withheld == len(pieces)


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_any_bytes_are_looked_through_without_an_error(data: bytes) -> None:
    at = 0
    for found in find_secrets(data):
        assert at <= found.start < found.end <= len(data)
        at = found.end


@settings(max_examples=100)
@given(TEXT, st.lists(st.tuples(st.integers(-5, 200), st.integers(-5, 200)), max_size=5))
def test_any_stretches_are_kept_out_and_the_rest_stays(
    text: str, stretches: list[tuple[int, int]]
) -> None:
    data = text.encode()
    draft = Draft()
    contents = Contents(Salts(), b"sixteen bytes ok")
    named = contents.put(draft, data, [Range(start, end) for start, end in stretches])
    content = decode_line(draft.lines[named])
    assert isinstance(content, Content)
    assert commitment(content) == named
    if content.parts is None:
        assert plain(content) == data
        return
    sizes = [len(part.encode()) if isinstance(part, str) else part.size for part in content.parts]
    assert sum(sizes) == len(data)
    at = 0
    for part, size in zip(content.parts, sizes, strict=True):
        if isinstance(part, str):
            assert data[at : at + size] == part.encode()
            assert not any(max(at, start) < min(at + size, end) for start, end in stretches)
        at += size


@settings(max_examples=60)
@given(SECRET, st.lists(st.integers(1, 30), min_size=1, max_size=60), TEXT)
def test_a_streamed_secret_is_found_however_it_is_cut(
    secret: str, sizes: list[int], before: str
) -> None:
    text, at, events = f"{before} {secret} after", 0, []
    for size in [*sizes, len(text)]:
        if text[at : at + size]:
            events.append(json.dumps({"delta": {"text": text[at : at + size]}}))
        at += size
    data = "".join(f"data: {event}\n\n" for event in events).encode()
    for found in reversed(find_secrets(data)):
        data = data[: found.start] + data[found.end :]
    said = "".join(
        json.loads(line[6:])["delta"]["text"] for line in data.decode().split("\n\n") if line
    )
    assert secret not in said
    assert said.endswith(" after")
