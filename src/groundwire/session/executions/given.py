"""Given: texts, names and findings that a host hands in, as plain ones or refused.

A value of the host's may be of any kind. What is refused is refused before the recording is
touched: a slip in one word is no reason to stop recording.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundwire.documents.finding import Finding
from groundwire.errors import PolicyError


def text_given(value: object, *, needed: bool = False) -> str:
    """The text itself, of no other class than text; with `needed` it says something.

    Raises:
        PolicyError: `not-text`: no text, one without a UTF-8 form, or an empty one that is needed.
    """
    text = _plain(value)
    if text is None or (needed and not text.strip()):
        raise PolicyError(
            "not-text",
            "Give a text that says something and has a UTF-8 form (no half of a surrogate pair).",
        )
    return text


def names_given(value: object, example: str) -> tuple[str, ...]:
    """The names in a list, tuple, set, or whatever else gives them one after another.

    Raises:
        PolicyError: `not-tool-names`.
    """
    given = None
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray):
        given = [_plain(each) for each in value]
    names = tuple(name for name in given or () if name is not None)
    if given is None or len(names) != len(given):
        raise PolicyError("not-tool-names", f"Give a list of names of tools, as texts: {example}.")
    return names


def findings_given(value: object) -> tuple[Finding, ...]:
    """The findings in a list, or whatever else gives them one after another.

    Raises:
        PolicyError: `not-findings`.
    """
    if isinstance(value, Iterable):
        given = tuple(value)
        if all(isinstance(each, Finding) for each in given):
            return given
    raise PolicyError(
        "not-findings",
        "Give the findings of the paused run as they are: run.continues(paused.id, "
        "paused.findings).",
    )


def _plain(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = str.__str__(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return text
