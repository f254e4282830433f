"""Servers: where an API is, each alternative of its variables by itself."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.exchanges.addresses.templates import shape, variables
from groundwire.contracts.openapi.resolving import Resolver, join

# How many alternatives of one server are told apart.
MAX_ALTERNATIVES = 64
_URL = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.\-{}]*):)?//([^/?#]*)([^?#]*)")
_LOCAL = re.compile(r"localhost|.*\.localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0")
_SECURE = frozenset({"https", "wss"})
_PORTS = {"https": ":443", "http": ":80", "wss": ":443", "ws": ":80"}


class Server(msgspec.Struct, frozen=True):
    """One place where an API is. Without `host` it is where the description was found.

    Variables that may stand for anything are `{}` in `host` and `path`; `usual_host` and
    `usual_path` have their defaults. A path does not end in a slash.
    """

    scheme: str
    host: str
    path: str
    usual_host: str
    usual_path: str
    pointer: str

    @property
    def url(self) -> str:
        """How it is written, with the defaults of its variables."""
        origin = f"{self.scheme}://{self.usual_host}" if self.usual_host else ""
        return f"{origin}{self.usual_path}" or "/"

    @property
    def is_open(self) -> bool:
        """Whether what is sent to it can be read on the way."""
        return bool(self.host) and self.scheme not in _SECURE and not self.is_local

    @property
    def is_secure(self) -> bool:
        """Whether it is spoken to over TLS."""
        return self.scheme in _SECURE

    @property
    def is_local(self) -> bool:
        """Whether it is a machine's own, which nobody else can use."""
        host = re.sub(r":\d+$", "", self.usual_host)
        return _LOCAL.fullmatch(host) is not None

    def is_at(self, other: Server) -> bool:
        """Whether both are on the same host; of one that is not known it cannot be said."""
        if not self.host or not other.host:
            return True
        return self.host == other.host or self.usual_host == other.usual_host

    def is_spoken_to_like(self, other: Server) -> bool:
        """Whether both are spoken to by the same scheme, as far as that is known."""
        return not self.scheme or not other.scheme or self.scheme == other.scheme

    @property
    def paths(self) -> tuple[str, ...]:
        """The base path, with its variables and with their defaults."""
        return (self.path,) if self.path == self.usual_path else (self.path, self.usual_path)


NOWHERE = Server("", "", "", "", "", "")
"""The server of a description that names none."""


class Servers:
    """Reads lists of servers of one description; each once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[str, tuple[Server, ...]] = {}

    def at(self, owner: str, members: Mapping[str, JSON]) -> tuple[Server, ...]:
        """Those that the object at `owner` says it has; empty where it says nothing."""
        listed = members.get("servers")
        if not isinstance(listed, list | tuple) or not listed:
            return ()
        pointer = join(owner, "servers")
        found = self._known.get(pointer)
        if found is None:
            read = (
                each
                for index in range(len(listed))
                for each in _read(self._resolver, join(pointer, str(index)))
            )
            found = self._known[pointer] = tuple(read)
        return found


def _read(resolver: Resolver, pointer: str) -> Iterator[Server]:
    members = resolver.at(pointer).members
    url = members.get("url")
    if not isinstance(url, str):
        return
    named = members.get("variables")
    choices = named if isinstance(named, Mapping) else {}
    values: dict[str, tuple[str, ...]] = {}
    usual: dict[str, str] = {}
    count = 1
    for name in dict.fromkeys(variables(url)):
        listed, default = _choices(choices.get(name))
        count *= max(1, len(listed))
        usual[name] = default
        values[name] = listed if listed and count <= MAX_ALTERNATIVES else ()
    closed = [name for name, listed in values.items() if listed]
    for chosen in itertools.product(*(values[name] for name in closed)):
        fixed = dict(zip(closed, chosen, strict=True))
        yield _server(_put(url, fixed), usual, pointer)


def _choices(variable: JSON) -> tuple[tuple[str, ...], str]:
    if not isinstance(variable, Mapping):
        return (), ""
    listed, default = variable.get("enum"), variable.get("default")
    found = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    return tuple(dict.fromkeys(found)), default if isinstance(default, str) else ""


def _put(url: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        url = url.replace(f"{{{name}}}", value)
    return url


def _server(url: str, usual: Mapping[str, str], pointer: str) -> Server:
    scheme, host, path = _split(shape(url))
    usual_scheme, usual_host, usual_path = _split(_put(url, usual))
    return Server(
        usual_scheme or scheme, host, path, usual_host or host, usual_path or path, pointer
    )


def _split(url: str) -> tuple[str, str, str]:
    """Scheme, host with a port that is not the usual one, and path, of a URL or a part of one."""
    found = _URL.match(url)
    if found is None:
        path = re.split(r"[?#]", url, maxsplit=1)[0]
        return "", "", _trimmed(path)
    scheme = (found[1] or "").lower()
    host = found[2].rpartition("@")[2].lower().removesuffix(_PORTS.get(scheme, "\n"))
    return scheme, host, _trimmed(found[3])


def _trimmed(path: str) -> str:
    path = path.removeprefix("./").strip("/")
    return f"/{path}" if path and path != "." else ""
