"""Tools as they are given: recognised by what they have, with the schema of their arguments."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import msgspec
import pydantic
import pytest

from groundwire.errors import GuardError, PolicyError
from groundwire.guard.effects import Hints
from groundwire.loop.tools import Tool
from groundwire.session.executions.wrapping import recorded
from groundwire.session.guarding.shapes.tools import GivenTool, given_tools


@dataclasses.dataclass
class Window:
    since: datetime.date
    days: int = 1


class Inner(pydantic.BaseModel):
    y: str


class Order(pydantic.BaseModel):
    x: int
    inner: Inner


def one(tool: object) -> GivenTool:
    (found,) = given_tools([tool])
    return found


def run(tool: GivenTool, /, **arguments: object) -> object:
    assert tool.work is not None
    return tool.work(arguments)()


def book(
    room: Annotated[str, "Which room."],
    seats: Annotated[int, msgspec.Meta(ge=1)],
    kind: Literal["small", "large"] = "small",
    tags: list[str] | None = None,
) -> str:
    """Books a room.

    Fails when it is taken.
    """
    return f"{room} {seats} {kind} {tags}"


def test_a_function_gives_its_name_its_docstring_and_the_schema_of_its_arguments() -> None:
    tool = one(book)
    assert (tool.name, tool.description) == (
        "book",
        "Books a room.\n\nFails when it is taken.",
    )
    assert tool.schema == {
        "type": "object",
        "properties": {
            "room": {"type": "string", "description": "Which room."},
            "seats": {"type": "integer", "minimum": 1},
            "kind": {"enum": ["large", "small"], "default": "small"},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["room", "seats"],
        "additionalProperties": False,
    }
    assert run(tool, room="a", seats=2) == "a 2 small None"
    assert tool.async_work is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"room": "a"},
        {"room": "a", "seats": "2"},
        {"room": "a", "seats": 0},
        {"room": "a", "seats": 1, "kind": "huge"},
        {"room": "a", "seats": 1, "guests": 3},
    ],
)
def test_arguments_that_the_function_does_not_take_are_refused_before_it_runs(
    arguments: dict[str, object],
) -> None:
    ran: list[object] = []

    def watched(
        room: str, seats: Annotated[int, msgspec.Meta(ge=1)], kind: Literal["small"] = "small"
    ) -> None:
        ran.append(room)

    watched.__annotations__ = book.__annotations__ | {}
    tool = one(watched)
    assert tool.work is not None
    with pytest.raises(GuardError) as refused:
        tool.work(arguments)
    assert refused.value.reason == "arguments-do-not-fit"
    assert ran == []


def test_what_json_has_no_type_for_becomes_what_the_function_wants() -> None:
    def plan(
        order: Order, window: Window, at: datetime.datetime, later: Order | None = None
    ) -> object:
        return order.inner.y, window.since, at.year, later

    plan.__annotations__ = {
        "order": Order,
        "window": Window,
        "at": datetime.datetime,
        "later": Order | None,
        "return": object,
    }
    tool = one(plan)
    assert set(tool.schema["$defs"]) == {"Inner", "Window"}
    order = {"x": 1, "inner": {"y": "z"}}
    found = run(tool, order=order, window={"since": "2026-01-02"}, at="2026-01-02T00:00:00Z")
    assert found == ("z", datetime.date(2026, 1, 2), 2026, None)
    assert isinstance(
        run(
            tool,
            order=order,
            window={"since": "2026-01-02"},
            at="2026-01-02T00:00:00Z",
            later=order,
        )[3],
        Order,
    )


def test_unannotated_by_position_and_further_arguments_arrive_as_they_were_given() -> None:
    def anything(first, /, second=2, *rest, third: object, more: dict[str, object], **extra):
        return first, second, rest, third, more, extra

    tool = one(anything)
    assert tool.schema["required"] == [
        "first",
        "third",
        "more",
    ]
    assert run(tool, first=1, third=[None], more={"a": {}}, x=5) == (
        1,
        2,
        (),
        [None],
        {"a": {}},
        {"x": 5},
    )


def test_a_coroutine_function_is_called_async_alone() -> None:
    async def fetch(url: str) -> str:
        return url * 2

    tool = one(fetch)
    assert tool.work is None
    assert tool.async_work is not None
    assert asyncio.run(_awaited(tool, url="a")) == "aa"


async def _awaited(tool: GivenTool, **arguments: object) -> object:
    assert tool.async_work is not None
    return await tool.async_work(arguments)()


def test_a_declared_tool_goes_by_the_name_it_was_declared_under() -> None:
    def wipe(disk: str) -> None:
        """Wipes."""

    # What `@gw.tool(name="wipe_disk")` makes of it.
    assert one(recorded(wipe, "wipe_disk")).name == "wipe_disk"


class Sender:
    name = "send"
    description = "Sends."
    parameters: ClassVar = {"type": "object", "properties": {"to": {"type": "string"}}}

    def execute(self, **arguments: object) -> object:
        return arguments


class Typed:
    """Adds."""

    name = "add"

    async def execute(self, a: int, b: int = 1) -> int:
        return a + b


def test_an_object_with_execute_is_a_tool_with_its_own_schema_or_that_of_execute() -> None:
    tool = one(Sender())
    assert (tool.name, tool.description, tool.schema) == ("send", "Sends.", Sender.parameters)
    assert run(tool, to="x") == {"to": "x"}
    typed = one(Typed())
    assert (typed.name, typed.description, typed.schema["required"]) == ("add", "Adds.", ["a"])
    assert asyncio.run(_awaited(typed, a=2)) == 3


class Doubles:
    """Doubles."""

    name = "double"

    def __call__(self, n: Annotated[int, "A number."]) -> int:
        return 2 * n

    def also(self, n: int) -> int:
        """Doubles too."""
        return 2 * n


def test_a_callable_object_and_a_method_are_tools() -> None:
    tool = one(Doubles())
    assert (tool.name, tool.description) == ("double", "Doubles.")
    assert tool.schema["properties"] == {"n": {"type": "integer", "description": "A number."}}
    assert run(tool, n=2) == run(one(Doubles().also), n=2) == 4
    assert one(Doubles().also).schema["required"] == ["n"]


def test_arguments_may_be_called_as_anything_here_is_called() -> None:
    def f(a: int, *, arguments: str, self: int = 1, name: str = "") -> object:
        return a, arguments, self, name

    assert run(one(f), a=1, arguments="x", self=3) == (1, "x", 3, "")


def test_a_tool_of_the_reference_loop_is_one() -> None:
    tool = one(Tool(name="double", function=lambda n: 2 * n, schema=SCHEMA, description="d"))
    assert (tool.name, tool.description, tool.schema) == ("double", "d", SCHEMA)
    assert run(tool, n=2) == 4


class Structured:
    """What a LangChain structured tool has, as far as it is looked at."""

    name = "look_up"
    description = "Looks up."
    args_schema = Order
    func: object = print
    coroutine: object = None
    metadata: object = None

    def invoke(self, given: object) -> object:
        return ("invoked", given)

    async def ainvoke(self, given: object) -> object:
        return ("awaited", given)


def test_a_langchain_tool_is_invoked_and_its_schema_is_its_models() -> None:
    tool = one(Structured())
    assert tool.schema == Order.model_json_schema()
    assert run(tool, x=1) == ("invoked", {"x": 1})
    assert asyncio.run(_awaited(tool, x=1)) == ("awaited", {"x": 1})


def test_a_langchain_tool_of_a_coroutine_alone_is_never_invoked_synchronously() -> None:
    tool = Structured()
    tool.func, tool.coroutine = None, print
    assert one(tool).work is None


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
DESCRIBED = {
    "openai": {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": SCHEMA},
    },
    "responses": {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA},
    "anthropic": {"name": "f", "description": "d", "input_schema": SCHEMA},
    "anthropic, typed": {"type": "custom", "name": "f", "description": "d", "input_schema": SCHEMA},
    "gemini": {
        "function_declarations": [
            {
                "name": "f",
                "description": "d",
                "parameters": {"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}}},
            }
        ]
    },
    "gemini, one function": {"name": "f", "description": "d", "parametersJsonSchema": SCHEMA},
}


@pytest.mark.parametrize("shape", DESCRIBED)
def test_a_description_of_each_provider_is_a_tool_with_the_function_beside_it(shape: str) -> None:
    tool = one((DESCRIBED[shape], lambda a: a + 1))
    assert (tool.name, tool.description, tool.schema) == ("f", "d", SCHEMA)
    assert run(tool, a=1) == 2
    alone = one(DESCRIBED[shape])
    assert (alone.work, alone.async_work) == (None, None)


def test_what_an_mcp_server_lists_is_a_tool_with_its_hints() -> None:
    listed = {"name": "f", "inputSchema": SCHEMA, "annotations": {"destructiveHint": True}}
    for tool in (one(listed), one((listed, print))):
        assert (tool.schema, tool.hints) == (SCHEMA, Hints(destructive=True))
    adapted = Structured()
    adapted.metadata = {"readOnlyHint": False, "_meta": {}}
    assert one(adapted).hints == Hints(read_only=False)


def test_gemini_declares_several_functions_in_one_and_gets_them_by_name() -> None:
    several = {"functionDeclarations": [{"name": "f"}, {"name": "g"}]}
    tools = given_tools([(several, {"f": lambda: 1, "g": lambda: 2})])
    assert [(tool.name, run(tool)) for tool in tools] == [("f", 1), ("g", 2)]


class _Raises:
    @property
    def execute(self) -> object:
        raise RuntimeError


def unreadable(value: Callable[[int], int]) -> None:
    """Takes what JSON cannot say."""


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (3, "not-a-tool"),
        (Sender, "not-a-tool"),
        (lambda: 1, "not-a-tool"),
        (object(), "not-a-tool"),
        ({"type": "web_search"}, "not-a-tool"),
        ({"type": "custom", "name": "x", "format": {"type": "text"}}, "not-a-tool"),
        ({"type": "function", "function": {"parameters": {}}}, "not-a-tool"),
        (({"functionDeclarations": [{"name": "f"}, {"name": "g"}]}, print), "not-a-tool"),
        (({"functionDeclarations": [{"name": "f"}]}, {"g": print}), "not-a-tool"),
        (("text", print), "not-a-tool"),
        (_Raises(), "not-a-tool"),
        (unreadable, "no-tool-schema"),
    ],
)
def test_what_is_no_tool_is_refused_with_its_place(tool: object, reason: str) -> None:
    with pytest.raises(PolicyError) as refused:
        given_tools([book, tool])
    assert refused.value.reason == reason
    assert "place 1" in str(refused.value) or "'unreadable'" in str(refused.value)


@pytest.mark.parametrize("tools", [book, "book", {"book": book}, None])
def test_tools_are_given_as_a_list(tools: object) -> None:
    with pytest.raises(PolicyError) as refused:
        given_tools(tools)
    assert refused.value.reason == "not-tools"
