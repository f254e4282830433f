"""`format` as a predicate that is not looked into, but for which formats contain which.

Of those that are known there are samples, of which it is certain that they are of the format.
"""

from __future__ import annotations

from collections.abc import Callable

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.answers import Answer, Branch, Empty, Found, Unknown

_WITHIN: dict[str, frozenset[str]] = {
    "int32": frozenset({"int64"}),
    "float": frozenset({"double"}),
    "email": frozenset({"idn-email"}),
    "hostname": frozenset({"idn-hostname"}),
    "uri": frozenset({"uri-reference", "iri", "iri-reference"}),
    "iri": frozenset({"iri-reference"}),
    "uri-reference": frozenset({"iri-reference"}),
}
_OF_NUMBERS = frozenset({"int32", "int64", "float", "double"})
# Up to here a float of 32 bits holds each whole number.
_SMALL = 1 << 24
_SAMPLES: dict[str, tuple[str, ...]] = {
    "date": ("2020-02-29", "1999-12-31"),
    "date-time": ("2020-02-29T12:00:00Z", "2020-02-29T12:00:00.5+01:00"),
    "time": ("12:00:00Z",),
    "duration": ("P1D", "PT36H"),
    "email": ("a@example.com", "first.last+1@mail.example.com"),
    "idn-email": ("a@example.com",),
    "hostname": ("example.com", "a", "a-1.example.com"),
    "idn-hostname": ("example.com",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1", "::1"),
    "uri": ("https://example.com/a", "a:", "mailto:a@example.com"),
    "uri-reference": ("/a", "a", "https://example.com/a"),
    "iri": ("https://example.com/a",),
    "iri-reference": ("/a",),
    "uri-template": ("/a/{b}",),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000", "00000000-0000-1000-8000-00000000000a"),
    "json-pointer": ("/a", ""),
    "relative-json-pointer": ("0/a",),
    "regex": ("^a$", "a"),
}


def with_formats(branch: Branch, answer: Answer, fits: Callable[[str], bool]) -> Answer:
    """The answer once the formats of the branch count too.

    A value is a sample of the first format that must hold, where one `fits` all else that is asked
    of the string; and it is a guess, unless it is a sample of each format that must hold and none
    must not.
    """
    held = [a.text for a, sign in branch.atoms if a.kind == "format" and sign]
    broken = [a.text for a, sign in branch.atoms if a.kind == "format" and not sign]
    if not held and not broken:
        return answer
    for each in held:
        if each in broken or not _WITHIN.get(each, frozenset()).isdisjoint(broken):
            return Empty()
    if not isinstance(answer, Found):
        return answer
    value = answer.value
    if held and isinstance(value, str):
        value = next((each for each in _SAMPLES.get(held[0], ()) if fits(each)), value)
    if not broken and all(_is_sample(each, value) for each in held):
        return Found(value)
    return Unknown("format", (value,))


def _is_sample(name: str, value: JSON) -> bool:
    """Whether the value is certain to be of the format."""
    if isinstance(value, str):
        wider = (each for each, within in _WITHIN.items() if name in within)
        return any(value in _SAMPLES.get(each, ()) for each in (name, *wider))
    return type(value) is int and name in _OF_NUMBERS and abs(value) < _SMALL
