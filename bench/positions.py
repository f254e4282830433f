"""How fast places in a body are found: `python -m bench.positions`.

Each body has about 10 MB. Time is the process's own, so that a busy machine changes little. Exits 1
where a body goes by at less than 100 MB/s, but for a few that no provider sends: those are printed
for what they are.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial

from bench.quiet import load, outcome
from groundwire.canon.positions import elements, locate, text_map

SPEED = 100.0
SIZE = 10_000_000
ROUNDS = 7
PROSE = "The pump in hall 3 was checked at noon and ran within its limits. "


def spelled(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


def chat(indent: int | None = None) -> bytes:
    """A conversation of short messages, each with a call whose arguments are JSON in a string."""
    message = {
        "role": "assistant",
        "content": PROSE * 8,
        "tool_calls": [{"function": {"arguments": spelled({"pump": 3, "at": "noon"}).decode()}}],
    }
    count = SIZE // len(spelled(message, indent))
    return spelled({"model": "m", "messages": [message] * count, "stream": True}, indent)


def deep(levels: int) -> bytes:
    """All the text at the bottom: every step reads it once more."""
    value: object = PROSE * (SIZE // len(PROSE))
    for _ in range(levels):
        value = {"before": 1, "in": [0, value]}
    return spelled(value)


def records() -> bytes:
    record = {"id": 7, "host": "pump-7", "up": True, "tags": ["hall", "3"], "load": 0.5}
    return spelled([record] * (SIZE // len(spelled(record))))


def best(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        seconds.append(time.process_time() - started)
    return min(seconds)


Row = tuple[str, bytes, Callable[[bytes], object]]


def at(pointer: str) -> Callable[[bytes], object]:
    return lambda body: locate(body, pointer)


def string_at(pointer: str) -> Callable[[bytes], object]:
    """The whole way: the value, its text, and the bytes of ten characters in its midst."""

    def call(body: bytes) -> object:
        found = text_map(body, locate(body, pointer))
        middle = len(found.text) // 2
        return found.byte_range(middle, middle + 10)

    return call


def must() -> list[Row]:
    body, pretty, flat = chat(), chat(2), spelled(list(range(SIZE // 8)))
    long = spelled({"text": PROSE * (SIZE // len(PROSE)), "after": 1})
    escapes = spelled({"text": 'a "q" line\n' * (SIZE // 14), "after": 1})
    wide = spelled({f"key {number}": PROSE * 2 for number in range(SIZE // 146)})
    foreign = json.dumps({"text": "Prüfung 点検 " * (SIZE // 20), "after": 1}, ensure_ascii=False)
    inner = spelled({"arguments": spelled({"text": PROSE * (SIZE // len(PROSE))}).decode()})
    late = len(json.loads(body)["messages"]) - 1
    return [
        ("early in a conversation", body, at("/messages/3/content")),
        ("late in a conversation", body, at(f"/messages/{late}/content")),
        ("after a conversation", body, at("/stream")),
        ("late, written with indents", pretty, at("/messages/3000/content")),
        ("every message", body, lambda data: elements(data, locate(data, "/messages"))),
        ("10 steps deep", deep(5), at("/in/1" * 5)),
        ("wide array of records", records(), at("/100000/tags/1")),
        ("wide array of numbers", flat, at(f"/{SIZE // 8 - 1}")),
        ("wide object, 130-byte texts", wide, at("/key 60000")),
        ("after a long text", long, at("/after")),
        ("a long text, mapped", long, string_at("/text")),
        ("after many escapes", escapes, at("/after")),
        ("many escapes, mapped", escapes, string_at("/text")),
        ("a text beyond ASCII, mapped", foreign.encode(), string_at("/text")),
        ("a text in a text", inner, lambda data: text_map(data, locate(data, "/arguments"))),
    ]


def may() -> list[Row]:
    unicode_escapes = spelled({"text": "\u00e9" * (SIZE // 6)})
    tiny = spelled({f"k{number}": number for number in range(SIZE // 20)})
    twice = records()[:-1] + b',{"a":1,"a":2}]'
    return [
        ("nothing but \\u escapes, mapped", unicode_escapes, string_at("/text")),
        ("64 steps deep", deep(32), at("/in/1" * 32)),
        ("object of tiny members", tiny, at("/k400000")),
        ("array in an irregular rhythm", twice.replace(b", ", b",", 1), at("/100000")),
    ]


def main() -> int:
    """Prints a line a case; 1 if one that must hold the speed does not."""
    before, slow = load(), False
    for required, rows in ((True, must()), (False, may())):
        for name, body, call in rows:
            speed = len(body) / 1e6 / best(partial(call, body))
            missed = required and speed < SPEED
            slow = slow or missed
            verdict = "TOO SLOW" if missed else f">= {SPEED:.0f}" if required else "(no bound)"
            print(f"{name:<34}{len(body) / 1e6:>7.1f} MB{speed:>9.0f} MB/s  {verdict}")
    return outcome(slow, before)


if __name__ == "__main__":
    sys.exit(main())
