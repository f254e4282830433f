"""Real exchanges decoded, and what splitting and decoding cost: `python -m bench.wire [FILE]`.

FILE holds recorded exchanges as gzipped JSON lines: `provider, path, request`, `request_text` where
the exact body was kept, and `response`, `response_text` or `response_b64`. Without a file only the
speed is measured, on bodies made here.
"""

from __future__ import annotations

import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.quiet import load, outcome
from groundwire.canon.digest import sha256
from groundwire.documents.frame import CallPart, Frame, Opaque, Response, ResultPart
from groundwire.errors import EncodingError
from groundwire.wire.decoder import Decoder, decode_response
from groundwire.wire.providers import recognise
from groundwire.wire.split import MESSAGE_FIELDS, Splitter

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "wire.dev.jsonl.gz"
STEPS = 1000
FRAME_BYTES = 2_000_000
TWICE_BOUND = 2.2
PASS_BOUND = 250.0


class Tally:
    """What was found in the exchanges of a file."""

    def __init__(self) -> None:
        self.decoded: Counter[tuple[str, str]] = Counter()
        self.undecoded: Counter[str] = Counter()
        self.rebuilt = [0, 0, 0]  # bodies, bytes, differing
        self.respelled = 0
        self.opaque: Counter[tuple[str, str]] = Counter()
        self.pointers: Counter[tuple[str, str]] = Counter()
        self.parts: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.refused: list[str] = []
        self.clocks: dict[str, list[float]] = {}

    def timed(self, name: str, size: int, action: Callable[[], Any]) -> Any:
        started = time.thread_time()
        found = action()
        clock = self.clocks.setdefault(name, [0.0, 0.0])
        clock[0] += time.thread_time() - started
        clock[1] += size
        return found


def exchanges(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            yield json.loads(row)


def read_exchange(row: dict[str, Any], tally: Tally) -> None:
    provider = row["provider"]
    if provider not in MESSAGE_FIELDS:
        tally.undecoded[provider] += 1
        return
    if recognise("", row["path"]) != provider:
        tally.refused.append(f"address not recognised: {row['path']}")
    kind = "stream" if isinstance(row.get("response_text"), str) else "document"
    for read in (read_request, read_response):
        try:
            read(row, tally)
        except EncodingError as error:
            body = row.get("response_text") or json.dumps(row.get("response"))
            tally.refused.append(f"{provider} {read.__name__[5:]}: {error.reason}: {body[:90]}")
            return
    tally.decoded[provider, kind] += 1


def read_request(row: dict[str, Any], tally: Tally) -> None:
    provider, text = row["provider"], row["request_text"]
    if isinstance(text, str):
        body = text.encode()
    else:
        body = json.dumps(row["request"], ensure_ascii=False, separators=(",", ":")).encode()
        tally.respelled += 1
    splitter, decoder = Splitter(), Decoder()
    split = tally.timed("split", len(body), lambda: splitter.split(body, provider))
    frame: Frame = tally.timed("frame", len(body), lambda: decoder.frame(split, provider))
    if isinstance(text, str):
        same = split.regular and split.before + split.between.join(split.messages) + split.after
        tally.rebuilt[0] += 1
        tally.rebuilt[1] += len(body)
        tally.rebuilt[2] += same != body
    count_parts(provider, [part for m in frame.messages for part in m.parts], frame.opaque, tally)


def read_response(row: dict[str, Any], tally: Tally) -> None:
    provider, text = row["provider"], row.get("response_text")
    streamed = isinstance(text, str)
    body = text.encode() if streamed else json.dumps(row["response"]).encode()
    response: Response = tally.timed(
        "response", len(body), lambda: decode_response(body, provider, streamed=streamed)
    )
    end = "error" if response.error else "complete" if response.complete else "cut"
    tally.ends[f"{'stream' if streamed else 'document'} {end}"] += 1
    count_parts(provider, list(response.parts), response.opaque, tally)


def count_parts(provider: str, parts: list[Any], unread: tuple[str, ...], tally: Tally) -> None:
    for part in parts:
        name = type(part).__name__
        if isinstance(part, Opaque):
            tally.opaque[provider, part.kind or "(no type)"] += 1
        elif (isinstance(part, CallPart) and part.call.executed_by == "provider") or (
            isinstance(part, ResultPart) and part.executed_by == "provider"
        ):
            name = f"provider-run {name}"
        tally.parts[name] += 1
    for pointer in unread:
        tally.pointers[provider, re.sub(r"/\d+", "/N", pointer)] += 1


def report(tally: Tally) -> bool:
    print("decoded (provider, form of the response):")
    for (provider, kind), count in sorted(tally.decoded.items()):
        print(f"  {count:5}  {provider:18} {kind}")
    print("not decoded by this version:")
    for provider, count in sorted(tally.undecoded.items()):
        print(f"  {count:5}  {provider}")
    bodies, size, differing = tally.rebuilt
    print(
        f"rebuilt byte for byte: {bodies - differing} of {bodies} bodies with text "
        f"({size / 1e6:.1f} MB); {tally.respelled} without text were spelled anew to decode them"
    )
    print("responses:", ", ".join(f"{count} {end}" for end, count in sorted(tally.ends.items())))
    print("parts:", ", ".join(f"{count} {name}" for name, count in tally.parts.most_common()))
    print("kept opaque, as parts:")
    for (provider, kind), count in sorted(tally.opaque.items()):
        print(f"  {count:5}  {provider:18} {kind}")
    print("kept opaque, by pointer (the 30 commonest of", len(tally.pointers), "kinds):")
    for (provider, pointer), count in tally.pointers.most_common(30):
        print(f"  {count:5}  {provider:18} {pointer}")
    print(f"refused by name, being no answer of their protocol: {len(tally.refused)}")
    for line in tally.refused:
        print(f"         {line}")
    for name, (seconds, size) in tally.clocks.items():
        print(f"{name}: {size / 1e6 / seconds:.0f} MB/s over {size / 1e6:.1f} MB of small bodies")
    return differing == 0


def growing(steps: int) -> list[bytes]:
    """Bodies of a run that grows by a call and its result a step."""
    text = "gauge reading of the feed pump, nominal " * (FRAME_BYTES // STEPS // 40 - 4)
    messages: list[bytes] = []
    bodies: list[bytes] = []
    for step in range(steps):
        call = f'{{"id":"c{step}","type":"function","function":{{"name":"g","arguments":"{{}}"}}}}'
        result = f'{{"role":"tool","tool_call_id":"c{step}","content":"{step} {text}"}}'
        messages.append(f'{{"role":"assistant","tool_calls":[{call}]}}'.encode())
        messages.append(result.encode())
        bodies.append(b'{"messages":[' + b",".join(messages) + b'],"model":"m","stream":true}')
    return bodies


def per_step(bodies: list[bytes]) -> list[float]:
    splitter, decoder = Splitter(), Decoder()
    seconds: list[float] = []
    for body in bodies:
        copied = bytes(bytearray(body))  # a body that nothing else has touched
        started = time.thread_time()
        decoder.frame(splitter.split(copied, "openai-chat"), "openai-chat")
        seconds.append(time.thread_time() - started)
    return seconds


def best_of(count: int, action: Callable[[], Any]) -> float:
    seconds: list[float] = []
    for _ in range(count):
        started = time.thread_time()
        action()
        seconds.append(time.thread_time() - started)
    return min(seconds)


def speed() -> int:
    """Times of this thread on a processor, so that a busy machine does not count as slow code."""
    before = load()
    bodies = growing(STEPS)
    medians = [statistics.median(per_step(part)) for part in (bodies[: STEPS // 2], bodies)]
    ratio = medians[1] / medians[0]
    last = bodies[-1]
    size = len(last) / 1e6
    one_pass = size / best_of(25, lambda: Splitter().split(last, "openai-chat"))
    hashing = size / best_of(25, lambda: sha256(last))
    split = Splitter().split(last, "openai-chat")
    first = size / best_of(3, lambda: Decoder().frame(split, "openai-chat"))
    print(f"split and frame, {STEPS} steps to {size:.1f} MB: ", end="")
    print(f"{medians[1] * 1e3:.2f} ms a step in the median, {ratio:.2f}x of half the steps", end="")
    print(f" (aim <= {TWICE_BOUND})")
    print(f"split without a shared prefix: {one_pass:.0f} MB/s (aim >= {PASS_BOUND:.0f}); ", end="")
    print(f"SHA-256 alone {hashing:.0f} MB/s; frame of {2 * STEPS} new messages {first:.0f} MB/s")
    return outcome(ratio > TWICE_BOUND or one_pass < PASS_BOUND, before)


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else SHARED
    held = True
    if path.exists():
        tally = Tally()
        for row in exchanges(path):
            read_exchange(row, tally)
        held = report(tally)
    elif arguments:
        print(f"{path} is not there; name a file of recorded exchanges")
        return 2
    else:
        print("no recorded exchanges beside the checkout: only the speed is measured")
    code = speed()
    return code if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
