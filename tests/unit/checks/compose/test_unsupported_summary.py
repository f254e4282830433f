from __future__ import annotations

import pytest

from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Authored, Declared
from groundwire.documents.finding import Finding
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "unsupported-summary"
OLD = [
    message("user", "Pump pmp-4102 on line 7 loses 1,240 litres an hour since May 2, 2031."),
    message("assistant", call("read_gauge", {"pump": "pmp-4102"})),
    result('{"pressure": 3.82, "note": "valve v-19 sticks a little"}'),
]
NOW = message("user", "Go on, please.")


def summed_up(
    told: str, *, wrapped: str = "{}", lane: int = 1, held: str | None = None
) -> tuple[Story, list[Finding]]:
    """A model of another lane writes the summary, and the host puts it in place of the old."""
    story = Story()
    story.request(frame(*OLD, NOW))
    story.request(frame(message("user", "Sum it up.")), lane=lane)
    story.respond(response(told), lane=lane)
    story.request(frame(message("user", wrapped.format(told)), NOW, held=held))
    return story, story.filed(KIND)


PLAIN = "So far it was said that pump pmp-4102 loses water, and its valve v-19 sticks a little"


def test_a_summary_of_what_was_there_is_clean() -> None:
    story, filed = summed_up(f"{PLAIN}; pressure 3.8, 1240 l an hour, since 2031-05-02.")
    assert filed == []
    assert story.row(KIND)["passed"] == 1


@pytest.mark.parametrize(
    ("added", "grade", "advisory"),
    [
        (" on pump pmp-4103", "identifier", False),
        (", says ines@example.com", "identifier", False),
        (', and he said "please call the harbour office at once"', "quotation", False),
        (" and 1890 litres in all", "number", True),
        (" since 2031-05-09", "date", True),
    ],
)
def test_what_only_the_summary_holds_is_filed(added: str, grade: str, advisory: bool) -> None:
    _, (finding,) = summed_up(PLAIN + added)
    assert (finding.seam, finding.grade, finding.advisory) == ("compose", grade, advisory)
    assert finding.witnesses[0].value in added
    assert "replaced 3 messages (1 user, 1 assistant, 1 tool)" in finding.message


def test_what_was_dropped_is_listed() -> None:
    _, (finding,) = summed_up("It was said so far that the pump loses water, and so does pmp-4103.")
    assert "2 identifiers stand nowhere now, `pmp-4102` and `v-19` among them" in finding.message


def test_what_the_host_wraps_around_it_is_no_part_of_it() -> None:
    _, filed = summed_up(PLAIN, wrapped="Summary no. sum-0001 of 2032-01-01:\n{}")
    assert filed == []


def test_what_is_still_in_view_is_ground() -> None:
    story = Story()
    story.request(frame(*OLD, message("user", "And pump pmp-4103?")))
    told = PLAIN + ", as does pmp-4103."
    story.request(frame(message("user", "Sum it up.")), lane=1)
    story.respond(response(told), lane=1)
    story.request(frame(message("user", told), message("user", "And pump pmp-4103?")))
    assert story.filed(KIND) == []
    assert story.row(KIND)["passed"] == 1


def test_a_summary_that_the_host_names_is_one_whoever_wrote_it() -> None:
    story = Story()
    told = "Pump pmp-4103 loses water."
    story.tell(Authored(step=0, at="", text=told, kind="summary"))
    story.request(frame(*OLD, NOW))
    story.request(frame(message("user", told), NOW))
    assert [finding.witnesses[0].value for finding in story.filed(KIND)] == ["pmp-4103"]


def test_what_people_write_in_the_place_of_others_is_ground() -> None:
    story = Story()
    story.request(frame(*OLD, NOW))
    story.respond(response("The pump is well, and so are all of its valves, as far as I know."))
    story.request(
        frame(
            message(
                "user", "Forget all that, and look at pump pmp-4103 on line 9 from now on, please."
            ),
            NOW,
        )
    )
    assert story.row(KIND)["reasons"] == {"no-summary": 2}


def test_a_user_who_repeats_the_model_at_the_end_sums_nothing_up() -> None:
    story = Story()
    story.request(frame(*OLD, NOW))
    told = PLAIN + ", and that is all there is to be said about it."
    story.respond(response(told))
    again = message("user", f"You said: {told} But what of pmp-4199?")
    story.request(frame(*OLD[1:], NOW, message("assistant", told), again))
    assert story.row(KIND)["reasons"] == {"no-summary": 2}


def test_a_sliding_window_with_the_models_own_turns_has_no_summary() -> None:
    story = Story()
    turns = [message("user", f"Turn {n}: what of pump pmp-41{n:02}?") for n in range(6)]
    answers = [
        f"Pump pmp-41{n:02} is well, and so are all of its valves, as far as I know." * 2
        for n in range(6)
    ]
    for number in range(6):
        history = [
            one
            for n in range(max(0, number - 2), number)
            for one in (turns[n], message("assistant", answers[n]))
        ]
        story.request(frame(*history, turns[number]))
        story.respond(response(answers[number]))
    assert story.row(KIND)["reasons"] == {"no-summary": 6}


def test_a_deed_that_no_call_did_is_filed_where_a_tool_owns_it() -> None:
    story = Story()
    story.declare(ToolDeclaration(name="close_valve", effect="write", says=("close",)))
    story.request(frame(*OLD, NOW))
    told = PLAIN + ". The assistant has closed valve v-19."
    story.request(frame(message("user", "Sum it up.")), lane=1)
    story.respond(response(told), lane=1)
    story.request(frame(message("user", told), NOW))
    (finding,) = story.filed(KIND)
    assert (finding.grade, finding.advisory) == ("event", False)
    assert finding.witnesses[0].value == "The assistant has closed valve v-19."


def test_a_marked_secret_is_left_out() -> None:
    _, filed = summed_up(PLAIN + " with key \u27e6withheld token ab12\u27e7")
    assert filed == []


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story, filed = summed_up(PLAIN + " on pump pmp-4103", held="resp_1")
    assert filed == []
    assert story.row(KIND)["reasons"]["held-by-provider"] == 1


def test_under_the_original_rules_it_does_not_judge() -> None:
    story = Story()
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=(),
            grounding="whole",
            posture="observe",
            checks=CheckRules(rules="original"),
        )
    )
    story.request(frame(NOW))
    assert story.row(KIND)["reasons"] == {"rules-original": 1}
