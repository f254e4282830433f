"""`@gw.tool(...)`: what an author declares of a tool beside its code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ParamSpec, TypedDict, TypeVar, Unpack, overload

import msgspec

from groundwire.authority.declarations import declare_tool
from groundwire.authority.reading.values import nearest
from groundwire.documents.declaration import Effect
from groundwire.documents.policy import Content, ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.guard.effects import Stated, rank
from groundwire.session.executions.wrapping import recorded

P = ParamSpec("P")
R = TypeVar("R")


class ToolKeys(TypedDict, total=False):
    """What `@gw.tool(...)` takes beside a name: the keys of `[tools.NAME]` in `groundwire.toml`."""

    arguments_from: Sequence[str] | None
    arguments: Mapping[str, object] | None
    content: Content | None
    effect: Effect | None
    idempotent: bool | None
    volatile: Sequence[str] | None
    rows_at: str | None
    total_at: str | None
    next_at: str | None
    as_of: str | None
    entity_at: str | None
    columns: Mapping[str, str | Mapping[str, object]] | None
    max_age: int | str | None
    says: Sequence[str] | None
    operation: str | None
    target: Mapping[str, object] | None
    output_schema: Mapping[str, object] | None
    once_per: Sequence[str] | None
    settled_by: Mapping[str, object] | None
    once_key: str | None


_declared: dict[str, ToolDeclaration] = {}
# Tools of which nothing was said about what is written of their results: the policy says it.
_silent: set[str] = set()


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def tool(
    *, name: str | None = None, **keys: Unpack[ToolKeys]
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None, /, *, name: str | None = None, **keys: Unpack[ToolKeys]
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """The function is declared under its name, and records what it ran with and returned.

    It does what it did before, and looks so too. What it ran with is recorded in the session in
    which it is called; outside one nothing is. Generators, and whatever is no plain function, are
    declared and not recorded. Runs opened from now on take the declaration up, as if it stood in
    `groundwire.toml`: the keys are those of `[tools.NAME]` there (`arguments_from`, `arguments`,
    `effect`, `idempotent`, `volatile`, `rows_at`, `total_at`, `next_at`, `as_of`, `entity_at`,
    `columns`, `max_age`, `says`, `content`, `operation`, `target`, `output_schema`, `once_per`,
    `settled_by`, `once_key`). `@gw.tool` and `@gw.tool(...)` both do.

    Raises:
        PolicyError: a key or value that `groundwire.toml` would be refused for, an argument that
            the function does not have, or two declarations of one tool that differ; `not-a-tool`.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        called: object = getattr(function, "__name__", None) if name is None else name
        runs: object = function
        if not callable(runs) or not isinstance(called, str):
            raise PolicyError(
                "not-a-tool",
                f"{function!r:.60} cannot be declared as a tool; write @gw.tool(effect=...) above a"
                " `def`, or give a name=... too.",
            )
        declaration = declare_tool(called, keys)
        _demand_arguments(function, declaration)
        merge(_declared, (declaration,))
        if keys.get("content") is None:
            _silent.add(called)
        return recorded(function, called)

    return declare if function is None else declare(function)


def declared(content: Content = "full") -> tuple[ToolDeclaration, ...]:
    """Every declaration made by `tool` in this process so far, by name.

    `content` holds for those that say nothing of their own.
    """
    return tuple(
        msgspec.structs.replace(_declared[name], content=content)
        if name in _silent
        else _declared[name]
        for name in sorted(_declared)
    )


def merge(into: dict[str, ToolDeclaration], more: Iterable[ToolDeclaration]) -> None:
    """`into` has every declaration of `more`. Of two effects of one tool the stricter holds.

    Raises:
        PolicyError: one tool is declared twice, and the two differ in more than that.
    """
    for declaration in more:
        known = into.get(declaration.name)
        into[declaration.name] = declaration if known is None else _joined(known, declaration)


def stated_effects(policy: Iterable[ToolDeclaration]) -> dict[str, tuple[Stated, ...]]:
    """For each tool the effects that the policy and code declare, each with who says it."""
    found: dict[str, tuple[Stated, ...]] = {}
    for where, tools in (("the policy", policy), ("@gw.tool", _declared.values())):
        for each in tools:
            found[each.name] = (*found.get(each.name, ()), Stated(where, each.effect))
    return found


def _joined(one: ToolDeclaration, other: ToolDeclaration) -> ToolDeclaration:
    differing = [key for key in one.__struct_fields__ if getattr(one, key) != getattr(other, key)]
    milder, stricter = sorted((one, other), key=lambda each: rank(each.effect))
    if set(differing) <= {"effect", "operation"} and milder.operation in {"", stricter.operation}:
        return stricter
    raise PolicyError(
        "declared-twice",
        f"tool {one.name!r} is declared twice, and they differ in {', '.join(differing)}: keep "
        "one declaration, in groundwire.toml or by @gw.tool, or make the two the same",
    )


def _demand_arguments(function: Callable[..., object], declaration: ToolDeclaration) -> None:
    """Every argument that is spoken of is a parameter of the function, where that can be told."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return  # built in: it does not say
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return
    spoken = [source.argument for source in declaration.arguments] + list(declaration.volatile)
    spoken += [*declaration.once_per, *filter(None, (declaration.once_key,))]
    for argument in spoken:
        first = argument.split(".")[0].removesuffix("[*]")
        if first not in parameters:
            near = nearest(first, parameters)
            hint = f"the nearest is {near!r}" if near else "it has none"
            raise PolicyError(
                "no-such-argument",
                f"tool {declaration.name!r} has no argument {first!r}; {hint}. Declare arguments "
                "by the names that the model gives them",
            )
