"""The recorder's own share of a step: `python -m bench.recorder [STEPS]`.

A run whose frame grows to 2 MB, recorded into memory: what `request` and `response` cost beside
splitting and decoding, how that changes with twice the steps, how large the file is, and how fast
secrets are looked for.
"""

from __future__ import annotations

import base64
import itertools
import json
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from groundwire.attest.statements import seal_certificate
from groundwire.canon.digest import sha256
from groundwire.canon.dsse import encode_base64
from groundwire.documents.statement import Certificate
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.run_keys import new_run_key
from groundwire.recording.segments.opening import Opening
from groundwire.recording.withholding.secrets import find_secrets
from groundwire.recording.writer import Recorder
from groundwire.stores.memory import MemorySink
from groundwire.wire.split import Splitter

FRAME_BYTES = 2_000_000
WORDS = [
    "pump",
    "valve",
    "meter",
    "ledger",
    "harbour",
    "signal",
    "crane",
    "tide",
    "berth",
    "cargo",
    "the",
    "of",
    "and",
    "with",
]
HEADERS = [
    ("Content-Type", "application/json"), ("Authorization", "Bearer none"),
    ("User-Agent", "bench/1"), ("X-Stainless-Retry-Count", "0"),
]  # fmt: skip


class Counted(MemorySink):
    """A sink that counts what it is given, and keeps none of it."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def append(self, data: bytes) -> None:
        self.size += len(data)


def recorder(sink: MemorySink) -> Recorder:
    identity, key = Ed25519Signer.from_seed(b"i" * 32), new_run_key(b"r" * 32).signer
    ticks, salts = itertools.count(), itertools.count()
    certificate = Certificate(
        identity=identity.key_id, key=key.key_id, not_before="2026-01-01T00:00:00.000000Z",
        not_after="2027-01-01T00:00:00.000000Z", public_key=encode_base64(key.public_key),
        run="bench",
    )  # fmt: skip
    return Recorder.open(
        opening=Opening(run="bench"),
        sink=sink,
        clock=lambda: datetime(2026, 5, 4, tzinfo=UTC) + timedelta(milliseconds=next(ticks)),
        salts=lambda: next(salts).to_bytes(16, "big"),
        run_key=key,
        certificate=seal_certificate(certificate, identity),
    )


def text(seed: int, size: int) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choices(WORDS, k=size // 6))


def bodies(steps: int) -> Iterator[tuple[bytes, bytes]]:
    """The request and the response of each step; the last request has about `FRAME_BYTES`."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Which berth is free?"}]
    tools = [{"type": "function", "function": {"name": f"tool_{n}"}} for n in range(20)]
    share = FRAME_BYTES // steps
    for step in range(steps):
        body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
        call = {"id": f"call_{step}", "function": {"name": "tool_1", "arguments": "{}"}}
        answer = {"role": "assistant", "content": text(step, share // 4), "tool_calls": [call]}
        yield body, json.dumps({"choices": [{"message": answer}]}).encode()
        result = text(-step - 1, share // 2)
        messages += [answer, {"role": "tool", "tool_call_id": f"call_{step}", "content": result}]


class Run:
    """A run of so many steps, and what it took."""

    def __init__(self, steps: int) -> None:
        self.sink = Counted()
        self.own: list[float] = []
        self.splitting: list[float] = []
        self.last = b""
        self.answers = 0
        self.writer, self.splitter = recorder(self.sink), Splitter()
        for step, (body, answer) in enumerate(bodies(steps)):
            self._step(step, body, answer)
            self.last, self.answers = body, self.answers + len(answer)
        assert self.writer.whole_bodies == 0

    @property
    def distinct(self) -> int:
        """Bytes of wire text, each counted once."""
        return len(self.last) + self.answers

    def _step(self, step: int, body: bytes, answer: bytes) -> None:
        began = time.process_time()
        split = self.splitter.split(body, "openai-chat")
        halfway = time.process_time()
        self.writer.request(
            exchange=step, lane=0, lane_name=None, lane_reason="continues", lane_parent=None,
            attempt=0, composed=None, provider="openai-chat", method="POST",
            path="/v1/chat/completions", headers=HEADERS, body=body, split=split, frame=None,
            unreadable="",
        )  # fmt: skip
        self.writer.response(
            exchange=step, lane=0, status=200, outcome="complete", streamed=False,
            encoding="identity", captured=len(answer), captured_digest=sha256(answer),
            body=answer, headers=HEADERS, error="",
        )  # fmt: skip
        self.own.append(time.process_time() - halfway)
        self.splitting.append(halfway - began)


def scan(data: bytes) -> float:
    """MB/s of the look for secrets."""
    best = min(_timed(data) for _ in range(3))
    return len(data) / best / 1e6


def _timed(data: bytes) -> float:
    began = time.process_time()
    find_secrets(data)
    return time.process_time() - began


def main() -> None:
    """Prints the recorder's share, the file's size, memory, and the speed of the look for secrets."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    once, twice = Run(steps), Run(2 * steps)
    median = statistics.median(once.own)
    late = statistics.median(once.own[-steps // 10 :])
    print(f"recorder's share of a step, median of {steps}: {median * 1e3:.3f} ms")
    print(f"  in the last tenth of the steps: {late * 1e3:.3f} ms")
    print(f"  with twice the steps: {sum(twice.own) / sum(once.own):.2f}x in all")
    print(f"  beside it, splitting: {statistics.median(once.splitting) * 1e3:.3f} ms")
    times = once.sink.size / once.distinct
    print(f"file: {once.sink.size / 1e6:.2f} MB, {times:.2f}x its distinct wire text")
    last = once.last
    del once, twice
    tracemalloc.start()
    kept = Run(steps)
    held = tracemalloc.get_traced_memory()[0] - 2 * len(kept.last)
    tracemalloc.stop()
    print(f"held at the end, beside the last body and its pieces: {held / 1e6:.1f} MB")
    noise = base64.b64encode(random.Random(1).randbytes(3_000_000))
    prose = text(0, 4_000_000).encode()
    speeds = {"prose": scan(prose), "JSON": scan(last * 2), "base64": scan(noise)}
    print("looking for secrets:", ", ".join(f"{n} {v:.0f} MB/s" for n, v in speeds.items()))


if __name__ == "__main__":
    main()
