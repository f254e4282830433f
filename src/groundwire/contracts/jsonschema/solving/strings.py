"""A string of a length, that matches these patterns and not those."""

from __future__ import annotations

from collections.abc import Callable

from groundwire.contracts.jsonschema.answers import Answer, Branch, Empty, Found, Unknown
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.solving.scalars import (
    candidates,
    excluded,
    first_that_fits,
)
from groundwire.contracts.jsonschema.values import Scalar
from groundwire.contracts.regex.expressions import TooLarge
from groundwire.contracts.regex.strings import Wanted, shortest

MAX_LENGTH = 20_000
# Strings that differ from one another in their first sign, the likeliest to read well first.
_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def solve_string(branch: Branch, languages: Languages, tick: Callable[[], None]) -> Answer:
    """A string as wanted, the shortest where patterns tell; `format` is not looked at."""
    wanted = candidates(branch, "string")
    if wanted is not None:
        return first_that_fits(
            wanted, lambda key: _fits(branch, key, languages), "pattern-not-understood"
        )
    least, most = _lengths(branch)
    if most is not None and most < least:
        return Empty()
    if least > MAX_LENGTH:
        return Unknown("string-too-long")
    taken = frozenset(key[1] for key in excluded(branch) if isinstance(key[1], str))
    patterns = [(a.text, sign) for a, sign in branch.atoms if a.kind == "pattern"]
    read = [(languages.language(text), sign) for text, sign in patterns]
    if not read:
        plain = _without_patterns(least, most, taken)
        if plain is not None:
            return Found(plain)
    problem = Wanted(
        tuple(sorted(each for each, sign in read if sign and isinstance(each, int))),
        tuple(sorted(each for each, sign in read if not sign and isinstance(each, int))),
        least,
        most,
        taken,
    )
    try:
        text = shortest(problem, languages.expressions, tick)
    except TooLarge:
        return Unknown("pattern-too-large")
    if text is None:
        return Empty()
    return _sure(text, patterns, languages)


def _sure(text: str, patterns: list[tuple[str, bool]], languages: Languages) -> Answer:
    """Found where `text` also holds to the patterns that are no languages here."""
    for pattern, sign in patterns:
        language = languages.language(pattern)
        if isinstance(language, str) and languages.matches(pattern, text) is not sign:
            return Unknown(language, (text,))
    return Found(text)


def _lengths(branch: Branch) -> tuple[int, int | None]:
    least, most = 0, None
    for atom, sign in branch.atoms:
        if atom.kind == "min-length" and sign:
            least = max(least, atom.count)
        elif atom.kind == "max-length" and not sign:
            least = max(least, atom.count + 1)
        elif atom.kind == "max-length":
            most = atom.count if most is None else min(most, atom.count)
        elif atom.kind == "min-length":
            most = atom.count - 1 if most is None else min(most, atom.count - 1)
    return least, most


def fits_string(branch: Branch, text: str, languages: Languages) -> bool | None:
    """Whether a string holds to the branch, formats aside; None where that cannot be told."""
    key: Scalar = ("string", text)
    listed = candidates(branch, "string")
    if key in excluded(branch) or (listed is not None and key not in listed):
        return False
    return _fits(branch, key, languages)


def _fits(branch: Branch, key: Scalar, languages: Languages) -> bool | None:
    text = key[1]
    if not isinstance(text, str):
        return False
    least, most = _lengths(branch)
    if len(text) < least or (most is not None and len(text) > most):
        return False
    unsure = False
    for atom, sign in branch.atoms:
        if atom.kind == "pattern":
            found = languages.matches(atom.text, text)
            if found is None:
                unsure = True
            elif found is not sign:
                return False
    return None if unsure else True


def _without_patterns(least: int, most: int | None, taken: frozenset[str]) -> str | None:
    """A string without the search, where that is easy."""
    for length in (least, least + 1):
        if most is not None and length > most:
            return None
        for sign in _SIGNS if length else ("",):
            if (text := sign * length) not in taken:
                return text
    return None
