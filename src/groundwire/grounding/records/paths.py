"""Paths: the values that a JSON path of the small kind (`$.data.items[*].name`) leads to."""

from __future__ import annotations

import re

from groundwire.canon import jcs

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\*|\d+)\]")
MOST_FOUND = 1_000_000


def values_at(value: jcs.JSON, path: str) -> list[jcs.JSON]:
    """The values at the path, in order; none where it leads nowhere. `$` is the value itself."""
    found: list[jcs.JSON] = [value]
    for name, index in _STEP.findall(path.removeprefix("$")):
        following: list[jcs.JSON] = []
        for node in found:
            if name and isinstance(node, dict) and name in node:
                following.append(node[name])
            elif index == "*" and isinstance(node, list):
                following += node
            elif index.isdigit() and isinstance(node, list) and int(index) < len(node):
                following.append(node[int(index)])
            if len(following) > MOST_FOUND:
                break
        found = following
    return found
