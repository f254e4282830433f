"""OpenAI: watches the clients of the `openai` package, 1.0 and later, on httpx or httpx2.

Seen: every JSON request of every resource, streamed or not, through the stream helpers, `parse`,
`with_raw_response` and `with_streaming_response`, each retry apart; Azure's clients too.

Not seen: responses and realtime over WebSocket; files, uploads and audio (no JSON); what a batch
runs later. See also the tap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import openai as sdk

from groundwire.adapters.hooks import (
    async_methods,
    hook,
    listed_names,
    sync_methods,
    unknown_client,
)
from groundwire.session.watching import Watcher

Client = TypeVar("Client")


def watch(client: Client, watcher: Watcher) -> Client:
    """The same client, whose requests are told to this watcher.

    Raises:
        PolicyError: `unknown-client`; `untappable-transport`.
    """
    if isinstance(client, sdk.OpenAI):
        return hook(client, watcher, composed_tools, sync_methods)
    if isinstance(client, sdk.AsyncOpenAI):
        return hook(client, watcher, composed_tools, async_methods)
    raise unknown_client(client)


def composed_tools(arguments: Mapping[str, Any]) -> Sequence[str] | None:
    """The names of the tools in a call's arguments, in order; None where they cannot be read.

    `functions` is the older spelling of chat completions and is read after `tools`.
    """
    tools = listed_names(arguments.get("tools"))
    functions = listed_names(arguments.get("functions"))
    return None if tools is None or functions is None else (*tools, *functions)
