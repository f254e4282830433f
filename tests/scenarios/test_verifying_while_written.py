"""A recording is verified again and again while the recorder writes it: never called broken."""

from __future__ import annotations

import threading
from pathlib import Path

from groundwire.audit.verifying import verify_files
from groundwire.documents.verdict import Head
from groundwire.recording.writer import Recorder
from groundwire.stores.file import FileSink
from groundwire.stores.recover import recover
from tests.recorders import (
    IDENTITY,
    RUN,
    Clock,
    Salts,
    certificate,
    key,
    keyring,
    recorder,
    request,
    response,
    split_of,
)

TURNS = 120


class Kept:
    """Heads as the session keeps them: after a checkpoint is durable."""

    def __init__(self) -> None:
        self.head: Head | None = None

    def __call__(self, run: str, segment: int) -> Head | None:
        return self.head if (run, segment) == (RUN, 0) else None


def write(path: Path, kept: Kept, *, close: bool) -> None:
    sink = FileSink.create(path)
    writer = recorder(sink)
    messages: list[bytes] = []
    for turn in range(TURNS):
        messages.append(
            b'{"role":"user","content":"turn %d %b"}' % (turn, b"x" * (turn * 37 % 900))
        )
        request(writer, turn, split_of(messages, kept=len(messages) - 1))
        response(writer, turn, b'{"turn":%d}' % turn)
        if turn % 3 == 2:
            writer.checkpoint()
            kept.head = Head(run=RUN, segment=0, size=writer.size, root=writer.root)
    if close:
        writer.close(lateness_us=0)
        kept.head = Head(run=RUN, segment=0, size=writer.size, root=writer.root)
    sink.close()


def test_a_recording_is_never_broken_while_it_is_written(tmp_path: Path) -> None:
    path, kept, trusted = tmp_path / "run.gw", Kept(), keyring()
    thread = threading.Thread(target=write, args=(path, kept), kwargs={"close": True})
    thread.start()
    seen: list[tuple[str, str]] = []
    while thread.is_alive():
        if path.exists():
            (judged,) = verify_files([path], trusted, known_head=kept, mirror=None).files
            assert judged.verdict is not None, judged.unreadable
            seen.append((judged.verdict.state, judged.verdict.message))
    thread.join(60)
    assert not thread.is_alive(), "it waits for ever"
    assert [message for state, message in seen if state == "broken"] == []
    (judged,) = verify_files([path], trusted, known_head=kept, mirror=None).files
    assert judged.verdict is not None
    assert (judged.verdict.state, judged.verdict.completeness) == ("holds", "closed")


def test_a_recording_that_was_cut_and_resumed_verifies_with_what_was_lost_told(
    tmp_path: Path,
) -> None:
    path, kept = tmp_path / "run.gw", Kept()
    write(path, kept, close=False)
    whole = path.read_bytes()
    torn = len(whole) - 700
    path.write_bytes(whole[:torn])
    kept.head = None
    found = recover(path, keyring(), known_head=None)
    again = Recorder.resume(
        opening=found.opening, sink=found.sink, clock=Clock(), salts=Salts("again"),
        run_key=key("again").signer, certificate=certificate(key("again"), identity=IDENTITY),
        standing=found.standing,
    )  # fmt: skip
    response(again, TURNS, b"{}")
    again.close(lateness_us=0)
    found.sink.close()
    (judged,) = verify_files([path], keyring(), known_head=kept, mirror=None).files
    assert judged.verdict is not None
    assert (judged.verdict.state, judged.verdict.completeness) == ("holds", "closed")
    assert b'"topic":"recovered"' in path.read_bytes()
