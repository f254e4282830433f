from __future__ import annotations

from groundwire.documents.declaration import CheckRules, ToolGroup
from groundwire.documents.event import Declared, Parked
from tests.stories import Story, frame, message

KIND = "parked-but-served"
USER = message("user", "Go on.")


def park(story: Story, *tools: str, parked: bool = True, group: str = "gauges") -> None:
    story.tell(Parked(step=len(story.events), at="", group=group, tools=tools, parked=parked))


def test_a_tool_of_a_parked_group_that_is_offered_is_a_defect() -> None:
    story = Story()
    park(story, "read_gauge", "reset_gauge")
    (finding,) = story.request(frame(USER, tools=["reset_gauge", "find"]))
    assert (finding.kind, finding.seam, finding.advisory) == (KIND, "compose", False)
    assert [(subject.kind, subject.id) for subject in finding.subjects] == [
        ("group", "gauges"),
        ("tool", "reset_gauge"),
    ]
    assert [witness.value for witness in finding.witnesses] == ["suspended", "available"]
    assert "1 of its 2 tools" in finding.message
    assert story.row(KIND)["failed"] == 1


def test_each_parked_group_is_a_finding_of_its_own_and_filed_once() -> None:
    story = Story()
    park(story, "read_gauge")
    park(story, "close_valve", group="valves")
    shown = frame(USER, tools=["read_gauge", "close_valve"])
    assert len(story.request(shown)) == 2
    assert story.request(shown) == ()
    assert [finding.count for finding in story.filed(KIND)] == [2, 2]


def test_an_engaged_group_contradicts_nothing() -> None:
    story = Story()
    park(story, "read_gauge")
    park(story, "read_gauge", parked=False)
    assert story.request(frame(USER, tools=["read_gauge"])) == ()
    assert story.row(KIND)["reasons"] == {"nothing-parked": 1}


def test_another_tool_with_a_like_name_is_not_the_groups() -> None:
    story = Story()
    park(story, "read_gauge")
    assert story.request(frame(USER, tools=["read_gauges", "read"])) == ()
    assert story.row(KIND) == {"passed": 1}


def test_a_request_that_cannot_be_read_is_unreachable() -> None:
    story = Story()
    park(story, "read_gauge")
    story.request(None, reason="unreadable-body")
    assert story.row(KIND)["reasons"] == {"unreadable-body": 1}


def test_without_a_group_it_is_not_declared_and_with_one_declared_nothing_is_parked() -> None:
    story = Story()
    story.request(frame(USER))
    groups = (ToolGroup(name="gauges", tools=("read_gauge",)),)
    story.tell(
        Declared(
            step=1,
            at="",
            declarations=(),
            grounding="whole",
            posture="observe",
            checks=CheckRules(groups=groups),
        )
    )
    story.request(frame(USER))
    assert story.row(KIND)["reasons"] == {"not-declared": 1, "nothing-parked": 1}
