"""Redaction: contents go, and with them what they could be found from; the rest still verifies."""

from __future__ import annotations

import json

import pytest

from groundwire.canon.digest import sha256
from groundwire.errors import PolicyError
from groundwire.keys.times import format_time
from groundwire.recording.reader import Missing, read
from groundwire.recording.redact import Redacted, redact
from groundwire.recording.writer import Recorder
from groundwire.stores.memory import MemorySink
from tests import recordings
from tests.recorders import (
    IDENTITY,
    RUN,
    START,
    STRANGER,
    body_of,
    certificate,
    key,
    lines,
    raw,
    recorder,
    request,
    response,
    split_of,
    verdict,
)

AT = format_time(START.replace(hour=23))
PHONE = raw({"role": "tool", "content": "0171 555 7"})
USER = raw({"role": "user", "content": "who has berth 7?"})


@pytest.fixture
def sink() -> MemorySink:
    sink = MemorySink()
    writer = recorder(sink)
    exchanges(writer)
    writer.close()
    return sink


def exchanges(writer: Recorder) -> None:
    request(writer, 0, split_of([USER]))
    response(writer, 0, b'{"call":1}')
    request(writer, 1, split_of([USER, PHONE]))
    response(writer, 1, b'{"said":"x"}' + b" " * 1_000_000)
    request(writer, 2, split_of([USER, PHONE, USER]))
    request(writer, 3, split_of([USER]))


def commitment_of(data: bytes, text: bytes) -> str:
    for line in data.splitlines():
        document = json.loads(line)
        if document.get("text", "").encode() == text:
            found: str = document["commitment"]
            return found
    raise AssertionError("no such content")


def taken_out(data: bytes, *commitments: str, name: str = "redactor") -> Redacted:
    run_key = key(name)
    return redact(
        lines(data), commitments, at=AT, reason="asked for by the caller", identity=IDENTITY,
        run_key=run_key.signer, certificate=certificate(run_key, RUN),
    )  # fmt: skip


def test_what_was_taken_out_is_gone_and_the_rest_verifies(sink: MemorySink) -> None:
    phone = commitment_of(sink.data, PHONE)
    redacted = taken_out(sink.data, phone)
    data = b"".join(redacted.lines)
    assert b"0171" not in data
    assert phone in redacted.commitments
    said = verdict(data, files=sink.files)
    assert (said.reason, said.completeness) == ("holds", "closed")
    assert said.redacted == len(redacted.commitments)
    assert redacted.files == ()


def test_a_message_takes_the_digests_of_every_request_that_shows_it_along(
    sink: MemorySink,
) -> None:
    redacted = taken_out(sink.data, commitment_of(sink.data, PHONE))
    data = b"".join(redacted.lines)
    for messages, gone in (([USER, PHONE], True), ([USER, PHONE, USER], True), ([USER], False)):
        assert (sha256(body_of(split_of(messages))).encode() in data) is not gone
    assert len(redacted.commitments) == 3
    built = read(list(redacted.lines), sink.files.get)
    assert built.body(1) == Missing("redacted")
    assert built.body(0) == body_of(split_of([USER]))


def test_the_entries_are_the_same_and_three_stand_behind_them(sink: MemorySink) -> None:
    redacted = taken_out(sink.data, commitment_of(sink.data, PHONE))

    def entries(data: list[bytes]) -> list[bytes]:
        return [line for line in data if not line.startswith(b'{"@":"content"')]

    before, after = entries(lines(sink.data)), entries(list(redacted.lines))
    assert after[: len(before)] == before
    assert [json.loads(line)["@"] for line in after[len(before) :]] == [
        "certificate/1", "redaction/1", "checkpoint/1",
    ]  # fmt: skip


def test_a_body_in_a_file_is_named_for_deletion(sink: MemorySink) -> None:
    (name,) = sink.files
    line = next(json.loads(line) for line in lines(sink.data) if name.encode() in line)
    redacted = taken_out(sink.data, line["commitment"])
    assert redacted.files == (name,)
    assert name.encode() not in b"".join(redacted.lines)
    assert verdict(b"".join(redacted.lines), files={}).reason == "holds"


def test_it_can_be_done_again(sink: MemorySink) -> None:
    once = b"".join(taken_out(sink.data, commitment_of(sink.data, PHONE)).lines)
    twice = taken_out(once, commitment_of(sink.data, USER), name="another")
    said = verdict(b"".join(twice.lines), files=sink.files)
    assert said.reason == "holds"
    assert b"berth 7" not in b"".join(twice.lines)


def test_what_is_gone_already_cannot_be_taken_out(sink: MemorySink) -> None:
    phone = commitment_of(sink.data, PHONE)
    once = b"".join(taken_out(sink.data, phone).lines)
    for commitments in ((phone,), ("gw1:" + "0" * 64,), ()):
        with pytest.raises(PolicyError) as told:
            taken_out(once, *commitments)
        assert told.value.reason == "nothing-to-redact"


@pytest.mark.parametrize("cut", ["open", "torn", "closing"])
def test_a_recording_that_is_not_closed_is_not_redacted(sink: MemorySink, cut: str) -> None:
    phone = commitment_of(sink.data, PHONE)
    data = sink.data
    if cut == "open":
        data = data[: data.index(b'{"@":"close/1"')]
    elif cut == "torn":
        data += b"torn"
    else:
        data = data[: data.rindex(b'{"@":"checkpoint/1"')]
    with pytest.raises(PolicyError) as told:
        taken_out(data, phone)
    assert told.value.reason == "not-closed"


def test_somebody_elses_redaction_does_not_verify(sink: MemorySink) -> None:
    run_key = key("redactor")
    redacted = redact(
        lines(sink.data), [commitment_of(sink.data, PHONE)], at=AT, reason="r", identity=STRANGER,
        run_key=run_key.signer, certificate=certificate(run_key, RUN, STRANGER),
    )  # fmt: skip
    assert verdict(b"".join(redacted.lines), files=sink.files).reason == "signer-unknown"


def test_a_recording_by_the_second_writer_is_redacted_as_it_would_itself() -> None:
    """Entries of unknown kinds stay in the chain, byte for byte."""
    draft = recordings.sample(run=RUN)
    gone = draft.commitment_of(recordings.RESULT)
    redacted = redact(
        lines(draft.data()), [gone], at="2026-05-05T00:00:00.000000Z", reason="r",
        identity=IDENTITY, run_key=key("r").signer, certificate=certificate(key("r"), RUN),
    )  # fmt: skip
    mine = [line for line in redacted.lines if not line.startswith(b'{"@":"content"')]
    theirs = [line + b"\n" for line in draft.raw if not line.startswith(b'{"@":"content"')]
    assert mine[:-3] == theirs
    closing = json.loads(mine[-1])
    assert closing["seq"] == len(theirs) + 2
    assert closing["prev"] == "leaf:" + recordings.leaf(mine[-2][:-1]).hex()
