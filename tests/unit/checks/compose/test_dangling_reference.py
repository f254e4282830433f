from __future__ import annotations

from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.event import Authored
from groundwire.documents.frame import Message
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, result

KIND = "dangling-reference"
FIRE = ToolDeclaration(name="fire", arguments_from=("look",))
USER = message("user", "Go on.")


def looked(call_id: str = "c1", text: str = "bay 12", name: str | None = None) -> list[Message]:
    return [message("assistant", call("look", {}, call_id)), result(text, call_id, name)]


def told(*declared: ToolDeclaration) -> Story:
    story = Story()
    story.declare(*(declared or (FIRE,)))
    return story


def test_a_tool_whose_ground_the_window_has_dropped_dangles() -> None:
    story = told()
    assert story.request(frame(USER, *looked(), tools=["fire"])) == ()
    (finding,) = story.request(frame(message("user", "Next."), tools=["fire"]))
    assert (finding.kind, finding.seam, finding.advisory) == (KIND, "compose", False)
    assert [subject.id for subject in finding.subjects] == ["fire", "look"]
    assert [witness.value for witness in finding.witnesses] == ["offered", "dropped"]
    assert "Call `look` again before `fire`" in finding.message


def test_it_is_filed_once_however_often_it_is_met() -> None:
    story = told()
    story.request(frame(USER, *looked(), tools=["fire"]))
    for number in range(3):
        story.request(frame(message("user", f"Next {number}."), tools=["fire"]))
    (finding,) = story.filed(KIND)
    assert finding.count == 3


def test_a_source_of_one_argument_is_a_ground_as_well() -> None:
    source = ArgumentSource(argument="bay", kind="result", tool="look")
    story = told(ToolDeclaration(name="fire", arguments=(source,)))
    story.request(frame(USER, *looked(), tools=["fire"]))
    assert len(story.request(frame(message("user", "Next."), tools=["fire"]))) == 1


def test_a_ground_that_was_fetched_again_lives() -> None:
    story = told()
    story.request(frame(USER, *looked(), tools=["fire"]))
    story.request(frame(message("user", "Next."), *looked("c2", "bay 14"), tools=["fire"]))
    assert story.filed(KIND) == []
    assert story.row(KIND)["passed"] == 1


def test_names_are_recovered_on_both_sides() -> None:
    story = told()
    story.request(frame(USER, *looked(name="look"), tools=["fire"]))
    # The one in view is named by its call alone.
    story.request(frame(message("user", "Next."), *looked("c2", "bay 14"), tools=["fire"]))
    assert story.filed(KIND) == []
    other = told()
    other.request(frame(USER, *looked(), tools=["fire"]))
    named = result("bay 14", "c9", "look")
    other.request(frame(message("user", "Next."), named, tools=["fire"]))
    assert other.filed(KIND) == []


def test_a_result_that_no_one_can_name_is_no_ground() -> None:
    story = told()
    story.request(frame(USER, result("bay 12", "c7"), tools=["fire"]))
    story.request(frame(message("user", "Next."), tools=["fire"]))
    assert story.row(KIND)["reasons"] == {"nothing-dropped": 2}


def test_what_the_host_wrote_in_a_tools_place_is_no_result() -> None:
    story = told()
    settled = "This call was settled without running."
    story.tell(Authored(step=1, at="", text=settled, kind="notice"))
    story.request(frame(USER, *looked(), tools=["fire"]))
    story.request(frame(message("user", "Next."), *looked("c2", settled), tools=["fire"]))
    assert len(story.filed(KIND)) == 1


def test_a_ground_that_was_never_there_is_the_normal_course() -> None:
    story = told()
    story.request(frame(USER, tools=["fire"]))
    story.request(frame(message("user", "Next."), tools=["fire"]))
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"nothing-dropped": 2}


def test_a_tool_that_is_not_offered_cannot_be_called_wrongly() -> None:
    story = told()
    story.request(frame(USER, *looked(), tools=["fire"]))
    story.request(frame(message("user", "Next."), tools=["other"]))
    assert story.filed(KIND) == []


def test_without_a_declaration_nothing_is_examined() -> None:
    story = told(ToolDeclaration(name="fire"))
    story.request(frame(USER, *looked(), tools=["fire"]))
    story.request(frame(message("user", "Next."), tools=["fire"]))
    assert story.row(KIND)["reasons"] == {"not-declared": 2}


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story = told()
    story.request(frame(USER, *looked(), tools=["fire"]))
    story.request(frame(message("user", "Next."), tools=["fire"], held="resp_1"))
    assert story.filed(KIND) == []
    assert "held-by-provider" in story.row(KIND)["reasons"]


def test_a_result_of_another_lane_is_no_ground_here() -> None:
    story = told()
    story.request(frame(USER, *looked(), tools=["fire"]), lane=0)
    story.request(frame(USER, *looked("c2"), tools=["fire"]), lane=1)
    assert len(story.request(frame(message("user", "Next."), tools=["fire"]), lane=0)) == 1
