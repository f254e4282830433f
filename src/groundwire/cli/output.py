"""Output: what a command prints, so that nothing a stranger wrote reaches the terminal raw.

Names, texts and paths come from recordings and logs. A control character in them could move the
cursor, and a bidirectional mark could turn a line around.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO


def shown(text: str) -> str:
    """The text in one line; every character that does not print stands as its escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def say(lines: Iterable[str], file: TextIO | None = None) -> None:
    """Each line is printed, as `shown` spells it; on standard output unless `file` is given."""
    for line in lines:
        print(shown(line), file=file)


def say_json(document: object) -> None:
    """The document is one line of JSON on standard output, for any reader the same as before.

    Characters that do not print stand as `\\uXXXX`, inside strings, where alone they can be. A file
    name that is not UTF-8 stands as `shown` spells it: its bytes have no JSON that all can read.
    """
    import msgspec

    try:
        text = msgspec.json.encode(document).decode()
    except UnicodeEncodeError:
        text = msgspec.json.encode(_spelled(msgspec.to_builtins(document))).decode()
    sys.stdout.write(text if text.isprintable() else text.translate(_Escapes()))
    sys.stdout.write("\n")


def _spelled(value: object) -> object:
    """The value with each text that has no UTF-8 as `shown` spells it."""
    if isinstance(value, str):
        return value if _is_text(value) else shown(value)
    if isinstance(value, Mapping):
        return {_spelled(name): _spelled(each) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [_spelled(each) for each in value]
    return value


def _is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


class _Escapes(dict[int, str]):
    """Of each character how JSON spells it; worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if not letter.isprintable():
            # Beyond the first plane JSON has no escape of one character but of two halves.
            units = letter.encode("utf-16-be", "surrogatepass")
            halves = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
            letter = "".join(f"\\u{half}" for half in halves)
        self[code] = letter
        return letter
