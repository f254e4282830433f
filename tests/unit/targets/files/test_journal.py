from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.documents.edit import Delete
from groundwire.documents.target import Absent, Plan, Step
from groundwire.errors import EncodingError, HostError
from groundwire.targets.disk.system import Disk
from groundwire.targets.files.journal import begin, open_journal, standing_of
from tests.unit.targets.trees import Tree

WRITE = "0" * 32
STEP = Step(path="a", kind="created", state=Absent(), after="x", held=f".gw-{WRITE}-0")
PLAN = Plan(write=WRITE, root="/r", steps=(STEP,))
LINE = msgspec.json.encode(PLAN) + b"\n"
STAGED = b'{"type":"staged","tokens":[null]}\n'
COMMITTED = b'{"type":"committed"}\n'


def test_a_journal_says_how_far_its_write_had_come() -> None:
    assert standing_of(b"") is None
    assert standing_of(LINE[:-1]) is None, "a line without its end was never written"
    begun = standing_of(LINE + STAGED[:-4])
    assert begun is not None
    assert (begun.plan, begun.staged, begun.committed) == (PLAN, (), False)
    staged = standing_of(LINE + STAGED + COMMITTED[:5])
    assert staged is not None
    assert (staged.staged, staged.committed) == ((None,), False)
    done = standing_of(LINE + STAGED + COMMITTED)
    assert done is not None
    assert done.committed


def changed(**fields: object) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(PLAN, **fields)) + b"\n"


def stepped(**fields: object) -> bytes:
    return changed(steps=(msgspec.structs.replace(STEP, **fields),))


@pytest.mark.parametrize(
    "data",
    [
        b"{}\n",
        b"nothing\n",
        LINE + COMMITTED,
        LINE + STAGED + STAGED,
        LINE + STAGED + COMMITTED + COMMITTED,
        LINE + b'{"type":"staged","tokens":[]}\n',
        LINE.replace(b'"root"', b'"more":1,"root"'),
        changed(write="x"),
        stepped(path="../a"),
        stepped(path="/etc/passwd"),
        stepped(path="a//b"),
        stepped(to=".."),
        stepped(folders=("x/../..",)),
        stepped(held="passwd"),
        stepped(held="../.gw-" + WRITE + "-0"),
    ],
)
def test_a_journal_that_no_write_of_ours_made_is_not_followed(data: bytes) -> None:
    with pytest.raises(EncodingError) as refused:
        standing_of(data)
    assert refused.value.reason == "bad-journal"


def test_a_write_that_still_goes_on_is_not_recovered(tree: Tree) -> None:
    journal = begin(tree.state, PLAN, Disk())
    try:
        with pytest.raises(HostError) as refused:
            open_journal(journal.path, Disk())
        assert refused.value.reason == "journal-in-use"
        assert tree.target.recover() == ()
        assert tree.journals() == [journal.path.name]
    finally:
        journal.close()


def test_a_journal_of_another_folder_is_not_followed_here(tree: Tree) -> None:
    begin(tree.state, PLAN, Disk()).close()
    with pytest.raises(EncodingError):
        tree.target.recover()
    assert tree.journals() != []


def test_two_writes_of_one_name_do_not_share_a_journal(tree: Tree) -> None:
    for name in "ab":
        tree.file(name)
    proposal = tree.propose(Delete(path="a"), Delete(path="b"))
    begin(tree.state, msgspec.structs.replace(PLAN, root=tree.target.root), Disk()).close()
    with pytest.raises(HostError) as refused:
        tree.target.write_if_unchanged(proposal, WRITE)
    assert refused.value.reason == "journal-failed"
    assert set(tree.contents()) == {"a", "b"}


def test_a_folder_that_takes_no_journal_is_told_of(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"in the way")
    for name in "ab":
        tree.file(name)
    proposal = tree.propose(Delete(path="a"), Delete(path="b"))
    with pytest.raises(HostError) as refused:
        tree.target.write_if_unchanged(proposal, WRITE)
    assert refused.value.reason == "journal-failed"
    assert set(tree.contents()) == {"a", "b"}
