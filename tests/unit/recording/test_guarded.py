"""Guarded calls in a recording: their states, their numbers, and what stands in the file of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.canon import jcs
from groundwire.documents.canonical import decode, encode
from groundwire.documents.entry import Envelope, GuardedEntry
from groundwire.documents.event import Executed, Guarded
from groundwire.documents.outcome import Intent
from groundwire.recording.segments.said import event_of
from groundwire.recording.writer import Recorder
from groundwire.stores.file import FileSink
from groundwire.stores.memory import MemorySink
from groundwire.stores.recover import recover
from groundwire.verify.recording import verify_recording
from tests.guarded import Call, trusting
from tests.recorders import (
    RUN,
    certificate,
    key,
    keyring,
    raw,
    reader,
    recorder,
    request,
    split_of,
)
from tests.unit.attest.decisions import ASKED, SEALED
from tests.unit.recording.test_redact import commitment_of, taken_out
from tests.unit.stores.test_recover import resumed

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
BLANK = Guarded(
    step=0, at="", guarded=0, state="decided", call_id="call-7", link="id", exchange=0, lane=0,
    name="edit_spec", document=None,
)  # fmt: skip
RAN = Executed(
    step=0, at="", execution=0, call_id="", link="unlinked", exchange=None, lane=None,
    name="edit_spec", arguments="{}", result="done", rendering="text", outcome="returned",
)  # fmt: skip
RECEIPT = jcs.encode(msgspec.to_builtins(SEALED)).decode()
INTENT = encode(Intent(asked=ASKED, receipt="sha256:" + "0" * 64)).decode()


def said(**changes: Any) -> Guarded:
    return msgspec.structs.replace(BLANK, **changes)


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


def test_each_state_stands_with_its_document_and_reads_back_as_it_was_told(
    sink: MemorySink,
) -> None:
    writer = recorder(sink)
    told = [
        writer.said(each)
        for each in (
            said(document=RECEIPT),
            said(state="intent", document=INTENT),
            said(state="outcome", outcome="unknown", reason="cancelled", document="{}"),
            said(state="outcome", outcome="executed", late=True, document='{"a":1}'),
            said(state="attested", document=RECEIPT),
            said(guarded=1, call_id="", link="unlinked", exchange=None, lane=None),
        )
    ]
    writer.close()
    found = reader(sink)
    read = [
        event_of(each, found.content) for each in found.entries if isinstance(each, GuardedEntry)
    ]
    assert read == told
    assert [each.state for each in told if isinstance(each, Guarded)][:3] == [
        "decided", "intent", "outcome",
    ]  # fmt: skip
    assert [each.document is None for each in told if isinstance(each, Guarded)][-2:] == [
        False, True,
    ]  # fmt: skip


def test_what_stands_behind_a_state_is_a_content_and_no_word_of_it_in_the_chain(
    sink: MemorySink,
) -> None:
    writer = recorder(sink)
    writer.said(said(state="intent", document=INTENT))
    (line,) = [each for each in sink.data.splitlines() if each.startswith(b'{"@":"guarded')]
    for word in (b"openapi", b"edit_spec", b"call-7", b"/project", b"production"):
        assert word in sink.data
        assert word not in line


def test_a_receipt_is_recorded_whole_and_nothing_in_it_is_taken_for_a_secret(
    sink: MemorySink,
) -> None:
    writer = recorder(sink)
    (told,) = [writer.said(said(document=RECEIPT))]
    assert isinstance(told, Guarded)
    assert told.document is not None
    assert decode(told.document.encode(), Envelope) == SEALED
    assert writer.withheld == 0


def test_a_secret_in_a_document_is_kept_out_and_the_document_says_so(sink: MemorySink) -> None:
    writer = recorder(sink)
    told = writer.said(said(state="outcome", outcome="refused", document=SECRET))
    assert isinstance(told, Guarded)
    assert (told.document, told.gone) == (None, "withheld")
    assert SECRET.encode() not in sink.data


def test_each_guarded_call_of_a_run_has_a_number_of_its_own_over_all_segments(
    sink: MemorySink,
) -> None:
    writer = recorder(sink)
    assert [writer.number_guarded(), writer.number_guarded()] == [0, 1]
    writer.rotate(sink=MemorySink(), certificate=certificate(key(RUN)))
    assert writer.number_guarded() == 2


def test_a_resumed_run_numbers_on_behind_the_guarded_calls_it_has(tmp_path: Path) -> None:
    path = tmp_path / "quay.gw"
    sink = FileSink.create(path)
    writer = recorder(sink)
    writer.said(said(guarded=writer.number_guarded(), document=RECEIPT))
    writer.said(said(guarded=writer.number_guarded(), document=RECEIPT))
    sink.close()
    assert resumed(recover(path, keyring(), known_head=None)).number_guarded() == 2


def test_a_resumed_segment_knows_of_the_guarded_calls_of_the_segments_before(
    sink: MemorySink, tmp_path: Path
) -> None:
    path = tmp_path / "quay.gw"
    second = FileSink.create(path)
    writer: Recorder = recorder(sink)
    for _ in range(3):
        writer.said(said(guarded=writer.number_guarded(), document=RECEIPT))
    writer.rotate(sink=second, certificate=certificate(key(RUN)))
    second.close()
    assert resumed(recover(path, keyring(), known_head=None)).number_guarded() == 3


def test_a_resumed_segment_uses_no_number_of_the_segments_before(
    sink: MemorySink, tmp_path: Path
) -> None:
    path = tmp_path / "quay.gw"
    second = FileSink.create(path)
    writer: Recorder = recorder(sink)
    writer.composed(["edit"])
    for exchange in range(2):
        request(writer, exchange, split_of([raw(f"berth {exchange}")]))
    for _ in range(3):
        writer.said(RAN)
    writer.rotate(sink=second, certificate=certificate(key(RUN)))
    second.close()
    found = recover(path, keyring(), known_head=None)
    assert found.standing.next_exchange == 2
    again = resumed(found)
    ran = again.said(RAN)
    assert isinstance(ran, Executed)
    assert (again.composed(["edit"]).call, ran.execution) == (1, 3)


def test_a_redacted_call_takes_every_document_along_that_has_a_digest_of_it() -> None:
    """Whoever knows the rest of the call could try what is missing against a receipt."""
    sink, calls = MemorySink(), (Call(0), Call(1), Call(2, call_id="x"))
    writer = recorder(sink)
    chosen = raw({"role": "assistant", "tool_calls": [{"id": "call-0", "name": "edit_spec"}]})
    request(writer, 0, split_of([raw("Edit."), chosen]))
    for each in calls:
        for told in each.whole():
            loose = {"call_id": "", "link": "unlinked"} if each.call.id == "x" else {}
            writer.said(msgspec.structs.replace(told, **loose))
    writer.close()
    redacted = taken_out(sink.data, commitment_of(sink.data, chosen))
    left = b"".join(redacted.lines)
    for each, kept in zip(calls, (False, True, False), strict=True):
        assert (each.asked.call.encode() in left) is kept
        assert (each.envelope.payload.encode() in left) is kept
    said = verify_recording(redacted.lines, trusting(), files=sink.files.get)
    assert (said.reason, said.guarded.unchecked) == ("holds", 2)
