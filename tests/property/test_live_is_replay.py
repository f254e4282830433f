"""Live is a fold over entries: whatever happens in a run, its recording gives all of it again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

import groundwire as gw
from groundwire.audit.live.comparing import compare_live
from groundwire.checks.engine import Engine
from groundwire.documents.declaration import CheckRules, Off
from groundwire.documents.event import Event
from groundwire.documents.finding import Finding
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.project import Session
from tests.driving import answers, assistant, choice, exchange, reading, replayed, user

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = ["petrel-7", "kittiwake-9", SECRET, f"key {SECRET} of petrel-7", "", "é ⟦", "12,400"]
TEXTS = st.sampled_from(WORDS)
NAMES = st.sampled_from(["drain", "find", "look"])
IDS = st.sampled_from(["c1", "c2", "c3"])
LANES = st.sampled_from([None, "one", "two"])
ARGUMENTS = st.one_of(
    st.sampled_from(["{}", '{"host": "petrel-7"}', f'{{"key":"{SECRET}"}}', '{"host": "kit', "7"]),
)
CALLS = st.lists(st.builds(choice, IDS, NAMES, ARGUMENTS), max_size=2)
MESSAGES = st.lists(
    st.one_of(
        st.builds(user, TEXTS),
        st.builds(lambda calls, text: assistant(*calls, text=text), CALLS, TEXTS),
        st.builds(answers, IDS, st.sampled_from([*WORDS, '{"host":"petrel-7","jobs":3}', "[]"])),
    ),
    max_size=5,
)
VALUES = st.one_of(
    TEXTS,
    st.none(),
    st.floats(),
    st.integers(),
    st.binary(max_size=3),
    st.dictionaries(TEXTS, st.one_of(TEXTS, st.booleans()), max_size=2),
    st.text(max_size=4),
)
ERRORS = st.sampled_from([None, None, ValueError(SECRET), TimeoutError(), "refused"])

Act = Callable[[Session, list[dict[str, Any]]], object]


def ask(messages: list[dict[str, Any]], given_back: object, window: int, lane: str | None) -> Act:
    def act(run: Session, said: list[dict[str, Any]]) -> None:
        del said[: max(0, len(said) - window)]
        said.extend(messages)
        with run.lane(lane or "none"):
            exchange(run, said, given_back)  # type: ignore[arg-type] -- made below
        if isinstance(given_back, dict):
            said.append(given_back)

    return act


ASKED = st.builds(
    ask,
    MESSAGES,
    st.one_of(
        st.none(),
        st.builds(lambda calls, text: assistant(*calls, text=text), CALLS, TEXTS),
        st.builds(assistant, st.builds(choice, IDS, NAMES, ARGUMENTS)),
    ),
    st.integers(0, 8),
    LANES,
)
RAN = st.builds(
    lambda call_id, arguments, result, name, error, more: (
        lambda run, _: run.executed(
            call_id, arguments, result, name=name, error=error, structured=more
        )
    ),
    st.one_of(st.none(), IDS),
    st.one_of(ARGUMENTS, VALUES),
    VALUES,
    st.one_of(st.none(), NAMES),
    ERRORS,
    VALUES,
)
SAID = st.one_of(
    st.builds(lambda text: lambda run, _: run.pin(text or "rule", name=text), TEXTS),
    st.builds(lambda tool: lambda run, _: run.park("group", [tool]), NAMES),
    st.builds(lambda tool: lambda run, _: run.engage("group", [tool]), NAMES),
    st.builds(lambda text: lambda run, _: run.vouch(text or "value", "the ticket"), TEXTS),
    st.builds(lambda text: lambda run, _: run.authored(text or "note", "summary"), TEXTS),
    st.builds(lambda tool: lambda run, _: run.tools([tool]), st.one_of(NAMES, TEXTS)),
    st.builds(
        lambda tool, required: (
            lambda run, _: run.mcp_tools([{"name": tool, "outputSchema": {"required": [required]}}])
        ),
        NAMES,
        TEXTS,
    ),
)
TOOLS = (
    ToolDeclaration(name="drain", arguments_from=("find",), effect="write"),
    ToolDeclaration(name="find", effect="read", rows_at="$", total_at="$.total"),
    ToolDeclaration(name="look", output_schema=f'{{"required":["petrel-7"],"title":"{SECRET}"}}'),
)
POLICIES = st.builds(
    lambda rules, off, posture: Policy(
        posture=posture,
        tools=TOOLS,
        checks=CheckRules(
            rules=rules,
            off=(Off(check="unsupported-argument", reason="known", until="2099-01-01"),) * off,
            pins=("^Never",),
        ),
    ),
    st.sampled_from(["default", "original"]),
    st.integers(0, 1),
    st.sampled_from(["observe", "dev"]),
)


@settings(max_examples=40)
@given(POLICIES, st.lists(st.one_of(ASKED, ASKED, RAN, SAID), max_size=10))
def test_a_recording_gives_every_event_finding_and_row_of_its_live_run_again(
    policy: Policy, acts: list[Act]
) -> None:
    live: list[Event] = []
    feed = Engine.feed

    def spied(self: Engine, event: Event) -> tuple[Finding, ...]:
        if event.step >= 0:  # of no canary
            live.append(event)
        return feed(self, event)

    with tempfile.TemporaryDirectory() as folder:
        said: list[dict[str, Any]] = []
        run = Session(Path(folder) / "run.gw", project=gw.Project(policy))
        with mock.patch.object(Engine, "feed", spied):
            run.open()
            for act in acts:
                act(run, said)
            run.close(succeeded=False)
        assert run.lost == 0, run.lost_reason
        assert replayed(run.path) == live
        found = compare_live([reading(run.path)])
        assert found.state == "equal", found.text
        assert not [row for row in run.rows if "raised" in row.reasons]
        assert SECRET.encode() not in (Path(folder) / "run.gw").read_bytes()
