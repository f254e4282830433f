"""Passphrases: chosen by a person at a terminal, twice the same, and not one that anybody tries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from groundwire.cli.terminal.opening import Terminal
from groundwire.errors import PolicyError

SHORTEST: Final = 12
_DISTINCT: Final = 5
_LEFT: Final = 6

# Where one of these stands, only what is left beside it counts. They are what people write who are
# asked for something longer, and what stands on a keyboard in a row.
_KNOWN: Final = (
    "correcthorsebatterystaple",
    "qwertyuiop",
    "asdfghjkl",
    "1234567890",
    "0123456789",
    "passphrase",
    "groundwire",
    "1qaz2wsx3edc",
    "password",
    "passwort",
    "iloveyou",
    "changeme",
    "letmein",
    "welcome",
    "approve",
    "dragon",
    "secret",
    "qwerty",
    "admin",
)


def choose(terminal: Terminal, names: Iterable[str]) -> str:
    """A passphrase that was typed twice, and is none of those that `check` refuses.

    Raises:
        PolicyError: `passphrase-weak`; `passphrase-differs`: not the same twice.
        HostError: the terminal failed.
    """
    terminal.write(
        f"Choose a passphrase of {SHORTEST} characters or more, best of several words that have"
        " nothing to do with one another. Nobody can get the key back without it.\n"
    )
    chosen = terminal.secret("Passphrase: ")
    check(chosen, names)
    if terminal.secret("The same again: ") != chosen:
        raise PolicyError(
            "passphrase-differs", "The two were not the same; nothing was made. Try again."
        )
    return chosen


def check(passphrase: str, names: Iterable[str]) -> None:
    """The passphrase is not trivially weak: short, one pattern, a name, or what everybody tries.

    `names` are those of the person and of what the key is for. Does not measure how hard the rest
    is to guess: a quotation passes.

    Raises:
        PolicyError: `passphrase-weak`. The message repeats nothing of it.
    """
    letters = _letters(passphrase)
    left = letters
    for known in (*_KNOWN, *sorted(map(_letters, names), key=len, reverse=True)):
        if len(known) > 2:
            left = left.replace(known, "")
    if len(passphrase) < SHORTEST:
        why = f"has fewer than {SHORTEST} characters"
    elif len(set(letters)) < _DISTINCT or _is_repeated(letters):
        why = "is few characters again and again"
    elif _is_run(letters):
        why = "is characters in a row"
    elif left != letters and len(set(left)) < _LEFT:
        why = "is a name, or one of those that everybody tries first, and little more"
    else:
        return
    raise PolicyError(
        "passphrase-weak", f"That passphrase {why}; nothing was made. Take several words instead."
    )


def _letters(text: str) -> str:
    """Letters and digits alone, in small: what stands between them is soon guessed."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _is_repeated(letters: str) -> bool:
    return any(
        letters == (letters[:size] * len(letters))[: len(letters)]
        for size in range(1, len(letters) // 3 + 1)
    )


def _is_run(letters: str) -> bool:
    steps = {ord(after) - ord(before) for before, after in pairwise(letters)}
    return len(steps) == 1
