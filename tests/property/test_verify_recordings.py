"""Whatever the second writer writes by the page, the verifier takes; whatever is changed, not."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.verdict import Head
from groundwire.errors import EncodingError
from groundwire.keys.times import parse_time
from groundwire.recording.lines import _are_times, decode_line, decode_lines
from groundwire.recording.reader import read
from groundwire.verify.equivocation import compare
from groundwire.verify.walk import Walk
from tests.recordings import SHELL, Draft, body_of, lines, root
from tests.unit.verify.judging import TRUSTED, head_of, judge, walked

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
CONTENTS = st.one_of(TEXT, st.binary(max_size=30))
MESSAGE = TEXT.map(repr)


class Story:
    """A run as a list of things that happened; drawn step by step."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.frames: dict[int, list[str]] = {}
        self.lanes: dict[int, int] = {}

    def request(self, data: st.DataObject) -> None:
        exchange = len(self.frames)
        lane = data.draw(st.integers(0, 1), "lane")
        parents = [each for each, other in self.lanes.items() if other == lane]
        parent = data.draw(st.sampled_from([None, *parents]), "parent")
        before = [] if parent is None else self.frames[parent]
        keep = data.draw(st.integers(0, len(before)), "keep")
        added = data.draw(st.lists(MESSAGE, max_size=3), "added")
        places = st.lists(st.integers(0, max(0, keep - 1)), unique=True, max_size=2)
        replaced = [
            (place, data.draw(MESSAGE, "instead")) for place in sorted(data.draw(places)) if keep
        ]
        frame = before[:keep]
        for place, message in replaced:
            frame[place] = message
        self.frames[exchange], self.lanes[exchange] = frame + added, lane
        self.draft.request(
            exchange, body_of(SHELL, frame + added), added, parent=parent, keep=keep,
            replaced=replaced, lane=lane, shell=SHELL,
        )  # fmt: skip

    def step(self, data: st.DataObject) -> None:
        match data.draw(st.sampled_from(["request", "response", "note", "unknown", "checkpoint"])):
            case "request":
                self.request(data)
            case "response":
                body = data.draw(st.binary(max_size=40))
                self.draft.response(len(self.frames), body)
            case "note":
                self.draft.note(text=data.draw(TEXT))
            case "unknown":
                names = st.text("abcxyz", min_size=1, max_size=4)
                held = data.draw(st.dictionaries(names, CONTENTS, max_size=3))
                self.draft.entry("weather/2", held, knots=data.draw(st.integers(0, 9)))
            case _:
                self.draft.checkpoint()


def story(data: st.DataObject, *, closed: bool | None = None) -> Story:
    told = Story(Draft().open().certificate())
    for _ in range(data.draw(st.integers(0, 8), "steps")):
        told.step(data)
    if data.draw(st.booleans()) if closed is None else closed:
        told.draft.close()
    else:
        told.draft.checkpoint()
    return told


@settings(max_examples=40)
@given(st.data())
def test_what_is_written_by_the_page_holds_and_reads_back(data: st.DataObject) -> None:
    told = story(data)
    verdict = judge(told.draft, head=head_of(told.draft))
    assert verdict.state == "holds", verdict.message
    assert verdict.root == root(told.draft.leaves)
    assert verdict.entries == told.draft.size
    reader = read(lines(told.draft.data()), told.draft.files.get)
    for exchange, frame in told.frames.items():
        assert reader.body(exchange) == body_of(SHELL, frame)


@settings(max_examples=60)
@given(st.data())
def test_one_changed_byte_of_a_closed_recording_is_always_found(data: st.DataObject) -> None:
    good = story(data, closed=True).draft.data()
    place = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.integers(1, 255)) ^ good[place]
    bad = good[:place] + bytes([other]) + good[place + 1 :]
    verdict = judge(bad)
    if verdict.state == "holds":
        # Without its line feed the closing checkpoint is a torn end: what was signed before stands,
        # open, as if a crash had cut the file. Only a head kept outside tells that it was longer.
        assert place == len(good) - 1
        assert not verdict.closed
        assert verdict.torn_bytes


@settings(max_examples=60)
@given(st.data())
def test_a_recording_read_at_any_moment_is_never_called_broken(data: st.DataObject) -> None:
    draft = story(data, closed=False).draft
    whole = draft.data()
    end = data.draw(st.integers(0, len(whole)))
    assert judge(whole[:end]).state in {"holds", "undecided"}
    known = Head(run=draft.run, segment=0, size=draft.size, root=draft.root)
    if end < len(whole):
        assert judge(whole[:end], head=known).reason == "rolled-back"


@settings(max_examples=25)
@given(st.data())
def test_contents_can_be_taken_out_by_their_signer_in_any_number(data: st.DataObject) -> None:
    draft = story(data, closed=True).draft
    gone = data.draw(st.sets(st.sampled_from(sorted(draft.placed)), min_size=1))
    redacted = draft.redacted(gone)
    verdict = judge(redacted)
    assert (verdict.state, verdict.redacted) == ("holds", len(gone))
    assert judge(redacted, head=head_of(draft)).state == "holds"
    kept = [line for line in redacted.raw if not line.startswith(b'{"@":"redaction')]
    assert judge(b"".join(line + b"\n" for line in kept)).state == "broken"


@settings(max_examples=40)
@given(st.data())
def test_batches_and_single_lines_give_one_verdict(data: st.DataObject) -> None:
    good = lines(story(data).draft.data())
    place = data.draw(st.integers(0, len(good) - 1))
    change = data.draw(st.sampled_from(["none", "drop", "double", "move", "byte", "space"]))
    bad = good.copy()
    if change == "drop":
        del bad[place]
    elif change == "double":
        bad.insert(place, bad[place])
    elif change == "move":
        bad.insert(data.draw(st.integers(0, len(bad) - 1)), bad.pop(place))
    elif change == "byte":
        at = data.draw(st.integers(0, len(bad[place]) - 2))
        other = bytes([bad[place][at] ^ data.draw(st.integers(1, 127))])
        bad[place] = bad[place][:at] + other + bad[place][at + 1 :]
    elif change == "space":
        bad[place] = bad[place].replace(b":", b": ", 1)
    at_once, singly = Walk(TRUSTED, {}.get).over(bad), Walk(TRUSTED, {}.get)
    singly._batch = lambda batch: [singly._line(line) for line in batch]
    singly.over(bad)
    summary = [
        (walk.failure and (walk.failure.code, walk.failure.line), walk.chain.head, walk.stage,
         walk.contents.count)
        for walk in (at_once, singly)
    ]  # fmt: skip
    assert summary[0] == summary[1]


@settings(max_examples=40)
@given(st.data())
def test_two_endings_of_one_beginning_are_equivocation_where_both_are_signed(
    data: st.DataObject,
) -> None:
    begun = story(data, closed=False).draft
    one, other = copy.deepcopy(begun), copy.deepcopy(begun)
    one.note(text="one ending")
    other.note(text="another ending")
    signed = data.draw(st.booleans())
    one.checkpoint()
    if signed:
        other.checkpoint()
    relation = compare(walked(one), walked(other)).relation
    assert relation == ("equivocation" if signed else "unsigned-ends-differ")
    assert compare(walked(begun), walked(one)).relation == "first-is-prefix"


@settings(max_examples=300)
@given(st.lists(st.text("0123456789-:.TZ+é\n ", max_size=30), max_size=3))
def test_many_times_are_read_as_each_is(texts: list[str]) -> None:
    assert _are_times(texts) == all(map(_is_time, texts))


@settings(max_examples=300)
@given(st.tuples(*[st.integers(0, high) for high in (9999, 13, 32, 25, 61, 61, 999_999)]))
def test_a_time_in_a_batch_has_the_bounds_of_a_single_one(parts: tuple[Any, ...]) -> None:
    year, month, day, hour, minute, second, micro = parts
    text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro:06}Z"
    assert _are_times([text]) == _is_time(text)
    assert _are_times(["2026-05-04T10:20:30.000001Z", text]) == _is_time(text)


def _is_time(text: str) -> bool:
    try:
        parse_time(text)
    except EncodingError:
        return False
    return True


@settings(max_examples=100)
@given(st.data())
def test_lines_decoded_at_once_are_those_decoded_singly(data: st.DataObject) -> None:
    good = lines(story(data).draft.data())
    documents = decode_lines(good)
    singly = [decode_line(line[:-1]) for line in good]
    if documents is None:
        assert any(b'{"@":"weather/2"' in line for line in good)
    else:
        assert documents == singly
