"""Anchors: where checkpoints are also kept."""

from __future__ import annotations

import posixpath
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from groundwire.authority.reading.keys import KEYS
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_choice,
    read_listed_tables,
    read_name,
    read_table,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.policy import AnchorDeclaration

ANCHOR_KINDS: tuple[Literal["folder", "http"], ...] = ("folder", "http")


def read_anchors(value: object, path: Path) -> tuple[AnchorDeclaration, ...]:
    """Every `[[anchors]]` table, none of them twice."""
    anchors: list[AnchorDeclaration] = []
    seen: set[tuple[str, str]] = set()
    for index, element in enumerate(read_listed_tables(value, "anchors", path)):
        place = (*path, index)
        anchor = _read_anchor(element, place)
        is_folder = anchor.kind == "folder"
        identity = posixpath.normpath(anchor.target) if is_folder else anchor.target.rstrip("/")
        if (anchor.kind, identity) in seen:
            raise Misdeclared(
                "repeated-anchor", place, f"{show(anchor.target)} is an anchor already; keep one"
            )
        seen.add((anchor.kind, identity))
        anchors.append(anchor)
    return tuple(anchors)


def _read_anchor(value: object, path: Path) -> AnchorDeclaration:
    table = read_table(value, "anchors[]", path)
    demand(table, KEYS["anchors[]"], "an anchor", path)
    kind = read_choice(table["kind"], ANCHOR_KINDS, (*path, "kind"))
    target = read_name(table["target"], (*path, "target"))
    if kind == "http":
        require_address(target, "bad-anchor-target", (*path, "target"))
    return AnchorDeclaration(kind=kind, target=target)


def require_address(target: str, reason: str, path: Path) -> None:
    """The text is a web address, and carries nothing that should not be recorded."""
    parts = _web_address(target)
    if parts is None:
        raise Misdeclared(reason, path, "this is no address; write https://host/path")
    if parts.username is not None or parts.query or parts.fragment:
        # Not quoted in the message: the policy, and so this, ends up in files and terminals.
        raise Misdeclared(
            reason,
            path,
            "the address carries a user, a query or a fragment, and every recording would hold "
            "it; leave only https://host/path",
        )


def _web_address(target: str) -> SplitResult | None:
    try:
        parts = urlsplit(target)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None
