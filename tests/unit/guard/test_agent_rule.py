"""The agent's rule stands once in what is sent, whoever takes it, and what was handed in stays."""

from __future__ import annotations

import copy

import pytest

from groundwire.documents.frame import Frame, Message, Part, Reasoning, ResultPart, Role, Text
from groundwire.errors import PolicyError
from groundwire.guard.agent_rule import AGENT_RULE, Provider, rule_in, with_policy

BLOCK = {"type": "text", "text": AGENT_RULE}
USER = {"role": "user", "content": "go"}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": AGENT_RULE}

CASES: dict[str, tuple[Provider, list[dict[str, object]], list[dict[str, object]]]] = {
    "no system message": (
        "openai",
        [USER],
        [{"role": "system", "content": AGENT_RULE}, USER],
    ),
    "none at all": (
        "openai",
        [{"role": "tool", "content": "x"}],
        [{"role": "system", "content": AGENT_RULE}, {"role": "tool", "content": "x"}],
    ),
    "a system message": (
        "openai",
        [USER, {"role": "system", "content": "Be brief.", "name": "n"}],
        [USER, {"role": "system", "content": f"Be brief.\n\n{AGENT_RULE}", "name": "n"}],
    ),
    "an empty one": (
        "openai",
        [{"role": "system", "content": ""}],
        [{"role": "system", "content": AGENT_RULE}],
    ),
    "a developer message of parts": (
        "openai",
        [{"role": "developer", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "developer", "content": [{"type": "text", "text": "a"}, BLOCK]}],
    ),
    "a developer message of the responses API": (
        "openai",
        [{"role": "developer", "content": [{"type": "input_text", "text": "a"}]}],
        [
            {
                "role": "developer",
                "content": [
                    {"type": "input_text", "text": "a"},
                    {"type": "input_text", "text": AGENT_RULE},
                ],
            }
        ],
    ),
    "only a user or a tool said it": (
        "openai",
        [{"role": "user", "content": AGENT_RULE}, {"role": "tool", "content": AGENT_RULE}],
        [
            {"role": "system", "content": AGENT_RULE},
            {"role": "user", "content": AGENT_RULE},
            {"role": "tool", "content": AGENT_RULE},
        ],
    ),
    "anthropic's messages": (
        "anthropic",
        [USER, {"role": "assistant", "content": "ok"}],
        [
            {"role": "user", "content": f"{AGENT_RULE}\n\ngo"},
            {"role": "assistant", "content": "ok"},
        ],
    ),
    "anthropic's results come first, and hold no rule": (
        "anthropic",
        [{"role": "user", "content": [RESULT, {"type": "text", "text": "go"}]}],
        [{"role": "user", "content": [RESULT, BLOCK, {"type": "text", "text": "go"}]}],
    ),
    "anthropic's system blocks": (
        "anthropic",
        [{"type": "text", "text": "Be brief.", "cache_control": {}}],
        [{"type": "text", "text": "Be brief.", "cache_control": {}}, BLOCK],
    ),
    "gemini's contents": (
        "gemini",
        [{"role": "user", "parts": [{"text": "go"}]}],
        [{"role": "user", "parts": [{"text": AGENT_RULE}, {"text": "go"}]}],
    ),
    "gemini's system parts": ("gemini", [{"text": "a"}], [{"text": "a"}, {"text": AGENT_RULE}]),
    "nothing yet": ("anthropic", [], [BLOCK]),
    "no message yet": ("openai", [], [{"role": "system", "content": AGENT_RULE}]),
    "results of the responses API": (
        "openai",
        [{"type": "function_call_output", "call_id": "c", "output": "x"}],
        [
            {"role": "system", "content": AGENT_RULE},
            {"type": "function_call_output", "call_id": "c", "output": "x"},
        ],
    ),
    "a message without content": (
        "openai",
        [{"role": "system", "content": None}],
        [{"role": "system", "content": AGENT_RULE}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_rule_is_added_once_and_what_was_handed_in_stays(name: str) -> None:
    provider, messages, expected = CASES[name]
    before = copy.deepcopy(messages)
    made = with_policy(messages, provider=provider)
    assert made == expected
    assert messages == before
    assert with_policy(made, provider=provider) == made
    assert with_policy(made, provider=provider) is not made


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", AGENT_RULE), ("Be brief.", f"Be brief.\n\n{AGENT_RULE}"), (AGENT_RULE, AGENT_RULE)],
)
def test_a_text_gets_it_at_its_end_once(text: str, expected: str) -> None:
    assert with_policy(text) == expected
    assert with_policy(expected) == expected


def test_the_first_words_of_the_rule_alone_are_not_the_rule() -> None:
    begins = AGENT_RULE.splitlines()[0]
    assert with_policy(begins).count(AGENT_RULE) == 1


@pytest.mark.parametrize(
    "messages",
    [
        None,
        3,
        b"text",
        {"role": "user", "content": "x"},
        [3],
        [object()],
        [{"role": "system", "content": 3}],
    ],
)
def test_what_are_no_messages_is_refused(messages: object) -> None:
    with pytest.raises(PolicyError) as refused:
        with_policy(messages)
    assert refused.value.reason == "not-messages"


def test_blocks_without_a_text_are_no_instructions_of_anthropics() -> None:
    with pytest.raises(PolicyError):
        with_policy([{"type": "image"}], provider="anthropic")


def frame(system: tuple[Part, ...], *messages: tuple[Role, Part]) -> Frame:
    return Frame(
        provider="openai",
        model="m",
        system=system,
        tools=(),
        parameters="{}",
        messages=[
            Message(role=role, parts=(part,), raw=b"", content_digest="") for role, part in messages
        ],
    )


RULE = Text(f"Be brief.\n\n{AGENT_RULE}")


@pytest.mark.parametrize(
    ("shown", "seen"),
    [
        (frame((RULE,)), True),
        (frame((), ("system", RULE)), True),
        (frame((), ("user", RULE)), True),
        (frame((Text("Be brief."),), ("user", Text("go"))), False),
        (frame((Text(AGENT_RULE[:-1]),)), False),
        (frame((), ("assistant", RULE)), False),
        (frame((), ("tool", RULE)), False),
        (frame((), ("user", ResultPart(call_id="c", text=AGENT_RULE))), False),
        (frame((Reasoning(AGENT_RULE),)), False),
    ],
)
def test_the_rule_was_shown_where_it_stands_whole_in_what_the_model_is_told(
    shown: Frame, seen: bool
) -> None:
    assert rule_in(shown) is seen
