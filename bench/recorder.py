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
WORDS = ["pump", "valve", "meter", "ledger", "harbour", "signal", "crane", "tide", "berth", "cargo", "the", "of", "and", "with"]
HEADERS = [
    ("Content-Type", "application/json"), ("Authorization", "Bearer none"),
    ("User-Agent", "bench/1"), ("X-Stainless-Retry-Count", "0"),
]  # fmt: skip


class Collected(MemorySink):
    """A sink whose append does not copy all that came before."""

    def __init__(self) -> None:
        super().__init__()
        self.chunks: list[bytes] = []
        self.size = 0

    def append(self, data: bytes) -> None:
        self.chunks.append(data)
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


def bodies(steps: int) -> list[tuple[bytes, bytes]]:
    """The request and the response of each step; the last request has about `FRAME_BYTES`."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Which berth is free?"}]
    tools = [{"type": "function", "function": {"name": f"tool_{n}"}} for n in range(20)]
    made = []
    share = FRAME_BYTES // steps
    for step in range(steps):
        body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
        call = {"id": f"call_{step}", "function": {"name": "tool_1", "arguments": "{}"}}
        answer = {"role": "assistant", "content": text(step, share // 4), "tool_calls": [call]}
        made.append((body, json.dumps({"choices": [{"message": answer}]}).encode()))
        result = text(-step - 1, share // 2)
        messages += [answer, {"role": "tool", "tool_call_id": f"call_{step}", "content": result}]
    return made


def run(steps: int) -> tuple[list[float], float, int]:
    """Seconds of the recorder in each step, of splitting in the median, and the file's bytes."""
    sink = Collected()
    writer, splitter = recorder(sink), Splitter()
    own, splitting = [], []
    for step, (body, answer) in enumerate(bodies(steps)):
        began = time.perf_counter()
        split = splitter.split(body, "openai-chat")
        halfway = time.perf_counter()
        writer.request(
            exchange=step, lane=0, lane_name=None, lane_reason="continues", lane_parent=None,
            attempt=0, composed=None, provider="openai-chat", method="POST",
            path="/v1/chat/completions", headers=HEADERS, body=body, split=split, frame=None,
            unreadable="",
        )  # fmt: skip
        writer.response(
            exchange=step, lane=0, status=200, outcome="complete", streamed=False,
            encoding="identity", captured=len(answer), captured_digest=sha256(answer),
            body=answer, headers=HEADERS, error="",
        )  # fmt: skip
        own.append(time.perf_counter() - halfway)
        splitting.append(halfway - began)
    assert writer.whole_bodies == 0
    return own, statistics.median(splitting), sink.size


def scan(data: bytes) -> float:
    """MB/s of the look for secrets."""
    best = min(_timed(data) for _ in range(3))
    return len(data) / best / 1e6


def _timed(data: bytes) -> float:
    began = time.perf_counter()
    find_secrets(data)
    return time.perf_counter() - began


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    own, splitting, size = run(steps)
    twice, _, _ = run(2 * steps)
    median, median_twice = statistics.median(own), statistics.median(twice)
    made = bodies(steps)
    distinct = len(made[-1][0]) + sum(len(answer) for _, answer in made)
    print(f"recorder's share of a step, median of {steps}: {median * 1e3:.3f} ms")
    print(f"  last tenth of the steps: {statistics.median(own[-steps // 10 :]) * 1e3:.3f} ms")
    print(
        f"  twice the steps, all of them: {sum(twice) / sum(own):.2f}x; median {median_twice / median:.2f}x"
    )
    print(f"  beside it, splitting: {splitting * 1e3:.3f} ms")
    print(
        f"file: {size / 1e6:.2f} MB for {distinct / 1e6:.2f} MB of distinct wire text: {size / distinct:.2f}x"
    )
    tracemalloc.start()
    run(steps)
    print(
        f"memory at most: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB, the file and the bodies included"
    )
    tracemalloc.stop()
    noise = base64.b64encode(random.Random(1).randbytes(3_000_000))
    print(f"looking for secrets: prose {scan(text(0, 4_000_000).encode()):.0f} MB/s,", end=" ")
    print(f"JSON {scan(made[-1][0] * 2):.0f} MB/s, base64 {scan(noise):.0f} MB/s")


if __name__ == "__main__":
    main()
