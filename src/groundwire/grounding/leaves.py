"""Leaves: the values of a call's arguments that can be looked for.

Strings, and whole numbers where the whole name of their field says that they are identifiers
(`order_id`). Other numbers, booleans and null are no leaves: a model computes those rightly. What
is under `SHORTEST` characters (code points, trimmed) is none either: it stands everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from groundwire.canon import jcs
from groundwire.errors import EncodingError
from groundwire.grounding.spellings.keys import key_says

SHORTEST = 4


class Leaf(msgspec.Struct, frozen=True):
    """One value of the arguments. `pointer` (RFC 6901) is its identity, `dotted` for people.

    `key` is the name of the innermost field that it belongs to, `path` the keys that lead to it.
    `number`: it is no string.
    """

    pointer: str
    dotted: str
    value: str
    key: str = ""
    number: bool = False
    path: tuple[str, ...] = ()


# Whether a value at this path is a leaf whatever it is: its tool's author said where it is from.
Declared = Callable[[tuple[str, ...]], bool]


def read_leaves(arguments: str, declared: Declared | None = None) -> tuple[Leaf, ...]:
    """Everything in these arguments that can be looked for, depth first, in written order.

    Raises:
        EncodingError: `not-json` and its kin: the text is no JSON, as in a response that was cut.
    """
    try:
        data = arguments.encode()
    except UnicodeEncodeError as error:
        raise EncodingError("not-json", "The arguments are not Unicode text.") from error
    return leaves_of(jcs.decode_foreign(data).value, declared)


def leaves_of(value: jcs.JSON, declared: Declared | None = None) -> tuple[Leaf, ...]:
    """The same of a JSON value; a bare string has the empty path."""
    return tuple(_leaves(value, declared))


def _leaves(value: jcs.JSON, declared: Declared | None) -> Iterator[Leaf]:
    for path, key, scalar in _scalars(value):
        number, text = not isinstance(scalar, str), str(scalar)
        if declared is not None and declared(path):
            worth = bool(text.strip())
        else:
            worth = len(text.strip()) >= SHORTEST
            worth = worth and (not number or key_says(key) == "identifier")
        if worth:
            yield Leaf("".join(map(_token, path)), ".".join(path), text, key, number, path)


def _scalars(value: jcs.JSON) -> Iterator[tuple[tuple[str, ...], str, str | int]]:
    """Every string and whole number with the keys that lead to it, depth first, as written."""
    waiting: list[tuple[tuple[str, ...], str, jcs.JSON]] = [((), "", value)]
    while waiting:
        path, name, current = waiting.pop()
        if isinstance(current, (str, int)) and not isinstance(current, bool):
            yield path, name, current
        elif isinstance(current, dict):
            waiting += [((*path, key), key, inner) for key, inner in reversed(current.items())]
        elif isinstance(current, list):
            last = len(current) - 1
            waiting += [
                ((*path, str(last - place)), name, inner)
                for place, inner in enumerate(reversed(current))
            ]


def _token(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")
