"""Plain spellings: a sign or scheme put before a value, quotes around it, a slash or stop behind.

Only such as cannot make a cut-out piece look like the whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from groundwire.grounding.spellings.numbers import same_measure, same_number

SIGILS = "#@$"
MOST_SPELLINGS = 64
_STOPS = ".,;:!?"
# Only schemes that there are: a scheme with a wrong letter is a wrong address.
_SCHEME = re.compile(
    r"(?:(?:https?|wss?|ftps?|sftp|ssh|git|file|s3|gs|jdbc|mysql|postgres(?:ql)?|redis|mongodb|amqps?"
    r"|ldaps?|tcp|udp|smb|nfs)://|mailto:|tel:|urn:uuid:)(?=.)"
)
_HOST = re.compile(r"[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*\.[a-z]{2,}(?:/|$)")
_DIGITS = re.compile(r"[1-9]\d{3,14}")
_QUOTES = {'"': '"', "'": "'", "`": "`", "<": ">", "(": ")", "[": "]"}


def plain(value: str, off: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The folded value and its other spellings, each with its method, the closest first.

    Methods that are `off` lead nowhere, not even by way of another. `MOST_SPELLINGS` at most:
    brackets within brackets have no end.
    """
    seen = {value}
    yield value, "exact"
    waiting = [value]
    while waiting and len(seen) < MOST_SPELLINGS:
        current = waiting.pop()
        for spelling, method in _simpler(current):
            if spelling and spelling not in seen and method not in off:
                seen.add(spelling)
                waiting.append(spelling)
                yield spelling, method


def _simpler(value: str) -> Iterator[tuple[str, str]]:
    if value[0] in SIGILS:
        yield value.lstrip(SIGILS), "sigil"
    if len(value) > 2 and _QUOTES.get(value[0]) == value[-1]:
        yield value[1:-1].strip(), "quotes"
    scheme = _SCHEME.match(value)
    if scheme is not None:
        yield value[scheme.end() :], "scheme"
    if value[-1] == "/":
        yield value.rstrip("/"), "trailing-slash"
    if value[-1] in _STOPS:
        yield value.rstrip(_STOPS).rstrip(), "trailing-stop"
    # `www.name` is a host that was cut, not one without its `www.`.
    if _HOST.match(value.removeprefix("www.")):
        yield value[4:] if value.startswith("www.") else f"www.{value}", "www"
    if _DIGITS.fullmatch(value):
        yield f"{int(value):,}", "thousands"
    for number in same_number(value):
        yield number, "number"
    for measure in same_measure(value):
        yield measure, "unit"
