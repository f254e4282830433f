"""Providers: which wire protocol an endpoint speaks."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

Provider: TypeAlias = Literal["openai-chat", "openai-responses", "anthropic"]

# The last segments of a path, whatever gateway, region or version stands before them.
_ENDINGS: tuple[tuple[tuple[str, ...], Provider], ...] = (
    (("chat", "completions"), "openai-chat"),
    (("responses",), "openai-responses"),
    (("v1", "messages"), "anthropic"),
)
# Hosts where the ending means something else: threads of the OpenAI assistants have messages too.
_NOT_THERE: frozenset[tuple[str, Provider]] = frozenset({("api.openai.com", "anthropic")})


# A client sends to the same address again and again.
@lru_cache(maxsize=64)
def recognise(host: str, path: str) -> Provider | None:
    """The protocol spoken at this address, or None where this version reads none there.

    Looks at the path's last segments, so gateways and self-hosted servers are known by what they
    imitate. Does not look at the body, and does not prove that the other side keeps to the protocol.
    """
    segments = tuple(part for part in _bare(path).split("/") if part)
    for ending, provider in _ENDINGS:
        if segments[-len(ending) :] == ending and (host.lower(), provider) not in _NOT_THERE:
            return provider
    return None


def undecoded(host: str, path: str) -> str | None:
    """The name of a protocol known by its address that this version does not read yet."""
    bare = _bare(path)
    last = bare.rsplit("/", 1)[-1]
    if last.endswith((":generateContent", ":streamGenerateContent")):
        return "gemini"
    if last in {"converse", "converse-stream", "invoke", "invoke-with-response-stream"}:
        return "bedrock"
    if host.lower().startswith("bedrock-runtime."):
        return "bedrock"
    return None


def _bare(path: str) -> str:
    return path.partition("?")[0].partition("#")[0]
