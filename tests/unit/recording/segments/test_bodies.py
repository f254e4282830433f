"""Bodies by parts: a step costs what is new in it, and what is written comes back byte for byte."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from groundwire.canon.digest import raw as raw_digest
from groundwire.canon.digest import sha256, tagged, tagged_raw
from groundwire.canon.positions import Range
from groundwire.documents.entry import RequestEntry
from groundwire.errors import HostError
from groundwire.recording.reader import Missing
from groundwire.recording.segments.bodies import MOST_LANES, MOST_REPLACED, Delta, delta_of
from groundwire.recording.writer import Recorder
from groundwire.stores.memory import MemorySink
from groundwire.wire.split import Splitter
from tests.recorders import body_of, raw, reader, recorder, request, split_of, texts, verdict
from tests.unit.recording.withholding.test_secrets import SECRETS


def m(*texts: str) -> list[bytes]:
    return [raw({"role": "user", "content": text}) for text in texts]


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def writer(sink: MemorySink) -> Recorder:
    return recorder(sink)


@pytest.mark.parametrize(
    ("old", "new", "delta"),
    [
        ("", "abc", Delta(0, ())),
        ("abc", "abc", Delta(3, ())),
        ("abc", "abcde", Delta(3, ())),
        ("abcde", "abc", Delta(3, ())),
        ("abc", "abx", Delta(2, ())),
        ("abc", "xbc", Delta(3, (0,))),
        ("abcd", "axcyz", Delta(3, (1,))),
        ("abcd", "axxd", Delta(4, (1, 2))),
        ("abc", "", Delta(0, ())),
        ("abcdefghij", "bcdefghijk", Delta(0, ())),
        ("abcdefghijk", "ABCDEFGHIJk", Delta(0, ())),
        ("abcdefghijk", "ABCDEFGHijk", Delta(11, tuple(range(8)))),
    ],
)
def test_the_delta_keeps_what_goes_on_and_replaces_a_few(old: str, new: str, delta: Delta) -> None:
    before, after = ([each.encode() for each in text] for text in (old, new))
    assert delta_of(before, after) == delta
    assert delta_of(tuple(before), tuple(after)) == delta
    assert MOST_REPLACED == 8


def test_the_first_frame_appends_everything(sink: MemorySink, writer: Recorder) -> None:
    split = split_of(m("a", "b"))
    entry = request(writer, 0, split)
    assert (entry.parent, entry.keep, entry.replaced, entry.whole) == (None, 0, (), False)
    assert len(entry.append) == 2
    assert reader(sink).body(0) == body_of(split)


def test_a_longer_frame_appends_what_is_new(sink: MemorySink, writer: Recorder) -> None:
    request(writer, 0, split_of(m("a", "b")))
    before = len(sink.data)
    split = split_of(m("a", "b", "c"), kept=2)
    entry = request(writer, 1, split)
    assert (entry.parent, entry.keep, len(entry.append)) == (0, 2, 1)
    assert b'\\"a\\"' not in sink.data[before:]
    assert reader(sink).body(1) == body_of(split)


def test_a_message_that_changed_in_place_is_replaced(sink: MemorySink, writer: Recorder) -> None:
    request(writer, 0, split_of(m("a", "b", "c")))
    split = split_of(m("a", "B", "c", "d"))
    entry = request(writer, 1, split)
    assert (entry.keep, [index for index, _ in entry.replaced]) == (3, [1])
    assert reader(sink).body(1) == body_of(split)
    after = split_of(m("a", "B", "c", "d", "e"))
    request(writer, 2, after)
    assert reader(sink).body(2) == body_of(after)


def test_a_window_that_drops_the_oldest_writes_no_message_twice(
    sink: MemorySink, writer: Recorder
) -> None:
    texts = [f"text number {number}" for number in range(30)]
    splits = [split_of(m("system", *texts[at : at + 12])) for at in range(18)]
    for exchange, split in enumerate(splits):
        request(writer, exchange, split)
    assert all(sink.data.count(raw(text)[1:-1] + b'\\"') == 1 for text in texts[:29])
    built = reader(sink)
    assert [built.body(exchange) for exchange in range(18)] == list(map(body_of, splits))


def test_lanes_have_frames_of_their_own(sink: MemorySink, writer: Recorder) -> None:
    request(writer, 0, split_of(m("a", "b")), lane=0)
    entry = request(writer, 1, split_of(m("x")), lane=1)
    assert entry.parent is None
    entry = request(writer, 2, split_of(m("a", "b", "c"), kept=1), lane=0)
    assert (entry.parent, entry.keep) == (0, 2)
    entry = request(writer, 3, split_of(m("x", "y"), kept=2), lane=1)
    assert (entry.parent, entry.keep) == (1, 1)
    built = reader(sink)
    assert built.body(3) == body_of(split_of(m("x", "y")))


def test_a_lane_that_was_forgotten_lists_its_messages_again_and_writes_none_twice(
    sink: MemorySink, writer: Recorder
) -> None:
    for lane in range(MOST_LANES + 1):
        request(writer, lane, split_of(m("same", f"lane {lane}")), lane=lane)
    split = split_of(m("same", "lane 0", "more"))
    entry = request(writer, 99, split, lane=0)
    assert (entry.parent, entry.keep, len(entry.append)) == (None, 0, 3)
    assert sink.data.count(b"lane 0") == 1
    assert reader(sink).body(99) == body_of(split)


def test_the_shell_is_one_content_while_it_stays_the_same(
    sink: MemorySink, writer: Recorder
) -> None:
    one = request(writer, 0, split_of(m("a"))).holds["shell"]
    two = request(writer, 1, split_of(m("a", "b"))).holds["shell"]
    other = request(writer, 2, split_of(m("a", "b"), after=b'],"n":1}')).holds["shell"]
    assert one == two != other
    assert request(writer, 3, split_of(m("a"))).holds["shell"] == one
    assert sink.data.count(b'\\"before\\":') == 2
    assert reader(sink).body(2) == body_of(split_of(m("a", "b"), after=b'],"n":1}'))


def heads_of(entries: Sequence[RequestEntry], commitments: Sequence[str]) -> tuple[str, str]:
    """Context and frame by the page, for the last of these entries."""
    head = tagged_raw("context")
    for commitment in commitments:
        head = tagged_raw("context", head, raw_digest(commitment))
    shell = raw_digest(entries[-1].holds["shell"])
    return "gw1:" + head.hex(), tagged("frame", shell, head)


def test_context_and_frame_are_the_chains_of_the_page(sink: MemorySink, writer: Recorder) -> None:
    frames = [m("a", "b"), m("a", "b", "c"), m("a", "X", "c"), m("a"), m("a", "d"), []]
    entries = []
    for exchange, frame in enumerate(frames):
        entries.append(request(writer, exchange, split_of(frame)))
        commitments = reader(sink).messages(exchange)
        assert (entries[-1].context, entries[-1].frame) == heads_of(entries, commitments)


def test_a_body_that_stands_whole_has_the_empty_chain(sink: MemorySink, writer: Recorder) -> None:
    entry = request(writer, 0, None, body=b"not json")
    assert entry.whole
    assert entry.context == tagged("context")
    assert entry.frame == tagged("frame", raw_digest(entry.holds["whole"]))
    assert "shell" not in entry.holds
    assert reader(sink).body(0) == b"not json"
    assert writer.whole_bodies == 1


@pytest.mark.parametrize(
    "lie",
    [
        {"body_digest": sha256(b"another body")}, {"regular": False}, {"size": 9},
        {"messages": tuple(m("a", "z"))}, {"messages": tuple(m("a"))}, {"between": b", "},
        {"after": b"] }"}, {"before": b"\xff"}, {"after": b"\xff"},
    ],
)  # fmt: skip
def test_a_body_that_would_not_come_back_exactly_stands_whole(
    sink: MemorySink, writer: Recorder, lie: dict[str, object]
) -> None:
    body = body_of(split_of(m("a", "b")))
    lying = msgspec.structs.replace(split_of(m("a", "b")), **lie)
    entry = request(writer, 0, lying, body=body)
    assert entry.whole
    assert reader(sink).body(0) == body
    assert writer.whole_bodies == 1


def test_a_kept_message_that_differs_is_noticed_by_the_hash_of_what_was_written(
    sink: MemorySink, writer: Recorder
) -> None:
    """A splitter that calls other bytes the same would make a recording of another body."""
    request(writer, 0, split_of(m("a", "b")))

    class Same(bytes):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = bytes.__hash__

    truth = split_of([*m("a"), Same(m("c")[0])], kept=2)
    entry = request(writer, 1, truth, body=body_of(truth))
    assert entry.whole
    assert reader(sink).body(1) == body_of(split_of(m("a", "c")))


def test_a_lane_goes_on_by_parts_after_a_body_that_stood_whole(
    sink: MemorySink, writer: Recorder
) -> None:
    request(writer, 0, split_of(m("a")))
    request(writer, 1, None, body=b"broken")
    entry = request(writer, 2, split_of(m("a", "b")))
    assert (entry.parent, entry.keep) == (0, 1)
    assert reader(sink).body(2) == body_of(split_of(m("a", "b")))


def test_a_request_that_the_sink_refused_changes_no_lane(
    sink: MemorySink, writer: Recorder
) -> None:
    request(writer, 0, split_of(m("a")))
    sink.fail_next["append"] = HostError("disk-full", "full")
    with pytest.raises(HostError):
        request(writer, 1, split_of(m("a", "b")))
    entry = request(writer, 2, split_of(m("a", "b", "c")))
    assert (entry.parent, entry.keep, len(entry.append)) == (0, 1, 2)
    assert reader(sink).body(2) == body_of(split_of(m("a", "b", "c")))
    assert verdict(sink).reason == "nothing-signed"


def test_real_bodies_taken_apart_by_the_splitter_come_back(
    sink: MemorySink, writer: Recorder
) -> None:
    splitter = Splitter()
    bodies = []
    for exchange in range(6):
        messages = [{"role": "user", "content": f"☂ {n}"} for n in range(exchange + 1)]
        messages[0]["cache_control"] = exchange % 2  # type: ignore[assignment]  -- any JSON
        bodies.append(raw({"model": "m-1", "messages": messages, "tools": []}))
        request(writer, exchange, splitter.split(bodies[-1], "openai-chat"), body=bodies[-1])
    built = reader(sink)
    assert [built.body(exchange) for exchange in range(6)] == bodies
    assert writer.whole_bodies == 0


def test_what_the_host_keeps_out_of_a_message_is_in_no_line_and_in_no_digest(
    sink: MemorySink, writer: Recorder
) -> None:
    def withhold(message: bytes) -> list[Range]:
        at = message.find(b"0171 555")
        return [Range(at, at + 8)] if at >= 0 else []

    split = split_of(m("call 0171 555"))
    entry = request(writer, 0, split, withhold=withhold)
    later = request(writer, 1, split_of(m("call 0171 555", "b"), kept=1), withhold=withhold)
    gone = request(writer, 2, split_of(m("b")), withhold=withhold)
    built = reader(sink)
    assert b"0171 555" not in texts(sink)
    assert sha256(body_of(split)).encode() not in texts(sink)
    assert built.content(entry.holds["digests"]) == Missing("withheld")
    assert built.content(later.holds["digests"]) == Missing("withheld")
    assert isinstance(built.content(gone.holds["digests"]), bytes)


@pytest.mark.parametrize("irregular", [{"regular": False}, {"body_digest": sha256(b"other")}])
def test_what_the_host_keeps_out_of_a_message_stays_out_where_the_body_stands_whole(
    sink: MemorySink, writer: Recorder, irregular: dict[str, object]
) -> None:
    def withhold(message: bytes) -> list[Range]:
        at = message.find(b"0171")
        return [Range(at, at + 4)] if at >= 0 and len(message) < 50 else []

    split = split_of(m("a", "call 0171", "and 0171"), **irregular)
    entry = request(writer, 0, split, withhold=withhold)
    assert entry.whole
    assert b"0171" not in texts(sink)
    assert b"call" in texts(sink)


def test_a_whole_body_whose_messages_are_not_where_they_should_be_stays_out_whole(
    sink: MemorySink, writer: Recorder
) -> None:
    split = split_of(m("call 0171"), regular=False)
    body = b'{ "messages" : [ {"content" : "call 0171"} ] }'
    request(writer, 0, split, body=body, withhold=lambda message: [Range(0, 3)] if b'":"' in message else [])  # fmt: skip
    assert b"0171" not in texts(sink)


def test_a_secret_in_a_message_or_a_shell_is_in_no_line(sink: MemorySink, writer: Recorder) -> None:
    for exchange, secret in enumerate(SECRETS.values()):
        split = split_of(
            m(f"use {secret}"), after=b'],"key":' + raw(secret) + b',"n":%d}' % exchange
        )
        request(writer, exchange, split)
    for secret in SECRETS.values():
        assert secret.encode() not in texts(sink)
        assert raw(secret)[9:-1] not in texts(sink)
    assert writer.whole_bodies == 0
