"""Security schemes by what they are: which credential is shown, where, and how it is come by."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.values import identity
from groundwire.contracts.openapi.exchanges.told import Credential
from groundwire.contracts.openapi.resolving import Resolved, Resolver, join

# A way to come by a credential: the flow's name and its addresses, without the transport.
_Way = tuple[str, ...]
_BEARERS = frozenset({"oauth2", "openIdConnect"})
_ADDRESSES: Mapping[str, tuple[str, ...]] = {
    "implicit": ("authorizationUrl",),
    "password": ("tokenUrl",),
    "clientCredentials": ("tokenUrl",),
    "authorizationCode": ("authorizationUrl", "tokenUrl"),
    "deviceAuthorization": ("deviceAuthorizationUrl", "tokenUrl"),
}
_TRANSPORT = re.compile(r"https?://", re.IGNORECASE)
_SAFE = re.compile(r"[A-Za-z0-9_.:/*+-]{1,64}")


class Scheme(msgspec.Struct, frozen=True):
    """`kind` is how a credential looks in a request; `ways` how it is come by, where that is said.

    With `reason` it is not known what the scheme is. `open_ways` are addresses over plain HTTP.
    `field` is how the name of a key is written.
    """

    name: str
    pointer: str
    kind: tuple[object, ...]
    ways: frozenset[_Way] = frozenset()
    open_ways: frozenset[str] = frozenset()
    secure_ways: frozenset[str] = frozenset()
    field: str = ""
    reason: str = ""

    def admits(self, holder: Scheme) -> bool:
        """Whether a credential of `holder`, however it was come by, is one of this scheme."""
        if self.kind[0] == "unread":
            return False
        return self.kind == holder.kind and holder.ways <= self.ways

    def may_admit(self, holder: Scheme) -> bool:
        """Whether it may be, as both look alike in a request and one is not known."""
        if self.admits(holder):
            return False
        if self.reason or holder.reason:
            return self.kind != holder.kind or self.kind[0] == "unread"
        return self.kind != holder.kind and self._is_bearer and holder._is_bearer

    @property
    def _is_bearer(self) -> bool:
        return self.kind[0] in _BEARERS or self.kind == ("http", "bearer")

    @property
    def strength(self) -> int:
        """3 for a certificate, 1 for a password or a key that shows in addresses, else 2."""
        if self.kind[0] == "mutualTLS":
            return 3
        return 1 if self.kind == ("http", "basic") or self.kind[:2] == ("apiKey", "query") else 2

    def placeholder(self, scopes: frozenset[str]) -> Credential | None:
        """Where and as what a made-up credential stands; None where it is in no field."""
        match self.kind:
            case ("apiKey", str(place), _):
                return Credential(place, (self.field, "<key>"))
            case ("http", "basic"):
                return Credential("header", ("Authorization", "Basic <user and password>"))
            case ("http", "bearer") | ("oauth2",) | ("openIdConnect",):
                named = sorted(each if _SAFE.fullmatch(each) else "…" for each in scopes)
                with_scopes = f" for {' '.join(named)}" if named else ""
                return Credential("header", ("Authorization", f"Bearer <token{with_scopes}>"))
            case ("http", str(scheme)) if _SAFE.fullmatch(scheme):
                return Credential(
                    "header", ("Authorization", f"{scheme.capitalize()} <credential>")
                )
            case _:
                return None


def scheme_named(resolver: Resolver, name: str) -> Scheme:
    """The scheme that a requirement calls `name`; one that is nowhere has a reason."""
    pointer = join("#/components/securitySchemes", name)
    found = resolver.at(pointer)
    if found.reason == "reference-dangling" and found.pointer == pointer:
        return Scheme(name, "", ("undefined", name), reason="security-scheme-undefined")
    if not isinstance(found.value, Mapping):
        reason = found.reason or "not-an-object"
        return Scheme(name, pointer, ("unread", name), reason=reason)
    return _read(name, found)


def _read(name: str, found: Resolved) -> Scheme:
    members = found.members
    match members.get("type"):
        case "apiKey":
            place, field = members.get("in"), members.get("name")
            if isinstance(place, str) and isinstance(field, str):
                key = field.lower() if place == "header" else field
                return Scheme(name, found.pointer, ("apiKey", place, key), field=field)
        case "http":
            scheme = members.get("scheme")
            if isinstance(scheme, str):
                return Scheme(name, found.pointer, ("http", scheme.lower()))
        case "mutualTLS":
            return Scheme(name, found.pointer, ("mutualTLS",))
        case "openIdConnect":
            url = members.get("openIdConnectUrl")
            return _bearer(name, found, "openIdConnect", {("openIdConnect", "url"): url})
        case "oauth2":
            return _bearer(name, found, "oauth2", _flows(members.get("flows")))
        case _:
            pass
    # What is no known scheme is like another only where both say the same.
    said = {key: value for key, value in members.items() if key != "description"}
    return Scheme(name, found.pointer, ("other", identity(said)))


def _flows(flows: JSON) -> dict[tuple[str, str], JSON]:
    if not isinstance(flows, Mapping):
        return {}
    return {
        (flow, each): members.get(each, "")
        for flow, members in flows.items()
        if isinstance(members, Mapping)
        for each in _ADDRESSES.get(flow, ())
    }


def _bearer(name: str, found: Resolved, kind: str, urls: Mapping[tuple[str, str], JSON]) -> Scheme:
    ways: dict[str, list[str]] = {}
    texts = {place: url for place, url in sorted(urls.items()) if isinstance(url, str)}
    for (flow, place), url in texts.items():
        ways.setdefault(flow, []).append(f"{place}={_TRANSPORT.sub('//', url, count=1)}")
    stripped = {url: _TRANSPORT.sub("//", url, count=1) for url in texts.values()}
    plain = {rest for url, rest in stripped.items() if url.lower().startswith("http://")}
    secure = {rest for url, rest in stripped.items() if url.lower().startswith("https://")}
    return Scheme(
        name,
        found.pointer,
        (kind,),
        frozenset((flow, *places) for flow, places in ways.items()),
        frozenset(plain),
        frozenset(secure),
    )
