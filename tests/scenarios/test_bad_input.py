"""Whatever crosses the wire: the agent's call goes on, the recording verifies, nothing is torn."""

from __future__ import annotations

from pathlib import Path

import pytest

import groundwire as gw
from groundwire.audit.recordings import open_recording
from groundwire.audit.replay import replay
from groundwire.authority.keyrings import trusted_keyring
from groundwire.checks.engine import Engine
from groundwire.documents.entry import RequestEntry, ResponseEntry
from groundwire.documents.policy import Policy, ToolDeclaration

CHAT = "https://api.openai.com/v1/chat/completions"
MESSAGES = "https://api.anthropic.com/v1/messages"
RESPONSES = "https://api.openai.com/v1/responses"
POLICY = Policy(tools=(ToolDeclaration(name="use", arguments_from=("look",)),))

USER = b'{"role":"user","content":"hello"}'
DEEP = b'{"a":' * 3000 + b"1" + b"}" * 3000

REQUESTS = {
    "nothing": b"",
    "no-json": b"\xff\xfe not json",
    "cut": b'{"messages":[{"role":"user","content":"hel',
    "nul": b"\x00" * 64,
    "a-list": b"[]",
    "no-messages": b'{"model":"m"}',
    "messages-no-list": b'{"model":"m","messages":"hello"}',
    "a-message-no-object": b'{"model":"m","messages":[1,null,"x",[]]}',
    "unknown-role": b'{"model":"m","messages":[{"role":"ghost","content":5}]}',
    "repeated-key": b'{"messages":[],"messages":[%b]}' % USER,
    "invalid-utf8": b'{"messages":[{"role":"user","content":"\xc3\x28"}]}',
    "lone-surrogate": b'{"messages":[{"role":"user","content":"\\ud800"}]}',
    "deep": b'{"messages":[{"role":"user","content":%b}]}' % DEEP,
    "huge-number": b'{"messages":[%b],"seed":%b}' % (USER, b"9" * 5000),
    "nan": b'{"messages":[%b],"temperature":NaN}' % USER,
    "result-without-call": b'{"messages":[{"role":"tool","tool_call_id":"c9","content":"x"}]}',
    "duplicate-call-ids": (
        b'{"messages":[{"role":"assistant","tool_calls":['
        b'{"id":"c","type":"function","function":{"name":"use","arguments":"{"}},'
        b'{"id":"c","type":"function","function":{"name":"use","arguments":"{}"}}]},'
        b'{"role":"tool","tool_call_id":"c","content":null},'
        b'{"role":"tool","tool_call_id":"c","content":[{"type":"text"}]}]}'
    ),
    "ten-thousand-tools": b'{"messages":[%b],"tools":[%b]}'
    % (
        USER,
        b",".join(
            b'{"type":"function","function":{"name":"t%d","parameters":{}}}' % n
            for n in range(10_000)
        ),
    ),
    "spaced": b' { "messages" : [ %b ,\n %b ] , "model" : "m" } ' % (USER, USER),
}

CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"he"},"finish_reason":null}]}\n\n'
ANSWERS = {
    "nothing": b"",
    "no-json": b"\xff\xfe<html>",
    "a-list": b"[]",
    "null": b"null",
    "choices-no-list": b'{"choices":5}',
    "call-without-function": b'{"choices":[{"message":{"tool_calls":[{"id":"c"},{},null]}}]}',
    "arguments-no-json": (
        b'{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function",'
        b'"function":{"name":"use","arguments":"{\\"a\\": tru"}}]},"finish_reason":"length"}]}'
    ),
    "cut-stream": CHUNK + b'data: {"choi',
    "no-terminator": CHUNK,
    "junk-events": b"event: \xff\ndata: {}\n\n: ping\n\ndata: nope\n\ndata: [DONE]\n\n",
    "not-gzip": b"\x1f\x8b\x08garbage",
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def exchange(
    run: gw.Session,
    url: str,
    body: bytes,
    answer: bytes,
    *,
    kind: str = "application/json",
    encoding: str = "identity",
) -> None:
    attempt = run.sent("POST", url, (("content-type", "application/json"),), body)
    assert attempt is not None
    attempt.responded(200, (("content-type", kind), ("content-encoding", encoding)))
    for start in range(0, len(answer), 7000):
        attempt.chunk(answer[start : start + 7000])
    attempt.ended("whole")


def require_sound(run: gw.Session) -> None:
    """Nothing was lost, the recording verifies, and replay finds what the live run found."""
    assert (run.lost, run.lost_reason) == (0, "")
    assert run.path is not None
    evidence = open_recording(run.path, trusted_keyring())
    assert evidence.verdict.state == "holds"
    assert evidence.verdict.closed
    engine = Engine()
    for event in replay(evidence.reader):
        engine.feed(event)
    assert engine.findings() == run.findings
    assert engine.rows() == run.rows
    assert not [row for row in run.rows if "raised" in row.reasons]


@pytest.mark.parametrize("url", [CHAT, MESSAGES, RESPONSES])
def test_any_request_body_is_recorded_and_built_again_byte_for_byte(url: str) -> None:
    with gw.Project(POLICY).session() as run:
        for body in REQUESTS.values():
            sent = body.replace(b'"messages"', b'"input"') if url == RESPONSES else body
            exchange(run, url, sent, b'{"choices":[]}')
    require_sound(run)
    assert run.path is not None
    reader = open_recording(run.path, trusted_keyring()).reader
    for number, body in enumerate(REQUESTS.values()):
        sent = body.replace(b'"messages"', b'"input"') if url == RESPONSES else body
        assert reader.body(number) == sent


@pytest.mark.parametrize("url", [CHAT, MESSAGES, RESPONSES])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/html"])
def test_any_response_is_recorded_as_far_as_it_came(url: str, kind: str) -> None:
    body = b'{"model":"m","messages":[%b],"input":[%b]}' % (USER, USER)
    with gw.Project(POLICY).session() as run:
        for name, answer in ANSWERS.items():
            encoding = "gzip" if name == "not-gzip" else "identity"
            exchange(run, url, body, answer, kind=kind, encoding=encoding)
    require_sound(run)
    assert run.path is not None
    reader = open_recording(run.path, trusted_keyring()).reader
    responses = [entry for entry in reader.entries if isinstance(entry, ResponseEntry)]
    assert [entry.captured for entry in responses] == [len(a) for a in ANSWERS.values()]


def test_a_stream_cut_at_every_byte_is_never_taken_for_a_whole_one() -> None:
    stream = CHUNK + CHUNK.replace(b"null", b'"stop"') + b"data: [DONE]\n\n"
    end = stream.index(b"[DONE]") + len(b"[DONE]")
    with gw.Project(POLICY).session() as run:
        for cut in range(len(stream)):
            exchange(
                run, CHAT, b'{"model":"m","messages":[%b]}' % USER, stream[:cut],
                kind="text/event-stream",
            )  # fmt: skip
    require_sound(run)
    assert run.path is not None
    reader = open_recording(run.path, trusted_keyring()).reader
    for entry in reader.entries:
        if isinstance(entry, ResponseEntry):
            assert (entry.outcome == "complete") == (entry.captured >= end), entry


def test_a_message_of_fifty_megabytes_stands_in_a_file_beside_the_recording() -> None:
    body = b'{"model":"m","messages":[{"role":"user","content":"%b"}]}' % (b"x" * 50_000_000)
    with gw.Project(POLICY).session() as run:
        exchange(run, CHAT, body, b'{"choices":[]}')
    assert (run.lost, run.lost_reason) == (0, "")
    assert run.path is not None
    assert run.path.stat().st_size < 100_000
    reader = open_recording(run.path, trusted_keyring()).reader
    assert reader.body(0) == body


def test_a_run_that_must_be_recorded_stops_the_agent_when_its_file_is_taken_away() -> None:
    project = gw.Project(Policy(on_recording_error="stop"))
    run = project.session().open()
    exchange(run, CHAT, b'{"messages":[%b]}' % USER, b"{}")
    run.checkpoint_now()
    assert run.path is not None
    run.path.unlink()
    run.checkpoint_now()
    with pytest.raises(gw.HostError) as error:
        run.sent("POST", CHAT, (), b"{}")
    assert error.value.reason == "recording-deleted"
    run.close()


def test_a_request_to_another_endpoint_is_kept_whole_and_joins_no_conversation() -> None:
    with gw.Project(POLICY).session() as run:
        exchange(run, CHAT, b'{"model":"m","messages":[%b]}' % USER, b"{}")
        exchange(run, "https://api.openai.com/v1/embeddings?key=abc", b'{"input":"x"}', b"{}")
    require_sound(run)
    assert run.path is not None
    reader = open_recording(run.path, trusted_keyring()).reader
    other = [entry for entry in reader.entries if isinstance(entry, RequestEntry)][1]
    assert (other.provider, other.whole, other.lane, other.path) == (
        "unknown", True, 1, "/v1/embeddings",
    )  # fmt: skip
    assert b"key=abc" not in run.path.read_bytes()


@pytest.mark.parametrize("by_default", [False, True])
def test_a_finding_does_not_quote_a_result_that_the_policy_keeps_out(*, by_default: bool) -> None:
    use = ToolDeclaration(name="use", arguments_from=("look",))
    look = ToolDeclaration(name="look", content="commitments")
    policy = (
        Policy(tools=(use,), content="commitments") if by_default else Policy(tools=(use, look))
    )
    asks = (
        b'{"model":"m","messages":[{"role":"user","content":"who?"},{"role":"assistant",'
        b'"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},'
        b'{"role":"tool","tool_call_id":"c1","content":"customer-zq81-stall-7719"}]}'
    )
    calls = (
        b'{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c2","type":"function",'
        b'"function":{"name":"use","arguments":"{\\"who\\": \\"stall-7719\\"}"}}]},'
        b'"finish_reason":"tool_calls"}]}'
    )
    with gw.Project(policy).session() as run:
        exchange(run, CHAT, asks, calls)
    assert [finding.grade for finding in run.findings] == ["fragment"]
    assert run.path is not None
    assert b"zq81" not in run.path.read_bytes()


@pytest.mark.parametrize("names", ["find", [{"type": "function"}], [print]])
def test_what_is_no_list_of_tool_names_is_refused_and_the_run_goes_on(names: object) -> None:
    with gw.Project(POLICY).session() as run:
        with pytest.raises(gw.PolicyError) as error:
            run.tools(names)  # type: ignore[arg-type]  # what a caller without types may do
        assert error.value.reason == "not-tool-names"
    require_sound(run)


def test_a_body_that_cannot_be_read_stays_out_where_results_have_to() -> None:
    look = ToolDeclaration(name="look", content="commitments")
    with gw.Project(Policy(tools=(look,))).session() as run:
        exchange(run, CHAT, b'{"messages":[{"role":"tool","content":"zq81-secret-row"}', b"{}")
    assert run.path is not None
    assert b"zq81" not in run.path.read_bytes()


def test_a_path_that_names_no_file_is_refused() -> None:
    with pytest.raises(gw.PolicyError) as error:
        gw.Session(".")
    assert error.value.reason == "not-a-file-name"
