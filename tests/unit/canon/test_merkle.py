from __future__ import annotations

import hashlib
import itertools

import pytest

from groundwire.canon import merkle
from groundwire.canon.merkle import (
    BATCH,
    EMPTY_ROOT,
    Tree,
    consistency_proof,
    inclusion_proof,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from groundwire.errors import EncodingError, TrustError
from tests.unit.canon import trees

MANY = trees.leaves_of(3 * BATCH + 7)
SIZES = [*range(20), BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 3 * BATCH, 3 * BATCH + 7]


def included(*arguments) -> bool:
    try:
        verify_inclusion(*arguments)
    except (TrustError, EncodingError):
        return False
    return True


def consistent(*arguments) -> bool:
    try:
        verify_consistency(*arguments)
    except (TrustError, EncodingError):
        return False
    return True


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert EMPTY_ROOT == root_of([]) == Tree().root() == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", SIZES)
def test_a_root_is_the_recursive_one(size) -> None:
    assert root_of(MANY[:size]) == trees.head(MANY[:size])


def test_a_growing_tree_has_the_root_of_its_leaves_at_every_size() -> None:
    tree = Tree()
    for size in range(len(MANY) + 1):
        assert tree.size == size
        if size in SIZES:
            assert tree.root() == trees.head(MANY[:size])
        if size < len(MANY):
            tree.append(MANY[size])


def test_a_root_that_is_asked_for_after_every_leaf_is_the_one_of_all_leaves() -> None:
    tree = Tree()
    for size, leaf in enumerate(MANY, 1):
        tree.append(leaf)
        assert tree.root() == tree.root() == root_of(MANY[:size])


@pytest.mark.parametrize("cuts", [(0,), (1, 1, 5), (BATCH,), (BATCH - 1, 2), (2 * BATCH + 1, 0, 9)])
def test_leaves_added_together_are_leaves_added_one_by_one(cuts) -> None:
    together, rest = Tree(), MANY
    for cut in cuts:
        together.extend(rest[:cut])
        rest = rest[cut:]
    together.extend(tuple(rest))
    assert together.size == len(MANY)
    assert together.root() == trees.head(MANY)


def test_leaves_added_together_are_all_added_or_none() -> None:
    tree = Tree()
    with pytest.raises(EncodingError):
        tree.extend([*MANY[:5], bytes(31)])
    assert tree.root() == EMPTY_ROOT


def test_a_growing_tree_holds_few_hashes() -> None:
    tree = Tree()
    for number in range(64 * BATCH - 1):
        tree.append(number.to_bytes(32, "big"))
    assert len(tree._peaks) + len(tree._waiting) < BATCH + 6


@pytest.mark.parametrize("size", [*range(1, 18), BATCH + 1])
def test_every_leaf_is_included_by_the_recursive_path(size) -> None:
    leaves = MANY[:size]
    root = trees.head(leaves)
    for index in range(size):
        proof = inclusion_proof(leaves, index)
        assert list(proof) == trees.path(index, leaves)
        verify_inclusion(leaves[index], index, size, proof, root)


@pytest.mark.parametrize("size", [*range(1, 18), BATCH + 1])
def test_every_older_tree_is_continued_by_the_recursive_proof(size) -> None:
    leaves = MANY[:size]
    for old in range(1, size):
        proof = consistency_proof(leaves, old)
        assert list(proof) == trees.proof(old, leaves)
        verify_consistency(old, size, proof, trees.head(leaves[:old]), trees.head(leaves))


def test_an_empty_and_an_equal_older_tree_need_no_proof() -> None:
    root = trees.head(MANY[:5])
    assert consistency_proof(MANY[:5], 0) == consistency_proof(MANY[:5], 5) == ()
    verify_consistency(0, 5, (), EMPTY_ROOT, root)
    verify_consistency(5, 5, (), root, root)
    verify_consistency(0, 0, (), EMPTY_ROOT, EMPTY_ROOT)


def test_an_empty_or_equal_older_tree_with_another_root_or_a_proof_is_refused() -> None:
    root, other = trees.head(MANY[:5]), trees.head(MANY[:4])
    assert not consistent(0, 5, (), other, root)
    assert not consistent(0, 5, (other,), EMPTY_ROOT, root)
    assert not consistent(5, 5, (), other, root)
    assert not consistent(5, 5, (other,), root, root)
    assert not consistent(0, 0, (), EMPTY_ROOT, root)
    assert not consistent(0, 0, (), root, root)


@pytest.mark.parametrize("size", [1, 8, 11])
def test_a_leaf_is_included_at_no_other_place_and_in_no_other_tree(size) -> None:
    leaves = MANY[:size]
    root = trees.head(leaves)
    for index in range(size):
        proof = inclusion_proof(leaves, index)
        for claimed in range(-2, 4 * size):
            expected = claimed == index
            assert included(leaves[index], claimed, size, proof, root) == expected
        assert not included(leaves[index], index, size, proof, trees.head(MANY[: size + 1]))
        assert not included(MANY[size + 1], index, size, proof, root)


def test_a_smaller_tree_is_not_claimed_for_the_root_of_a_larger_one() -> None:
    root = trees.head(MANY[:2])
    assert not included(MANY[1], 0, 1, [MANY[0]], root)
    assert not included(MANY[0], 0, 1, [MANY[1]], root)


def test_an_interior_node_does_not_pass_for_a_leaf_of_the_tree() -> None:
    leaves = MANY[:4]
    root = trees.head(leaves)
    left = trees.node(leaves[0], leaves[1])
    right = trees.node(leaves[2], leaves[3])
    # It would in a tree that claims two leaves: the size is part of what is signed.
    assert not included(left, 0, 4, (right,), root)
    assert not included(left, 1, 4, (right,), root)


@pytest.mark.parametrize("size", [1, 2, 6, 7, 8])
def test_a_changed_lengthened_or_shortened_inclusion_proof_is_refused(size) -> None:
    leaves = MANY[:size]
    root = trees.head(leaves)
    for index in range(size):
        proof = list(inclusion_proof(leaves, index))
        wrong = [[*proof, root], [root, *proof], proof[::-1]]
        wrong += [proof[:cut] for cut in range(len(proof))]
        wrong += [[*proof[:at], leaves[0][::-1], *proof[at + 1 :]] for at in range(len(proof))]
        wrong += [proof * 2, [root] * 70]
        for each in wrong:
            assert each == proof or not included(leaves[index], index, size, each, root)


@pytest.mark.parametrize("size", [2, 3, 6, 7, 8])
def test_a_changed_lengthened_or_shortened_consistency_proof_is_refused(size) -> None:
    leaves = MANY[:size]
    root = trees.head(leaves)
    for old in range(1, size):
        known = trees.head(leaves[:old])
        proof = list(consistency_proof(leaves, old))
        wrong = [[*proof, root], [root, *proof], [known, *proof], proof[::-1]]
        wrong += [proof[:cut] for cut in range(len(proof))]
        wrong += [[*proof[:at], leaves[0][::-1], *proof[at + 1 :]] for at in range(len(proof))]
        wrong += [proof * 2, [root] * 70, []]
        for each in wrong:
            assert each == proof or not consistent(old, size, each, known, root)
        for claimed in range(-1, size + 2):
            assert claimed == old or not consistent(claimed, size, proof, known, root)
        assert not consistent(old, size, proof, trees.head(MANY[1 : old + 1]), root)
        assert not consistent(old, size, proof, known, trees.head(MANY[1 : size + 1]))


@pytest.mark.parametrize("bad", [b"", bytes(31), bytes(33)])
def test_a_hash_of_another_length_is_refused_everywhere(bad) -> None:
    good = MANY[0]
    calls = [
        lambda: Tree().append(bad),
        lambda: root_of([bad]),
        lambda: root_of([good, bad]),
        lambda: inclusion_proof([bad], 0),
        lambda: consistency_proof([good, bad], 1),
        lambda: verify_inclusion(bad, 0, 1, (), bad),
        lambda: verify_inclusion(good, 0, 1, (), bad),
        lambda: verify_inclusion(good, 0, 2, (bad,), good),
        lambda: verify_consistency(1, 2, (bad,), good, good),
        lambda: verify_consistency(1, 1, (), bad, bad),
        lambda: verify_consistency(1, 2, (good,), good, bad),
    ]
    for call in calls:
        with pytest.raises(EncodingError) as caught:
            call()
        assert caught.value.reason == "bad-hash-length"


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (inclusion_proof, 3),
        *itertools.product((inclusion_proof, consistency_proof), (-1, 4, 10**30)),
    ],
)
def test_a_proof_of_what_is_not_in_the_tree_is_refused(make, place) -> None:
    with pytest.raises(EncodingError) as caught:
        make(MANY[:3], place)
    assert caught.value.reason == "no-such-leaf"


def test_a_tree_of_absurd_size_is_judged_in_no_time() -> None:
    assert not included(MANY[0], 0, 10**300, [MANY[1]] * 900, MANY[2])
    assert not included(MANY[0], 10**300, 10**300 + 1, (), MANY[2])
    assert not consistent(2**900, 2**901, [MANY[1]], MANY[2], MANY[3])
    assert not consistent(10**300 - 1, 10**300, [MANY[1]] * 990, MANY[2], MANY[3])


def test_the_batch_is_a_power_of_two() -> None:
    # Otherwise a folded batch would be no perfect subtree.
    assert merkle.BATCH & (merkle.BATCH - 1) == 0
