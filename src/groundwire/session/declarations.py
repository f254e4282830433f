"""`@gw.tool(...)`: what an author declares of a tool beside its code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar, overload

from groundwire.authority.declarations import declare_tool
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session.executions.wrapping import recorded

P = ParamSpec("P")
R = TypeVar("R")

_declared: dict[str, ToolDeclaration] = {}


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def tool(
    *, arguments_from: Sequence[str] | None = None, name: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    arguments_from: Sequence[str] | None = None,
    name: str | None = None,
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """The function is declared under its name, and records what it ran with and returned.

    It does what it did before, and looks so too. What it ran with is recorded in the session in
    which it is called; outside one nothing is. Generators, and whatever is no plain function, are
    declared and not recorded. Runs opened from now on take the declaration up, as if it stood in
    `groundwire.toml`. `@gw.tool` and `@gw.tool(...)` both do.

    Raises:
        PolicyError: an empty or blank source, a tool that names itself, or two declarations of
            one tool that differ.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        called = function.__name__ if name is None else name
        merge(_declared, (declare_tool(called, arguments_from),))
        return recorded(function, called)

    return declare if function is None else declare(function)


def declared() -> tuple[ToolDeclaration, ...]:
    """Every declaration made by `tool` in this process so far, by name."""
    return tuple(_declared[name] for name in sorted(_declared))


def merge(into: dict[str, ToolDeclaration], more: Iterable[ToolDeclaration]) -> None:
    """`into` has every declaration of `more`.

    Raises:
        PolicyError: one tool is declared twice, differently.
    """
    for declaration in more:
        known = into.get(declaration.name)
        if known is not None and known != declaration:
            raise PolicyError(
                "declared-twice",
                f"tool {declaration.name!r} is declared twice, differently: keep one declaration "
                "(groundwire.toml or the decorator)",
            )
        into[declaration.name] = declaration
