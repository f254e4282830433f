from __future__ import annotations

from tests.stories import Story, frame, message

KIND = "missing-tools"
SHOWN = frame(message("user", "Hello."), tools=["find"])


def test_a_tool_that_was_named_and_not_composed_is_missing() -> None:
    story = Story()
    story.expect("find", "drain", "drain")
    (finding,) = story.compose(0, "find")
    assert (finding.kind, finding.seam, finding.advisory) == (KIND, "compose", False)
    assert [subject.id for subject in finding.subjects] == ["drain"]
    assert [witness.value for witness in finding.witnesses] == ["named", "absent"]
    assert [witness.step for witness in finding.witnesses] == [0, 1]


def test_all_missing_tools_of_a_call_are_one_finding() -> None:
    story = Story()
    story.expect("a", "b")
    (finding,) = story.compose(0)
    assert [subject.id for subject in finding.subjects] == ["a", "b"]


def test_more_tools_than_named_are_no_contradiction() -> None:
    story = Story()
    story.expect("find")
    assert story.compose(0, "find", "drain") == ()
    assert story.row(KIND) == {"passed": 1}


def test_a_tool_that_was_composed_and_did_not_leave_is_the_wire_manifests_only() -> None:
    story = Story()
    story.expect("find", "drain")
    story.compose(0, "find", "drain")
    story.request(SHOWN, composed=0)
    assert story.filed(KIND) == []
    assert len(story.filed("invariant-violation")) == 1


def test_the_last_naming_counts() -> None:
    story = Story()
    story.expect("find", "drain")
    story.expect("find")
    assert story.compose(0, "find") == ()


def test_without_a_naming_the_check_does_not_apply() -> None:
    story = Story()
    story.compose(0, "find")
    story.request(SHOWN, composed=0)
    story.request(SHOWN)
    assert story.row(KIND) == {"not_applicable": 2, "reasons": {"not-declared": 2}}


def test_a_request_whose_call_nobody_saw_is_unreachable() -> None:
    story = Story()
    story.expect("find")
    story.request(SHOWN)
    story.request(SHOWN, composed=4)
    story.request(SHOWN, wire=False)
    assert story.row(KIND) == {
        "unreachable": 3,
        "reasons": {"imported-log": 1, "no-composed-channel": 2},
    }
