"""Properties of the checks: any events, only documents out; grown frames as fresh ones."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.checks.conflicts import Said, Stated, conflicts, render
from groundwire.checks.engine import Engine
from groundwire.checks.write.pairing import UnpairedCall
from groundwire.documents.frame import Media, Message, Opaque, Part, Reasoning, ResultPart, Text
from tests.stories import Story, call, frame, message, response

IDS = st.sampled_from(["", "c1", "c2", "c3"])
TEXTS = st.sampled_from(["", "db-7", "a b", '{"x":"db-7"}', "\\", "\x00", "\ud800", "ß"])
PARTS: st.SearchStrategy[Part] = st.one_of(
    TEXTS.map(Text),
    TEXTS.map(Reasoning),
    st.builds(call, st.just("look"), st.one_of(TEXTS, st.just('{"h":"db-9x"}')), IDS),
    st.builds(ResultPart, IDS, TEXTS),
    st.builds(ResultPart, IDS, TEXTS, executed_by=st.just("provider")),
    st.just(Media("image/png", "sha256:", 0)),
    st.builds(Opaque, st.just("kind"), TEXTS),
)
MESSAGES: st.SearchStrategy[Message] = st.builds(
    lambda role, parts: message(role, *parts),
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.lists(PARTS, max_size=3),
)


@settings(max_examples=80)
@given(st.lists(st.lists(MESSAGES, max_size=6), max_size=4), st.data())
def test_no_check_raises_whatever_a_frame_holds(
    frames: list[list[Message]], data: st.DataObject
) -> None:
    story = Story()
    story.declare(arm_all=True)
    story.expect("look")
    for number, messages in enumerate(frames):
        story.compose(number, *data.draw(st.sampled_from([(), ("look",), ("look", "x")])))
        story.request(frame(*messages, tools=["look"]), composed=number, lane=number % 2)
        story.respond(response(*data.draw(st.lists(PARTS, max_size=3))), lane=number % 2)
    story.end()
    assert all("raised" not in row.reasons for row in story.engine.rows())


@settings(max_examples=80)
@given(st.lists(MESSAGES, max_size=10))
def test_a_frame_that_grew_is_judged_like_one_that_came_at_once(messages: list[Message]) -> None:
    grown, fresh = Story(Engine([UnpairedCall()])), Story(Engine([UnpairedCall()]))
    for length in range(len(messages)):
        grown.request(frame(*messages[:length]))
    grown.request(frame(*messages))
    fresh.request(frame(*messages))
    last = len(messages)
    now = [found for found in grown.filed("unpaired-call") if found.last_step == last]
    assert {(found.subjects, found.path) for found in now} == {
        (found.subjects, found.path) for found in fresh.filed("unpaired-call")
    }


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(-3, 3), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_never_conflicts_with_itself_or_with_its_keys_in_another_order(
    value: object,
) -> None:
    turned = dict(reversed(list(value.items()))) if isinstance(value, dict) else value
    said = [Stated(subject=("a", "b"), predicate="p", value=Said(one)) for one in (value, turned)]
    assert conflicts(said) == ()


@given(VALUES, VALUES)
def test_renderings_are_equal_only_for_equal_values(one: object, other: object) -> None:
    if render(one) == render(other):
        assert one == other or str(one) in {"nan", "inf", "-inf"}
