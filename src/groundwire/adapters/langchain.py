"""Guarded tools as LangChain tools, for agents, `ToolNode` and `bind_tools`.

Seen: every call that LangChain makes of these tools, sync and async, with the id of the model's call
where it hands one in. Not seen: tools registered beside them, and what a middleware does with a
result afterwards. Callbacks and traces of LangChain see the calls as they see any other tool's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from groundwire.errors import HostError
from groundwire.session.guarding.shapes.answers import Answer
from groundwire.session.guarding.shapes.calls import ModelCall, model_call
from groundwire.session.guarding.shapes.messages import langchain_message
from groundwire.session.guarding.shapes.tools import GivenTool

# The id of the model's call that LangChain is carrying out: its own hook for tools has no room for it.
_call_id: ContextVar[str] = ContextVar("groundwire_langchain_call", default="")


def langchain_tools(
    tools: Iterable[GivenTool],
    settle: Callable[[ModelCall], Answer],
    settle_async: Callable[[ModelCall], Awaitable[Answer]],
) -> list[Any]:
    """Each tool as a `BaseTool`; whatever calls it, `settle` or `settle_async` answers.

    Called with a tool call it gives a `ToolMessage` (content for the model, the outcome as its
    artifact, `status = "error"` for what is no result); called with arguments, the content.

    Raises:
        HostError: `langchain-not-installed`.
    """
    try:
        messages = import_module("langchain_core.messages")
        base = import_module("langchain_core.tools").BaseTool
    except ImportError as error:
        raise HostError(
            "langchain-not-installed",
            "Tools for LangChain need langchain-core: pip install 'groundwire[langchain]'.",
        ) from error

    def bound(answer: Answer) -> Any:
        if not answer.call.id:
            return answer.text
        said = langchain_message(answer)
        return messages.ToolMessage(**{key: value for key, value in said.items() if key != "role"})

    class GuardedTool(base):  # type: ignore[misc,valid-type]  # a stranger's class, loaded when it is wanted
        """A tool that groundwire answers."""

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 -- theirs
            with _called(input):
                return super().invoke(input, config, **kwargs)

        async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 -- theirs
            with _called(input):
                return await super().ainvoke(input, config, **kwargs)

        def _run(self, **arguments: Any) -> Any:
            return bound(settle(self._made(arguments)))

        async def _arun(self, **arguments: Any) -> Any:
            return bound(await settle_async(self._made(arguments)))

        def _made(self, arguments: dict[str, Any]) -> ModelCall:
            call = {"type": "tool_call", "name": self.name, "args": arguments, "id": _call_id.get()}
            return model_call(call)

    return [
        GuardedTool(name=tool.name, description=tool.description, args_schema=dict(tool.schema))
        for tool in tools
    ]


@contextmanager
def _called(given: object) -> Iterator[None]:
    """Within, the id of the tool call that was handed in; none where plain arguments were."""
    call_id = (
        given.get("id") if isinstance(given, dict) and given.get("type") == "tool_call" else ""
    )
    token = _call_id.set(call_id if isinstance(call_id, str) else "")
    try:
        yield
    finally:
        _call_id.reset(token)
