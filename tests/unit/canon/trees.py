"""RFC 9162 as its section 2.1 writes it: recursive, slow, and the judge of canon.merkle."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(size: int) -> int:
    """The largest power of two under `size`."""
    power = 1
    while power * 2 < size:
        power *= 2
    return power


def head(leaves: Sequence[bytes]) -> bytes:
    """MTH of section 2.1.1, over leaves that are hashed already."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return node(head(leaves[:k]), head(leaves[k:]))


def path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*path(index, leaves[:k]), head(leaves[k:])]
    return [*path(index - k, leaves[k:]), head(leaves[:k])]


def subproof(old: int, leaves: Sequence[bytes], complete: bool) -> list[bytes]:
    """SUBPROOF of section 2.1.4.1."""
    if old == len(leaves):
        return [] if complete else [head(leaves)]
    k = split(len(leaves))
    if old <= k:
        return [*subproof(old, leaves[:k], complete), head(leaves[k:])]
    return [*subproof(old - k, leaves[k:], complete=False), head(leaves[:k])]


def proof(old: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PROOF of section 2.1.4.1, for 0 < old < len(leaves)."""
    return subproof(old, leaves, complete=True)


def leaves_of(count: int) -> list[bytes]:
    return [hashlib.sha256(b"\x00" + str(number).encode()).digest() for number in range(count)]
