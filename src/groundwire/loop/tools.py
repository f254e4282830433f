"""Tools: what the agent can do, gathered anew for each request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import msgspec

from groundwire.errors import PolicyError
from groundwire.loop.messages import Offer


def _nothing() -> Mapping[str, object]:
    return {"type": "object", "properties": {}}


class Pause(Exception):
    """Raised by a tool that needs a person first: the run pauses at this call."""

    def __init__(self, asks: str) -> None:
        super().__init__(asks)
        self.asks = asks


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the model may call with the arguments of `schema`, by name.

    It may raise `Pause`; any other exception is shown to the model as an error.
    """

    name: str
    function: Callable[..., object]
    description: str = ""
    schema: Mapping[str, object] = msgspec.field(default_factory=_nothing)

    @property
    def offer(self) -> Offer:
        """The tool as a request offers it."""
        return Offer(self.name, self.description, self.schema)


ToolProvider: TypeAlias = Callable[[], Sequence[Tool]]


def gathered(
    tools: Iterable[Tool], providers: Iterable[ToolProvider], held_out: AbstractSet[str]
) -> dict[str, Tool]:
    """The tools of one request by name: the agent's own first, then what each provider brings.

    The first of a name wins. Names in `held_out` are left out whoever brings them.
    """
    found: dict[str, Tool] = {}
    for tool in (*tools, *(tool for provider in providers for tool in provider())):
        if tool.name not in held_out:
            found.setdefault(tool.name, tool)
    return found


def require_callable(value: object, name: str) -> None:
    """`value` can be called, or is None.

    Raises:
        PolicyError: `not-a-function`.
    """
    if value is not None and not callable(value):
        raise PolicyError(
            "not-a-function", f"{name} takes a function, not {type(value).__name__}; hand one in."
        )
