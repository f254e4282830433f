"""What the host says of its run: into the file without contents in entries, and back out of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.checks.engine import Engine
from groundwire.documents.declaration import CheckRules, ToolGroup
from groundwire.documents.entry import ExecutedEntry
from groundwire.documents.event import Event, Executed, Requested
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import HostError, PolicyError
from groundwire.session import declarations
from groundwire.session.project import Session
from tests.driving import answers, assistant, choice, exchange, reading, replayed, user

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
GROUPS = CheckRules(
    groups=(
        ToolGroup(name="disks", tools=("drain", "wipe")),
        ToolGroup(name="eyes", tools=("look",), parkable=False),
    )
)


@pytest.fixture(autouse=True)
def _no_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_declared", {})


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """The events that the checks of live runs are fed."""
    seen: list[Event] = []
    feed = Engine.feed

    def spied(self: Engine, event: Event) -> object:
        seen.append(event)
        return feed(self, event)

    monkeypatch.setattr(Engine, "feed", spied)
    return seen


POLICY = Policy(checks=GROUPS)


def session(path: Path, policy: Policy = POLICY) -> Session:
    return Session(path / "run.gw", project=gw.Project(policy))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Session]:
    with session(tmp_path) as run:
        exchange(run, [user("Look.")], assistant(choice("c1", "look", '{"host": "petrel"}')))
        yield run
    assert run.lost == 0, run.lost_reason


def told(path: Path | None) -> list[Executed]:
    return [event for event in replayed(path) if isinstance(event, Executed)]


def test_what_live_checks_see_is_what_a_reader_of_the_file_sees(
    live: list[Event], tmp_path: Path
) -> None:
    with session(tmp_path) as run:
        exchange(run, [user("Look.")], assistant(choice("c1", "look", '{"host": "petrel"}')))
        run.executed("c1", {"host": SECRET}, {"key": SECRET}, structured={"a": SECRET}, name="look")
        run.executed(None, {"host": float("nan")}, b"bytes", name="look", rendered="as text")
        run.executed("c1", {}, None, error=ValueError(f"no {SECRET}"))
        run.pin("Never drain two hosts.", name="rule")
        run.pin(SECRET)
        run.park("disks")
        run.engage("disks", ["drain"])
        run.vouch("petrel", "the ticket")
        run.authored("All quiet so far.", "summary")
        run.denied("Up, says petrel.")
        run.continues("an earlier run", run.findings)
        exchange(run, [user("Look."), answers("c1", "up")], assistant(text="Up."))
    assert run.lost == 0, run.lost_reason
    assert replayed(run.path) == live
    assert SECRET not in (tmp_path / "run.gw").read_text("utf-8")


def test_live_checks_see_the_mark_of_a_secret_that_a_request_shows(
    live: list[Event], tmp_path: Path
) -> None:
    with session(tmp_path) as run:
        said = [user(f"My key is {SECRET}."), assistant(choice("c1", "look", "{}"))]
        exchange(run, said[:1], said[1])
        exchange(run, [*said, answers("c1", "up")], assistant(text="Up."))
    shown = [event.frame for event in live if isinstance(event, Requested)]
    assert [SECRET.encode() in frame.messages[0].raw for frame in shown if frame] == [False, False]
    assert replayed(run.path) == live


def test_an_entry_holds_no_name_no_argument_and_no_result(run: Session) -> None:
    run.executed("c1", {"host": "petrel"}, "all quiet", name="look", rendered="quiet")
    run.pin("Never drain two hosts.", name="rule-seven")
    run.park("disks")
    run.vouch("kittiwake", "ticket-nine")
    run.authored("A notice of ours.")
    run.denied("Petrel is up.")
    run.continues("petrel-run", ())
    run.close()
    assert run.path is not None
    entries = [
        line
        for line in run.path.read_bytes().splitlines()
        if line.startswith(
            (
                b'{"@":"executed',
                b'{"@":"p',
                b'{"@":"vouched',
                b'{"@":"authored',
                b'{"@":"denied',
                b'{"@":"continued',
            )
        )
    ]
    assert len(entries) == 7
    for word in (
        b"petrel", b"look", b'"c1"', b"quiet", b"drain", b"rule", b"disks", b"kittiwake", b"ticket",
        b"notice of",
    ):  # fmt: skip
        assert not any(word in line for line in entries), word


def test_an_execution_is_joined_while_the_run_goes_on(run: Session) -> None:
    run.executed("c1", {}, "up")
    (event,) = told(run.path)
    assert (event.call_id, event.link, event.exchange, event.lane) == ("c1", "id", 0, 0)
    assert event.name == "look"
    assert [event.outcome, event.rendering, event.result] == ["returned", "text", "up"]


def test_a_wrapped_function_is_recorded_in_the_session_it_is_called_in(run: Session) -> None:
    @gw.tool
    def look(host: str) -> dict[str, str]:
        return {"state": host + " up"}

    assert look(host="petrel") == {"state": "petrel up"}
    (event,) = told(run.path)
    assert (event.link, event.call_id, event.arguments) == ("only", "c1", '{"host":"petrel"}')
    assert (event.rendering, event.result) == ("json", '{"state":"petrel up"}')


def test_within_a_call_a_wrapped_function_belongs_to_that_call(run: Session) -> None:
    @gw.tool(name="look")
    def look_at(host: str, deep: bool) -> str:
        return host

    with run.for_call("c1"):
        look_at("petrel", deep=True)
    (event,) = told(run.path)
    assert (event.link, event.call_id) == ("id", "c1")
    assert event.arguments == '{"host":"petrel","deep":true}'


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ValueError("no"), "raised"),
        ("no", "raised"),
        (TimeoutError("no"), "unknown"),
        (ConnectionResetError("no"), "unknown"),
        (KeyboardInterrupt("no"), "unknown"),
    ],
)
def test_an_error_is_its_text_and_what_is_known_of_the_effect(
    run: Session, error: BaseException | str, outcome: str
) -> None:
    run.executed("c1", {}, None, error=error)
    (event,) = told(run.path)
    assert (event.outcome, event.result) == (outcome, "no")


def test_the_host_may_say_that_it_does_not_know(run: Session) -> None:
    run.executed("c1", {}, None, error=ValueError("no"), outcome="unknown")
    assert told(run.path)[0].outcome == "unknown"


def test_values_of_any_kind_never_become_the_agents_error(run: Session) -> None:
    class Angry(Exception):
        def __str__(self) -> str:
            raise RuntimeError

        __repr__ = __str__

    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (float("nan"), 10**400, b"\xff", deep, Angry(), {1: 2}, "\ud800", object, "x" * 9):
        run.executed(value, value, value, name=value)  # type: ignore[arg-type] -- the point of it
        run.executed("c1", value, value, structured=value, rendered=value, error=Angry())  # type: ignore[arg-type] -- the point of it
        run.executed("c1", value, value, outcome="no outcome")  # type: ignore[arg-type] -- the point of it
    assert run.lost == 0, run.lost_reason
    assert len(told(run.path)) == 27


def test_results_that_the_policy_keeps_out_are_seen_live_and_not_in_the_file(
    live: list[Event], tmp_path: Path
) -> None:
    policy = Policy(tools=(ToolDeclaration(name="look", content="commitments"),))
    with session(tmp_path, policy) as run:
        exchange(run, [user("Look.")], assistant(choice("c1", "look")))
        run.executed("c1", {}, "kittiwake", structured={"a": "kittiwake"}, rendered="kittiwake")
        run.executed(None, {}, "kittiwake", name="")
        run.executed(None, {}, "fulmar", name="find")
    seen = [event for event in live if isinstance(event, Executed)]
    assert [event.result for event in seen] == ["kittiwake", "kittiwake", "fulmar"]
    events = told(run.path)
    assert [event.result for event in events] == [None, None, "fulmar"]
    assert [event.reason for event in events] == ["withheld", "withheld", ""]
    assert [event.arguments for event in events] == ["{}"] * 3
    assert "kittiwake" not in (tmp_path / "run.gw").read_text("utf-8")


def test_a_large_result_stands_beside_the_file(live: list[Event], tmp_path: Path) -> None:
    with session(tmp_path) as run:
        run.executed(None, {}, "x" * 1_500_000, name="look")
    assert replayed(run.path) == live
    assert (tmp_path / "run.gw.d").is_dir()


def test_executions_are_numbered_through_the_run(run: Session) -> None:
    for _ in range(3):
        run.executed(None, {}, "", name="look")
    run.close()
    numbers = [e.execution for e in reading(run.path).entries if isinstance(e, ExecutedEntry)]
    assert numbers == [0, 1, 2]


def test_a_group_is_parked_with_the_tools_that_are_declared_of_it(run: Session) -> None:
    run.park("disks")
    run.engage("disks")
    run.park("ad hoc", ["find"])
    parked = [msgspec.to_builtins(event) for event in replayed(run.path)[3:6]]
    assert [(each["group"], each["tools"], each["parked"]) for each in parked] == [
        ("disks", ("drain", "wipe"), True),
        ("disks", ("drain", "wipe"), False),
        ("ad hoc", ("find",), True),
    ]


def test_a_misspelled_group_is_refused_and_the_run_goes_on(run: Session) -> None:
    for say, reason in (
        (lambda: run.park("disk"), "unknown-group"),
        (lambda: run.park("eyes"), "group-not-parkable"),
        (lambda: run.park("disks", "drain"), "not-tool-names"),
        (lambda: run.pin(""), "not-text"),
        (lambda: run.vouch(7, "the ticket"), "not-text"),  # type: ignore[arg-type] -- the point
        (lambda: run.denied(" "), "not-text"),
        (lambda: run.continues("", ()), "not-text"),
        (lambda: run.authored("text", "poem"), "unknown-text-kind"),  # type: ignore[arg-type] -- the point
    ):
        with pytest.raises(PolicyError) as caught:
            say()
        assert caught.value.reason == reason
    run.engage("eyes")
    assert run.lost == 0


def test_after_the_run_nothing_is_said_and_nothing_fails(run: Session) -> None:
    run.close()
    size = len(reading(run.path).entries)
    run.executed("c1", {}, "up")
    run.pin("rule")
    run.park("no such group")
    assert len(reading(run.path).entries) == size


def test_a_recorder_that_fails_does_not_take_a_tools_result_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @gw.tool
    def look(host: str) -> str:
        return host

    def full(*_: object, **__: object) -> None:
        raise HostError("recording-unwritable", "The disk is full.")

    policy = Policy(on_recording_error="stop")
    with session(tmp_path, policy):
        monkeypatch.setattr("groundwire.recording.segments.said.write_said", full)
        monkeypatch.setattr("groundwire.recording.writer.write_said", full)
        with pytest.warns(gw.RecordingWarning, match="no longer recorded"):
            assert look("petrel") == "petrel"
        monkeypatch.undo()


def test_a_secret_that_comes_a_second_time_in_the_same_bytes_is_marked_again(
    live: list[Event], tmp_path: Path
) -> None:
    given = assistant(choice("c1", "look", f'{{"key": "{SECRET}"}}'))
    with session(tmp_path) as run:
        exchange(run, [user("Look.")], given)
        exchange(run, [user("Look.")], given)
    assert not any(SECRET in repr(event) for event in live)
    assert replayed(run.path) == live


def test_a_tools_name_that_looks_like_a_secret_is_marked_for_live_checks_too(
    live: list[Event], tmp_path: Path
) -> None:
    with session(tmp_path) as run:
        run.tools(["look", SECRET])
        run.tools(["look", SECRET])
    assert not any(SECRET in repr(event) for event in live)
    assert replayed(run.path) == live
