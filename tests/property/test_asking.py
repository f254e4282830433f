"""Whatever stands in a call, asking of it raises nothing, answers one of its words, and changes nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwire.audit.deciding.asking import Asker, Says
from groundwire.authority.places import PolicyPin
from groundwire.authority.policy import decode_policy
from groundwire.documents.call import ToolCall
from groundwire.session.guarding.guard import Guard

POLICY = "".join(
    f'[tools.{name}]\neffect = "{effect}"\ntarget = {target}\n'
    for name, effect, target in (
        *((shape, "write", f'{{ files = "{shape}" }}') for shape in (
            "replace", "edits", "whole", "create", "patch", "delete", "move", "mode"
        )),
        ("read", "read", '{ reads = ["path", "to"] }'),
        ("shell", "write", '{ shell = "command" }'),
        ("commit", "write", '{ git = "commit" }'),
    )
)  # fmt: skip
READ = next(tool for tool in decode_policy(POLICY, "p").tools if tool.name == "read")
NOW = datetime(2031, 6, 1, tzinfo=UTC)
PATHS = st.sampled_from(
    (
        "a.txt", "new/b.txt", "../out", "/etc/passwd", "", ".", "/", "a.txt/b", "a\0b", "~", "x" * 300,
        "x/" * 3000, "folder", "link", "pipe", ".git/config", "\ud800", "a.txt ", "./a.txt", "//a", "..",
        "groundwire.toml",
    )
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | PATHS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(("old", "new")), inner, max_size=2)
    ),
    max_leaves=4,
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "path": PATHS | VALUES,
        "to": PATHS | VALUES,
        "old": st.sampled_from(("a", "", "b")) | VALUES,
        "new": VALUES,
        "content": st.text(max_size=5) | VALUES,
        "edits": VALUES,
        "patch": st.sampled_from(
            ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n", "--- /dev/null\n+++ b/../x\n", "@@")
        ),
        "mode": st.sampled_from(("755", "4755", "0")) | VALUES,
        "command": VALUES,
    },
)
TEXTS = ARGUMENTS.map(json.dumps) | st.sampled_from(("", "[", "null", '{"a":1,"a":2}', "[" * 2000))


@pytest.fixture(scope="module")
def asker() -> Iterator[Asker]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        (folder / "a.txt").write_text("a\n")
        (folder / "folder").mkdir()
        (folder / "link").symlink_to("/etc/passwd")
        (folder / "groundwire.toml").write_text(POLICY)
        policy = decode_policy(POLICY, "p")
        guard = Guard(policy, folder, PolicyPin.of(folder / "groundwire.toml"), lambda: NOW)
        yield Asker(policy, guard, NOW)
        assert (folder / "a.txt").read_text() == "a\n"
        assert sorted(path.name for path in folder.iterdir()) == [
            "a.txt", "folder", "groundwire.toml", "link"
        ]  # fmt: skip


@example(tool=READ, text='{"path": "a\\u0000b"}')
@given(tool=st.sampled_from([*decode_policy(POLICY, "p").tools]), text=TEXTS)
def test_whatever_a_call_says_it_is_answered(asker: Asker, tool: object, text: str) -> None:
    call = ToolCall(id="1", name=getattr(tool, "name", ""), arguments=text)
    for answer in (asker.ask(call), asker.ask_of_then(call)):
        assert answer.says in get_args(Says)
        assert (answer.ruling is None) is (answer.says in {"passes", "refused", "not-judged"})
        assert answer.says != "refused" or answer.reason
