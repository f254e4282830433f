"""Lenient reading: JSON as programs really print it, whole or cut.

Reads JSON, JSON with `NaN`, Python's `repr` of dicts, lists and tuples, blocks with notes behind
them, and a block whose end is missing. Never recurses; stops at a number of leaves and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

import msgspec

from groundwire.grounding.folding import unescape
from groundwire.grounding.values.value import decimal_of

# A leaf is a text, a number, a truth value or nothing. Numbers keep their digits.
Leaf: TypeAlias = str | Decimal | bool | None
Tree: TypeAlias = "dict[str, Tree] | list[Tree] | Leaf"

MOST_LEAVES = 200_000
MOST_DEPTH = 64
_BRACKET = re.compile(r"[{\[]")
# A block begins a line, or stands behind a colon or the fence of a code block.
_BEFORE = re.compile(r"(?:\A|\n|```(?:json)?|: )[ \t]*\Z")
_REACH = 40
_TOKEN = re.compile(
    r"\s*(?:(?P<open>[{\[(])|(?P<close>[}\])])|(?P<mark>[,:])"
    r"|(?:[rbuf]?)(?P<text>\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+')"
    r"|(?P<cut>[\"'].*\Z)|(?P<word>[^\s,:{}\[\]()\"']+))",
    re.DOTALL,
)
_PARTNERS = {"{": "}", "[": "]", "(": ")"}
_WORDS: dict[str, Leaf] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
    "NaN": "NaN", "nan": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity", "inf": "inf",
    "undefined": None,
}  # fmt: skip


class Block(msgspec.Struct, frozen=True):
    """A value that stands at `text[start:end]`. `cut`: its end is missing; `capped`: not all read."""

    value: Tree
    start: int
    end: int
    cut: bool = False
    capped: bool = False


def read_blocks(text: str) -> Iterator[Block]:
    """The arrays and objects that stand in the text, in order, none inside another."""
    position = 0
    left = MOST_LEAVES
    while left > 0:
        opening = _BRACKET.search(text, position)
        if opening is None:
            return
        start = opening.start()
        position = start + 1
        if start and not _BEFORE.search(text[max(0, start - _REACH) : start]):
            continue
        block, used = _read_block(text, start, left)
        left -= used
        if block is not None:
            yield block
            position = max(block.end, position)


class _Open:
    """A container that is being read: an object takes keys and values in turn."""

    def __init__(self, closing: str) -> None:
        self.closing = closing
        self.value: dict[str, Tree] | list[Tree] = {} if closing == "}" else []
        self.key: str | None = None

    def add(self, value: Tree) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is not None:
            self.value[self.key] = value
            self.key = None
        elif isinstance(value, str):
            self.key = value
        elif value is not None and not isinstance(value, (dict, list)):
            self.key = str(value)


def _read_block(text: str, start: int, most: int) -> tuple[Block | None, int]:
    stack: list[_Open] = []
    position = start
    leaves = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None or (leaves >= most and token["close"] is None):
            # The end of the text, or of what is read: what is open is closed here.
            if not stack:
                return None, leaves
            return Block(_closed(stack), start, len(text), cut=True, capped=leaves >= most), leaves
        position = token.end()
        if opened := token["open"]:
            if len(stack) >= MOST_DEPTH:
                return None, leaves
            stack.append(_Open(_PARTNERS[opened]))
        elif closed := token["close"]:
            if not stack or stack[-1].closing != closed:
                return None, leaves
            done = stack.pop()
            if not stack:
                return Block(done.value, start, position), leaves
            stack[-1].add(done.value)
        elif token["mark"]:
            continue
        else:
            leaves += 1
            known, leaf = _leaf(token)
            if not known:
                # Words where a value should be: no data, or a note behind cut data.
                whole = (
                    Block(_closed(stack), start, token.start(), cut=True) if leaves > 4 else None
                )
                return whole, leaves
            stack[-1].add(leaf)


def _closed(stack: list[_Open]) -> Tree:
    while len(stack) > 1:
        done = stack.pop()
        stack[-1].add(done.value)
    return stack[0].value


def _leaf(token: re.Match[str]) -> tuple[bool, Leaf]:
    if (text := token["text"]) is not None:
        return True, unescape(text[1:-1])
    if (cut := token["cut"]) is not None:
        return True, unescape(cut[1:])
    word = token["word"]
    if word in _WORDS:
        return True, _WORDS[word]
    number = decimal_of(word)
    if number is None and word.lstrip("+-")[:1].isdigit():
        return True, word
    return number is not None, number
