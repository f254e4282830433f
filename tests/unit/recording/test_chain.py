from __future__ import annotations

import hashlib

from groundwire.documents.entry import FIRST
from groundwire.recording.chain import Chain, are_linked, links


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def test_an_empty_chain_starts_at_the_constant_and_the_empty_tree() -> None:
    chain = Chain()
    assert (chain.size, chain.head) == (0, FIRST)
    assert chain.root() == "root:" + hashlib.sha256(b"").hexdigest()


def test_the_link_is_the_leaf_and_the_root_is_that_of_the_tree_over_the_leaves() -> None:
    chain = Chain()
    leaves = [hashlib.sha256(b"\x00" + line).digest() for line in (b"one", b"two", b"three")]
    heads = [chain.append(line) for line in (b"one", b"two", b"three")]
    assert heads == ["leaf:" + leaf.hex() for leaf in leaves]
    assert (chain.size, chain.head) == (3, heads[-1])
    assert chain.root() == "root:" + node(node(leaves[0], leaves[1]), leaves[2]).hex()


def test_links_are_looked_at_together_as_each_is() -> None:
    leaves = [hashlib.sha256(bytes([number])).digest() for number in range(4)]
    good = [FIRST, *links(leaves)[:-1]]
    for count in range(5):
        assert are_linked(good[:count], FIRST, leaves[:count])
    assert not are_linked(good, links(leaves)[0], leaves)
    assert not are_linked(good[:1], links(leaves)[0], leaves[:1])
    assert not are_linked(good[:3], FIRST, leaves)
    for place in range(4):
        for other in ("", FIRST.upper(), links(leaves)[3], good[place] + "\n", "\n" + good[place]):
            assert not are_linked([*good[:place], other, *good[place + 1 :]], FIRST, leaves)
    # Two links in one text, and none in the next, are no two links.
    assert not are_linked([good[0] + "\n" + good[1], *good[2:], good[3]], FIRST, leaves)
