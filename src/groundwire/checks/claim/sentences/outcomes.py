"""Outcomes: whether a tool result says, in so many words, that nothing was done or nothing found.

Read from the text alone, where neither the wire nor the host says it. Both lean to `no`: a text
that says neither plainly is a success with something in it.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from groundwire.grounding.passages import ABSENCE

_SHORT, _LINE, _LONG = 600, 200, 1 << 13
_STARTS = re.compile(
    r"\W*(?:an? )?(?:\w*(?:error|exception)\b(?!s? (?:rate|log|count|budget))|traceback\b|failed\b|"
    r"failure\b|invalid\b|cannot\b|could not\b|couldn't\b|unable to\b|unknown tool\b|"
    r"permission denied|access denied|not allowed|forbidden\b|unauthori[sz]ed\b|refused\b|"
    r"rejected\b|denied\b|no such\b|[45]\d\d (?:not found|bad|forbidden|unauthori|internal|error)|"
    r"\d+ validation errors?\b|timed? ?out\b)",
    re.I,
)
_SAYS = re.compile(
    r"\b(?:not found|does not exist|failed|cannot proceed|insufficient funds|incorrect|"
    r"could not be|permission denied|not permitted|was refused|was denied|is invalid|not available|"
    r"must be greater|has reached its usage limit)\b[^\n]{0,60}$",
    re.I,
)
_EMPTY = re.compile(
    r"\W*(?:none|null|nil|undefined|n/?a|empty)?\W*\Z|"
    r"\W*(?:no|0|zero)\s+(?:\w+\s+){0,4}?(?:results?|matches|match|records?|rows?|items?|entries|"
    r"files?|documents?|hits?|data|events?|messages|emails?|orders?|products?|flights?)\b"
    r"(?:\s+(?:were\s+|was\s+)?(?:found|available|returned|matched|exist))?[^\n]{0,80}\Z|"
    r"\W*(?:nothing|not)\s+found\b[^\n]{0,80}\Z",
    re.I,
)


class _Told(msgspec.Struct, frozen=True):
    """What a JSON object says of its own outcome."""

    error: object = None
    errors: object = None
    success: object = None
    ok: object = None
    status: object = None


_DECODER = msgspec.json.Decoder(_Told)


def is_failure(text: str, *, is_error: bool = False) -> bool:
    """Whether this result says that its call did not do what it was for."""
    if is_error:
        return True
    return _remembered(text) if len(text) <= _LONG else _says_failure(text)


def _says_failure(text: str) -> bool:
    start = text.lstrip()
    if start[:1] == "{":
        return _tells_failure(start)
    if len(text) > _SHORT:
        return bool(re.match(r"\s*(?:error:|traceback \(most)", text[:40], re.I))
    if _STARTS.match(text):
        return True
    said = text.strip()
    return len(said) <= _LINE and "success" not in said.lower() and bool(_SAYS.search(said))


# Several checks ask of each result.
_remembered = lru_cache(maxsize=1024)(_says_failure)


def is_empty(text: str) -> bool:
    """Whether this result says that there is nothing: no text, an empty list, `no results`."""
    stripped = text.strip()
    if len(stripped) > _SHORT:
        return False
    if stripped[:1] in {"{", "["}:
        try:
            return _holds_nothing(msgspec.json.decode(stripped))
        except (msgspec.DecodeError, RecursionError):
            return False
    return bool(_EMPTY.match(stripped))


def _tells_failure(text: str) -> bool:
    try:
        told = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return bool(re.match(r"\{\s*[\"']error[\"']\s*:\s*[\"'][^\"']", text))
    if told.error or told.errors or told.success is False or told.ok is False:
        return True
    return isinstance(told.status, str) and told.status.lower() in {"error", "failed", "failure"}


def _holds_nothing(value: object) -> bool:
    """No leaf but empty texts, nulls and zeros, and something that could have held one."""
    match value:
        case dict():
            return ABSENCE in value or all(_holds_nothing(inner) for inner in value.values())
        case list():
            return all(_holds_nothing(inner) for inner in value)
        case _:
            return value is None or value == "" or (value == 0 and not isinstance(value, bool))
