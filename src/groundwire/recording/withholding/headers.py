"""Which headers, query parameters and paths of a request are recorded.

The lists say what is, never what is not, so that a header nobody thought of stays out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from groundwire.recording.withholding.secrets import find_secrets

Headers: TypeAlias = Sequence[tuple[str, str]]

WITHHELD = "{withheld}"

HEADERS = frozenset(
    {
        "accept",
        "anthropic-beta",
        "anthropic-version",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "openai-beta",
        "openai-model",
        "openai-processing-ms",
        "openai-version",
        "request-id",
        "retry-after",
        "retry-after-ms",
        "transfer-encoding",
        "user-agent",
        "x-request-id",
        "x-should-retry",
        "x-stainless-arch",
        "x-stainless-async",
        "x-stainless-helper-method",
        "x-stainless-lang",
        "x-stainless-os",
        "x-stainless-package-version",
        "x-stainless-read-timeout",
        "x-stainless-retry-count",
        "x-stainless-runtime",
        "x-stainless-runtime-version",
        "x-stainless-timeout",
    }
)
HEADER_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-")
PARAMETERS = frozenset({"alt", "api-version", "beta", "stream"})

_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")


def recorded_headers(headers: Headers, *, size: int | None = None) -> dict[str, str]:
    """The headers on the list, names in lower case, values of repeated ones joined by `, `.

    `size` is the length of the body: a `content-length` that says no more than that is left out.
    Values are not looked into; they become a content, and contents are.
    """
    recorded: dict[str, str] = {}
    for name, value in headers:
        low = name.lower()
        if low not in HEADERS and not low.startswith(HEADER_PREFIXES):
            continue
        text = value.encode("utf-8", "replace").decode()
        recorded[low] = f"{recorded[low]}, {text}" if low in recorded else text
    if size is not None and recorded.get("content-length") == str(size):
        del recorded["content-length"]
    return recorded


def recorded_parameters(path: str) -> dict[str, str]:
    """The query parameters of `path` that are on the list, as they stand, under `?name`."""
    query = path.partition("#")[0].partition("?")[2]
    recorded: dict[str, str] = {}
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        if name in PARAMETERS:
            recorded[f"?{name}"] = value.encode("utf-8", "replace").decode()
    return recorded


@lru_cache(maxsize=256)
def recorded_path(path: str) -> tuple[str, int]:
    """The path without query and fragment, and how many of its segments were withheld.

    A segment that has the shape of a secret, percent escapes resolved, is `{withheld}`: a path
    stands in an entry, in clear.
    """
    segments = path.partition("#")[0].partition("?")[0].split("/")
    shown = [
        WITHHELD if find_secrets(_unescaped(segment.encode("utf-8", "replace"))) else segment
        for segment in segments
    ]
    return "/".join(shown), sum(old is not new for old, new in zip(segments, shown, strict=True))


@lru_cache(maxsize=256)
def recorded_clear(text: str) -> tuple[str, int]:
    """`text` as it may stand in an entry in clear: well-formed, each secret in it `{withheld}`.

    The second value counts the secrets.
    """
    data = text.encode("utf-8", "replace")
    secrets = find_secrets(data)
    for secret in reversed(secrets):
        data = data[: secret.start] + WITHHELD.encode() + data[secret.end :]
    return data.decode(), len(secrets)


def _unescaped(segment: bytes) -> bytes:
    return _PERCENT.sub(lambda escape: bytes((int(escape[1], 16),)), segment)
