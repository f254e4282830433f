"""Leaves: the string values of a call's arguments that can be looked for.

Numbers, booleans and null are no leaves: a model computes those rightly. A string under
`SHORTEST` characters (code points, trimmed) is none either: it stands in unrelated words.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.canon import jcs
from groundwire.errors import EncodingError

SHORTEST = 4


class Leaf(msgspec.Struct, frozen=True):
    """One string of the arguments. `pointer` (RFC 6901) is its identity, `dotted` for people."""

    pointer: str
    dotted: str
    value: str


def read_leaves(arguments: str) -> tuple[Leaf, ...]:
    """Every string of these arguments that can be looked for, depth first, in written order.

    Raises:
        EncodingError: `not-json` and its kin: the text is no JSON, as in a response that was cut.
    """
    try:
        data = arguments.encode()
    except UnicodeEncodeError as error:
        raise EncodingError("not-json", "The arguments are not Unicode text.") from error
    return leaves_of(jcs.decode_foreign(data).value)


def leaves_of(value: jcs.JSON) -> tuple[Leaf, ...]:
    """The same of a JSON value; a bare string has the empty path."""
    return tuple(
        Leaf("".join(map(_token, path)), ".".join(path), text)
        for path, text in strings_of(value)
        if len(text.strip()) >= SHORTEST
    )


def strings_of(value: jcs.JSON) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string in a JSON value with the keys that lead to it, depth first, as written."""
    waiting: list[tuple[tuple[str, ...], jcs.JSON]] = [((), value)]
    while waiting:
        path, current = waiting.pop()
        if isinstance(current, str):
            yield path, current
        elif isinstance(current, dict):
            waiting += [((*path, key), inner) for key, inner in reversed(current.items())]
        elif isinstance(current, list):
            last = len(current) - 1
            waiting += [
                ((*path, str(last - place)), inner) for place, inner in enumerate(reversed(current))
            ]


def _token(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")
