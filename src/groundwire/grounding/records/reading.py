"""Reading results: the text of a tool result as records, read once."""

from __future__ import annotations

from decimal import Decimal

from groundwire.canon import jcs
from groundwire.errors import EncodingError
from groundwire.grounding.records.keeping import Kept
from groundwire.grounding.records.lenient import MOST_DEPTH, Tree, read_blocks
from groundwire.grounding.records.lines import read_lines
from groundwire.grounding.records.record import Reading
from groundwire.grounding.records.walk import Walk
from groundwire.grounding.values.value import decimal_of

MOST_CHARACTERS = 8 << 20


def read_result(text: str, arguments: str = "") -> Reading:
    """The records of a result; those of its call's arguments name all of them.

    Takes JSON in any spelling, Python's `repr`, several blocks, blocks with notes or without an
    end, markdown and CSV tables, `key: value` lines. Anything else is prose. Never raises.
    """
    return _kept(text, arguments)


def _read(text: str, arguments: str) -> Reading:
    capped = len(text) > MOST_CHARACTERS
    text = text[:MOST_CHARACTERS]
    walk = Walk(_named(arguments))
    whole = _whole(text)
    prose: list[str] = []
    cut = False
    if isinstance(whole, str):
        text, whole = whole, _whole(whole)
    if whole is not None:
        walk.add(whole)
    else:
        position = 0
        for block in read_blocks(text):
            prose.append(text[position : block.start])
            walk.add(block.value)
            position, cut, capped = block.end, cut or block.cut, capped or block.capped
        rest = text[position:]
        table = read_lines(rest) if rest.strip() else None
        if table is not None:
            walk.add(table)
        prose.append(rest)
    return Reading(
        records=walk.records(),
        prose=tuple(part for part in prose if part.strip()),
        cut=cut,
        capped=capped or walk.capped,
    )


_kept = Kept(_read)


def _whole(text: str) -> Tree:
    """The JSON document that the text is, or None."""
    stripped = text.strip()
    if not stripped or stripped[0] not in '{["-0123456789':
        return None
    try:
        value = jcs.decode_foreign(stripped.encode(), max_depth=MOST_DEPTH).value
    except (EncodingError, UnicodeEncodeError):
        return None
    return _tree(value)


def _tree(value: jcs.JSON) -> Tree:
    if isinstance(value, (dict, list, str)) or value is None or isinstance(value, bool):
        return value
    return decimal_of(repr(value)) or Decimal(0) if isinstance(value, (int, float)) else None


def _named(arguments: str) -> Tree:
    value = _whole(arguments)
    return value if isinstance(value, dict) else None
