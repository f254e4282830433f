"""Whole agents and the ledger of their checks, under the rules of the original family."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.authority.policy import decode_policy
from groundwire.checks.choice import unsupported_argument
from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.checks.ledger import Tally
from groundwire.checks.registry import ALL_CHECKS, ORIGINAL
from groundwire.checks.seams import (
    CheckerDeadError,
    Encounter,
    judged,
    not_applicable,
    unreachable,
)
from groundwire.documents.declaration import CheckRules, Claim
from groundwire.documents.entry import DispositionEntry
from groundwire.documents.event import Event
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.loop.agent import Agent
from groundwire.loop.outcomes import Answered, Paused
from groundwire.loop.tools import Pause
from groundwire.recording.reader import read
from groundwire.stores.disk.reading import open_to_read
from groundwire.testing.simulator import SimulatedFailure, Simulator, replying
from groundwire.testing.turns import Failure, Turn
from tests.simulated import Told, calls, checks, project, session, told

# The rows that the original has; its evidence gate has none.
ROWS = sorted(ORIGINAL - {"unsupported-value"})
FACTS = gw.Facts(
    [{"entity": "petrel", "size": 12}], measured_at="2031-05-02T08:00:00Z", source="the disk report"
)
RESTART = ToolDeclaration(name="restart", arguments_from=("list_hosts",))
TOOLS = [replying("restart", "done"), replying("list_hosts", "hosts: petrel-0482")]
BAD = ("restart", '{"host": "gannet-9911"}')


@pytest.mark.whole_agent("L01")
def test_an_agent_with_nothing_armed_has_a_row_for_every_check_and_only_the_wire_was_compared(
    tmp_path: Path,
) -> None:
    found = told(project(), [Turn(text="Hello.")], folder=tmp_path)
    assert found.counts("invariant-violation") == {"checked": 1}
    assert len(ROWS) == 9
    for kind in ROWS:
        if kind != "invariant-violation":
            assert found.counts(kind) == {"notApplicable": 1}, kind
    assert found.kinds() == []


@pytest.mark.whole_agent("L02")
def test_a_body_that_states_no_tools_leaves_the_wire_unreachable_and_files_nothing(
    tmp_path: Path,
) -> None:
    of = project()
    script = [Turn(text="Hello."), Turn(text="Good night.")]
    with session(of, tmp_path) as run:
        agent = Agent(Simulator(of, script, serialise=lambda _: b"no document"))
        agent.ask(run, "Hi.")
        agent.ask(run, "Bye.")
    assert Told(run).counts("invariant-violation") == {"unreachable": 2}
    assert Told(run).kinds() == []


@pytest.mark.whole_agent("L03")
def test_a_run_that_throws_has_its_ledger_once_and_its_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_fed(monkeypatch)
    of = project(posture="dev")
    script = [Turn(text="Hello."), Failure(status=500)]
    with pytest.raises(SimulatedFailure):
        told(of, script, questions=("Hi.", "Bye."), folder=tmp_path)
    with open_to_read(tmp_path / "run.gw") as file:
        reader = read(list(file.lines()), file.file)
    assert sum(isinstance(entry, DispositionEntry) for entry in reader.entries) == 1


@pytest.mark.whole_agent("L04")
def test_a_paused_and_resumed_turn_has_two_ledgers_and_files_a_finding_once(tmp_path: Path) -> None:
    of = project(RESTART)
    script = [calls(BAD), calls(("ask_owner", "{}")), calls(BAD), Turn(text="Restarted.")]
    tools = [*TOOLS, replying("ask_owner", Pause("May it be restarted?"))]
    agent = Agent(Simulator(of, script), tools)
    with session(of, tmp_path) as first:
        paused = agent.ask(first, "Restart it.")
    assert isinstance(paused, Paused)
    assert paused.asks == "May it be restarted?"
    with session(of, tmp_path, "more.gw") as second:
        outcome = agent.resume(second, paused, "Yes.")
    assert isinstance(outcome, Answered)
    before, after = Told(first), Told(second)
    assert (before.kinds(), after.kinds()) == (["unsupported-argument"], [])
    assert (len(before.ledgers), len(after.ledgers)) == (1, 1)
    assert after.counts("unsupported-argument")["findings"] == 1
    assert before.replays()
    assert after.replays()


@pytest.mark.whole_agent("L05")
def test_a_healthy_run_in_dev_has_every_canary_caught_and_files_nothing(tmp_path: Path) -> None:
    found = told(project(posture="dev"), [Turn(text="Hello.")], folder=tmp_path)
    [rows] = found.ledgers
    assert all(row.minted == row.caught == 1 for row in rows)
    assert found.kinds() == []


class Silent:
    """A check that finds nothing, whatever it sees."""

    def see(self, event: Event) -> Iterable[Encounter]:
        return (not_applicable("not-declared"),)


@pytest.mark.whole_agent("L06")
def test_a_check_that_finds_nothing_is_named_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnsupportedArgument, "watch", lambda *_: Silent())
    with pytest.raises(CheckerDeadError, match=r"unsupported-argument at the choice seam .*canary"):
        told(project(posture="dev"), [Turn(text="Hello.")], folder=tmp_path)


def never_fed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check sees the made-up run of its canary, and nothing of a real one."""
    see = unsupported_argument.Watch.see

    def deaf(self: unsupported_argument.Watch, event: Event) -> Iterable[Encounter]:
        return see(self, event) if event.step < 0 else ()

    monkeypatch.setattr(unsupported_argument.Watch, "see", deaf)


@pytest.mark.whole_agent("L07")
def test_a_check_that_nothing_feeds_is_named_dead_although_its_canary_was_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_fed(monkeypatch)
    with pytest.raises(CheckerDeadError, match=r"unsupported-argument at the choice .*never met"):
        told(project(posture="dev"), [Turn(text="Hello.")], folder=tmp_path)


@pytest.mark.whole_agent("L08")
def test_a_turn_that_never_reached_the_model_requires_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_fed(monkeypatch)
    with session(project(posture="dev"), tmp_path) as run:
        pass
    assert len(Told(run).ledgers) == 1


@pytest.mark.whole_agent("L09")
def test_a_posture_that_there_is_not_is_refused_when_it_is_declared() -> None:
    with pytest.raises(PolicyError, match="observe"):
        decode_policy('[checks]\nposture = "strict"\n', "groundwire.toml")
    with pytest.raises(PolicyError):
        Engine(posture="strict")  # type: ignore[arg-type] -- the point


@pytest.mark.whole_agent("L10")
def test_the_same_bad_argument_three_times_is_one_finding_and_three_encounters(
    tmp_path: Path,
) -> None:
    script = [calls(BAD), calls(BAD), calls(BAD), Turn(text="Done.")]
    found = told(project(RESTART), script, TOOLS, folder=tmp_path)
    assert found.kinds() == ["unsupported-argument"]
    assert found.counts("unsupported-argument")["findings"] == 3


TWO_VALUES = [calls(BAD), calls(("restart", '{"host": "gannet-9922"}')), Turn(text="Done.")]


@pytest.mark.whole_agent("L11")
def test_another_bad_value_at_the_same_place_is_the_same_finding_under_the_original_rules(
    tmp_path: Path,
) -> None:
    found = told(project(RESTART), TWO_VALUES, TOOLS, folder=tmp_path)
    assert found.kinds() == ["unsupported-argument"]
    assert found.counts("unsupported-argument")["findings"] == 2


def test_by_default_another_bad_value_is_another_finding(tmp_path: Path) -> None:
    found = told(project(RESTART, rules=CheckRules()), TWO_VALUES, TOOLS, folder=tmp_path)
    assert found.kinds().count("unsupported-argument") == 2


@pytest.mark.whole_agent("L12")
def test_a_synthetic_finding_is_listed_apart_and_in_no_total() -> None:
    engine = Engine(posture="dev")
    assert engine.synthetic()
    assert all(finding.synthetic for finding in engine.synthetic())
    assert engine.findings() == ()
    assert not any(row.passed + row.failed for row in engine.rows())


def tallied(*encounters: Encounter) -> Tally:
    tally = Tally(ALL_CHECKS[0])
    for number, encounter in enumerate(encounters):
        tally.note(encounter, f"2031-05-02T00:00:0{number}.000000Z")
    return tally


@pytest.mark.whole_agent("L13")
def test_what_a_ledger_row_counts() -> None:
    failed = Encounter(disposition="checked-fail")
    row = tallied(judged(()), judged(()), failed, not_applicable("a"), unreachable("b")).row()
    assert (row.passed + row.failed, row.failed, row.not_applicable, row.unreachable) == (
        3,
        1,
        1,
        1,
    )
    assert row.last_fired_at == "2031-05-02T00:00:02.000000Z"


@pytest.mark.whole_agent("L14")
def test_a_row_that_never_fired_says_no_time() -> None:
    assert tallied(judged(()), not_applicable("a")).row().last_fired_at is None


@pytest.mark.whole_agent("L15")
def test_two_bad_arguments_of_one_response_are_two_findings_and_one_encounter(
    tmp_path: Path,
) -> None:
    bad = ("restart", '{"host": "gannet-9911", "site": "harbour-7"}')
    found = told(project(RESTART), [calls(bad), Turn(text="Done.")], TOOLS, folder=tmp_path)
    assert found.kinds() == ["unsupported-argument"] * 2
    counts = found.counts("unsupported-argument")
    assert (counts["checked"], counts["findings"]) == (1, 1)


@pytest.mark.whole_agent("L16")
def test_an_answer_that_declines_a_settled_fact_is_one_doubt_and_no_failure(
    tmp_path: Path,
) -> None:
    claims = [msgspec.to_builtins(Claim(answer="size", entity="petrel", field="size"))]
    script = [calls(("measure", "{}")), Turn(text='{"size": "unknown"}')]
    found = told(
        project(rules=checks(claims=claims)),
        script,
        [replying("measure", str(FACTS))],
        folder=tmp_path,
    )
    [doubt] = found.of("unsupported-claim")
    assert doubt.advisory
    counts = found.counts("unsupported-claim")
    assert (counts["checked"], counts.get("findings", 0)) == (1, 0)
