"""Wrapping: a function that tells the run what it ran with and returned, and is the same otherwise."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import ParamSpec, Protocol, TypeVar

from groundwire.session.executions.values import Rendered, arguments_of, json_of
from groundwire.session.live.binding import Within, current_session

P = ParamSpec("P")
R = TypeVar("R")


# Each wrapped function with the name that it tells the run.
_RECORDED: weakref.WeakKeyDictionary[Callable[..., object], str] = weakref.WeakKeyDictionary()


class Listener(Protocol):
    """What a wrapped function needs of a run. It raises nothing."""

    def ran(
        self, name: str, arguments: Rendered, result: object, error: BaseException | None
    ) -> None:
        """A function of this name ran with these arguments, and returned or raised."""


def recorded(function: Callable[P, R], name: str) -> Callable[P, R]:
    """The function, which tells the session it is called in what it ran with and returned.

    Its signature, name, docstring and what it does and raises stay as they are. Outside a session it
    costs one look-up and tells nobody. Generators and whatever is no plain function are returned
    unchanged and not recorded, nor is what a plain function returns to be awaited: their work is
    done when nobody is looking.

    Threads that a framework starts without a copy of the context are outside the session.
    """
    if (
        not inspect.isfunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    ):
        return function
    signature = inspect.signature(function)
    wrapped = _sync(function, name, signature)
    if inspect.iscoroutinefunction(function):
        wrapped = _async(function, name, signature)
    functools.update_wrapper(wrapped, function)
    # Where wrappers are not looked through, the function's own parameters are to be seen too.
    vars(wrapped)["__signature__"] = signature
    _RECORDED[wrapped] = name
    return wrapped


def is_recorded(function: object) -> bool:
    """Whether this is a function that `recorded` made, which tells by itself what it ran with."""
    return inspect.isfunction(function) and function in _RECORDED


def recorded_name(function: object) -> str | None:
    """The name under which `recorded` wrapped this function; None where it did not."""
    return _RECORDED.get(function) if inspect.isfunction(function) else None


_told_by_guard: ContextVar[str] = ContextVar("groundwire_told_by_guard", default="")


def told_by_the_guard(name: str) -> Within[str]:
    """The next call of the function of this name is told of by the guard that runs it, not by itself."""
    return Within(_told_by_guard, name)


def _sync(function: Callable[P, R], name: str, signature: inspect.Signature) -> Callable[P, R]:
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        run = _listener(name)
        if run is None:
            return function(*args, **kwargs)
        # Before it runs: a function may change what it was given.
        given = _bound(signature, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            run.ran(name, given, None, error)
            raise
        if not inspect.isawaitable(result):
            run.ran(name, given, result, None)
        return result

    return wrapper


def _async(
    function: Callable[P, Awaitable[R]], name: str, signature: inspect.Signature
) -> Callable[P, Awaitable[R]]:
    async def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        run = _listener(name)
        if run is None:
            return await function(*args, **kwargs)
        given = _bound(signature, args, kwargs)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            run.ran(name, given, None, error)
            raise
        run.ran(name, given, result, None)
        return result

    return wrapper


def _listener(name: str) -> Listener | None:
    if _told_by_guard.get() == name:
        _told_by_guard.set("")  # what it calls itself tells of itself
        return None
    run = current_session.get()
    return run if run is not None and run.is_open else None


def _bound(
    signature: inspect.Signature, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> Rendered:
    """The arguments by the names of their parameters, as JSON; defaults that apply are not among them.

    The first parameter is left out where its value has no JSON: it is the object of a method, or a
    context that a framework hands in, and no model chose it.
    """
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return Rendered(None, reason="no-json")
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            bound |= bound.pop(parameter.name, {})
    rendered = arguments_of(bound)
    first = next(iter(bound), None)
    if rendered.reason == "no-json" and first is not None and json_of(bound[first]).text is None:
        del bound[first]
        return arguments_of(bound)
    return rendered
