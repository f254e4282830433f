"""The acts of the demo: three agents run, and what their recordings tell."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import anthropic
import openai

from groundwire.audit.explain import boundary, life_of_call
from groundwire.audit.recordings import open_recording
from groundwire.audit.replay import replay
from groundwire.audit.report import Report, audit_events
from groundwire.authority.keyrings import trusted_keyring
from groundwire.demo import agents, story
from groundwire.demo.asked import act as asked_act
from groundwire.demo.guarded import act as guarded_act
from groundwire.documents.counts import counted
from groundwire.documents.finding import Finding
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.documents.verdict import Verdict
from groundwire.errors import HostError
from groundwire.recording.reader import Reader
from groundwire.session.keeping import known_head
from groundwire.session.project import Project, Session
from groundwire.testing.standin import StandIn
from groundwire.verify.recording import verify_recording

POLICY = Policy(
    agent="night watch",
    tools=(ToolDeclaration(name="find_snapshot", arguments_from=("list_hosts",)),),
)
_QUESTIONS = (story.FIRST_QUESTION, story.SECOND_QUESTION)
_WIDTH = 116


def run(folder: Path) -> Iterator[str]:
    """Lines to print, one after the other; the recordings stand in `folder` afterwards.

    Raises:
        HostError: a recording of an earlier demo cannot be taken away, or none can be made.
    """
    forgetful, attentive = folder / "demo.gw", folder / "demo-attentive.gw"
    guarded, asked = folder / "demo-guarded.gw", folder / "demo-asked.gw"
    for old in (forgetful, attentive, guarded, asked):
        _take_away(old)
    yield "groundwire demo: a night watch over storage hosts; real SDKs, a stand-in on 127.0.0.1"
    yield "1  An agent on the OpenAI SDK, streaming. Its window drops the tool results of past turns."
    yield from _forgetful_act(forgetful)
    yield ""
    yield f"2  groundwire audit {forgetful}"
    reader = open_recording(forgetful, trusted_keyring(), known_head).reader
    yield from _audit_act(reader)
    yield ""
    yield "3  The same questions to an agent on the Anthropic SDK that keeps everything in view."
    yield from _attentive_act(attentive)
    yield ""
    yield f"4  groundwire verify {forgetful}"
    yield from _verify_act(forgetful)
    yield ""
    yield "5  A coding agent in a git repository, its tools guarded; the policy says nothing of them."
    yield from guarded_act(guarded)
    yield f"   recorded in {guarded}; groundwire guard verify {guarded}#2 says what a receipt proves"
    yield ""
    yield "6  The same change again, where the policy names somebody who may allow it."
    yield from asked_act(asked)
    yield f"Next: groundwire explain {forgetful} --boundary 2    and the README's five minutes."


def _forgetful_act(path: Path) -> Iterator[str]:
    with StandIn(story.forgetful()) as here, Session(path, project=Project(POLICY)) as session:
        client = session.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key="unused"))
        with client:
            first, second = agents.ask_with_openai(client, session, _QUESTIONS)
    _require_recorded(session)
    yield f"   asks    {_QUESTIONS[0]}"
    yield "   calls   list_hosts(bay 6): hosts petrel-0482 and gannet-0491, job nightly-0482-petrel-cold"
    yield f"   says    {first}"
    yield f"   asks    {_QUESTIONS[1]}  (The window drops the lookup.)"
    yield "   calls   find_snapshot(host 0482-petrel): nothing found"
    yield f"   says    {second}  (Wrong: the host is petrel-0482.)"


def _audit_act(reader: Reader) -> Iterator[str]:
    report = audit_events(replay(reader), run=reader.opening.run, source="recording")
    for filed in report.findings:
        yield from _finding(filed.finding)
        yield from _places(reader, filed.finding)
    for call_id in ("call_hosts", "call_snap"):
        for life in life_of_call(reader, call_id):
            entered = life.injections[0]
            gone = "" if life.gone_since is None else f", gone since request {life.gone_since}"
            yield (
                f"   result of {life.tool}: entered at request {entered.exchange}, bytes "
                f"{entered.body_start}-{entered.body_end}, {entered.form}{gone}"
            )
    yield f"   not checked: {_silent(report)}; the audit's rows say why of each"


def _finding(finding: Finding) -> Iterator[str]:
    text = f"{finding.kind} ({finding.grade}): {finding.message}"
    yield from textwrap.wrap(text, _WIDTH, initial_indent="   ", subsequent_indent="     ")


def _places(reader: Reader, finding: Finding) -> Iterator[str]:
    """Where the value stands in the request that the call was chosen from."""
    value = finding.witnesses[0].value.encode()
    request = max(r for r in reader.exchanges if reader.request(r).seq < finding.step)
    body = reader.body(request)
    for shown in boundary(reader, request).messages:
        if isinstance(body, bytes) and value.decode() in shown.text:
            at = body.find(value)
            yield (
                f"   the value stands in request {request} only in message {shown.index}, by the "
                f"{shown.role}, bytes {at}-{at + len(value)}"
            )


def _silent(report: Report) -> str:
    rows = [row for row in report.rows if not row.passed + row.failed]
    first = rows[0]
    return f"{first.check} ({', '.join(first.reasons)}) and {len(rows) - 1} more"


def _attentive_act(path: Path) -> Iterator[str]:
    with StandIn(story.attentive()) as here, Session(path, project=Project(POLICY)) as session:
        client = session.watch(anthropic.Anthropic(base_url=here.url, api_key="unused"))
        with client:
            _, second = agents.ask_with_anthropic(client, session, _QUESTIONS)
    _require_recorded(session)
    checked = sum(row.passed + row.failed for row in session.rows)
    yield "   calls   find_snapshot(host petrel-0482): snap-77120"
    yield f"   says    {second}"
    yield f"   audit   {counted(len(session.findings), 'finding')} in {counted(checked, 'comparison')}; recorded in {path}"


def _verify_act(path: Path) -> Iterator[str]:
    lines = path.read_bytes().splitlines(keepends=True)
    verdict = _verdict(lines)
    yield f"   {verdict.state}: {counted(verdict.entries, 'entry', 'entries')}, {verdict.completeness}"
    for name, text in (("proves", verdict.proves), ("does not prove", verdict.does_not_prove)):
        yield from textwrap.wrap(
            f"{name}: {text}", _WIDTH, initial_indent="   ", subsequent_indent="     "
        )
    place = next(n for n, line in enumerate(lines) if b"petrel-0482" in line)
    lines[place] = lines[place].replace(b"petrel-0482", b"petrel-0483", 1)
    changed = _verdict(lines)
    yield f"   with one byte of a copy flipped, {changed.state}, line {changed.line}: {changed.message}"


def _verdict(lines: list[bytes]) -> Verdict:
    return verify_recording(lines, trusted_keyring(), files=lambda _: None)


def _require_recorded(session: Session) -> None:
    if session.lost:
        raise HostError(session.lost_reason, "The demo's recording could not be made; see above.")


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise HostError(
            "demo-in-the-way", f"{path} is in the way and cannot be removed: {error.strerror}."
        ) from error
