"""Renderings: how the text that was served stands to what the tool returned.

A rendering has a name or it is unknown; of an unknown one nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.checks.difference import ABSENT, Difference, differences
from groundwire.documents.event import Executed
from groundwire.grounding.records.lenient import Tree, read_blocks

Relation: TypeAlias = Literal[
    "same", "rendered", "json", "structured", "blocks", "wrapped",  # all of it was served
    "shortened", "projected", "reordered", "extended",  # some of it, or more
    "changed", "unknown",
]  # fmt: skip
WHOLE: frozenset[Relation] = frozenset(
    ("same", "rendered", "json", "structured", "blocks", "wrapped", "reordered", "extended")
)

_MOST = 20
# How hosts say that they left something out.
_MARKS = re.compile(
    r"…|\.\.\.|\b(?:cut|truncat|omit|elid|skip|snip|remov|more|left out)", re.IGNORECASE
)
_LEAST_SHARED = 24
_LONGEST_MARK = 240
_MOST_LINES = 20_000
_ALIKE = 0.8
_FEWEST = 5


class Comparison(msgspec.Struct, frozen=True):
    """How both stand to each other; `differences` where they are `changed`, at most twenty."""

    relation: Relation
    differences: tuple[Difference, ...] = ()


def compare(ran: Executed, served: str) -> Comparison:
    """What became of the result on its way into the frame.

    `ran` has a result. White space around both is not looked at.
    """
    text, shown = (ran.result or "").strip(), served.strip()
    if shown == text:
        return Comparison("same")
    if ran.rendered is not None and shown == ran.rendered.strip():
        return Comparison("rendered")
    returned, given = _tree(text), _tree(shown)
    named = _named(ran, returned, given, text, shown)
    if named is not None:
        return Comparison(named)
    if _is_shortened(text, shown):
        return Comparison("shortened")
    if returned is not None and given is not None:
        return _of_trees(returned[0], given[0])
    return _of_texts(text, shown)


def _named(
    ran: Executed, returned: tuple[Tree] | None, given: tuple[Tree] | None, text: str, shown: str
) -> Relation | None:
    if given is not None and given == returned:
        return "json"
    if given is not None and ran.structured and given == _tree(ran.structured.strip()):
        return "structured"
    if returned is not None:
        blocks = [block.strip() for block in _block_texts(returned[0])]
        if blocks and shown in {"\n".join(blocks), "".join(blocks), "\n\n".join(blocks)}:
            return "blocks"
    if given is not None and [block.strip() for block in _block_texts(given[0])] == [text]:
        return "blocks"
    if shown[:1] == '"' and _string(shown) == text:
        return "json"
    if len(text) >= _LEAST_SHARED and text in shown:
        return "wrapped"
    return None


def _tree(text: str) -> tuple[Tree] | None:
    """The value that the whole text spells, in a tuple; None where it is text."""
    if text[:1] not in {"{", "[", "("}:
        return None
    blocks = list(read_blocks(text))
    if len(blocks) != 1:
        return None
    block = blocks[0]
    whole = block.start == 0 and block.end == len(text) and not block.cut and not block.capped
    return (block.value,) if whole else None


def _string(text: str) -> str | None:
    try:
        return msgspec.json.decode(text, type=str).strip()
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def _block_texts(tree: Tree) -> Iterator[str]:
    """The texts of content blocks: a list of `{"type": "text", "text": …}`, or an object of it."""
    content = tree.get("content") if isinstance(tree, dict) else tree
    if not isinstance(content, list):
        return
    for block in content:
        if isinstance(block, dict) and block.get("type") == "text":
            text = block.get("text")
            if isinstance(text, str):
                yield text


def _is_shortened(text: str, shown: str) -> bool:
    """Whether what was served is a beginning of it, perhaps an end too, with a mark for the rest."""
    if not shown or not text:
        return False
    if text.startswith((shown, shown.rstrip(".… \n"))):
        return True
    before = _shared(text, shown)
    after = _shared(text[before:][::-1], shown[before:][::-1])
    mark = shown[before : len(shown) - after]
    return (
        before >= _LEAST_SHARED
        and before + after > len(shown) // 2
        and len(mark) <= _LONGEST_MARK
        and len(text) > before + after
        and _MARKS.search(mark) is not None
    )


def _shared(one: str, other: str) -> int:
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _of_trees(returned: Tree, given: Tree) -> Comparison:
    found = differences(_json(returned), _json(given), most=_MOST)
    if all(each.after is ABSENT for each in found):
        return Comparison("projected")
    if isinstance(returned, list) and isinstance(given, list):
        kept = [item for item in given if item in returned] if len(given) <= _MOST_LINES else []
        if len(kept) == len(given) and given:
            return Comparison("reordered" if len(given) == len(returned) else "projected")
    if all(each.before is ABSENT for each in found):
        return Comparison("extended")
    if type(returned) is not type(given) or not _is_alike(returned, given):
        return Comparison("unknown")
    changed = tuple(d for d in found if d.before is not ABSENT and d.after is not ABSENT)
    return Comparison("changed", changed) if changed else Comparison("unknown")


def _is_alike(returned: Tree, given: Tree) -> bool:
    """Whether one is plainly a spelling of the other: most of what was served is as it was."""
    ours, theirs = set(_leaves(returned)), list(_leaves(given))
    return bool(theirs) and sum(leaf in ours for leaf in theirs) >= len(theirs) / 2


def _leaves(tree: Tree) -> Iterator[tuple[tuple[str, ...], str]]:
    waiting: list[tuple[tuple[str, ...], Tree]] = [((), tree)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, str(place)), inner) for place, inner in enumerate(value)]
        else:
            yield path, repr(value)


def _json(tree: Tree) -> JSON:
    return tree  # type: ignore[return-value]  # numbers are decimals, which compare as numbers do


def _of_texts(text: str, shown: str) -> Comparison:
    """Line by line where there are lines, else word by word."""
    split = "\n" if "\n" in text and "\n" in shown else " "
    ours, theirs = text.split(split), shown.split(split)
    if max(len(ours), len(theirs)) > _MOST_LINES:
        return Comparison("unknown")
    there = set(ours)
    kept = sum(line in there for line in theirs)
    if kept == len(theirs) and split == "\n" and len(theirs) < len(ours):
        return Comparison("shortened")
    if len(theirs) < _FEWEST or len(theirs) != len(ours) or kept < _ALIKE * len(theirs):
        return Comparison("unknown")
    changed = [
        Difference((str(place),), before, after)
        for place, (before, after) in enumerate(zip(ours, theirs, strict=True))
        if before.strip() != after.strip()
    ]
    return Comparison("changed", tuple(changed[:_MOST])) if changed else Comparison("same")
