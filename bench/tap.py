"""What the tap adds to a streamed response of 1 MB: `python -m bench.tap [ROUNDS]`.

The real SDKs read from the stand-in provider, in a process of its own, over loopback; a client that
nobody watches and one in a recorded session take turns. `median` and `least` are ratios of the
reading thread's time, watched to unwatched, in the median and in the least disturbed round: on a
machine that does other work they swing by a tenth either way. So the aim is put to `share`: what
passing the same chunks through the tap into a session's attempt takes by itself, as a share of the
unwatched stream's time. `after` is what decoding, recording and checking take once the stream is
over, on the worker's thread. The row marked `raw` reads bytes without parsing them: the worst case.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anthropic
import openai

import groundwire as gw
from bench.quiet import load, outcome
from groundwire.adapters.crossing import Crossing
from groundwire.adapters.recognise import watch
from groundwire.adapters.streams import TappedStream
from groundwire.documents.policy import Policy
from groundwire.session.live.attempts import WatchedAttempt
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Turn

BOUND = 0.03
ROUNDS = 11
MEGABYTE = 1_000_000
MESSAGES: Any = [{"role": "user", "content": "Read the whole log aloud."}]


class Keeping:
    """A watcher that keeps the last attempt, and settles nothing."""

    last: WatchedAttempt

    @contextlib.contextmanager
    def composed(self, tools: object) -> Iterator[None]:
        yield

    def sent(self, method: str, url: str, headers: object, body: bytes) -> WatchedAttempt:
        self.last = attempt()
        return self.last


def attempt() -> WatchedAttempt:
    """An attempt as a session makes it, that nobody takes up."""
    return WatchedAttempt(0, 0, "openai-chat", lambda attempt: None)


def serve() -> None:
    """Serves until standard input ends; its address is the first line of standard output."""
    text = "The pump in hall 4 answers to pump-0417. " * 5000
    chat = Turn(text=text[: MEGABYTE // 20], piece=16)
    messages = Turn(text=text[: MEGABYTE // 8], piece=16)
    with StandIn(lambda request: messages if "max_tokens" in request else chat) as standin:
        print(standin.url, flush=True)
        sys.stdin.read()


def readers(url: str) -> list[tuple[str, Any, Callable[[Any], None]]]:
    """A name, a way to make a client, and a way to read one stream with it."""

    def chat(client: Any) -> None:
        for _ in client.chat.completions.create(model="m-1", messages=MESSAGES, stream=True):
            pass

    def responses(client: Any) -> None:
        for _ in client.responses.create(model="m-1", input="Read it.", stream=True):
            pass

    def messages(client: Any) -> None:
        asked = {"model": "m-1", "max_tokens": 9, "messages": MESSAGES}
        for _ in client.messages.create(**asked, stream=True):
            pass

    def raw(client: Any) -> None:
        view = client.with_streaming_response.chat.completions
        with view.create(model="m-1", messages=MESSAGES, stream=True) as response:
            for _ in response.iter_bytes():
                pass

    def for_openai() -> Any:
        return openai.OpenAI(base_url=f"{url}/v1", api_key="unused")

    def for_anthropic() -> Any:
        return anthropic.Anthropic(base_url=url, api_key="unused")

    return [
        ("openai chat", for_openai, chat),
        ("openai responses", for_openai, responses),
        ("anthropic messages", for_anthropic, messages),
        ("openai chat, raw", for_openai, raw),
    ]


def chunks_of(make: Any, read: Callable[[Any], None]) -> list[bytes]:
    """The chunks of one stream, as they arrive."""
    watcher = Keeping()
    client = watch(make(), watcher)
    read(client)
    client.close()
    return watcher.last.chunks


def measure(
    make: Any, read: Callable[[Any], None], rounds: int, run: gw.Session, project: gw.Project
) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of each round: of the reading thread unwatched and watched, and afterwards."""
    bare, watched = make(), project.watch(make())
    spent: dict[int, list[float]] = {id(bare): [], id(watched): []}
    after: list[float] = []
    for number in range(-2, rounds):
        for client in (bare, watched) if number % 2 else (watched, bare):
            whole, started = time.process_time(), time.thread_time()
            read(client)
            reading = time.thread_time() - started
            assert run.findings == ()  # waits for the worker
            if number >= 0:  # the first rounds connect and warm up
                spent[id(client)].append(reading * 1e3)
                if client is watched:
                    after.append((time.process_time() - whole - reading) * 1e3)
    bare.close()
    watched.close()
    return spent[id(bare)], spent[id(watched)], after


def tap_alone(chunks: list[bytes], rounds: int) -> float:
    """Milliseconds that a tapped stream adds to handing on these chunks, least of all rounds."""
    plain, tapped = [], []
    for _ in range(rounds):
        for spent, stream in (
            (plain, iter(chunks)),
            (tapped, TappedStream(iter(chunks), Crossing(attempt()))),
        ):
            started = time.thread_time()
            for _ in stream:
                pass
            spent.append((time.thread_time() - started) * 1e3)
    return min(tapped) - min(plain)


def rows(url: str, folder: str, rounds: int) -> bool:
    """Prints one line a way of reading; whether one is over the aim."""
    print(
        f"{'stream':<20}{'MB':>6}{'chunks':>8}{'bare ms':>9}{'median':>8}{'least':>8}{'share':>8}"
        f"{'after ms':>10}"
    )
    over = False
    project = gw.Project(Policy())
    for number, (name, make, read) in enumerate(readers(url)):
        chunks = chunks_of(make, read)
        with gw.Session(Path(folder) / f"tap-{number}.gw", project=project) as run:
            bare, watched, after = measure(make, read, rounds, run, project)
        assert run.lost == 0, run.lost_reason
        usual = statistics.median(bare)
        median, least = statistics.median(watched) / usual, min(watched) / min(bare)
        share = tap_alone(chunks, max(rounds, 5)) / min(bare)
        over |= share > BOUND
        row = f"{name:<20}{sum(map(len, chunks)) / MEGABYTE:>6.2f}{len(chunks):>8}{usual:>9.1f}"
        row += f"{median:>8.3f}{least:>8.3f}{share:>8.2%}{statistics.median(after):>10.1f}"
        print(row, flush=True)
    return over


def main(rounds: int) -> int:
    """Prints the table; 1 if a way of reading is over the aim on a quiet machine."""
    before = load()
    command = [sys.executable, "-c", "from bench.tap import serve; serve()"]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server,
    ):
        os.environ["XDG_STATE_HOME"] = folder + "/state"
        assert server.stdin is not None
        assert server.stdout is not None
        over = rows(server.stdout.readline().strip(), folder, rounds)
        server.stdin.close()
    print(f"aim: a share of {BOUND:.0%}")
    return outcome(over, before)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
