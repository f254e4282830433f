"""What it does to those who ask that an operation's servers are others."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.contracts.openapi.exchanges.addresses.matching import Pair
from groundwire.contracts.openapi.exchanges.addresses.servers import Server
from groundwire.contracts.openapi.exchanges.told import Scene, Told, quoted
from groundwire.contracts.openapi.finding import Finding

_INSTEAD = "Keep the old server beside the new one."


def compare_servers(pair: Pair) -> Iterator[Told]:
    """What became of the servers of an operation that is in both.

    A server that is gone breaks whoever asked there, unless it was a machine's own. One that is
    the same but for its transport is no break: plain HTTP is an exposure, HTTPS a risk for those
    who do not follow. Of a server without a host it is not known where it is, so it may be any.
    """
    for server in pair.missing:
        insecure = [each for each in pair.new.servers if _only_transport(server, each)]
        if not insecure:
            yield _gone(server, pair)
        elif server.is_open:
            yield _secured(server, insecure[0])
    if any(each.is_secure for each in pair.old.servers) and not any(
        each.is_open for each in pair.old.servers
    ):
        for each in pair.new.servers:
            if each.is_open:
                yield _opened(pair, each)
    for each in pair.new.servers:
        if not any(each.is_at(past) for past in pair.old.servers):
            says = f"The server {quoted(each.url)} is there too."
            yield Told(
                Finding(
                    rule="server-added",
                    grade="noted",
                    says=says,
                    before=_list_of(pair.old.servers),
                    after=each.pointer,
                )
            )


def _only_transport(one: Server, other: Server) -> bool:
    return bool(one.host) and one.is_at(other) and bool(set(one.paths) & set(other.paths))


def _scene(server: Server, before: str, after: str) -> Scene:
    return Scene(before=before, after=after, host=server.usual_host, base=server.usual_path)


def _gone(server: Server, pair: Pair) -> Told:
    hosted = any(each.is_at(server) for each in pair.new.servers)
    says = f"The server {quoted(server.url)} is no longer one."
    if hosted:
        says = f"Requests go to another base path than that of {quoted(server.url)}."
    finding = Finding(
        rule="server-base-path-changed" if hosted else "server-removed",
        grade="noted" if server.is_local else "breaking",
        says=says,
        before=server.pointer,
        after=_list_of(pair.new.servers),
        instead=_INSTEAD,
    )
    return Told(finding, _scene(server, "accepted", "answered by no operation"))


def _secured(server: Server, other: Server) -> Told:
    finding = Finding(
        rule="server-became-secure",
        grade="risky",
        says=f"The server {quoted(server.url)} is spoken to over HTTPS only.",
        before=server.pointer,
        after=other.pointer,
        instead="Keep redirecting those who ask over plain HTTP.",
    )
    return Told(finding, _scene(server, "accepted over plain HTTP", "taken over HTTPS only"))


def _opened(pair: Pair, server: Server) -> Told:
    past = next((each for each in pair.old.servers if each.is_at(server)), None)
    finding = Finding(
        rule="server-became-open",
        grade="exposure",
        says=f"The server {quoted(server.url)} is spoken to over plain HTTP.",
        before=past.pointer if past else _list_of(pair.old.servers),
        after=server.pointer,
        instead="Name HTTPS servers only.",
    )
    return Told(finding, _scene(server, "sent over HTTPS only", "sent over plain HTTP"))


def _list_of(servers: tuple[Server, ...]) -> str:
    """The pointer of the list that they stand in; empty where there is none."""
    return servers[0].pointer.rpartition("/")[0]
