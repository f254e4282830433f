"""A request taken apart after those before it is the request taken apart by itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.audit.replay import Splits
from groundwire.documents.split import Split
from groundwire.stores.memory import MemorySink
from tests.property.test_recording_bodies import STEP, edited
from tests.recorders import body_of, reader, recorder, request, split_of

Step = tuple[int, str, list[bytes], int, bytes, int]


@settings(max_examples=80)
@given(st.lists(STEP, max_size=14), st.sets(st.integers(0, 30), max_size=3))
def test_requests_in_order_are_what_each_is_alone_though_contents_are_missing(
    steps: list[Step], gone: set[int]
) -> None:
    sink = MemorySink()
    writer = recorder(sink)
    frames: dict[int, list[bytes]] = {}
    bodies: list[bytes] = []
    for exchange, (lane, edit, other, at, after, hint) in enumerate(steps):
        frames[lane] = edited(frames.get(lane, []), edit, other, at)
        split = split_of(frames[lane], after=after, kept=min(hint, len(frames[lane])))
        request(writer, exchange, split, lane=lane)
        bodies.append(body_of(split))
    writer.close()
    built = reader(sink)
    contents = built._contents
    for commitment in [name for number, name in enumerate(contents) if number in gone]:
        del contents[commitment]
    splits = Splits(built)
    for exchange in built.exchanges:
        entry = built.request(exchange)
        split, alone = splits.of(entry), Splits(built).of(entry)
        assert split == alone
        if isinstance(split, Split):
            assert body_of(split) == bodies[exchange]
        else:
            assert gone
