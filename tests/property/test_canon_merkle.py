"""The tree and its proofs against the recursive definition, at random sizes and with random lies."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon.merkle import (
    Tree,
    consistency_proof,
    inclusion_proof,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from groundwire.errors import EncodingError, TrustError
from tests.unit.canon import trees

LEAVES = trees.leaves_of(300)
ROOTS = [trees.head(LEAVES[:size]) for size in range(301)]
HASHES = st.one_of(st.sampled_from(LEAVES + ROOTS), st.binary(min_size=32, max_size=32))
PROOFS = st.lists(st.one_of(HASHES, st.binary(max_size=40)), max_size=12)


def refuses(call, *arguments) -> bool:
    try:
        call(*arguments)
    except (TrustError, EncodingError):
        return True
    return False


@settings(max_examples=60)
@given(st.integers(0, 300))
def test_a_tree_grown_leaf_by_leaf_has_the_recursive_root(size) -> None:
    tree = Tree()
    for leaf in LEAVES[:size]:
        tree.append(leaf)
    assert tree.root() == root_of(LEAVES[:size]) == ROOTS[size]


@settings(max_examples=100)
@given(st.integers(1, 300), st.data())
def test_a_true_inclusion_proof_holds_and_is_the_recursive_one(size, data) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(LEAVES[:size], index)
    assert list(proof) == trees.path(index, LEAVES[:size])
    verify_inclusion(LEAVES[index], index, size, proof, ROOTS[size])


@settings(max_examples=100)
@given(st.integers(0, 300), st.data())
def test_a_true_consistency_proof_holds(size, data) -> None:
    old = data.draw(st.integers(0, size))
    proof = consistency_proof(LEAVES[:size], old)
    verify_consistency(old, size, proof, ROOTS[old], ROOTS[size])


@settings(max_examples=200)
@given(HASHES, st.integers(), st.integers(), PROOFS, HASHES)
def test_an_inclusion_proof_made_of_anything_is_refused(leaf, index, size, proof, root) -> None:
    if (index, size, proof) != (0, 1, []) or leaf != root:
        assert refuses(verify_inclusion, leaf, index, size, proof, root)


@settings(max_examples=200)
@given(st.integers(-2, 70), st.integers(-2, 70), PROOFS, HASHES, HASHES)
def test_a_consistency_proof_made_of_anything_is_refused(old, new, proof, left, right) -> None:
    trivial = not proof and (
        (old == new and left == right) or (old == 0 and left == ROOTS[0] and new > 0)
    )
    # A list that happens to be the true proof of these sizes cannot be told from one.
    true = 0 < old < new <= 70 and proof == list(consistency_proof(LEAVES[:new], old))
    if not trivial and not true:
        assert refuses(verify_consistency, old, new, proof, left, right)


@settings(max_examples=200)
@given(st.integers(2, 300), st.data())
def test_one_changed_hash_breaks_an_inclusion_proof(size, data) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = list(inclusion_proof(LEAVES[:size], index))
    at = data.draw(st.integers(0, len(proof) - 1))
    bit = data.draw(st.integers(0, 255))
    proof[at] = (int.from_bytes(proof[at], "big") ^ 1 << bit).to_bytes(32, "big")
    assert refuses(verify_inclusion, LEAVES[index], index, size, proof, ROOTS[size])


@settings(max_examples=200)
@given(st.integers(2, 300), st.data())
def test_another_index_or_size_breaks_an_inclusion_proof(size, data) -> None:
    index = data.draw(st.integers(0, size - 1))
    claimed = data.draw(st.integers(0, size - 1).filter(lambda other: other != index))
    proof = inclusion_proof(LEAVES[:size], index)
    assert refuses(verify_inclusion, LEAVES[index], claimed, size, proof, ROOTS[size])
