"""Ungoverned change: a file that somebody else changed between two guarded calls is found."""

from __future__ import annotations

from typing import Any

import msgspec

from groundwire.documents.event import Guarded
from groundwire.documents.grant import Sighting
from groundwire.documents.outcome import Executed, Passed, Unknown
from tests.guarded import Call, file_at
from tests.stories import Story, call, frame, message, response

KIND = "ungoverned-change"
USER = message("user", "Put the rule back.")


class Told(Story):
    """Guarded calls one after the other, each chosen by a response of its own."""

    def choose(self, *calls: Call) -> None:
        self.request(frame(USER))
        self.respond(response(*(call("edit", {}, each.call.id) for each in calls)))

    def state(self, told: Guarded, **changes: Any) -> None:
        placed = {"step": len(self.events), "exchange": self.exchange, **changes}
        self.tell(msgspec.structs.replace(told, **placed))

    def carry_out(self, made: Call, *, ends: Guarded | None = None) -> None:
        self.choose(made)
        self.state(made.decided())
        self.state(made.intent())
        self.state(ends or made.executed())


FIRST = Call(0, before=b"a", after=b"b")
NEXT = Call(1, before=b"b", after=b"c")
FOREIGN = Call(1, before=b"x", after=b"c")


def test_a_file_that_holds_something_else_before_the_next_call_is_an_advisory() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.carry_out(FOREIGN)
    (finding,) = story.filed(KIND)
    assert (finding.advisory, finding.seam) == (True, "write")
    assert finding.subjects[0].id == "api/openapi.yaml"
    assert FOREIGN.asked.changes[0].before in finding.message
    assert FIRST.asked.changes[0].after in finding.message


def test_a_file_that_something_reformats_after_every_call_is_one_finding_with_a_count() -> None:
    story = Told()
    for number in range(5):
        text = str(number).encode()
        story.carry_out(Call(number, before=b"formatted " + text, after=text))
    (finding,) = story.filed(KIND)
    assert finding.count == 4


def test_a_file_that_is_as_it_was_left_is_no_finding() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.carry_out(NEXT)
    story.carry_out(Call(2, before=b"c", after=b"b"))
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {"as-left": 2}


def test_what_stands_there_now_is_not_found_again() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.choose(FOREIGN)
    story.state(FOREIGN.decided())
    again = Call(2, before=b"x", after=b"c")
    story.choose(again)
    story.state(again.decided())
    assert len(story.filed(KIND)) == 1


def test_another_file_is_another_matter() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.carry_out(Call(1, path="b.yaml", before=b"x", after=b"c"))
    assert story.filed(KIND) == []


def test_after_an_unknown_outcome_nobody_knows_what_was_left() -> None:
    for ends in (
        FIRST.unknown(),
        FIRST.outcome(
            Executed(
                call=FIRST.asked.call, error="", receipt=FIRST.digest,
                observed=(Sighting(name=file_at(), seen="not-observed", claim="none"),),
            )
        ),
        FIRST.outcome(
            Unknown(
                call=FIRST.asked.call, error="", reason="drift", receipt=FIRST.digest,
                observed=(Sighting(name=file_at(), seen="drift", claim="none"),),
            )
        ),
    ):  # fmt: skip
        story = Told()
        story.carry_out(FIRST, ends=ends)
        story.carry_out(FOREIGN)
        assert story.filed(KIND) == []
        assert story.row(KIND)["reasons"]["unsettled"] == 1  # type: ignore[index]  # a row is JSON


def test_a_late_outcome_settles_what_was_left() -> None:
    story = Told()
    story.carry_out(FIRST, ends=FIRST.unknown())
    story.state(FIRST.executed(late=True))
    story.carry_out(FOREIGN)
    assert len(story.filed(KIND)) == 1


def test_a_call_that_was_only_observed_leaves_what_nobody_looked_at() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.choose(NEXT)
    story.state(NEXT.decided())
    story.state(
        NEXT.outcome(
            Passed(because="", call=NEXT.asked.call, error="", reason="observe", would="allow")
        )
    )
    story.carry_out(Call(2, before=b"x", after=b"y"))
    assert story.filed(KIND) == []


def test_calls_of_one_response_that_overlap_accuse_nobody() -> None:
    """The second measured the file before the first had written, and was recorded after it."""
    second = Call(1, before=b"a", after=b"c")
    story = Told()
    story.carry_out(Call(5, before=b"z", after=b"a"))
    story.choose(FIRST, second)
    story.state(FIRST.decided())
    story.state(FIRST.intent())
    story.state(FIRST.executed())
    story.state(second.decided())
    assert story.filed(KIND) == []


def test_steps_that_begin_anew_in_a_segment_put_nothing_out_of_order() -> None:
    """The run goes on in another file between the response and its two calls."""
    second = Call(1, before=b"a", after=b"c")
    story = Told()
    for _ in range(20):
        story.request(frame(USER))
    story.carry_out(Call(5, before=b"z", after=b"a"))
    story.choose(FIRST, second)
    for step, told in enumerate(
        (FIRST.decided(), FIRST.intent(), FIRST.executed(), second.decided())
    ):
        story.state(told, step=step)
    assert story.filed(KIND) == []


def test_a_call_that_sees_the_effect_of_one_whose_outcome_is_still_to_come_is_silent() -> None:
    story = Told()
    story.carry_out(Call(5, before=b"z", after=b"a"))
    story.choose(FIRST)
    story.state(FIRST.decided())
    story.state(FIRST.intent())
    story.choose(NEXT)
    story.state(NEXT.decided())
    assert story.filed(KIND) == []


def test_a_call_that_is_linked_to_no_response_may_have_begun_long_before() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.state(FOREIGN.decided(), exchange=None)
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"]["not-linked"] == 1  # type: ignore[index]  # a row is JSON


def test_a_refused_call_leaves_the_file_as_it_was() -> None:
    story = Told()
    story.carry_out(FIRST)
    denied = Call(1, before=b"b", after=b"c", decision="deny")
    story.choose(denied)
    story.state(denied.decided())
    story.state(denied.refused())
    story.carry_out(Call(2, before=b"b", after=b"d"))
    assert story.filed(KIND) == []
    story.carry_out(Call(3, before=b"x", after=b"y"))
    assert len(story.filed(KIND)) == 1


def test_a_receipt_that_is_not_there_to_be_read_is_silent() -> None:
    story = Told()
    story.carry_out(FIRST)
    story.choose(FOREIGN)
    story.state(FOREIGN.decided(), document=None, gone="redacted")
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"]["redacted"] == 1  # type: ignore[index]  # a row is JSON


def test_a_document_of_another_kind_is_silent() -> None:
    story = Told()
    story.choose(FIRST)
    story.state(FIRST.decided(), document="{}")
    assert story.row(KIND)["reasons"] == {"bad-document": 1}


def test_a_run_without_guarded_calls_says_so() -> None:
    story = Told()
    story.request(frame(USER))
    story.end()
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-guarded-change": 1}}
