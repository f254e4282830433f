"""Edits and patches against simple oracles, and writes against a tree in memory."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.edit import (
    Create,
    Delete,
    FileEdit,
    Move,
    Replace,
    SetMode,
    Whole,
)
from groundwire.errors import EncodingError, GroundwireError, GuardError
from groundwire.targets.editing.patch_text import read_patch
from groundwire.targets.editing.patching import patched
from groundwire.targets.editing.replacing import replaced
from tests.unit.targets.trees import Tree, fresh

LINE = st.text(alphabet="ab -+@\\\t\r\x0cé", max_size=4)
LINES = st.lists(LINE, max_size=12)


def joined(lines: list[str], *, ended: bool) -> str:
    return "\n".join(lines) + ("\n" if ended and lines else "")


def cut(text: str) -> list[str]:
    parts = text.split("\n")
    last = parts.pop()
    return [f"{part}\n" for part in parts] + ([last] if last else [])


def diff(before: str, after: str, context: int) -> str:
    lines = []
    for line in difflib.unified_diff(cut(before), cut(after), "a/f", "b/f", n=context):
        ended = line.endswith("\n")
        lines.append(line if ended else line + "\n\\ No newline at end of file\n")
    return "".join(lines)


@settings(max_examples=200)
@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3))
def test_a_patch_turns_what_it_was_made_of_into_what_it_was_made_for(
    old: list[str], new: list[str], old_ended: bool, new_ended: bool, context: int
) -> None:
    before, after = joined(old, ended=old_ended), joined(new, ended=new_ended)
    text = diff(before, after, context)
    if not text:
        return
    (file,) = read_patch(text)
    assert patched("f", before.encode(), file.hunks) == after.encode()


@settings(max_examples=200)
@given(LINES, LINES, LINES, st.integers(1, 3))
def test_on_another_file_a_patch_is_refused_or_replaces_exactly_its_old_lines(
    old: list[str], new: list[str], other: list[str], context: int
) -> None:
    text = diff(joined(old, ended=True), joined(new, ended=True), context)
    if not text:
        return
    (file,) = read_patch(text)
    content = joined(other, ended=True).encode()
    try:
        made = patched("f", content, file.hunks)
    except GuardError:
        return
    lines = cut(content.decode())
    back = made
    for hunk in reversed(file.hunks):
        old_text, new_text = b"".join(hunk.old), b"".join(hunk.new)
        assert old_text in content
        assert new_text in back
    grown = sum(len(hunk.new) - len(hunk.old) for hunk in file.hunks)
    assert len(cut(made.decode())) == len(lines) + grown


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_any_text_is_a_patch_or_refused_as_one(text: str) -> None:
    for tried in (text, "--- a\n+++ b\n@@ -1,1 +1,1 @@\n" + text):
        try:
            read_patch(tried)
        except EncodingError as error:
            assert error.reason in {"patch-malformed", "patch-unsupported"}  # noqa: PT017 -- either may be


@settings(max_examples=300)
@given(
    st.text(alphabet="ab", max_size=12),
    st.text(alphabet="ab", max_size=3),
    st.text(alphabet="abc", max_size=3),
    st.integers(0, 3),
)
def test_an_edit_is_made_where_a_naive_search_finds_it_that_often(
    content: str, old: str, new: str, count: int
) -> None:
    begins = [at for at in range(len(content)) if old and content.startswith(old, at)]
    apart = all(b - a >= len(old) for a, b in pairwise(begins))
    wanted = old and old != new and count >= 1 and len(begins) == count and apart
    try:
        made = replaced("f", content.encode(), [Replace(old=old, new=new, count=count)])
    except GuardError:
        assert not wanted
        return
    assert wanted
    assert made.decode() == new.join(content.split(old))


NAMES = st.sampled_from(["a", "b", "c", "d/a", "d/b"])
CONTENT = st.sampled_from([b"", b"1", b"2\n", b"\xff"])
EDITS: st.SearchStrategy[FileEdit] = st.one_of(
    st.builds(Whole, path=NAMES, content=CONTENT),
    st.builds(Create, path=NAMES, content=CONTENT),
    st.builds(Delete, path=NAMES),
    st.builds(Move, path=NAMES, to=NAMES),
    st.builds(SetMode, path=NAMES, mode=st.sampled_from([0o600, 0o755])),
)


def oracle(files: dict[str, bytes], edits: list[FileEdit]) -> dict[str, bytes] | None:
    """What the edits make of the files; None where one does not fit."""
    files = dict(files)
    for edit in edits:
        match edit:
            case Whole():
                files[edit.path] = edit.content
            case Create():
                if edit.path in files:
                    return None
                files[edit.path] = edit.content
            case Move():
                if edit.path not in files or edit.to in files:
                    return None
                files[edit.to] = files.pop(edit.path)
            case _:
                if edit.path not in files:
                    return None
                if isinstance(edit, Delete):
                    del files[edit.path]
    return files


@settings(max_examples=150)
@given(st.dictionaries(NAMES, CONTENT, max_size=4), st.lists(EDITS, max_size=6))
def test_a_write_makes_of_a_tree_what_the_edits_say_and_an_undo_what_it_was(
    files: dict[str, bytes], edits: list[FileEdit]
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        tree = Tree(folder)
        for name, content in files.items():
            tree.file(name, content)
        wanted = oracle(files, edits)
        try:
            proposal = tree.propose(*edits)
        except GroundwireError:
            assert wanted is None
            return
        written = tree.target.write_if_unchanged(proposal, fresh())
        assert tree.contents() == wanted
        assert {seen.seen for seen in tree.target.observe(proposal)} <= {"content-match"}
        tree.target.undo(written.plan, fresh())
        assert tree.contents() == files
    finally:
        shutil.rmtree(folder)
