"""Lines: records written as text: `key: value`, lists of such, markdown tables, CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from groundwire.grounding.folding import unescape
from groundwire.grounding.records.lenient import MOST_LEAVES, Tree
from groundwire.grounding.values.value import decimal_of

_PAIR = re.compile(
    r"^(?P<indent>\s*)(?P<dash>(?:- )*)(?:(?P<key>[A-Za-z_][\w .()/#&-]{0,40}?):(?:\s+(?P<value>.*)|$)|(?P<item>.*))$"
)
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_FEW = 2


def read_lines(text: str) -> Tree:
    """The tree that these lines write down, or None where they are prose.

    Tables need a header and a row under it. Of `key: value` lines there must be two, the first
    line one of them; a line that is none goes on the value before it.
    """
    lines = text.splitlines()
    return _markdown(lines) or _comma(lines) or _pairs(lines)


def _markdown(lines: Sequence[str]) -> Tree:
    for place, line in enumerate(lines[1:], 1):
        if "-" in line and "|" in lines[place - 1] and _RULE.match(line):
            names = _cells(lines[place - 1])
            rows: list[Tree] = []
            for row in lines[place + 1 :]:
                cells = _cells(row)
                if "|" not in row or len(cells) != len(names):
                    break
                rows.append(dict(zip(names, map(_scalar, cells), strict=True)))
            if rows and len(rows) * len(names) <= MOST_LEAVES:
                return rows
    return None


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("*`") for cell in line.strip().strip("|").split("|")]


def _comma(lines: Sequence[str]) -> Tree:
    full = [line for line in lines if line.strip()]
    if len(full) < 1 + _FEW:
        return None
    separator = next((mark for mark in ",\t;" if mark in full[0]), "")
    if not separator or len({line.count(separator) for line in full[:4]}) > 1:
        return None
    try:
        rows = list(csv.reader(io.StringIO("\n".join(full)), delimiter=separator))
    except csv.Error:
        return None
    names = [name.strip() for name in rows[0]]
    if not all(names) or len(set(names)) < len(names) or any(map(_is_number, names)):
        return None
    if any(len(name.split()) > 4 for name in names):
        return None
    body = [row for row in rows[1:] if len(row) == len(names)]
    if len(body) < len(rows) - 2 or len(body) * len(names) > MOST_LEAVES:
        return None
    return [{n: _scalar(cell.strip()) for n, cell in zip(names, row, strict=True)} for row in body]


def _is_number(text: str) -> bool:
    return decimal_of(text) is not None


def _scalar(text: str) -> Tree:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return unescape(text[1:-1])
    if text in {"", "null", "~", "None"}:
        return None
    if text in {"true", "True", "false", "False"}:
        return text.lower() == "true"
    if text in {"[]", "{}"}:
        return None
    return decimal_of(text) if text[:1] in "+-.0123456789" and _is_number(text) else text


class _Level:
    """An object that is being read, how deep its keys stand, and the last key."""

    def __init__(self, indent: int, value: dict[str, Tree]) -> None:
        self.indent = indent
        self.value = value
        self.key = ""


def _pairs(lines: Sequence[str]) -> Tree:
    first = next((found for line in lines if line.strip() and (found := _PAIR.match(line))), None)
    if first is None or first["key"] is None:
        return None
    root: list[Tree] = []
    levels: list[_Level] = []
    pairs = 0
    for line in lines[:MOST_LEAVES]:
        found = _PAIR.match(line)
        if found is None or not line.strip():
            continue
        dash = found["dash"]
        indent = len(found["indent"]) + len(dash)
        if found["key"] is None:
            _go_on(levels, found, indent)
            continue
        pairs += 1
        if dash or not levels:
            _begin(root, levels, len(found["indent"]), indent)
        else:
            while len(levels) > 1 and indent < levels[-1].indent:
                levels.pop()
            level = levels[-1]
            if indent > level.indent and level.value.get(level.key, "") is None:
                inner: dict[str, Tree] = {}
                level.value[level.key] = inner
                levels.append(_Level(indent, inner))
        level = levels[-1]
        level.key = found["key"].strip()
        level.value[level.key] = _scalar((found["value"] or "").strip())
    if pairs < _FEW:
        return None
    return root if len(root) != 1 else root[0]


def _begin(root: list[Tree], levels: list[_Level], outer: int, indent: int) -> None:
    """A dash begins an object: in the list of the key above it, or in the outermost list."""
    while levels and levels[-1].indent > outer:
        levels.pop()
    value: dict[str, Tree] = {}
    if levels and levels[-1].key:
        above = levels[-1]
        known = above.value.get(above.key)
        if isinstance(known, list):
            known.append(value)
            levels.append(_Level(indent, value))
            return
        if known is None:
            above.value[above.key] = [value]
            levels.append(_Level(indent, value))
            return
    root.append(value)
    levels[:] = [_Level(indent, value)]


def _go_on(levels: list[_Level], found: re.Match[str], indent: int) -> None:
    if not levels:
        return
    level = levels[-1]
    while len(levels) > 1 and indent < level.indent:
        levels.pop()
        level = levels[-1]
    known = level.value.get(level.key)
    item = found["item"].strip()
    if found["dash"]:
        if isinstance(known, list):
            known.append(_scalar(item))
        elif known is None:
            level.value[level.key] = [_scalar(item)]
    elif isinstance(known, str):
        level.value[level.key] = f"{known} {item}".strip("'\"")
