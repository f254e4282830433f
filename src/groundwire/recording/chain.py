"""The chain of a segment: leaf hashes that link entries, and the tree over them.

The same 32 bytes are the link and the RFC 9162 leaf (recording-format, Entries).
"""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.canon import digest, merkle
from groundwire.documents.entry import FIRST


def links(leaves: Sequence[bytes]) -> list[str]:
    """What the next entry calls each of the entries with these leaf hashes: `leaf:` and hex."""
    return ["leaf:" + leaf.hex() for leaf in leaves]


def are_linked(links: Sequence[str], head: str, leaves: Sequence[bytes]) -> bool:
    """The first of these links is `head`, and each other one leads to the leaf before it.

    `links` are as many as `leaves`. The last leaf is nobody's yet.
    """
    # A digest has no line feed in it, so equal wholes are equal links.
    if len(links) < 2:
        return list(links) == [head][: len(links)]
    return "\n".join(links) == head + "\n" + digest.listed("leaf:", leaves[:-1])


class Chain:
    """The entries so far, as their number, the last one's leaf hash and the tree head.

    `size` is the `seq` and `head` the `prev` that the next entry must have.
    """

    __slots__ = ("_tree", "head", "size")

    def __init__(self) -> None:
        self._tree = merkle.Tree()
        self.head = FIRST
        self.size = 0

    def append(self, line: bytes) -> str:
        """The line, without its line feed, is the last entry; its leaf hash is the new head.

        Does not check that the line is an entry, nor that it names the head before it.
        """
        leaf = digest.leaf_hash(line)
        self._tree.append(leaf)
        self.size += 1
        self.head = "leaf:" + leaf.hex()
        return self.head

    def extend(self, leaves: Sequence[bytes]) -> None:
        """The entries with these leaf hashes are the last ones; does not check that they link."""
        if leaves:
            self._tree.extend(leaves)
            self.size += len(leaves)
            (self.head,) = links(leaves[-1:])

    def root(self) -> str:
        """The tree head over all entries so far, `root:` and hex."""
        return "root:" + self._tree.root().hex()
