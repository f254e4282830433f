from __future__ import annotations

import pytest

from groundwire.checks.wire.manifest import compare
from groundwire.documents.frame import ToolSpec
from tests.stories import Story, frame, message

KIND = "invariant-violation"
USER = message("user", "Hello.")


@pytest.mark.parametrize(
    ("composed", "crossed", "found"),
    [
        (("a", "b"), ("b", "a", "a"), ()),
        ((), (), ()),
        (("a",), ("a", "x", "x"), (("crossed-not-composed", ("x",)),)),
        (("a", "b"), ("a",), (("composed-not-crossed", ("b",)),)),
        (("a",), (), (("composed-not-crossed", ("a",)),)),
        (
            ("a", "b"),
            ("a", "c"),
            (("crossed-not-composed", ("c",)), ("composed-not-crossed", ("b",))),
        ),
    ],
)
def test_two_tool_lists_are_compared_as_sets_in_both_directions(
    composed: tuple[str, ...], crossed: tuple[str, ...], found: object
) -> None:
    assert compare(composed, crossed) == found


def test_a_transport_that_adds_a_tool_is_caught() -> None:
    story = Story()
    story.compose(0, "find")
    (finding,) = story.request(frame(USER, tools=["find", "drain"]), composed=0)
    assert (finding.kind, finding.seam) == (KIND, "wire")
    assert finding.grade == "crossed-not-composed"
    assert [subject.id for subject in finding.subjects] == ["drain"]
    assert [witness.value for witness in finding.witnesses] == ["absent", "present"]
    assert "`drain`" in finding.message


def test_a_transport_that_drops_a_tool_is_caught() -> None:
    story = Story()
    story.compose(0, "find", "drain")
    (finding,) = story.request(frame(USER, tools=["find"]), composed=0)
    assert finding.grade == "composed-not-crossed"
    assert [witness.value for witness in finding.witnesses] == ["present", "absent"]


def test_both_directions_are_two_findings_of_one_encounter() -> None:
    story = Story()
    story.compose(0, "find")
    assert len(story.request(frame(USER, tools=["drain"]), composed=0)) == 2
    assert story.row(KIND)["failed"] == 1


def test_a_tool_dropped_and_the_same_tool_added_later_are_two_findings() -> None:
    story = Story()
    story.compose(0, "find")
    story.compose(1)
    story.request(frame(USER), composed=0)
    story.request(frame(USER, tools=["find"]), composed=1)
    assert len(story.filed(KIND)) == 2


def test_every_attempt_of_a_call_is_compared_with_that_call() -> None:
    story = Story()
    story.compose(0, "find")
    story.compose(1, "drain")
    assert story.request(frame(USER, tools=["find"]), composed=0) == ()
    assert story.request(frame(USER, tools=["drain"]), composed=1) == ()
    assert story.request(frame(USER, tools=["find"]), composed=0) == ()
    assert story.row(KIND)["passed"] == 3


def test_a_tool_that_the_provider_runs_is_compared_by_its_name() -> None:
    story = Story()
    story.compose(0, "web_search_1")
    search = ToolSpec(name="web_search_1", schema="{}", executed_by="provider")
    assert story.request(frame(USER, tools=[search]), composed=0) == ()


def test_a_body_without_tools_states_zero() -> None:
    story = Story()
    story.compose(0)
    assert story.request(frame(USER), composed=0) == ()
    assert story.row(KIND)["passed"] == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"shown": frame(USER, tools=["x"])}, "no-composed-channel"),
        ({"shown": frame(USER, tools=["x"]), "composed": 9}, "composed-not-seen"),
        ({"shown": None, "composed": 0, "reason": "not-json"}, "not-json"),
        ({"shown": None, "composed": 0}, "unreadable-body"),
        ({"shown": frame(USER, tools=["x"]), "composed": 0, "wire": False}, "imported-log"),
    ],
    ids=["not-composed", "lost", "no-json", "no-frame", "imported"],
)
def test_one_channel_alone_is_unreachable_and_never_a_guess(
    options: dict[str, object], reason: str
) -> None:
    story = Story()
    story.compose(0, "find")
    assert story.request(**options) == ()  # type: ignore[arg-type] -- parametrized
    assert story.row(KIND) == {"unreachable": 1, "reasons": {reason: 1}}


def test_a_thousand_calls_with_one_tool_list_are_each_compared() -> None:
    story = Story()
    tools = [f"tool_{n}" for n in range(50)]
    shown = frame(USER, tools=tools)
    for number in range(1_100):
        story.compose(number, *tools)
        story.request(shown, composed=number)
    assert story.row(KIND)["passed"] == 1_100
    story.compose(2_000, *tools[:-1])
    assert len(story.request(shown, composed=2_000)) == 1


def test_ten_thousand_tools_that_are_missing_make_one_finding_of_bounded_witnesses() -> None:
    story = Story()
    story.compose(0, *(f"tool_{n}" for n in range(10_000)))
    (finding,) = story.request(frame(USER), composed=0)
    assert len(finding.subjects) == 10_000
    assert len(finding.witnesses) == 100
    assert len(finding.message) < 700
