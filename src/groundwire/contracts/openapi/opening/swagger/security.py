"""Security schemes and servers of 2.0 as 3.0 writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.swagger.parameters import Object
from groundwire.contracts.openapi.opening.swagger.trail import Trail, texts
from groundwire.contracts.openapi.resolving import join

_FLOWS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "implicit": ("implicit", ("authorizationUrl",)),
    "password": ("password", ("tokenUrl",)),
    "application": ("clientCredentials", ("tokenUrl",)),
    "accessCode": ("authorizationCode", ("authorizationUrl", "tokenUrl")),
}
_OF_FLOW: Final = frozenset({"type", "flow", "authorizationUrl", "tokenUrl", "scopes"})


def security_scheme(old: JSON, new: str, before: str, trail: Trail) -> JSON:
    """The scheme in the form of 3.0; one that is not known is not read."""
    trail.made(new, before)
    if not isinstance(old, dict):
        trail.not_read(new, "invalid-security-scheme")
        return {}
    match old.get("type"):
        case "basic":
            return {**old, "type": "http", "scheme": "basic"}
        case "apiKey":
            return old
        case "oauth2":
            return _oauth2(old, new, before, trail)
        case _:
            trail.not_read(new, "security-scheme-unknown")
            return old


def _oauth2(old: Object, new: str, before: str, trail: Trail) -> JSON:
    kept: dict[str, JSON] = {name: each for name, each in old.items() if name not in _OF_FLOW}
    flow = old.get("flow")
    found = _FLOWS.get(flow) if isinstance(flow, str) else None
    if found is None:
        trail.not_read(new, "security-flow-unknown")
        return {**kept, "type": "oauth2", "flows": {}}
    name, urls = found
    made: dict[str, JSON] = {url: old[url] for url in urls if url in old}
    made["scopes"] = old.get("scopes", {})
    trail.made(join(new, "flows", name), before)
    return {**kept, "type": "oauth2", "flows": {name: made}}


def servers(root: Object, schemes: JSON, pointer: str, trail: Trail) -> JSON:
    """The servers that host, base path and schemes are together; they will stand at `pointer`."""
    host, path = root.get("host"), root.get("basePath", "")
    named = [] if schemes is None else texts(schemes)
    if not isinstance(path, str) or not isinstance(host, str | None) or named is None:
        trail.not_read(pointer, "invalid-servers")
        return []
    path = "/" + path.strip("/") if path.strip("/") else ""
    if host is None:
        urls = [path or "/"]
    else:
        urls = [f"{scheme}://{host}{path}" for scheme in named] or [f"//{host}{path}"]
    for index in range(len(urls)):
        source = "host" if host is not None else "basePath"
        trail.made(join(pointer, str(index)), join("#", source))
    return [{"url": url} for url in urls]
