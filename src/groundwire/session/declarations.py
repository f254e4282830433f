"""`@gw.tool(...)`: what an author declares of a tool beside its code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar

from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError

P = ParamSpec("P")
R = TypeVar("R")

_declared: dict[str, ToolDeclaration] = {}


def tool(
    *, arguments_from: Sequence[str] = (), name: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The function is declared under its name; it is returned unchanged and runs as before.

    Runs opened from now on take the declaration up, as if it stood in `groundwire.toml`. It does
    not record what the function ran with.

    Raises:
        PolicyError: an empty source, a tool that names itself, or two declarations of one tool
            that differ.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        called = function.__name__ if name is None else name
        declaration = checked(ToolDeclaration(name=called, arguments_from=tuple(arguments_from)))
        merge(_declared, (declaration,))
        return function

    return declare


def declared() -> tuple[ToolDeclaration, ...]:
    """Every declaration made by `tool` in this process so far, by name."""
    return tuple(_declared[name] for name in sorted(_declared))


def checked(declaration: ToolDeclaration) -> ToolDeclaration:
    """The declaration, which can be what was meant.

    Raises:
        PolicyError: it cannot.
    """
    if not declaration.name.strip():
        raise PolicyError("nameless-tool", "a declared tool needs a name: pass name=...")
    for source in declaration.arguments_from:
        if not source.strip():
            raise PolicyError(
                "blank-source",
                f"arguments_from of tool {declaration.name!r} has a blank entry: name a tool",
            )
        if source == declaration.name:
            raise PolicyError(
                "tool-sources-itself",
                f"tool {declaration.name!r} cannot be the source of its own arguments",
            )
    return declaration


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
