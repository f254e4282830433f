"""Whatever JSON a model, a server or a host hands in: an answer of ours, or an error of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.outcome import Passed
from groundwire.errors import GuardError, PolicyError
from groundwire.guard.agent_rule import AGENT_RULE, Provider, with_policy
from groundwire.guard.effects import hints_of, propose_effect
from groundwire.session.guarding.shapes.answers import answer_of
from groundwire.session.guarding.shapes.calls import model_call
from groundwire.session.guarding.shapes.messages import message_for
from groundwire.session.guarding.shapes.tools import given_tools

WORDS = st.sampled_from(
    [
        "type", "function", "name", "arguments", "id", "call_id", "tool_use", "input", "args", "tool_call",
        "functionCall", "function_call", "custom", "text", "role", "user", "system", "content", "parts",
        "functionDeclarations", "input_schema", "parameters", "annotations", "readOnlyHint", "{}",
    ]
)  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=4),
    WORDS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=6),
    ),
    max_leaves=20,
)
Made = TypeVar("Made")
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "gemini")


def tried(make: Callable[[], Made]) -> tuple[Made | None, str]:
    """What was made and "", or None and the reason of the error. Other errors pass through."""
    try:
        return make(), ""
    except (GuardError, PolicyError) as error:
        return None, error.reason


@given(VALUES)
def test_any_value_is_a_call_or_refused_as_none(value: object) -> None:
    made, reason = tried(lambda: model_call(value))
    if made is None:
        assert reason == "unknown-call-shape"
    else:
        assert made.call.name
        assert made.call.executed_by == "host"


@given(st.dictionaries(WORDS, VALUES, max_size=6), st.sampled_from(["tool_use", "tool_call"]))
def test_parsed_arguments_come_back_as_they_were(arguments: dict[str, Any], kind: str) -> None:
    key = "input" if kind == "tool_use" else "args"
    with suppress(GuardError):
        made = model_call({"type": kind, "id": "c1", "name": "f", key: arguments})
        assert _same(msgspec.json.decode(made.call.arguments), arguments)


def _same(one: object, other: object) -> bool:
    if isinstance(other, dict) and isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in other)
    if isinstance(other, list | tuple) and isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(other, float) and isinstance(one, int | float):
        return math.isclose(one, other, rel_tol=0)
    return one == other


@given(VALUES)
def test_any_value_is_a_list_of_tools_or_refused_as_none(value: Any) -> None:
    tools, reason = tried(lambda: given_tools(value))
    assert reason in {"", "not-tools", "not-a-tool", "no-tool-schema"}
    assert all(tool.name for tool in tools or ())


@given(VALUES, st.sampled_from(PROVIDERS))
def test_any_value_gets_the_rule_once_or_is_refused_as_no_messages(
    value: Any, provider: Provider
) -> None:
    made, reason = tried(lambda: with_policy(value, provider=provider))
    assert reason in {"", "not-messages"}
    if not reason:
        assert repr(AGENT_RULE)[1:-1] in repr(made)
        assert with_policy(made, provider=provider) == made


@given(VALUES)
def test_any_value_of_a_tool_becomes_the_message_of_every_provider(value: object) -> None:
    call = ToolCall(id="c1", name="f", arguments="{}")
    outcome = Passed(because="", call=call_digest(call), error="", reason="read", would=None)
    answer = answer_of(call, outcome, value)
    for dialect in ("plain", "openai", "openai-responses", "anthropic", "gemini", "langchain"):
        msgspec.json.encode(message_for(answer, dialect))


@given(st.text(max_size=30), VALUES, st.booleans())
def test_any_name_and_any_annotations_get_a_proposal(
    name: str, annotations: object, trusted: bool
) -> None:
    hints = hints_of(annotations)
    proposed = propose_effect(name, hints, trusted=trusted)
    assert proposed.effect != "unstated"
    if proposed.effect == "read":
        assert trusted
        assert hints.read_only
