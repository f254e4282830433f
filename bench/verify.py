"""How fast a recording is verified, beside loops that only decode and hash its lines.

`python -m bench.verify` exits 1 where verifying runs at less than 0.6 of the speed of *decode and
hash*, or where entries of 1 kB go by at less than 100 MB/s. To decode a line of a recording is to
know that its bytes are the one spelling of its document (`decode_line`); to hash it is its leaf
hash. Beside it stands, shown and not judged, the *bare* loop: the JSON library's typed decoder and
one SHA-256 of every line, whatever its spelling, which takes any spelling for good. Of that
verifying comes to about 0.6 with entries of 1 kB, and to half with exchanges, whose short lines are
mostly contents: the verifier has the tree, the chains and the places of contents to see to.

Everything is in memory, and seconds are those of this process's own work.
"""

from __future__ import annotations

import hashlib
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import msgspec
from tests.recordings import IDENTITY, SHELL, Draft, keyring_document, lines

from bench.quiet import load, outcome
from groundwire.canon.digest import leaf_hash
from groundwire.documents.content import Content
from groundwire.documents.entry import AnyEntry
from groundwire.keys.keyring import decode_keyring
from groundwire.recording.lines import decode_line
from groundwire.verify.recording import verify_recording

BOUND = 0.6
SPEED = 100.0
ROUNDS = 25
CHECKPOINT_EVERY = 500


def of_entries(count: int) -> Draft:
    """A recording of entries of 1 kB that name no new contents."""
    draft = Draft().open().certificate()
    messages = [f"message {each}" for each in range(4)]
    draft.request(0, b"", messages, shell=SHELL)
    for number in range(1, count):
        draft.request(
            number, b"", [], shell=SHELL, parent=number - 1, keep=4, path="/v1/" + "p" * 330
        )
        if number % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1:
            draft.checkpoint()
    return draft.close()


def of_exchanges(count: int) -> Draft:
    """A recording of requests and responses with contents of about 1 kB each."""
    draft = Draft().open().certificate()
    for number in range(count):
        message = f'{{"role":"user","content":"{number} {"word " * 200}"}}'
        draft.request(number, b"body", [message], shell=SHELL, lane=number)
        draft.response(number, f'{{"text":"{number} {"reply " * 170}"}}'.encode())
        if number % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1:
            draft.checkpoint()
    return draft.close()


def decode_and_hash(raw_lines: Sequence[bytes]) -> None:
    """The document and the leaf hash of every line, one after the other, and nothing more."""
    for raw in raw_lines:
        line = raw[:-1]
        decode_line(line)
        leaf_hash(line)


def bare(raw_lines: Sequence[bytes]) -> None:
    """A typed decode and one SHA-256 of every line, whatever its spelling."""
    entry = msgspec.json.Decoder(AnyEntry).decode
    content = msgspec.json.Decoder(Content).decode
    sha256 = hashlib.sha256
    for raw in raw_lines:
        line = raw[:-1]
        if line.startswith(b'{"@":"content",'):
            content(line)
        else:
            entry(line)
        sha256(b"\x00" + line).digest()


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(name: str, draft: Draft) -> tuple[float, float]:
    """Prints one row; the ratio to decode and hash, and the speed in MB/s."""
    raw_lines = lines(draft.data())
    keyring = decode_keyring(keyring_document(IDENTITY), "the benchmark's keyring")

    def verify() -> None:
        verdict = verify_recording(raw_lines, keyring, files=draft.files.get)
        if verdict.state != "holds":
            raise SystemExit(f"the recording does not hold: {verdict.message}")

    taken: dict[str, list[float]] = {"bare": [], "decode": [], "verify": []}
    for _ in range(ROUNDS):  # in turns, so that a busy moment falls on all
        taken["bare"].append(seconds(lambda: bare(raw_lines)))
        taken["decode"].append(seconds(lambda: decode_and_hash(raw_lines)))
        taken["verify"].append(seconds(verify))
    medians = {loop: statistics.median(values) for loop, values in taken.items()}
    megabytes = sum(map(len, raw_lines)) / 1e6
    ratio = medians["decode"] / medians["verify"]
    size = statistics.median(len(line) for line in draft.raw)
    speeds = "".join(f"{megabytes / median:>10.0f}" for median in medians.values())
    print(
        f"{name:<18}{megabytes:>6.1f}{size:>7.0f}{speeds}"
        f"{medians['bare'] / medians['verify']:>10.2f}{ratio:>10.2f}"
    )
    return ratio, megabytes / medians["verify"]


def main() -> int:
    """Prints one row a recording; 1 if one is under its bound."""
    before = load()
    print(f"{'':<18}{'':>6}{'line':>7}{'MB/s':>10}{'':>20}{'verify ÷':>10}")
    print(
        f"{'recording':<18}{'MB':>6}{'bytes':>7}{'bare':>10}{'decode':>10}{'verify':>10}"
        f"{'bare':>10}{'decode':>10}"
    )
    rows = {
        "entries of 1 kB": measure("entries of 1 kB", of_entries(4_000)),
        "exchanges": measure("exchanges", of_exchanges(500)),
    }
    under = any(ratio < BOUND for ratio, _ in rows.values())
    under = under or rows["entries of 1 kB"][1] < SPEED
    print(f"aim: verify >= {BOUND} of decode, and of 1 kB entries >= {SPEED:.0f} MB/s")
    return outcome(under, before)


if __name__ == "__main__":
    sys.exit(main())
