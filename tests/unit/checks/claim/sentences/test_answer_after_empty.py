from __future__ import annotations

import pytest

from groundwire.documents.finding import Finding
from groundwire.documents.frame import Media
from tests.stories import Story, call, frame, message, response, result

KIND = "answer-after-empty"
LIST = "Open are:\n- Bay 4101 until 12:40\n- Bay 4102 until 13:20"


def ask(
    answer: str, *results: str, before: str = "", held: str | None = None
) -> tuple[Story, list[Finding]]:
    story = Story()
    messages = [message("user", f"Which bays are open? {before}")]
    for number, text in enumerate(results):
        messages.append(message("assistant", call("find_bays", {}, f"c{number}")))
        messages.append(result(text, f"c{number}"))
    story.request(frame(*messages, held=held))
    story.respond(response(answer))
    return story, story.filed(KIND)


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ("[]", "empty"),
        ("", "empty"),
        ('{"rows": [], "total": 0}', "empty"),
        ("No matching bays found.", "empty"),
        ("Error: the desk is shut.", "failed"),
        ('{"error": "shut"}', "failed"),
    ],
)
def test_a_list_after_nothing_was_served_is_a_defect(said: str, grade: str) -> None:
    text = said.replace("bays", "results")
    story, (finding,) = ask(LIST, text)
    assert (finding.grade, finding.advisory) == (grade, False)
    assert [subject.id for subject in finding.subjects] == ["final", "find_bays"]
    assert "Bay 4101" in finding.message
    assert story.row(KIND)["failed"] == 1


def test_one_result_with_something_in_it_is_enough() -> None:
    story, filed = ask(LIST, "[]", "there are some")
    assert filed == []
    assert story.row(KIND)["reasons"] == {"something-served": 1}


def test_what_was_shown_in_any_turn_was_not_invented() -> None:
    assert ask(LIST, "[]", before="I know of 4101 and of 4102.")[1] == []


@pytest.mark.parametrize(
    "answer",
    [
        f"Nothing was found, sorry. {LIST}",
        f"I couldn't look it up. {LIST}",
        f"For example: {LIST}",
        f"You could try these: {LIST}",
        "Open are none.",
        "Do this:\n- open the gate\n- close the gate",
        "Open is:\n- Bay 4101",
    ],
)
def test_who_admits_it_or_lists_no_rows_is_left_alone(answer: str) -> None:
    assert ask(answer, "[]")[1] == []


def test_results_of_an_earlier_turn_are_not_this_turns() -> None:
    story = Story()
    story.request(
        frame(
            message("user", "Which?"),
            message("assistant", call("find_bays", {})),
            result("[]"),
            message("assistant", "None."),
            message("user", "And in general?"),
        )
    )
    story.respond(response(LIST))
    assert len(story.filed(KIND)) == 0
    assert story.row(KIND)["reasons"] == {"no-result": 1}


def test_an_image_may_hold_what_is_listed() -> None:
    story = Story()
    story.request(
        frame(
            message("user", "Which?", Media(media_type="image/png", digest="sha256:0", size=9)),
            message("assistant", call("find_bays", {})),
            result("[]"),
        )
    )
    story.respond(response(LIST))
    assert story.filed(KIND) == []


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story, filed = ask(LIST, "[]", held="resp_1")
    assert filed == []
    assert story.row(KIND)["reasons"] == {"held-by-provider": 1}


def test_an_answer_without_a_tool_is_not_judged() -> None:
    story, _ = ask(LIST)
    assert story.row(KIND)["reasons"] == {"no-result": 1}
