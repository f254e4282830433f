"""Hooks: what makes a client of a Stainless-made SDK (openai, anthropic) a watched one.

A watched client is the same object. Its class becomes a child of the one it had, of the same
name, whose `request` says who is watching and what was composed, and whose copies stay watched.
`request` is public in both SDKs, holds the retry loop, and gets the call's arguments before they
are serialised (`options.json_data`, and `options.extra_json` for `extra_body`): the channel of
what the host composed, read apart from the body that leaves.

Fences: options without `json_data` are told as not read (`composed(None)`); a client without
`request` or without an HTTP client in `_client` is refused when it is to be watched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from groundwire.adapters.crossing import BROKEN, Stopped, tell
from groundwire.adapters.tap import install, stop_watching, watching_here
from groundwire.errors import PolicyError
from groundwire.session.watching import Watcher

Client = TypeVar("Client")
ToolNames: TypeAlias = Callable[[Mapping[str, Any]], Sequence[str] | None]
Methods: TypeAlias = Callable[[Any], dict[str, Any]]

_MARK = "_groundwire_watching"
_ABSENT = frozenset({"NoneType", "NotGiven", "Omit"})  # what both SDKs call "no value"


class Watching:
    """Who watches a client and its copies, and how its tools are named."""

    __slots__ = ("methods", "tool_names", "watcher")

    def __init__(self, watcher: Watcher, tool_names: ToolNames, methods: Methods) -> None:
        self.watcher = watcher
        self.tool_names = tool_names
        self.methods = methods


def hook(client: Client, watcher: Watcher, tool_names: ToolNames, methods: Methods) -> Client:
    """The same client, watched; one that is watched already, with its copies, changes watcher.

    Raises:
        PolicyError: `unknown-client`, where the SDK's version lacks what is hooked;
            `untappable-transport`, from the tap.
    """
    watching = vars(client).get(_MARK)
    if watching is not None:
        watching.watcher = watcher
        return client
    if not callable(getattr(type(client), "request", None)) or "_client" not in vars(client):
        raise unknown_client(client)
    install(vars(client)["_client"])
    return _marked(client, Watching(watcher, tool_names, methods))


def unknown_client(client: object) -> PolicyError:
    """The refusal of an object that no adapter here can watch."""
    kind = type(client)
    return PolicyError(
        "unknown-client",
        f"groundwire does not know how to watch {kind.__module__}.{kind.__qualname__}. Pass the "
        "SDK's client itself: openai.OpenAI, openai.AsyncOpenAI (Azure's too, from 1.0), "
        "anthropic.Anthropic or anthropic.AsyncAnthropic.",
    )


def _marked(client: Client, watching: Watching) -> Client:
    kind: type = type(client)
    if _MARK not in vars(kind):
        client.__class__ = _watched_class(kind, watching.methods)
    vars(client)[_MARK] = watching
    return client


@cache
def _watched_class(kind: type, methods: Methods) -> type:
    # A single parent: only then may an instance change to the class.
    kept = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(kind.__name__, (kind,), {**methods(kind), **kept, _MARK: None})


class Composing:
    """While it is open, requests are this SDK call's, and its watcher knows the tools composed."""

    def __init__(self, client: object, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._client = client
        options = named.get("options", arguments[1] if len(arguments) > 1 else None)
        self._options = options
        self._told: AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        watching = vars(self._client).get(_MARK)
        self._token = watching_here.set(watching and watching.watcher)
        if watching is None or str(getattr(self._options, "method", "post")).lower() != "post":
            return
        tell(install, vars(self._client)["_client"])  # a transport may have been exchanged
        tools = tell(_composed_tools, self._options, watching.tool_names)
        told = tell(watching.watcher.composed, None if tools is BROKEN else tools)
        if told is not BROKEN and tell(told.__enter__) is not BROKEN:
            self._told = told

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        stop_watching(self._token)
        if self._told is not None:
            tell(self._told.__exit__, None, None, None)
        if isinstance(error, Stopped):
            raise error.error from None


def _composed_tools(options: Any, tool_names: ToolNames) -> Sequence[str] | None:
    body = getattr(options, "json_data", None)
    extra = getattr(options, "extra_json", None) or {}
    if not isinstance(body, Mapping):
        return None
    return tool_names({**body, **extra})


def listed_names(value: Any) -> tuple[str, ...] | None:
    """The names of the tools in one argument, in order; None where they cannot all be read.

    A tool is called by its `name`, by that of its `function` or `custom` part, and where it has
    none (one that the provider runs) by its `type`; the tools of a namespace by their own names.
    An iterator is not used up: it is not read.
    """
    if type(value).__name__ in _ABSENT:
        return ()
    if not isinstance(value, list | tuple):
        return None
    names: list[str] = []
    for tool in value:
        inner = _at(tool, "tools") if _at(tool, "type") == "namespace" else None
        found = _names_of(tool) if inner is None else listed_names(inner)
        if found is None:
            return None
        names += found
    return tuple(names)


def _names_of(tool: Any) -> tuple[str] | None:
    inside = (_at(_at(tool, kind), "name") for kind in ("function", "custom"))
    names = (_at(tool, "name"), *inside, _at(tool, "type"))
    return next(((name,) for name in names if isinstance(name, str)), None)


def _at(thing: Any, key: str) -> Any:
    """A mapping's value or an object's attribute: the SDKs take tools as either."""
    return thing.get(key) if isinstance(thing, Mapping) else getattr(thing, key, None)


def sync_methods(kind: Any) -> dict[str, Any]:
    """What a watched client of this class does otherwise than before."""

    def request(self: Any, *arguments: Any, **named: Any) -> Any:
        with Composing(self, arguments, named):
            return kind.request(self, *arguments, **named)

    return {"request": request, **_copying(kind)}


def async_methods(kind: Any) -> dict[str, Any]:
    """What a watched client of this class does otherwise than before, awaited."""

    async def request(self: Any, *arguments: Any, **named: Any) -> Any:
        with Composing(self, arguments, named):
            return await kind.request(self, *arguments, **named)

    return {"request": request, **_copying(kind)}


def _copying(kind: Any) -> dict[str, Any]:
    def copy(self: Any, *arguments: Any, **named: Any) -> Any:
        return _as_watched_as(self, kind.copy(self, *arguments, **named))

    def with_options(self: Any, *arguments: Any, **named: Any) -> Any:
        return _as_watched_as(self, kind.with_options(self, *arguments, **named))

    return {"copy": copy, "with_options": with_options}


def _as_watched_as(client: Any, copied: Any) -> Any:
    watching = vars(client).get(_MARK)
    return copied if watching is None else _marked(copied, watching)
