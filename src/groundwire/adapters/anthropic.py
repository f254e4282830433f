"""Anthropic: watches the clients of the `anthropic` package, on httpx (0.x) or httpx2 (1.0 on).

Seen: every JSON request of every resource, streamed or not, through the stream helpers, tool
runners, `with_raw_response` and `with_streaming_response`, each retry apart, and the requests
that a middleware makes, also while a stream is being read.

Not seen: files (no JSON); what a message batch runs later. The clients for Bedrock and Vertex
speak other protocols and are refused. See also the tap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import anthropic as sdk

from groundwire.adapters.hooks import (
    Composing,
    async_methods,
    hook,
    listed_names,
    sync_methods,
    unknown_client,
)
from groundwire.adapters.tap import watching_here
from groundwire.session.watching import Watcher

Client = TypeVar("Client")


def watch(client: Client, watcher: Watcher) -> Client:
    """The same client, whose requests are told to this watcher.

    Raises:
        PolicyError: `unknown-client`; `untappable-transport`.
    """
    if isinstance(client, sdk.Anthropic):
        return hook(client, watcher, composed_tools, _sync_methods)
    if isinstance(client, sdk.AsyncAnthropic):
        return hook(client, watcher, composed_tools, _async_methods)
    raise unknown_client(client)


def composed_tools(arguments: Mapping[str, Any]) -> Sequence[str] | None:
    """The names of the tools in a call's arguments, in order; None where they cannot be read."""
    return listed_names(arguments.get("tools"))


# A middleware may send further requests while the caller reads a stream, after `request` has
# returned; the SDK (from 0.108) sends each of them through `_attempt_request`. Older ones have no
# such method and never call these.


def _sync_methods(kind: Any) -> dict[str, Any]:
    def attempt(self: Any, options: Any, *arguments: Any, **named: Any) -> Any:
        if watching_here.get() is not None:
            return kind._attempt_request(self, options, *arguments, **named)  # noqa: SLF001 -- hooked
        with Composing(self, (None, options), {}):
            return kind._attempt_request(self, options, *arguments, **named)  # noqa: SLF001 -- hooked

    return {"_attempt_request": attempt, **sync_methods(kind)}


def _async_methods(kind: Any) -> dict[str, Any]:
    async def attempt(self: Any, options: Any, *arguments: Any, **named: Any) -> Any:
        if watching_here.get() is not None:
            return await kind._attempt_request(self, options, *arguments, **named)  # noqa: SLF001 -- hooked
        with Composing(self, (None, options), {}):
            return await kind._attempt_request(self, options, *arguments, **named)  # noqa: SLF001 -- hooked

    return {"_attempt_request": attempt, **async_methods(kind)}
