"""The recorder writes what the page says, in order, or nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import msgspec
import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding, Subject
from groundwire.documents.frame import Frame, Message, Text
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import EncodingError, GroundwireError, HostError, TrustError
from groundwire.recording.notes import decode_note
from groundwire.recording.reader import Missing
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.stores.memory import MemorySink
from groundwire.verify.recording import Segment, verify_segments
from tests import recordings
from tests.recorders import (
    IDENTITY,
    RUN,
    START,
    Clock,
    Salts,
    body_of,
    certificate,
    key,
    keyring,
    lines,
    raw,
    reader,
    recorder,
    request,
    response,
    split_of,
    texts,
    verdict,
)
from tests.unit.recording.withholding.test_secrets import SECRETS

FINDING = Finding(
    kind="missing-tool", seam="compose", subjects=(Subject("tool", "berths"),), witnesses=(),
    message="offer it", lane=0, step=3, count=2, last_step=9,
)  # fmt: skip
ROW = Row(
    check="missing-tool", seam="compose", version=1, passed=1, failed=1, not_applicable=0,
    unreachable=0, reasons={},
)  # fmt: skip


def frame(*texts: str) -> Frame:
    messages = tuple(
        Message(
            role="user", parts=(Text(text),), raw=b"", content_digest=recordings.tagged("message", text.encode()),
        )
        for text in texts
    )  # fmt: skip
    return Frame(
        provider="openai-chat", model="m-1", system=(), tools=(), parameters="{}",
        messages=messages,
    )  # fmt: skip


def everything(writer: Recorder) -> None:
    """An entry of every kind that a run may write."""
    writer.declared({"tools": []})
    writer.expected(["berths"])
    writer.composed(["berths", "tides"])
    split = split_of([raw("a"), raw("b")])
    request(writer, 0, split, frame=frame("a", "b"), composed=0, lane_name="main")
    response(writer, 0, b'{"answer":7}')
    request(writer, 1, None, body=b"\xff", lane=1, unreadable="not-json")
    response(writer, 1, b"\xff\xfe", lane=1, outcome="cut", error="reset by the harbour")
    request(writer, 2, split_of([raw("a"), raw("b"), raw("x" * 1_000_001)]), path="/v1/x?beta=true")
    response(writer, 2, b"", status=None, outcome="error", error="no route", headers=[])
    writer.child(run="run-quay-2", name="tide reader")
    writer.note(topic="sdk", count=1, text="watched a client")
    writer.finding(FINDING)
    writer.checkpoint()
    writer.disposition(rows=[ROW], findings=[FINDING], posture="observe", work=True)


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def writer(sink: MemorySink) -> Recorder:
    return recorder(sink)


def entries(sink: MemorySink) -> list[dict[str, object]]:
    found = [json.loads(line) for line in sink.data.splitlines()]
    return [each for each in found if each["@"] != "content"]


def test_a_run_with_every_kind_of_entry_verifies(sink: MemorySink, writer: Recorder) -> None:
    everything(writer)
    writer.close(lateness_us=1234)
    said = verdict(sink)
    assert (said.state, said.reason, said.completeness) == ("holds", "holds", "closed")
    assert said.not_understood == 0


def test_every_line_is_what_a_second_writer_would_write(sink: MemorySink, writer: Recorder) -> None:
    """Checked with code that shares nothing with the package."""
    everything(writer)
    writer.close()
    head, leaves = recordings.ZERO, 0
    for line in lines(sink.data):
        document = json.loads(line)
        assert recordings.canonical(document) + b"\n" == line
        if document["@"] != "content":
            assert (document["prev"], document["seq"]) == (head, leaves)
            head, leaves = "leaf:" + recordings.leaf(line[:-1]).hex(), leaves + 1
            continue
        salt = bytes.fromhex(document["salt"])
        if "text" in document:
            form, over = "text", document["text"].encode()
        elif "b64" in document:
            form, over = "b64", base64.b64decode(document["b64"])
        else:
            form = "file"
            over = bytes.fromhex(document["file"][7:]) + document["size"].to_bytes(8, "big")
            assert recordings.sha256(sink.files[document["file"]]) == document["file"]
        assert document["commitment"] == recordings.tagged("content", salt, form.encode(), over)


def test_contents_stand_directly_before_the_entry_that_names_them_first_and_once(
    sink: MemorySink, writer: Recorder
) -> None:
    everything(writer)
    writer.close()
    named: set[str] = set()
    waiting: list[str] = []
    for line in sink.data.splitlines():
        document = json.loads(line)
        if document["@"] == "content":
            waiting.append(document["commitment"])
            continue
        order = [*document.get("append", ()), *(each for _, each in document.get("replaced", ()))]
        order += [document["holds"][name] for name in sorted(document["holds"])]
        assert waiting == [each for each in dict.fromkeys(order) if each not in named]
        named.update(order)
        waiting = []


def test_the_opening_says_who_runs_under_which_policy(sink: MemorySink) -> None:
    policy = Policy(
        agent="quay", tools=(ToolDeclaration(name="berths", arguments_from=("tides",)),)
    )
    recorder(
        sink, agent="quay", model="m-1", on_behalf_of="the master", parent="run-0", policy=policy,
        tags={"team": "docks"}, trace="0af7651916cd43dd8448eb211c80319c", pins={"python": "3.11"},
        until="2027-01-01T00:00:00.000000Z",
    )  # fmt: skip
    opening = reader(sink).opening
    assert (opening.agent, opening.model, opening.on_behalf_of) == ("quay", "m-1", "the master")
    assert (opening.segment, opening.previous, opening.parent) == (0, None, "run-0")
    assert opening.pins == {"python": "3.11"}
    assert opening.window.until == "2027-01-01T00:00:00.000000Z"
    stated = reader(sink).content(opening.holds["policy"])
    assert isinstance(stated, bytes)
    assert msgspec.json.decode(stated, type=Policy) == policy
    assert opening.policy == recordings.tagged("policy", stated)
    assert reader(sink).content(opening.holds["tags"]) == b'{"team":"docks"}'
    assert [entry["@"] for entry in entries(sink)] == ["open/1", "certificate/1"]


def test_a_request_states_digests_headers_and_path(sink: MemorySink, writer: Recorder) -> None:
    split = split_of([raw("a"), raw("b")])
    entry = request(
        writer, 0, split, frame=frame("a", "b"), path="/v1/chat?beta=true&key=k",
        headers=[("Authorization", "Bearer k"), ("X-Request-Id", "7"), ("content-length", "99")],
    )  # fmt: skip
    built = reader(sink)
    digests = [recordings.tagged("message", text) for text in (b"a", b"b")]
    assert built.content(entry.holds["digests"]) == recordings.canonical(
        {"body": sha256(body_of(split)), "messages": digests}
    )
    assert built.content(entry.holds["headers"]) == recordings.canonical(
        {"?beta": "true", "content-length": "99", "x-request-id": "7"}
    )
    assert (entry.path, entry.size) == ("/v1/chat", len(body_of(split)))


def test_digests_are_of_the_appended_and_then_the_replaced(
    sink: MemorySink, writer: Recorder
) -> None:
    request(writer, 0, split_of([raw("a"), raw("b")]), frame=frame("a", "b"))
    entry = request(writer, 1, split_of([raw("A"), raw("b"), raw("c")]), frame=frame("A", "b", "c"))
    stated = reader(sink).content(entry.holds["digests"])
    assert isinstance(stated, bytes)
    assert json.loads(stated)["messages"] == [
        recordings.tagged("message", b"c"), recordings.tagged("message", b"A"),
    ]  # fmt: skip


def test_a_frame_that_does_not_fit_the_split_gives_no_message_digests(
    sink: MemorySink, writer: Recorder
) -> None:
    entry = request(writer, 0, split_of([raw("a"), raw("b")]), frame=frame("a"))
    stated = reader(sink).content(entry.holds["digests"])
    assert isinstance(stated, bytes)
    assert json.loads(stated)["messages"] == []


def test_the_digest_of_a_whole_body_is_of_the_body_that_left(
    sink: MemorySink, writer: Recorder
) -> None:
    lying = msgspec.structs.replace(split_of([raw("a")]), body_digest=sha256(b"another"))
    entry = request(writer, 0, lying)
    stated = reader(sink).content(entry.holds["digests"])
    assert isinstance(stated, bytes)
    assert json.loads(stated)["body"] == sha256(body_of(split_of([raw("a")])))


def test_where_nothing_came_back_a_response_holds_only_the_error(
    sink: MemorySink, writer: Recorder
) -> None:
    entry = response(writer, 0, b"", status=None, outcome="error", error="no route to harbour")
    assert set(entry.holds) == {"error"}
    assert reader(sink).content(entry.holds["error"]) == b"no route to harbour"


def test_calls_and_exchanges_are_counted(sink: MemorySink, writer: Recorder) -> None:
    assert [writer.composed(["a"]).call for _ in range(3)] == [0, 1, 2]
    everything(writer)
    writer.close(lateness_us=77)
    (close,) = [entry for entry in entries(sink) if entry["@"] == "close/1"]
    counted = ("exchanges", "findings", "lateness_us", "withheld", "next_segment")
    assert [close[name] for name in counted] == [3, 1, 77, 0, False]


def test_a_disposition_holds_rows_and_how_often_each_finding_came(
    sink: MemorySink, writer: Recorder
) -> None:
    entry = writer.disposition(rows=[ROW], findings=[FINDING], posture="dev", work=True)
    built = reader(sink)
    rows, findings = built.content(entry.holds["rows"]), built.content(entry.holds["findings"])
    assert isinstance(rows, bytes)
    assert isinstance(findings, bytes)
    assert msgspec.json.decode(rows, type=list[Row]) == [ROW]
    (tally,) = json.loads(findings)
    assert (tally["kind"], tally["count"], tally["subjects"]) == (
        "missing-tool", 2, [["tool", "berths"]],
    )  # fmt: skip


# -- durability -------------------------------------------------------------------------------


def test_a_checkpoint_covers_durable_entries_only(sink: MemorySink, writer: Recorder) -> None:
    writer.note(topic="sdk", count=1, text="written")
    order: list[tuple[str, int]] = []
    append, sync = sink.append, sink.sync

    def noting(name: str, act: Callable[..., None]) -> Callable[..., None]:
        def noted(*arguments: bytes) -> None:
            act(*arguments)
            order.append((name, sink.synced))

        return noted

    before = len(sink.data)
    sink.append, sink.sync = noting("append", append), noting("sync", sync)  # type: ignore[method-assign]  -- the twin is watched
    writer.checkpoint()
    assert order == [("sync", before), ("append", before), ("sync", len(sink.data))]


def test_a_failed_sync_signs_nothing(sink: MemorySink, writer: Recorder) -> None:
    sink.fail_next["sync"] = HostError("sync-failed", "the disk is gone")
    before = sink.data
    with pytest.raises(HostError, match="the disk is gone"):
        writer.checkpoint()
    assert sink.data == before
    with pytest.raises(HostError, match="the disk is gone"):
        writer.note(topic="gap", count=1, text="more")


@pytest.mark.parametrize("method", ["append", "attach"])
def test_where_the_sink_fails_the_recorder_is_as_if_nobody_had_asked(
    sink: MemorySink, writer: Recorder, method: str
) -> None:
    large = b"y" * 1_000_001
    acts: list[Callable[[], object]] = [
        lambda: writer.note(topic="sdk", count=1, text=large.decode()),
        lambda: writer.composed([large.decode()]),
        lambda: writer.finding(msgspec.structs.replace(FINDING, message=large.decode())),
        lambda: request(writer, 0, split_of([raw("a"), raw(large.decode())])),
        lambda: response(writer, 0, large),
    ]
    for act in acts:
        before = (writer.size, writer.head, writer.root, sink.data, writer.withheld)
        sink.fail_next[method] = HostError("disk-full", "no room")
        with pytest.raises(HostError, match="no room"):
            act()
        assert (writer.size, writer.head, writer.root, sink.data, writer.withheld) == before
    assert writer.composed(["a"]).call == 0
    for act in acts:
        act()
    writer.close()
    assert verdict(sink).state == "holds"
    (close,) = [entry for entry in entries(sink) if entry["@"] == "close/1"]
    assert (close["exchanges"], close["findings"]) == (1, 1)


def test_a_write_that_was_torn_out_of_ends_the_recording(
    sink: MemorySink, writer: Recorder
) -> None:
    def interrupted(data: bytes) -> None:
        sink.data += data
        raise KeyboardInterrupt

    append, sink.append = sink.append, interrupted  # type: ignore[method-assign]  -- the twin is watched
    with pytest.raises(KeyboardInterrupt):
        writer.note(topic="sdk", count=1, text="one")
    sink.append = append  # type: ignore[method-assign]  -- the twin is watched
    with pytest.raises(HostError) as told:
        writer.note(topic="sdk", count=1, text="two")
    assert told.value.reason == "recorder-interrupted"


def test_after_the_close_nothing_is_written(sink: MemorySink, writer: Recorder) -> None:
    writer.close()
    assert sink.closed
    before = sink.data
    for act in (writer.close, writer.checkpoint, lambda: writer.expected(["a"])):
        with pytest.raises(HostError) as told:
            act()
        assert told.value.reason == "recording-closed"
    assert sink.data == before


def test_a_close_whose_checkpoint_failed_can_be_done_again(
    sink: MemorySink, writer: Recorder
) -> None:
    sink.sync = lambda: (_ for _ in ()).throw(HostError("sync-failed", "not now"))  # type: ignore[method-assign]  -- the twin is watched
    with pytest.raises(HostError, match="not now"):
        writer.close()
    with pytest.raises(HostError, match="being closed"):
        writer.note(topic="gap", count=1, text="in between")
    del sink.sync
    writer.close()
    assert verdict(sink).completeness == "closed"
    assert sink.data.count(b'"close/1"') == 1


def test_a_forgotten_run_key_signs_nothing(sink: MemorySink) -> None:
    run_key = key()
    writer = Recorder.open(
        opening=Opening(run=RUN), sink=sink, clock=Clock(), salts=Salts(),
        run_key=run_key.signer, certificate=certificate(run_key),
    )  # fmt: skip
    run_key.forget()
    with pytest.raises(TrustError) as told:
        writer.checkpoint()
    assert told.value.reason == "run-key-forgotten"


def test_text_that_cannot_stand_in_json_is_refused_and_changes_nothing(
    sink: MemorySink, writer: Recorder
) -> None:
    before = sink.data
    with pytest.raises(EncodingError):
        writer.expected(["\ud800"])
    assert sink.data == before
    writer.expected(["a"])


# -- segments ---------------------------------------------------------------------------------


def test_a_run_goes_on_in_another_segment_that_names_the_end_of_this_one(
    sink: MemorySink, writer: Recorder
) -> None:
    run_key = key(RUN)
    split = split_of([raw("a"), raw("b")])
    request(writer, 0, split)
    writer.composed(["a"])
    second = MemorySink()
    opening = writer.rotate(sink=second, certificate=certificate(run_key), lateness_us=3)
    assert sink.closed
    assert opening.segment == 1
    again = request(writer, 1, split_of([raw("a"), raw("b"), raw("c")], kept=2))
    assert (again.parent, again.keep, len(again.append)) == (None, 0, 3)
    assert writer.composed(["a"]).call == 1
    writer.close()
    files = [Segment(lines=lines(each.data), files=each.files.get) for each in (sink, second)]
    assert [each.reason for each in verify_segments(files, keyring())] == ["holds", "holds"]
    assert reader(second).body(1) == body_of(split_of([raw("a"), raw("b"), raw("c")]))
    commitments = {line["commitment"] for line in map(json.loads, sink.data.splitlines()) if line["@"] == "content"}  # fmt: skip
    assert all(each.encode() not in second.data for each in commitments)


def test_equal_secrets_of_a_run_have_equal_commitments_in_every_segment(
    sink: MemorySink, writer: Recorder
) -> None:
    def withheld(data: bytes) -> set[str]:
        found = [json.loads(line) for line in data.splitlines()]
        parts = [part for line in found for part in line.get("parts", ())]
        return {part["withheld"] for part in parts if isinstance(part, dict)}

    writer.note(topic="sdk", count=1, text=SECRETS["jwt"])
    second = MemorySink()
    writer.rotate(sink=second, certificate=certificate(key(RUN)))
    writer.note(topic="sdk", count=1, text="again " + SECRETS["jwt"])
    assert withheld(sink.data) == withheld(second.data)
    assert writer.withheld == 2


def test_a_segment_that_could_not_be_opened_takes_nothing(
    sink: MemorySink, writer: Recorder
) -> None:
    second = MemorySink()
    second.fail_next["append"] = HostError("disk-full", "no room")
    with pytest.raises(HostError, match="no room"):
        writer.rotate(sink=second, certificate=certificate(key(RUN)))
    with pytest.raises(HostError) as told:
        writer.note(topic="sdk", count=1, text="more")
    assert told.value.reason == "recording-closed"
    assert second.data == b""
    assert verdict(sink).state == "holds"


def test_a_milestone_is_a_note_for_anchors_and_a_head_to_keep_outside(
    sink: MemorySink, writer: Recorder
) -> None:
    assert writer.milestone is None
    writer.checkpoint()
    stone = writer.milestone
    assert stone is not None
    assert (stone.head.size, stone.head.root) == (writer.size, writer.root)
    note = decode_note(stone.note(), key(RUN).signer.public_key)
    assert (note.origin, note.size) == (f"groundwire/{RUN}/0", writer.size - 1)
    writer.rotate(sink=MemorySink(), certificate=certificate(key(RUN)))
    closing = writer.milestone
    assert closing is not None
    assert closing.head.segment == 0
    assert closing.checkpoint.closed
    said = verdict(sink, known_head=closing.head, notes=[stone.note(), closing.note()])
    assert said.state == "holds"
    writer.close()
    last = writer.milestone
    assert last is not None
    assert last.head.segment == 1


def test_a_closed_run_whose_closing_note_is_in_a_mirror_is_anchored(
    sink: MemorySink, writer: Recorder
) -> None:
    writer.close()
    assert writer.milestone is not None
    assert verdict(sink, notes=[writer.milestone.note()]).completeness == "anchored"


# -- secrets ----------------------------------------------------------------------------------


def planted(writer: Recorder, secret: str) -> None:
    """The secret, everywhere that something from outside can come in."""
    quoted = json.dumps(secret)[1:-1]
    result = raw({"role": "tool", "content": f"config: {secret}"})
    headers = [("Authorization", f"Bearer {secret}"), ("User-Agent", f"ua {secret}")]
    split = split_of(
        [raw({"role": "user", "content": f"my key is {secret}"}), result],
        after=b'],"user":"' + quoted.encode() + b'"}',
    )
    request(
        writer, writer.size, split, headers=headers, path=f"/v1/{secret}/x?key={secret}&beta={secret}",
        lane_name=f"lane {secret}",
    )  # fmt: skip
    request(writer, writer.size, None, body=b"not json " + quoted.encode())
    body = b'{"choices":[{"message":{"content":"use ' + quoted.encode() + b'"}}]}'
    response(writer, 0, body, headers=headers, error=f"failed with {secret}", encoding=secret)
    event = json.dumps({"choices": [{"delta": {"content": f"use {secret}"}}]})
    response(writer, 0, f"data: {event}\n\ndata: [DONE]\n\n".encode(), streamed=True)
    pieces = [secret[at : at + 4] for at in range(0, len(secret), 4)]
    events = [json.dumps({"delta": {"type": "text_delta", "text": piece}}) for piece in pieces]
    response(writer, 0, "".join(f"data: {each}\n\n" for each in events).encode(), streamed=True)
    response(writer, 0, b"z" * 1_000_000 + b" " + secret.encode())
    response(writer, 0, b"\xff\xfe " + secret.encode())
    writer.declared({"note": secret})
    writer.expected([secret])
    writer.composed([secret])
    writer.note(topic="sdk", count=1, text=secret)
    writer.child(run="run-2", name=secret)
    writer.finding(msgspec.structs.replace(FINDING, message=f"saw {secret}"))


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_planted_anywhere_is_in_no_file(name: str) -> None:
    secret = SECRETS[name]
    sink = MemorySink()
    writer = recorder(
        sink, agent=f"a {secret}", model=secret, on_behalf_of=secret, tags={"key": secret},
        trace=secret,
    )  # fmt: skip
    planted(writer, secret)
    writer.close()
    written = texts(sink)
    spellings = {secret.encode(), json.dumps(secret)[1:-1].encode()}
    spellings.add(json.dumps(json.dumps(secret)[1:-1])[1:-1].encode())
    assert not any(spelling in written for spelling in spellings)
    # Not in pieces either: what a stream handed over four characters at a time.
    assert not any(
        f'"{secret[at : at + 4]}' in written.decode() for at in range(8, len(secret) - 4, 4)
    )
    assert verdict(sink).state == "holds"
    assert writer.withheld > 20


def test_what_is_withheld_is_counted_in_the_close(sink: MemorySink, writer: Recorder) -> None:
    writer.note(topic="sdk", count=1, text=f"{SECRETS['jwt']} and {SECRETS['npm']}")
    writer.note(topic="sdk", count=1, text=f"{SECRETS['jwt']} and {SECRETS['npm']}")
    request(writer, 0, split_of([raw("a")]), path=f"/v1/{SECRETS['npm']}")
    writer.close()
    (close,) = [entry for entry in entries(sink) if entry["@"] == "close/1"]
    assert close["withheld"] == 3


def test_a_response_with_something_withheld_states_no_digest(
    sink: MemorySink, writer: Recorder
) -> None:
    body = f'{{"key":"{SECRETS["npm"]}"}}'.encode()
    entry = response(writer, 0, body)
    assert reader(sink).content(entry.holds["digests"]) == Missing("withheld")
    assert sha256(body).encode() not in sink.data


def test_times_go_by_the_clock_that_was_given(sink: MemorySink) -> None:
    everything(recorder(sink))
    times = [str(entry["at"]) for entry in entries(sink)]
    assert all(one <= other for one, other in pairwise(times))
    assert times[0] == "2026-05-04T10:20:30.001000Z"


def test_every_refusal_is_one_of_ours(sink: MemorySink, writer: Recorder) -> None:
    for act in (
        lambda: writer.declared({"a": float("nan")}),
        lambda: writer.declared({"a": 2**60}),
        lambda: writer.run_state(
            run="\ud800", segment=0, size=1, root="root:" + "0" * 64, state="opened", path="p"
        ),
    ):
        with pytest.raises(GroundwireError):
            act()
    writer.close()
    assert verdict(sink).state == "holds"
    assert IDENTITY.key_id in verdict(sink).identity


def test_attack_a_clock_that_is_set_back_puts_no_checkpoint_before_its_certificate(
    sink: MemorySink,
) -> None:
    clock = Clock()
    writer = recorder(sink, clock=clock)
    clock.now -= timedelta(days=2)
    writer.note(topic="gap", count=0, text="after the clock was set back")
    writer.close()
    assert verdict(sink).state == "holds"


def test_attack_a_secret_as_the_parents_name_is_not_written(sink: MemorySink) -> None:
    secret = "sk-proj-" + "Ab9" * 14
    recorder(sink, parent=secret)
    assert secret.encode() not in sink.data


@pytest.mark.parametrize("days", [366, -1], ids=["past-its-end", "set-back"])
def test_nothing_is_signed_outside_the_certificate_until_the_key_is_certified_again(
    sink: MemorySink, days: int
) -> None:
    clock = Clock(START + timedelta(days=min(days, 0)))
    writer = recorder(sink, clock=clock)
    clock.now += timedelta(days=max(days, 0))
    acts: list[Callable[[], object]] = [
        writer.checkpoint,
        writer.close,
        lambda: writer.rotate(sink=MemorySink(), certificate=certificate(key(RUN))),
    ]
    before = sink.data
    for act in acts:
        with pytest.raises(HostError) as told:
            act()
        assert told.value.reason == "certificate-over"
    assert sink.data == before
    writer.certify_again(certificate(key(RUN), begins=clock.now))
    writer.checkpoint()
    request(writer, 0, split_of([raw("a")]))
    writer.close()
    said = verdict(sink)
    assert (said.reason, said.completeness) == ("holds", "closed")
    assert "found under no checkpoint" not in said.does_not_prove
