"""`kill -9` under load: what was acknowledged is there, nothing torn is read, it goes on."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from groundwire.recording.reader import read
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.stores.committer import Committer
from groundwire.stores.file import FileSink
from groundwire.stores.recover import recover
from tests.recorders import (
    RUN,
    Clock,
    Salts,
    body_of,
    certificate,
    key,
    keyring,
    lines,
    raw,
    recorder,
    request,
    response,
    split_of,
    verdict,
)
from tests.unit.stores.disks import Faulty, fork

POINTS = 200
MOST_TOLD = 24


def messages(exchange: int) -> list[bytes]:
    sizes = random.Random(exchange).choices(
        (20, 300, 4000, 200_000), weights=(6, 6, 3, 1), k=exchange % 9 + 1
    )
    return [
        raw({"of": exchange, "n": number, "content": "v" * size})
        for number, size in enumerate(sizes)
    ]


def load(path: Path, told: int, short: int | None) -> None:
    """Records until it is killed; tells how many entries stand each time that one was taken.

    With `short` every entry takes many writes, so that many a death comes in between.
    """
    disk = Faulty()
    disk.short = short
    sink = Committer(time.monotonic, interval=0.001).serve(FileSink.create(path, system=disk))
    writer = recorder(sink)
    for exchange in range(10_000):
        request(writer, exchange, split_of(messages(exchange)))
        os.write(told, b"%d\n" % writer.size)
        large = exchange % 11 == 10
        response(writer, exchange, b"y" * (1_000_001 + exchange if large else 50 * exchange))
        os.write(told, b"%d\n" % writer.size)
        if exchange % 7 == 0:
            writer.checkpoint()
            os.write(told, b"%d\n" % writer.size)


def killed(path: Path, chosen: random.Random, short: int | None) -> int:
    """The last number that the writer told before it was killed, at a point that is random."""
    read_end, write_end = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.close(read_end)
            load(path, write_end, short)
        finally:
            os._exit(1)
    os.close(write_end)
    with open(read_end, "rb") as answers:
        for _ in range(chosen.randint(1, MOST_TOLD)):
            answers.readline()
        for _ in range(chosen.randint(0, 40_000)):
            pass
        os.kill(child, signal.SIGKILL)
        told = answers.read()
    os.waitpid(child, 0)
    return max([0, *(int(line) for line in told.split(b"\n")[:-1])])


def files_of(path: Path) -> dict[str, bytes]:
    folder = Path(f"{path}.d")
    found = [each for each in folder.iterdir() if len(each.name) == 64] if folder.exists() else []
    return {f"sha256:{file.name}": file.read_bytes() for file in found}


def goes_on(path: Path) -> int:
    """The file is recovered, written to and closed; how many entries it had before."""
    found = recover(path, keyring(), known_head=None)
    standing = found.standing.chain.size
    run_key = key("second")
    writer = Recorder.resume(
        opening=Opening(run=found.opening.run), sink=found.sink, clock=Clock(), salts=Salts("two"),
        run_key=run_key.signer, certificate=certificate(run_key, RUN), standing=found.standing,
    )  # fmt: skip
    request(writer, found.standing.next_exchange, split_of([raw("after the crash")]))
    writer.close()
    return standing


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
def test_a_writer_killed_at_random_loses_nothing_that_was_written(
    tmp_path: Path, batch: int
) -> None:
    chosen = random.Random(batch)
    torn = 0
    for point in range(POINTS // 4):
        path = tmp_path / f"{point}.gw"
        told = killed(path, chosen, 64 if batch % 2 else None)
        data, files = path.read_bytes(), files_of(path)
        said = verdict(data, files=files)
        assert said.reason in {"holds", "nothing-signed"}, said
        assert said.entries >= told
        torn += bool(said.torn_bytes)
        reader = read(lines(data), files.get)
        for exchange in reader.exchanges:
            assert reader.body(exchange) == body_of(split_of(messages(exchange)))
        assert goes_on(path) == said.entries
        after = verdict(path.read_bytes(), files=files_of(path))
        assert (after.reason, after.completeness) == ("holds", "closed")
    print(f"{torn} of {POINTS // 4} files ended in the middle of an entry")
