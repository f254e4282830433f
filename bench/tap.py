"""What the tap adds to a streamed response of 1 MB: `python -m bench.tap [ROUNDS]`.

The real SDKs read from the stand-in provider, in a process of its own, over loopback; watched and
unwatched clients take turns. `median` and `least` are ratios of the reading process's time, watched
to unwatched, in the median and in the least disturbed round: on a machine that does other work they
swing by a tenth either way. So the bound is put to `share`: what passing the same chunks through the
tap takes by itself, as a share of the unwatched stream's time. Exits 1 where that is over 3 %. The
row marked `raw` reads bytes without parsing them: the worst case.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai

from groundwire.adapters.crossing import Crossing
from groundwire.adapters.recognise import watch
from groundwire.adapters.streams import TappedStream
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Turn

BOUND = 0.03
ROUNDS = 11
MEGABYTE = 1_000_000
MESSAGES: Any = [{"role": "user", "content": "Read the whole log aloud."}]


class Kept:
    """An attempt as a session keeps it: chunks in a list."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def responded(self, status: int, headers: object) -> None: ...

    def chunk(self, data: bytes) -> None:
        self.chunks.append(data)
        self.size += len(data)

    def ended(self, how: str, error: str = "") -> None: ...


class Keeping:
    """A watcher that keeps the last attempt."""

    last: Kept

    @contextlib.contextmanager
    def composed(self, tools: object) -> Iterator[None]:
        yield

    def sent(self, method: str, url: str, headers: object, body: bytes) -> Kept:
        self.last = Kept()
        return self.last


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


def measure(
    make: Any, read: Callable[[Any], None], rounds: int
) -> tuple[list[float], list[float], Kept]:
    """Processor milliseconds of each round, unwatched and watched, and the last stream kept."""
    watcher = Keeping()
    bare, watched = make(), watch(make(), watcher)
    spent: dict[int, list[float]] = {id(bare): [], id(watched): []}
    for number in range(-2, rounds):
        for client in (bare, watched) if number % 2 else (watched, bare):
            started = time.process_time()
            read(client)
            if number >= 0:  # the first rounds connect and warm up
                spent[id(client)].append((time.process_time() - started) * 1e3)
    bare.close()
    watched.close()
    return spent[id(bare)], spent[id(watched)], watcher.last


def tap_alone(chunks: list[bytes], rounds: int) -> float:
    """Milliseconds that a tapped stream adds to handing on these chunks, least of all rounds."""
    plain, tapped = [], []
    for _ in range(rounds):
        for spent, stream in (
            (plain, iter(chunks)),
            (tapped, TappedStream(iter(chunks), Crossing(Kept()))),
        ):
            started = time.process_time()
            for _ in stream:
                pass
            spent.append((time.process_time() - started) * 1e3)
    return min(tapped) - min(plain)


def main(rounds: int) -> int:
    """Prints one line a way of reading; 1 if one is over the bound."""
    command = [sys.executable, "-c", "from bench.tap import serve; serve()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        print(
            f"{'stream':<20}{'MB':>6}{'chunks':>8}{'bare ms':>9}{'median':>8}{'least':>8}{'share':>8}"
        )
        over = False
        for name, make, read in readers(url):
            bare, watched, last = measure(make, read, rounds)
            usual = statistics.median(bare)
            median, least = statistics.median(watched) / usual, min(watched) / min(bare)
            share = tap_alone(last.chunks, max(rounds, 5)) / min(bare)
            over |= share > BOUND
            row = f"{name:<20}{last.size / MEGABYTE:>6.2f}{len(last.chunks):>8}{usual:>9.1f}"
            print(f"{row}{median:>8.3f}{least:>8.3f}{share:>8.2%}", flush=True)
        assert server.stdin is not None
        server.stdin.close()
    print(f"bound: a share of {BOUND:.0%}: {'over' if over else 'held'}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
