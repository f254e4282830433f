"""Whatever frames follow one another in whatever lanes, each comes back byte for byte."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon.digest import raw as raw_digest
from groundwire.canon.digest import tagged_raw
from groundwire.recording.reader import Missing
from groundwire.recording.segments.bodies import MOST_REPLACED, delta_of
from groundwire.stores.memory import MemorySink
from tests.recorders import body_of, raw, reader, recorder, request, split_of, verdict

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
MESSAGE = st.builds(lambda text: raw({"content": text}), TEXT)
FRAME = st.lists(MESSAGE, max_size=12)
EDIT = st.sampled_from(["append", "drop", "change", "cut", "same", "new"])
SHELL = st.sampled_from([b"]}", b'],"n":1}', '],"é":2}'.encode()])
STEP = st.tuples(st.integers(0, 2), EDIT, FRAME, st.integers(0, 20), SHELL, st.integers(0, 12))


def edited(frame: Sequence[bytes], edit: str, other: list[bytes], at: int) -> list[bytes]:
    match edit:
        case "append":
            return [*frame, *other]
        case "drop":
            return [each for index, each in enumerate(frame) if index != at]
        case "change":
            return [*frame[:at], *other[:3], *frame[at + 1 :]]
        case "cut":
            return list(frame[:at])
        case "same":
            return list(frame)
        case _:
            return other


@settings(max_examples=80)
@given(st.lists(STEP, max_size=14))
def test_every_body_comes_back(steps: list[tuple[int, str, list[bytes], int, bytes, int]]) -> None:
    sink = MemorySink()
    writer = recorder(sink)
    frames: dict[int, list[bytes]] = {}
    bodies: list[bytes] = []
    for exchange, (lane, edit, other, at, after, hint) in enumerate(steps):
        frame = edited(frames.get(lane, []), edit, other, at)
        frames[lane] = frame
        split = split_of(frame, after=after, kept=min(hint, len(frame)))
        entry = request(writer, exchange, split, lane=lane)
        assert not entry.whole
        assert len(entry.replaced) <= MOST_REPLACED
        bodies.append(body_of(split))
    writer.close()
    built = reader(sink)
    assert [built.body(exchange) for exchange in range(len(steps))] == bodies
    for exchange in range(len(steps)):
        head = tagged_raw("context")
        for commitment in built.messages(exchange):
            head = tagged_raw("context", head, raw_digest(commitment))
        assert built.request(exchange).context == "gw1:" + head.hex()
    texts = [line for line in sink.lines() if b'"@":"content"' in line]
    shown = [line.partition(b'"text":')[2] for line in texts]
    assert len(shown) == len(set(shown))
    assert verdict(sink).state == "holds"


SECRET = raw({"content": "ghp_" + "A1b2C3d4" * 4})
SAID = st.lists(st.just(SECRET) | MESSAGE, max_size=12)
SAYING = st.tuples(st.integers(0, 1), EDIT, SAID, st.integers(0, 12))


@settings(max_examples=80)
@given(st.lists(SAYING, max_size=10))
def test_digests_are_kept_out_exactly_where_something_of_the_body_is(
    steps: list[tuple[int, str, list[bytes], int]],
) -> None:
    sink = MemorySink()
    writer = recorder(sink)
    frames: dict[int, list[bytes]] = {}
    expected: list[bool] = []
    named: list[str] = []
    for exchange, (lane, edit, other, at) in enumerate(steps):
        frame = edited(frames.get(lane, []), edit, other, at)
        frames[lane] = frame
        named.append(request(writer, exchange, split_of(frame), lane=lane).holds["digests"])
        expected.append(SECRET in frame)
    built = reader(sink)
    assert [isinstance(built.content(each), Missing) for each in named] == expected


@given(
    st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcd"), max_size=14),
)  # fmt: skip
def test_the_delta_says_what_it_keeps(old: list[str], new: list[str]) -> None:
    before, after = [each.encode() for each in old], [each.encode() for each in new]
    delta = delta_of(before, after)
    kept = before[: delta.keep]
    for index in delta.replaced:
        assert kept[index] != after[index]
        kept[index] = after[index]
    assert kept == after[: delta.keep]
    assert len(delta.replaced) <= MOST_REPLACED
    assert list(delta.replaced) == sorted(delta.replaced)
    assert not delta.replaced or delta.replaced[-1] < delta.keep - 1
    common = 0
    while common < min(len(before), len(after)) and before[common] == after[common]:
        common += 1
    assert delta.keep >= common
