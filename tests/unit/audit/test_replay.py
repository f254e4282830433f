from __future__ import annotations

from groundwire.audit.replay import Splits
from groundwire.documents.split import Split
from groundwire.recording.reader import Missing, Reader
from groundwire.stores.memory import MemorySink
from tests.recorders import message, raw, reader, recorder, request, split_of


def growing(steps: int) -> Reader:
    """A run whose frame grows by two messages a request; one of the last changes each time."""
    sink = MemorySink()
    writer = recorder(sink)
    messages: list[bytes] = []
    for exchange in range(steps):
        messages += [raw(message("user", f"{exchange} a")), raw(message("user", f"{exchange} b"))]
        if exchange:
            messages[-4] = raw(message("user", f"{exchange} changed"))
        assert bool(request(writer, exchange, split_of(messages)).replaced) == bool(exchange)
    writer.close()
    return reader(sink)


class Counting(Reader):
    """A reader that counts how often it was asked for a content."""

    asked = 0

    def content(self, commitment: str) -> bytes | Missing:
        self.asked += 1
        return super().content(commitment)


def asked_for(steps: int) -> int:
    built = growing(steps)
    built.__class__ = Counting
    assert isinstance(built, Counting)
    splits = Splits(built)
    for exchange in built.exchanges:
        assert isinstance(splits.of(built.request(exchange)), Split)
    return built.asked


def test_a_request_costs_what_is_new_in_it_however_long_its_frame() -> None:
    assert asked_for(40) - asked_for(30) == asked_for(20) - asked_for(10)


def test_requests_asked_for_out_of_order_are_the_same() -> None:
    built = growing(9)
    splits = Splits(built)
    in_order = {number: splits.of(built.request(number)) for number in built.exchanges}
    shuffled = Splits(built)
    for number in (8, 2, 3, 3, 7, 0, 5):
        assert shuffled.of(built.request(number)) == in_order[number]
