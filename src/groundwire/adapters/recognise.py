"""Recognise: which adapter watches a client."""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar

from groundwire.adapters.hooks import unknown_client
from groundwire.session.watching import Watcher

Client = TypeVar("Client")

_ADAPTERS = ("openai", "anthropic")


def watch(client: Client, watcher: Watcher) -> Client:
    """The same client object, whose requests are told to this watcher from now on.

    Watching twice changes nothing but the watcher: the latest is told, and no exchange twice.
    Copies (`with_options`, `copy`, `with_middleware`) stay watched. No SDK is imported that the
    client is not from.

    Raises:
        PolicyError: `unknown-client`, naming what can be watched; `untappable-transport`.
    """
    for kind in type(client).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in _ADAPTERS:
            watched: Client = import_module(f"groundwire.adapters.{root}").watch(client, watcher)
            return watched
    raise unknown_client(client)
