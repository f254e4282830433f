"""The operations of a description: each method of each path, with the servers where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.addresses.servers import NOWHERE, Server, Servers
from groundwire.contracts.openapi.exchanges.addresses.templates import shape
from groundwire.contracts.openapi.resolving import Resolved, Resolver, join

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_SPEAKING = frozenset({*METHODS, "additionalOperations", "parameters", "servers"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})


class Operation(msgspec.Struct, frozen=True):
    """One method of one path. `item` is the pointer of the path item that it stands in.

    `path` is the pointer by which the path, webhook or callback is named: that of its entry.
    """

    method: str
    template: str
    pointer: str
    item: str
    path: str
    members: Mapping[str, JSON]
    servers: tuple[Server, ...] = (NOWHERE,)

    @property
    def label(self) -> str:
        """How the operation is named among those that a change reaches."""
        return f"{self.method} {self.template}"

    @property
    def shapes(self) -> tuple[str, ...]:
        """The shape of the whole path, at each of its servers."""
        own = shape(self.template)
        return tuple(dict.fromkeys(base + own for each in self.servers for base in each.paths))


class Unread(msgspec.Struct, frozen=True):
    """A path item or operation of which it is not known what it holds.

    Without `method`, all of the path item; without `template`, all paths.
    """

    template: str
    pointer: str
    reason: str
    method: str = ""


def operations(resolver: Resolver) -> Iterator[Operation | Unread]:
    """Those of `paths`, in the document's order."""
    root = resolver.at("#")
    servers = Servers(resolver)
    everywhere = servers.at("#", root.members) or (NOWHERE,)
    if "paths" not in root.members:
        return
    paths = resolver.at("#/paths")
    if not isinstance(paths.value, Mapping):
        yield Unread("", paths.pointer, paths.reason or "not-an-object")
    for template in paths.members:
        if not template.startswith("x-"):
            path = join(paths.pointer, template)
            yield from in_item(resolver, path, template, servers, everywhere)


def in_item(
    resolver: Resolver,
    path: str,
    named: str,
    servers: Servers | None = None,
    everywhere: tuple[Server, ...] = (NOWHERE,),
) -> Iterator[Operation | Unread]:
    """Those of the path item which the entry at pointer `path`, called `named`, leads to."""
    item = resolver.at(path)
    if not isinstance(item.value, Mapping):
        yield Unread(named, path, item.reason or "not-an-object")
        return
    if item.pointer != path and _SPEAKING & resolver.written(path).members.keys():
        # What holds where both the reference and what it leads to speak is not defined.
        yield Unread(named, path, "reference-with-siblings")
        return
    here = everywhere
    if servers is not None:
        here = servers.at(item.pointer, item.members) or everywhere
    for method, found in _methods(resolver, item):
        if not isinstance(found.value, Mapping):
            yield Unread(named, found.pointer, found.reason or "not-an-object", method)
            continue
        own = () if servers is None else servers.at(found.pointer, found.members)
        yield Operation(
            method, named, found.pointer, item.pointer, path, found.members, own or here
        )


def _methods(resolver: Resolver, item: Resolved) -> Iterator[tuple[str, Resolved]]:
    for method in METHODS:
        if method in item.members:
            yield method.upper(), resolver.below(item, method)
    if "additionalOperations" in item.members:
        more = resolver.below(item, "additionalOperations")
        for method in more.members:
            yield method, resolver.below(more, method)
