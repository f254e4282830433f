"""What of a conversation a request shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundwire.documents.call import ToolCall
from groundwire.errors import PolicyError
from groundwire.loop.messages import Message, ModelTurn, ToolResult, UserText
from groundwire.loop.windows import Summarised, everything, last_turns, pinned_results


def turn(number: int, tool: str = "", *, settled: bool = False) -> list[Message]:
    messages: list[Message] = [UserText(f"question {number}")]
    if tool:
        call = ToolCall(id=f"c{number}", name=tool, arguments="{}")
        messages += [
            ModelTurn("", (call,)),
            ToolResult(call_id=call.id, tool=tool, text=f"result {number}", settled=settled),
        ]
    return [*messages, ModelTurn(f"answer {number}")]


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages if message.text]


def conversation(*tools: str) -> list[Message]:
    return [message for at, tool in enumerate(tools) for message in turn(at, tool)]


def test_the_last_turns_are_kept_whole() -> None:
    messages = conversation("look", "look", "look")
    assert texts(last_turns(2)(messages)) == [
        "question 1", "result 1", "answer 1", "question 2", "result 2", "answer 2",
    ]  # fmt: skip
    assert everything(messages) == messages
    assert last_turns(9)(messages) == messages


def test_a_correction_of_the_loop_begins_no_turn() -> None:
    messages = [*turn(0), *turn(1), UserText("Again, as JSON.", "correction")]
    assert texts(last_turns(1)(messages)) == ["question 1", "answer 1", "Again, as JSON."]


def test_the_latest_result_of_two_tools_is_pinned_with_its_call_and_one_of_each() -> None:
    messages = conversation("a", "b", "b", "c", "")
    kept = pinned_results(last_turns(1))(messages)
    assert texts(kept) == ["question 4", "result 2", "result 3", "answer 4"]
    assert [len(m.calls) for m in kept if isinstance(m, ModelTurn)] == [1, 1, 0]


def test_a_result_in_view_is_not_pinned_again_and_takes_its_place() -> None:
    messages = conversation("a", "b", "c")
    assert texts(pinned_results(last_turns(1))(messages)) == [
        "question 2", "result 1", "result 2", "answer 2",
    ]  # fmt: skip
    assert texts(pinned_results(last_turns(1), tools=1)(messages))[1] == "result 2"


def test_what_the_loop_answered_itself_is_no_result_to_pin() -> None:
    messages = [*turn(0, "a"), *turn(1, "a", settled=True), *turn(2)]
    assert "result 0" in texts(pinned_results(last_turns(1))(messages))
    assert "result 1" not in texts(pinned_results(last_turns(1))(messages))


def test_of_parallel_calls_only_the_pinned_one_comes_back() -> None:
    several = tuple(ToolCall(id=name, name=name, arguments="{}") for name in "abc")
    results = [ToolResult(call_id=name, tool=name, text=f"result {name}") for name in "abc"]
    messages = [UserText("q"), ModelTurn("", several), *results, *turn(1)]
    kept = pinned_results(last_turns(1))(messages)
    assert texts(kept) == ["question 1", "result b", "result c", "answer 1"]


def test_older_turns_become_one_summary_and_are_summarised_once() -> None:
    asked: list[list[str]] = []

    def write(messages: Sequence[Message]) -> str:
        asked.append(texts(messages))
        return f"summary {len(asked)}"

    window = Summarised(write, most=2, keep=1)
    messages = [*turn(0), *turn(1)]
    assert window(messages) == messages
    messages += turn(2)
    assert texts(window(messages)) == ["summary 1", "question 2", "answer 2"]
    assert texts(window(messages))[0] == "summary 1"
    messages += [*turn(3), *turn(4)]
    shown = window(messages)
    assert texts(shown) == ["summary 2", "question 4", "answer 4"]
    assert shown[0] == UserText("summary 2", "summary")
    assert asked == [
        ["question 0", "answer 0", "question 1", "answer 1"],
        ["summary 1", "question 2", "answer 2", "question 3", "answer 3"],
    ]


@pytest.mark.parametrize(("most", "keep"), [(2, 2), (1, 0), (2, -1)])
def test_a_window_that_keeps_nothing_is_refused(most: int, keep: int) -> None:
    with pytest.raises(PolicyError) as refused:
        Summarised(lambda _: "", most=most, keep=keep)
    assert refused.value.reason == "window-too-small"
    with pytest.raises(PolicyError):
        last_turns(0)
