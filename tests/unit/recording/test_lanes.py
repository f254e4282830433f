"""Lanes: which conversation a request belongs to."""

from __future__ import annotations

from groundwire.canon.digest import tagged
from groundwire.documents.call import ToolCall
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Message,
    Part,
    Response,
    ResultPart,
    Role,
    Text,
    ToolSpec,
)
from groundwire.recording.lanes import Lanes


def message(role: Role, text: str, call: str | None = None) -> Message:
    parts: tuple[Part, ...] = (Text(text),) if text else ()
    if call and role == "assistant":
        parts = (*parts, CallPart(ToolCall(id=call, name="look", arguments="{}")))
    if call and role == "tool":
        parts = (ResultPart(call_id=call, text=text),)
    digest = tagged("message", role.encode(), text.encode(), (call or "").encode())
    return Message(role=role, parts=parts, raw=b"", content_digest=digest)


def frame(
    *messages: Message,
    system: str = "operate",
    tools: tuple[str, ...] = ("look",),
    held: str | None = None,
) -> Frame:
    return Frame(
        provider="anthropic",
        model="m",
        system=(Text(system),),
        parameters="{}",
        tools=tuple(ToolSpec(name=name, schema="{}") for name in tools),
        messages=messages,
        held_by_provider=held,
    )


def answer(said: Message, number: str = "") -> Response:
    return Response(
        provider="anthropic",
        id=number,
        model="m",
        parts=said.parts,
        stop="end",
        usage={},
        complete=True,
        content_digest=said.content_digest,
    )


ASK = message("user", "which hosts are up?")
LOOK = message("assistant", "", "c1")
SEEN = message("tool", "heron, osprey", "c1")
SAID = message("assistant", "heron and osprey are up")
NEXT = message("user", "and the disks?")


class Talk:
    """Drives a `Lanes`, numbering exchanges."""

    def __init__(self) -> None:
        self.lanes = Lanes()
        self.count = -1

    def ask(self, asked: Frame, said: Message | None = None, name: str | None = None):
        self.count += 1
        assigned = self.lanes.assign(asked, self.count, name=name)
        if said is not None:
            self.lanes.answered(self.count, answer(said))
        return assigned


def test_a_conversation_that_grows_stays_in_its_lane() -> None:
    talk = Talk()
    assert talk.ask(frame(ASK), LOOK).reason == "new"
    second = talk.ask(frame(ASK, LOOK, SEEN), SAID)
    assert (second.lane, second.reason, second.kept) == (0, "continues", 1)
    third = talk.ask(frame(ASK, LOOK, SEEN, SAID, NEXT))
    assert (third.lane, third.reason, third.kept) == (0, "continues", 3)


def test_a_window_that_drops_the_front_stays_in_its_lane() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    talk.ask(frame(ASK, LOOK, SEEN), SAID)
    assert talk.ask(frame(SAID, NEXT)).lane == 0


def test_a_summariser_with_its_own_prompt_and_no_tools_is_a_lane_of_its_own() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    talk.ask(frame(ASK, LOOK, SEEN), SAID)
    summary = frame(
        ASK, LOOK, SEEN, SAID, message("user", "summarise"), system="summarise", tools=()
    )
    assert talk.ask(summary, message("assistant", "two hosts")).lane == 1
    assert talk.ask(frame(ASK, LOOK, SEEN, SAID, NEXT)).lane == 0


def test_a_router_that_sees_the_same_question_under_another_prompt_is_a_lane_of_its_own() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    assert talk.ask(frame(ASK, system="route", tools=()), message("assistant", "ops")).lane == 1
    assert talk.ask(frame(ASK, LOOK, SEEN)).lane == 0


def test_two_identical_sub_agents_part_when_their_answers_part() -> None:
    talk = Talk()
    other = message("assistant", "", "c2")
    talk.ask(frame(ASK), LOOK)
    talk.ask(frame(ASK), other)
    first = talk.ask(frame(ASK, LOOK, SEEN), SAID)
    second = talk.ask(frame(ASK, other, message("tool", "none", "c2")))
    assert (first.lane, first.reason) == (0, "continues")
    assert (second.lane, second.reason, second.parent) == (1, "forks", 0)


def test_a_rewound_conversation_forks_so_that_nothing_looks_evicted() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    talk.ask(frame(ASK, LOOK, SEEN), SAID)
    talk.ask(frame(ASK, LOOK, SEEN, SAID, NEXT), message("assistant", "full"))
    again = talk.ask(frame(ASK, LOOK, SEEN, SAID, message("user", "and the memory?")))
    assert (again.reason, again.parent) == ("forks", 0)


def test_a_retry_stays_in_its_lane() -> None:
    talk = Talk()
    talk.ask(frame(ASK))
    again = talk.ask(frame(ASK), LOOK)
    assert (again.lane, again.reason) == (0, "extends")


def test_a_new_task_under_the_same_prompt_is_a_new_lane() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    assert talk.ask(frame(NEXT)).lane == 1


def test_a_system_prompt_that_tells_the_time_does_not_part_a_conversation() -> None:
    talk = Talk()
    talk.ask(frame(ASK, system="it is noon"), LOOK)
    assert talk.ask(frame(ASK, LOOK, SEEN, system="it is one"), SAID).lane == 0


def test_a_system_message_in_the_conversation_counts_as_the_prompt() -> None:
    talk = Talk()
    prompt, route = message("system", "operate"), message("system", "route")
    talk.ask(frame(prompt, ASK, system=""), LOOK)
    assert talk.ask(frame(route, ASK, system="", tools=())).lane == 1
    assert talk.ask(frame(prompt, ASK, LOOK, SEEN, system="")).lane == 0


def test_a_name_given_by_the_host_wins() -> None:
    talk = Talk()
    assert talk.ask(frame(ASK), LOOK, name="scout").reason == "named"
    assert talk.ask(frame(NEXT), name="scout").lane == 0
    assert talk.ask(frame(ASK), name="router").lane == 1


def test_an_answer_that_the_provider_keeps_leads_back_to_its_lane() -> None:
    lanes = Lanes()
    lanes.assign(frame(ASK), 0)
    lanes.answered(0, answer(SAID, number="resp_1"))
    held = lanes.assign(frame(NEXT, held="resp_1"), 1)
    assert (held.lane, held.reason) == (0, "held")


def test_an_unreadable_request_joins_no_conversation() -> None:
    talk = Talk()
    talk.ask(frame(ASK), LOOK)
    assert talk.lanes.unreadable(5).lane == 1
