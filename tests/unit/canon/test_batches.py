from __future__ import annotations

import hashlib

import pytest

from groundwire.canon.digest import commitment, leaf_hash, leaf_hashes
from groundwire.canon.merkle import Tree, root_of
from groundwire.errors import EncodingError


def test_many_leaf_hashes_are_those_of_each_line() -> None:
    lines = [b"", b"one", b"\x00" * 200]
    assert leaf_hashes(iter(lines)) == [leaf_hash(line) for line in lines]


@pytest.mark.parametrize("cuts", [(0, 200), (1, 63, 64), (64, 64, 1), (10, 54, 128, 3), (63, 1, 0)])
def test_a_tree_extended_in_pieces_is_the_tree_over_all_leaves(cuts: tuple[int, ...]) -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(sum(cuts))]
    tree, taken = Tree(), 0
    for cut in cuts:
        tree.extend(leaves[taken : taken + cut])
        taken += cut
        assert (tree.size, tree.root()) == (taken, root_of(leaves[:taken]))
    tree.append(leaf_hash(b"one more"))
    assert tree.root() == root_of([*leaves, leaf_hash(b"one more")])


def test_a_tree_takes_no_leaf_of_a_list_with_one_that_is_none() -> None:
    tree = Tree()
    with pytest.raises(EncodingError):
        tree.extend([leaf_hash(b"a"), b"short"])
    assert tree.size == 0


@pytest.mark.parametrize("size", [0, 1, 1 << 14, (1 << 14) + 1, 100_000])
def test_a_commitment_is_over_the_same_bytes_at_every_size(size: int) -> None:
    data, salt = b"x" * size, bytes(range(16))
    parts = (b"groundwire/1/content", salt, b"text", data)
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    assert commitment(salt, "text", data) == "gw1:" + hashlib.sha256(framed).hexdigest()
