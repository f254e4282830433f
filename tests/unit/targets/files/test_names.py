"""A file system that takes names for one another which differ in case or in Unicode form."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from groundwire.documents.edit import Create, FileEdit, Move
from groundwire.errors import GroundwireError
from tests.unit.targets.trees import Tree, Unsynced, replace


class Insensitive(Unsynced):
    """The system under names that are folded, as on the usual disk of a Mac."""

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name in {"open_root", "open_lock", "set_attribute", "remove_attribute"}:
            return found

        def called(*given: object) -> object:
            return found(*(_folded(each) if isinstance(each, str) else each for each in given))

        return called if callable(found) else found


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@pytest.fixture
def folding(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.target._ground.root.disk = Insensitive()
    tree.file("readme", b"1\n")
    tree.file("caf\u00e9", b"1\n")
    return tree


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((replace("README", "1", "2"), replace("readme", "1", "3")), "same-file-twice"),
        ((replace("caf\u00e9", "1", "2"), replace("CAFE\u0301", "1", "3")), "same-file-twice"),
        ((Create(path="ReadMe", content=b""),), "file-present"),
        ((Move(path="caf\u00e9", to="README"),), "file-present"),
        ((Create(path="new", content=b""), Create(path="NEW", content=b"x")), "state-drifted"),
    ],
)
def test_one_file_under_two_spellings_is_recognised_and_nothing_is_written(
    folding: Tree, edits: tuple[FileEdit, ...], reason: str
) -> None:
    with pytest.raises(GroundwireError) as refused:
        folding.write(*edits)
    assert refused.value.reason == reason
    assert folding.contents() == {"readme": b"1\n", "caf\u00e9": b"1\n"}
    assert folding.journals() == []


def test_another_spelling_edits_the_file_that_is_there(folding: Tree) -> None:
    folding.write(replace("README", "1", "2"))
    assert folding.contents()["readme"] == b"2\n"
    assert len(folding.contents()) == 2
