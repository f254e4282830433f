"""T2: what has changed is refused before anything is staged beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.documents.edit import Create, Delete, FileEdit, Move, Whole
from groundwire.errors import GuardError
from tests.unit.targets.trees import Rival, Tree, fresh


@pytest.mark.parametrize(
    ("edit", "act"),
    [
        (Whole(path="a", content=b"x"), lambda work: (work / "a").write_bytes(b"theirs")),
        (Delete(path="a"), lambda work: (work / "a").write_bytes(b"theirs")),
        (Move(path="a", to="b"), lambda work: (work / "b").write_bytes(b"theirs")),
        (Create(path="b", content=b"x"), lambda work: (work / "b").write_bytes(b"theirs")),
    ],
)
def test_drift_that_is_seen_in_time_leaves_no_trace_at_all(
    tmp_path: Path, edit: FileEdit, act: Callable[[Path], object]
) -> None:
    calls: list[str] = []
    for name in ("create", "exchange", "move_new", "rename"):
        tree = Tree(tmp_path, Rival(name, lambda name=name: calls.append(name), times=99))
        tree.file("a", b"1\n")
        (tree.work / "b").unlink(missing_ok=True)
        proposal = tree.propose(edit)
        act(tree.work)
        with pytest.raises(GuardError) as refused:
            tree.target.write_if_unchanged(proposal, fresh())
        assert refused.value.reason == "state-drifted"
    assert calls == []
