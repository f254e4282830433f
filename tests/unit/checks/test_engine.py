from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence

import msgspec
import pytest

from groundwire.checks import made_up
from groundwire.checks.engine import Engine
from groundwire.checks.registry import (
    ALL_CHECKS,
    KINDS,
    ORIGINAL,
    WITHOUT_A_CHECK,
    filable_kinds,
)
from groundwire.checks.seams import Check, CheckerDeadError, Encounter, judged, not_applicable
from groundwire.checks.transcript import Transcript
from groundwire.documents.declaration import CheckRules, Off
from groundwire.documents.event import Declared, Event, Requested
from groundwire.documents.finding import Finding, Seam, Subject
from groundwire.errors import GroundwireError, PolicyError
from tests.stories import Story, call, frame, message, response

USER = message("user", "Hello.")


def finding(step: int = 0, *, advisory: bool = False, path: str = "") -> Finding:
    return Finding(
        kind="stub",
        seam="claim",
        subjects=(Subject("b", "2"), Subject("a", "1")),
        witnesses=(),
        message="",
        lane=0,
        step=step,
        path=path,
        advisory=advisory,
    )


class Stub:
    """A check that answers each request with the next of its answers."""

    kind = "stub"
    seam: Seam = "claim"
    version = 3
    armed_by = "always"
    catches = "Whatever it is told to."
    fences = ("silent otherwise, because it is a stub",)
    severity = "defect"

    def __init__(self, *answers: object, canary: object = "finds") -> None:
        self.answers = list(answers)
        self.of_canary = canary

    def watch(self, _: Transcript) -> Stub:
        return self

    def see(self, event: Event) -> Iterable[Encounter]:
        if not isinstance(event, Requested):
            return
        if event.step == made_up.ASKED:
            if self.of_canary == "finds":
                yield judged([finding(event.step)])
            elif self.of_canary == "raises":
                raise ValueError
            return
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Encounter):
            yield answer

    def canary(self) -> Sequence[Event]:
        if self.of_canary == "cannot be made":
            raise RuntimeError
        return (made_up.request(),)


def run(stub: Stub, requests: int = 1, *, posture: str = "observe", answered: bool = True) -> Story:
    story = Story(Engine([stub], posture=posture))
    for number in range(requests):
        story.request(frame(USER), at=f"t{number}")
        if answered:
            story.respond(response("ok"))
    return story


def test_every_check_has_a_row_before_anything_happened() -> None:
    rows = Engine().rows()
    assert [(row.check, row.seam) for row in rows] == [
        (check.kind, check.seam) for check in ALL_CHECKS
    ]
    assert all(row.reasons == {} and row.last_fired_at is None for row in rows)


def test_an_answered_turn_of_an_unarmed_agent_leaves_a_note_in_every_row() -> None:
    story = Story()
    story.compose(0)
    story.request(frame(USER), composed=0)
    story.respond(response("ok"))
    story.end()
    for row in story.engine.rows():
        assert row.passed + row.not_applicable >= 1, row
        assert not row.failed + row.unreachable, row


def test_a_check_that_raises_is_unreachable_and_asked_again() -> None:
    story = run(Stub(ValueError("no"), judged([finding()]), RecursionError()), 3)
    assert story.row("stub") == {
        "failed": 1,
        "unreachable": 2,
        "reasons": {"raised": 2},
        "last_fired_at": "t1",
    }


def test_a_check_that_raises_halfway_through_an_event_files_nothing_of_it() -> None:
    class Halfway(Stub):
        def see(self, event: Event) -> Iterable[Encounter]:
            yield judged([finding()])
            raise ValueError

    story = run(Halfway(), answered=False)
    assert story.engine.findings() == ()
    assert story.row("stub") == {"unreachable": 1, "reasons": {"raised": 1}}


def test_a_check_that_raises_takes_no_other_with_it() -> None:
    story = Story(Engine([Stub(ValueError()), *ALL_CHECKS]))
    story.compose(0, "find")
    assert len(story.request(frame(USER), composed=0)) == 1


@pytest.mark.parametrize("answer", [None, 7, [1]])
def test_a_check_that_returns_what_it_should_not_is_caught(answer: object) -> None:
    class Wrong(Stub):
        def see(self, event: Event) -> Iterable[Encounter]:
            return answer  # type: ignore[return-value] -- the point of the test

    story = run(Wrong(), answered=False)
    assert story.engine.rows()[0].unreachable == 1


def test_counts_of_a_row_add_up() -> None:
    answers = (
        judged([]),
        judged([], ["exact", "exact"]),
        judged([finding(1)], ["nowhere"]),
        judged([finding(2, advisory=True, path="/x")]),
        not_applicable("nothing-armed"),
        not_applicable("nothing-armed"),
        Encounter(disposition="unreachable", reason="withheld"),
    )
    story = run(Stub(*answers), len(answers))
    assert story.row("stub") == {
        "passed": 3,
        "failed": 1,
        "not_applicable": 2,
        "unreachable": 1,
        "reasons": {"nothing-armed": 2, "withheld": 1},
        "grades": {"exact": 2, "nowhere": 1},
        "advised": 1,
        "last_fired_at": "t2",
    }


def test_two_checks_of_one_kind_and_seam_are_refused() -> None:
    with pytest.raises(PolicyError) as caught:
        Engine([Stub(), Stub()])
    assert caught.value.reason == "checks-collide"


def test_a_posture_that_there_is_not_is_refused() -> None:
    with pytest.raises(PolicyError) as caught:
        Engine(posture="strict")  # type: ignore[arg-type] -- the point of the test
    assert caught.value.reason == "unknown-posture"


# --- posture dev ----------------------------------------------------------------------------


def test_every_canary_of_this_version_is_caught_and_kept_apart() -> None:
    engine = Engine(posture="dev")
    assert all((row.minted, row.caught) == (1, 1) for row in engine.rows())
    assert all(not row.passed + row.failed + row.not_applicable for row in engine.rows())
    assert engine.findings() == ()
    assert {found.kind for found in engine.synthetic()} >= set(filable_kinds())
    assert all(found.synthetic for found in engine.synthetic())


def test_a_canary_files_no_news_and_is_minted_once() -> None:
    story = Story(Engine(posture="dev"))
    assert story.declare(posture="dev") == ()
    assert [row.minted for row in story.engine.rows()] == [1] * len(ALL_CHECKS)


def test_a_declaration_of_dev_mints_the_canaries_like_the_argument() -> None:
    story = Story()
    story.declare(posture="dev")
    assert story.engine.posture == "dev"
    assert [row.caught for row in story.engine.rows()] == [1] * len(ALL_CHECKS)


def test_a_healthy_run_in_dev_is_alive() -> None:
    story = Story(Engine(posture="dev"))
    story.compose(0)
    story.request(frame(USER), composed=0)
    story.respond(response(call("find", {"host": "x"})))
    story.end()
    story.engine.require_alive()


@pytest.mark.parametrize("canary", ["is missed", "raises", "cannot be made"])
def test_a_check_that_misses_its_canary_is_dead(canary: str) -> None:
    story = run(Stub(judged([]), canary=canary), posture="dev")
    with pytest.raises(CheckerDeadError) as caught:
        story.engine.require_alive()
    assert caught.value.reason == "checker-dead"
    assert "stub" in str(caught.value)
    assert "claim" in str(caught.value)


def test_a_check_that_nothing_feeds_is_dead_although_its_canary_was_caught() -> None:
    story = run(Stub(), posture="dev")
    assert story.row("stub") == {"minted": 1, "caught": 1}
    with pytest.raises(CheckerDeadError, match="never met"):
        story.engine.require_alive()


def test_a_run_that_never_had_a_models_answer_requires_nothing() -> None:
    story = run(Stub(), posture="dev", answered=False)
    story.respond(None, reason="no-response")
    story.respond(response(error="overloaded"))
    story.engine.require_alive()
    assert not story.engine.worked


def test_in_observe_a_dead_check_is_never_raised() -> None:
    run(Stub(canary="is missed")).engine.require_alive()


def test_a_canary_that_another_check_catches_does_not_count() -> None:
    class Deaf(Stub):
        kind = "deaf"

    engine = Engine([Stub(), Deaf(canary="is missed")], posture="dev")
    assert [row.caught for row in engine.rows()] == [1, 0]


def test_the_error_survives_a_process_boundary() -> None:
    error = pickle.loads(pickle.dumps(CheckerDeadError("checker-dead", "dead")))
    assert isinstance(error, GroundwireError)
    assert (type(error), error.reason) == (CheckerDeadError, "checker-dead")


# --- a fold -----------------------------------------------------------------------------------


def test_the_same_events_give_the_same_rows_and_findings_again() -> None:
    story = Story()
    story.declare(arm_all=True)
    story.expect("find")
    story.compose(0)
    story.request(frame(USER), composed=0)
    story.respond(response(call("find", {"host": "db-9"})))
    story.end()
    again = Engine()
    for event in story.events:
        again.feed(event)
    assert again.rows() == story.engine.rows()
    assert again.findings() == story.engine.findings()


def test_every_row_and_finding_is_a_document_that_can_be_written() -> None:
    story = Story()
    story.declare(arm_all=True)
    story.request(frame(USER))
    story.respond(response(call("find", {"host": "db-9"})))
    for document in (*story.engine.rows(), *story.engine.findings()):
        written = msgspec.json.encode(document)
        assert msgspec.json.decode(written, type=type(document)) == document


def test_every_kind_of_the_closed_list_has_a_check_or_is_said_to_have_none() -> None:
    assert set(filable_kinds()).isdisjoint(WITHOUT_A_CHECK)
    assert set(filable_kinds()) | set(WITHOUT_A_CHECK) == set(KINDS)
    assert {check.kind: check.seam for check in ALL_CHECKS}.items() <= KINDS.items()
    assert set(KINDS) >= ORIGINAL


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.kind)
def test_each_check_says_in_words_what_it_catches_when_it_is_silent_and_how_it_is_armed(
    check: Check,
) -> None:
    assert check.armed_by
    assert check.version >= 1
    assert check.catches.endswith(".")
    assert check.severity.startswith(("defect", "advisory"))
    assert check.fences
    assert all("because" in fence and not fence.endswith(".") for fence in check.fences)
    assert not any("|" in text for text in (check.armed_by, check.catches, check.severity))


# --- what a declaration takes out -------------------------------------------------------------


def off(*lines: Off, rules: str = "default") -> CheckRules:
    return CheckRules(off=lines, rules=rules)


def line(tool: str = "", check: str = "stub") -> Off:
    return Off(check=check, reason="known since May", until="2026-12-31", tool=tool)


def about(*tools: str, path: str = "", advisory: bool = False) -> Finding:
    subjects = tuple(Subject("tool", tool) for tool in tools)
    return msgspec.structs.replace(finding(path=path, advisory=advisory), subjects=subjects)


def ruled(rules: CheckRules, *answers: Encounter, stub: Stub | None = None) -> Story:
    story = Story(Engine([stub or Stub()]))
    story.engine._checks[0].answers.extend(answers)  # type: ignore[attr-defined] -- our stub
    story.tell(
        Declared(step=0, at="", declarations=(), grounding="whole", posture="observe", checks=rules)
    )
    for _ in answers:
        story.request(frame(USER))
    return story


def test_a_finding_that_is_switched_off_is_not_filed_and_counted_once() -> None:
    story = ruled(off(line()), judged([about("find")]), judged([about("find")]))
    assert story.news == []
    assert story.engine.findings() == ()
    assert story.row("stub") == {"not_applicable": 2, "reasons": {"off": 2}, "suppressed": 1}


def test_a_line_for_one_tool_leaves_the_findings_of_others() -> None:
    story = ruled(off(line("find")), judged([about("find", path="/a"), about("drain", path="/b")]))
    assert [found.path for found in story.engine.findings()] == ["/b"]
    assert story.row("stub") == {"failed": 1, "suppressed": 1}


def test_where_only_a_doubt_is_left_the_encounter_has_passed() -> None:
    doubt = about("drain", advisory=True)
    story = ruled(off(line("find")), judged([about("find"), doubt]))
    assert story.row("stub") == {"passed": 1, "advised": 1, "suppressed": 1}


def test_a_finding_about_two_tools_stands_while_one_of_them_is_not_switched_off() -> None:
    assert len(ruled(off(line("find")), judged([about("find", "drain")])).engine.findings()) == 1
    both = off(line("find"), line("drain"))
    assert ruled(both, judged([about("find", "drain")])).engine.findings() == ()


def test_a_finding_about_a_call_is_switched_off_by_the_name_of_its_tool() -> None:
    found = msgspec.structs.replace(finding(), subjects=(Subject("call", "c1"),))
    story = Story(Engine([Stub(judged([]), judged([found]))]))
    rules = off(line("find"))
    story.tell(
        Declared(step=0, at="", declarations=(), grounding="whole", posture="observe", checks=rules)
    )
    story.request(frame(USER))
    story.respond(response(call("find")))
    story.request(frame(USER))
    assert story.row("stub")["suppressed"] == 1


def test_a_line_for_another_check_switches_nothing_off() -> None:
    story = ruled(off(line(check="unpaired-call")), judged([about("find")]))
    assert len(story.engine.findings()) == 1


def test_under_the_original_rules_a_check_that_came_later_judges_nothing() -> None:
    class Later(Stub):
        kind = "unfinished-call"

    story = ruled(off(rules="original"), judged([about("find")]), stub=Later())
    assert story.engine.findings() == ()
    assert story.row("unfinished-call") == {
        "not_applicable": 1,
        "reasons": {"rules-original": 1},
    }


def test_under_the_original_rules_a_check_of_that_family_judges() -> None:
    class Family(Stub):
        kind = "empty-lookup"

    story = ruled(off(rules="original"), judged([about("find")]), stub=Family())
    assert len(story.engine.findings()) == 1


def test_a_check_is_shown_the_events_that_it_names_and_no_others() -> None:
    class Picky(Stub):
        sees = (Declared,)

        def see(self, event: Event) -> Iterable[Encounter]:
            yield not_applicable(type(event).__name__)

    story = Story(Engine([Picky()]))
    story.declare()
    story.request(frame(USER))
    story.end()
    assert story.row("stub") == {"not_applicable": 1, "reasons": {"Declared": 1}}


def test_declarations_alone_are_no_encounter() -> None:
    engine = Engine()
    declared = Declared(step=0, at="", declarations=(), grounding="whole", posture="observe")
    assert engine.feed(declared) == ()
    assert all(not (row.passed + row.not_applicable + row.unreachable) for row in engine.rows())
