"""The RFC 9162 Merkle tree, over leaf hashes: root, inclusion, consistency.

Leaves come in hashed (`digest.leaf_hash`); only interior nodes are made here. Proof input is
hostile: whatever it is, verification returns, or raises `TrustError` or `EncodingError`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from groundwire.errors import EncodingError, TrustError

EMPTY_ROOT = hashlib.sha256(b"").digest()
HASH_BYTES = 32
_LENGTHS = frozenset((HASH_BYTES,))
# How many leaves wait before they are folded: a power of two, so that a full batch is one perfect
# subtree. Large enough to fold at the speed of a list comprehension, small enough for a quick root.
BATCH = 64
# So many waiting leaves are one node of the root, found once: a power of two too.
_GROUP = 8
_NODE = hashlib.sha256(b"\x01")


class Tree:
    """A growing tree that keeps the roots of its perfect subtrees and at most `BATCH` leaves."""

    __slots__ = ("_folded", "_groups", "_peaks", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._groups: list[bytes] = []
        self._peaks: list[bytes] = []
        self._folded = 0

    @property
    def size(self) -> int:
        """How many leaves were appended."""
        return self._folded * BATCH + len(self._waiting)

    def append(self, leaf: bytes) -> None:
        """The tree has one more leaf: a 32-byte leaf hash. O(1) hashes, amortised.

        Raises:
            EncodingError: `bad-hash-length`.
        """
        if len(leaf) != HASH_BYTES:
            raise _bad_length(leaf)
        waiting = self._waiting
        waiting.append(leaf)
        if len(waiting) == BATCH:
            self._fold()

    def extend(self, leaves: Sequence[bytes]) -> None:
        """The tree has these leaves too, in order: as `append` of each, faster.

        Raises:
            EncodingError: `bad-hash-length`; then none was added.
        """
        _demand_hashes(leaves)
        taken = 0
        while taken < len(leaves):
            room = BATCH - len(self._waiting)
            self._waiting += leaves[taken : taken + room]
            taken += room
            if len(self._waiting) == BATCH:
                self._fold()

    def root(self) -> bytes:
        """The 32-byte tree head over all leaves so far; the tree goes on growing."""
        peaks = self._peaks
        if not self._waiting and not peaks:
            return EMPTY_ROOT
        if self._waiting:
            root, rest = self._waiting_root(), peaks
        else:
            root, rest = peaks[-1], peaks[:-1]
        for peak in reversed(rest):
            root = _node(peak, root)
        return root

    def _waiting_root(self) -> bytes:
        """The head over the waiting leaves: over their groups of eight, and what is left over."""
        waiting, groups = self._waiting, self._groups
        while (done := len(groups) * _GROUP) + _GROUP <= len(waiting):
            groups.append(_fold_leaves(waiting[done : done + _GROUP]))
        left = waiting[done:]
        return _fold_leaves([*groups, _fold_leaves(left)] if left else groups)

    def _fold(self) -> None:
        root = _fold_leaves(self._waiting)
        self._waiting.clear()
        self._groups.clear()
        # The trailing one bits of the count say how many perfect subtrees close with this one.
        count = self._folded
        while count & 1:
            root = _node(self._peaks.pop(), root)
            count >>= 1
        self._peaks.append(root)
        self._folded += 1


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The tree head over these leaf hashes; of none, SHA-256 of the empty string (RFC 9162 2.1.1).

    Raises:
        EncodingError: `bad-hash-length`.
    """
    _demand_hashes(leaves)
    return _fold_leaves(leaves) if leaves else EMPTY_ROOT


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """The audit path of leaf `index` (from 0) in the tree over `leaves` (RFC 9162 2.1.3.1).

    Raises:
        EncodingError: `no-such-leaf`, `bad-hash-length`.
    """
    _demand_hashes(leaves)
    if not 0 <= index < len(leaves):
        raise EncodingError("no-such-leaf", f"There is no leaf {index} among {len(leaves)}.")
    path: list[bytes] = []
    start, end = 0, len(leaves)
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_fold_leaves(leaves[middle:end]))
            end = middle
        else:
            path.append(_fold_leaves(leaves[start:middle]))
            start = middle
    return tuple(reversed(path))


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """`leaf` is leaf `index` (from 0) of the tree of `size` leaves with this `root`.

    RFC 9162 2.1.3.2. Says nothing of whether the root is one to trust.

    Raises:
        EncodingError: `bad-hash-length`.
        TrustError: `not-included`.
    """
    _demand_hashes((leaf, root, *proof))
    if not 0 <= index < size or len(proof) > size.bit_length():
        raise _not_included()
    fn, sn, node = index, size - 1, leaf
    for sibling in proof:
        if sn == 0:
            raise _not_included()
        if fn & 1 or fn == sn:
            node = _node(sibling, node)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            node = _node(node, sibling)
        fn >>= 1
        sn >>= 1
    if sn != 0 or node != root:
        raise _not_included()


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> tuple[bytes, ...]:
    """The proof that the tree over `leaves` continues its own first `old_size` leaves.

    RFC 9162 2.1.4.1; empty where `old_size` is 0 or all of them.

    Raises:
        EncodingError: `no-such-leaf`, `bad-hash-length`.
    """
    _demand_hashes(leaves)
    if not 0 <= old_size <= len(leaves):
        raise EncodingError(
            "no-such-leaf", f"An older tree of {old_size} leaves has no place in {len(leaves)}."
        )
    if old_size in (0, len(leaves)):
        return ()
    path: list[bytes] = []
    start, end, whole = 0, len(leaves), True
    while old_size != end:
        middle = start + _split(end - start)
        if old_size <= middle:
            path.append(_fold_leaves(leaves[middle:end]))
            end = middle
        else:
            path.append(_fold_leaves(leaves[start:middle]))
            start, whole = middle, False
    if not whole:
        path.append(_fold_leaves(leaves[start:end]))
    return tuple(reversed(path))


def verify_consistency(
    old_size: int, new_size: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> None:
    """The tree with `new_root` begins with the leaves of the tree with `old_root`.

    RFC 9162 2.1.4.2, and for an empty or an equal older tree: no proof, and the known root.

    Raises:
        EncodingError: `bad-hash-length`.
        TrustError: `not-consistent`.
    """
    _demand_hashes((old_root, new_root, *proof))
    if not 0 <= old_size <= new_size or len(proof) > new_size.bit_length() + 1:
        raise _not_consistent()
    if old_size in (0, new_size):
        known = old_root == (EMPTY_ROOT if old_size == 0 else new_root)
        if proof or not known or (new_size == 0 and new_root != EMPTY_ROOT):
            raise _not_consistent()
        return
    path = list(proof) if old_size & (old_size - 1) else [old_root, *proof]
    if not path:
        raise _not_consistent()
    old, new = _climb(old_size, new_size, path)
    if old != old_root or new != new_root:
        raise _not_consistent()


def _climb(old_size: int, new_size: int, path: Sequence[bytes]) -> tuple[bytes, bytes]:
    fn, sn = old_size - 1, new_size - 1
    while fn & 1:
        fn >>= 1
        sn >>= 1
    old = new = path[0]
    for node in path[1:]:
        if sn == 0:
            raise _not_consistent()
        if fn & 1 or fn == sn:
            old, new = _node(node, old), _node(node, new)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            new = _node(new, node)
        fn >>= 1
        sn >>= 1
    if sn != 0:
        raise _not_consistent()
    return old, new


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """The largest power of two under `size`, which is at least 2."""
    return 1 << (size - 1).bit_length() - 1


def _fold_leaves(leaves: Sequence[bytes]) -> bytes:
    """The head over one or more leaves, level by level: an odd last node moves up as it is."""
    # To copy a hash that has begun is faster than to begin one.
    begun = _NODE.copy
    level = leaves
    while len(level) > 1:
        pairs = iter(level)
        above = []
        for left, right in zip(pairs, pairs, strict=False):
            node = begun()
            node.update(left + right)
            above.append(node.digest())
        if len(level) & 1:
            above.append(level[-1])
        level = above
    return level[0]


def _demand_hashes(hashes: Sequence[bytes]) -> None:
    if _LENGTHS.issuperset(map(len, hashes)):
        return
    for value in hashes:
        if len(value) != HASH_BYTES:
            raise _bad_length(value)


def _bad_length(value: bytes) -> EncodingError:
    return EncodingError("bad-hash-length", f"A hash has {HASH_BYTES} bytes, not {len(value)}.")


def _not_included() -> TrustError:
    return TrustError("not-included", "The proof does not lead from this leaf to this root.")


def _not_consistent() -> TrustError:
    return TrustError("not-consistent", "The newer tree does not begin with the older one.")
