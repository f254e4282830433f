from __future__ import annotations

import pytest

from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import Declared, Pinned
from groundwire.documents.frame import Frame
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "evicted-rule"
RULE = "Never open the gate before the tide has turned."
GATE = ToolDeclaration(name="open_gate", effect="write")
LOOK = ToolDeclaration(name="look", effect="read")


def story_with(*, pins: tuple[str, ...] = (), pinned: bool = True) -> Story:
    story = Story()
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=(GATE, LOOK),
            grounding="whole",
            posture="observe",
            checks=CheckRules(pins=pins),
        )
    )
    if pinned:
        pin(story)
    return story


def pin(story: Story, text: str = RULE, name: str = "tide") -> None:
    story.tell(Pinned(step=len(story.events), at="", name=name, text=text))


def write(story: Story, shown: Frame, tool: str = "open_gate") -> None:
    story.request(shown)
    story.respond(response(call(tool, {})))


WITH = frame(message("user", RULE), message("user", "Go on."))
WITHOUT = frame(message("user", "Go on."))


def test_a_write_from_a_frame_that_lost_a_pinned_rule_is_a_defect() -> None:
    story = story_with()
    story.request(WITH)
    write(story, WITHOUT)
    (finding,) = story.filed(KIND)
    assert (finding.seam, finding.advisory) == ("compose", False)
    assert [(subject.kind, subject.id) for subject in finding.subjects] == [
        ("rule", "tide"),
        ("tool", "open_gate"),
    ]
    assert [witness.value for witness in finding.witnesses] == ["yes", "no"]
    assert "never open the gate" in finding.message


def test_a_message_that_a_pattern_of_the_policy_matches_is_a_rule() -> None:
    story = story_with(pins=(r"(?i)never open\b",), pinned=False)
    story.request(WITH)
    write(story, WITHOUT)
    assert len(story.filed(KIND)) == 1


@pytest.mark.parametrize(
    "shown",
    [
        frame(message("user", "never  OPEN the gate before the tide has turned.  Go on.")),
        frame(message("user", "Go on."), system=RULE),
        frame(message("user", "Go on."), message("assistant", RULE)),
        frame(message("user", "Go on."), message("assistant", call("look", {})), result(RULE)),
    ],
)
def test_a_rule_whose_words_stand_anywhere_is_in_view(shown: Frame) -> None:
    story = story_with()
    story.request(WITH)
    write(story, shown)
    assert story.filed(KIND) == []
    assert story.row(KIND)["passed"] == 1


def test_a_rule_of_the_instructions_can_be_lost_as_well() -> None:
    story = story_with()
    story.request(frame(message("user", "Go on."), system=RULE))
    write(story, frame(message("user", "Go on."), system="Be kind."))
    assert len(story.filed(KIND)) == 1


def test_a_rule_that_never_stood_in_the_lane_was_not_evicted() -> None:
    story = story_with()
    write(story, WITHOUT)
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"rule-never-shown": 1}}


def test_of_two_rules_only_the_one_that_was_shown_can_be_lost() -> None:
    story = story_with()
    pin(story, "Ring the bell before every night shift begins.", "bell")
    story.request(WITH)
    write(story, WITH)
    assert story.filed(KIND) == []
    assert story.row(KIND)["passed"] == 1


def test_a_rule_that_is_back_in_view_is_no_finding() -> None:
    story = story_with()
    story.request(WITH)
    story.request(WITHOUT)
    write(story, WITH)
    assert story.filed(KIND) == []


def test_a_rule_pinned_after_it_was_shown_stood_there() -> None:
    story = story_with(pinned=False)
    story.request(WITH)
    pin(story)
    write(story, WITHOUT)
    assert len(story.filed(KIND)) == 1


@pytest.mark.parametrize("tool", ["look", "unknown"])
def test_only_calls_of_tools_declared_to_change_something_need_it(tool: str) -> None:
    story = story_with()
    story.request(WITH)
    write(story, WITHOUT, tool)
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"no-write-call": 1}


def test_calls_that_the_provider_runs_are_not_judged() -> None:
    story = story_with()
    story.request(WITH)
    story.request(WITHOUT)
    story.respond(response(call("open_gate", {}, by="provider")))
    assert story.filed(KIND) == []


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story = story_with()
    story.request(WITH)
    write(story, frame(message("user", "Go on."), held="resp_1"))
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {"held-by-provider": 1}


def test_without_a_pin_it_is_not_declared() -> None:
    story = story_with(pinned=False)
    write(story, WITHOUT)
    assert story.row(KIND)["reasons"] == {"not-declared": 1}


def test_a_rule_that_stays_while_the_window_slides_is_followed_message_by_message() -> None:
    story = story_with()
    rule = message("user", RULE)
    for number in range(4):
        story.request(frame(rule, *(message("user", f"Step {n}.") for n in range(number))))
    write(story, frame(rule, message("user", "Step 9.")))
    assert story.filed(KIND) == []
