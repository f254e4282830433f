"""Every file of vectors/canon, named after the attack it stops, gives the answer it states."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from groundwire.canon import digest, dsse, jcs, merkle, positions
from groundwire.errors import GroundwireError

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "canon"
FILES = sorted(FOLDER.glob("*.json"))
Vector = Mapping[str, Any]


def octets(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def canonical(vector: Vector) -> str:
    data = octets(vector["data"])
    assert jcs.encode(jcs.decode(data)) == data
    return "holds"


def foreign(vector: Vector) -> dict[str, object]:
    read = jcs.decode_foreign(octets(vector["data"]))
    value = json.dumps(read.value, separators=(",", ":"))
    return {"value": value, "duplicates": list(read.duplicates)}


def pae(vector: Vector) -> str:
    found = dsse.pae(vector["payload_type"], octets(vector["payload"]))
    return base64.b64encode(found).decode()


def from_base64(vector: Vector) -> str:
    return dsse.decode_base64(vector["text"]).hex()


def signers(vector: Vector) -> str:
    verified = [(key_id, bytes.fromhex(key)) for key_id, key in vector["verified"]]
    dsse.threshold(verified, vector["needed"])
    return "holds"


def roots(vector: Vector) -> list[str]:
    leaves = [digest.leaf_hash(bytes.fromhex(text)) for text in vector["inputs"]]
    tree, found = merkle.Tree(), [merkle.root_of([]).hex()]
    for count, leaf in enumerate(leaves, start=1):
        tree.append(leaf)
        assert tree.root() == merkle.root_of(leaves[:count])
        found.append(tree.root().hex())
    return found


def inclusion(vector: Vector) -> str:
    leaf, root = bytes.fromhex(vector["leaf"]), bytes.fromhex(vector["root"])
    proof = hashes(vector["proof"])
    merkle.verify_inclusion(leaf, vector["index"], vector["size"], proof, root)
    return "holds"


def consistency(vector: Vector) -> str:
    old, new = bytes.fromhex(vector["old_root"]), bytes.fromhex(vector["new_root"])
    proof = hashes(vector["proof"])
    merkle.verify_consistency(vector["old_size"], vector["new_size"], proof, old, new)
    return "holds"


def tagged(vector: Vector) -> str:
    return digest.tagged(vector["domain"], *map(octets, vector["parts"]))


def commitment(vector: Vector) -> str:
    return digest.commitment(bytes.fromhex(vector["salt"]), vector["form"], octets(vector["data"]))


def position(vector: Vector) -> list[int]:
    place = positions.locate(octets(vector["body"]), vector["pointer"])
    return [place.start, place.end]


JUDGES: Mapping[str, Callable[[Vector], object]] = {
    "canonical-json": canonical,
    "foreign-json": foreign,
    "pae": pae,
    "base64": from_base64,
    "signers": signers,
    "roots": roots,
    "inclusion": inclusion,
    "consistency": consistency,
    "digest": tagged,
    "commitment": commitment,
    "position": position,
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_vector_gets_its_answer(path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    try:
        answer = JUDGES[vector["document"]](vector)
    except GroundwireError as error:
        answer = error.reason
    assert answer == vector["answer"], vector["about"]


def test_every_kind_of_vector_is_there_whole_and_broken() -> None:
    kinds = {json.loads(path.read_text(encoding="utf-8"))["document"] for path in FILES}
    assert kinds == set(JUDGES)
