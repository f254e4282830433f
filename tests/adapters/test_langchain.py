"""Guarded tools as LangChain's, called as its agents call them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from groundwire.adapters.langchain import langchain_tools
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.outcome import Passed, Refused
from groundwire.errors import HostError
from groundwire.session.guarding.shapes.answers import Answer, answer_of
from groundwire.session.guarding.shapes.calls import ModelCall
from groundwire.session.guarding.shapes.tools import given_tools

installed = pytest.mark.skipif(
    find_spec("langchain_core") is None, reason="langchain-core is not installed here"
)


def look_up(name: str, config: str = "", limit: int = 1) -> str:
    """Looks up."""
    return f"{name} {config} {limit}"


class Table:
    """Answers each call and keeps it."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.refuses = False

    def settle(self, made: ModelCall) -> Answer:
        self.calls.append(made.call)
        digest = call_digest(made.call)
        if self.refuses:
            return answer_of(made.call, Refused(call=digest, reason="decision-denied", rules=()))
        passed = Passed(because="", call=digest, error="", reason="read", would=None)
        return answer_of(made.call, passed, {"found": 1})

    async def settle_async(self, made: ModelCall) -> Answer:
        await asyncio.sleep(0)
        return self.settle(made)

    def tool(self) -> Any:
        (tool,) = langchain_tools(given_tools([look_up]), self.settle, self.settle_async)
        return tool


CALL = {"type": "tool_call", "id": "c1", "name": "look_up", "args": {"name": "a", "config": "b"}}


def synchronously(tool: Any, given: object) -> Any:
    return tool.invoke(given)


def asynchronously(tool: Any, given: object) -> Any:
    return asyncio.run(tool.ainvoke(given))


BOTH = pytest.mark.parametrize("invoke", [synchronously, asynchronously])


@installed
@BOTH
def test_a_tool_call_gets_a_tool_message_bound_by_its_id(invoke: Callable[..., Any]) -> None:
    table = Table()
    message = invoke(table.tool(), CALL)
    assert (message.type, message.tool_call_id, message.name) == ("tool", "c1", "look_up")
    assert (message.content, message.status) == ('{"found":1}', "success")
    assert message.artifact["type"] == "passed"
    arguments = '{"name":"a","config":"b"}'
    assert table.calls == [ToolCall(id="c1", name="look_up", arguments=arguments)]


@installed
@BOTH
def test_a_refusal_is_a_tool_message_of_an_error_and_the_outcome_is_its_artifact(
    invoke: Callable[..., Any],
) -> None:
    table = Table()
    table.refuses = True
    message = invoke(table.tool(), CALL)
    assert message.status == "error"
    assert message.content.startswith("Nothing was changed.")
    assert message.artifact["reason"] == "decision-denied"


@installed
@BOTH
def test_plain_arguments_get_the_content_and_an_earlier_id_does_not_stay(
    invoke: Callable[..., Any],
) -> None:
    table = Table()
    tool = table.tool()
    invoke(tool, CALL)
    assert invoke(tool, {"name": "a"}) == '{"found":1}'
    assert table.calls[-1] == ToolCall(id="", name="look_up", arguments='{"name":"a"}')


@installed
def test_overlapping_calls_keep_their_ids() -> None:
    table = Table()
    tool = table.tool()

    async def both() -> list[Any]:
        calls = [{**CALL, "id": f"c{number}"} for number in range(20)]
        return await asyncio.gather(*(tool.ainvoke(call) for call in calls))

    messages = asyncio.run(both())
    assert [message.tool_call_id for message in messages] == [f"c{n}" for n in range(20)]
    assert sorted(call.id for call in table.calls) == sorted(f"c{n}" for n in range(20))


@installed
def test_the_model_is_offered_the_schema_as_it_is() -> None:
    calling = import_module("langchain_core.utils.function_calling")
    offered = calling.convert_to_openai_tool(Table().tool())["function"]
    (given,) = given_tools([look_up])
    assert (offered["name"], offered["description"]) == ("look_up", "Looks up.")
    assert offered["parameters"]["properties"] == given.schema["properties"]


@installed
def test_a_langgraph_tool_node_runs_it() -> None:
    langgraph = pytest.importorskip("langgraph.prebuilt", reason="langgraph is not installed here")
    messages = import_module("langchain_core.messages")
    node = langgraph.ToolNode([Table().tool()])
    said = messages.AIMessage(
        content="", tool_calls=[{"id": "c1", "name": "look_up", "args": {"name": "a"}}]
    )
    graph = pytest.importorskip("langgraph.graph", reason="langgraph is not installed here")
    made = graph.StateGraph(graph.MessagesState)
    made.add_node("tools", node)
    made.add_edge(graph.START, "tools")
    made.add_edge("tools", graph.END)
    message = made.compile().invoke({"messages": [said]})["messages"][-1]
    assert (message.tool_call_id, message.content) == ("c1", '{"found":1}')


def test_without_langchain_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    for name in [name for name in sys.modules if name.startswith("langchain_core.")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(HostError) as refused:
        langchain_tools(given_tools([look_up]), Table().settle, Table().settle_async)
    assert refused.value.reason == "langchain-not-installed"
    assert "pip install 'groundwire[langchain]'" in str(refused.value)
