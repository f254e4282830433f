"""The tools of a coding agent: declared, over one folder, and what writes has no code of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.documents.governing import ReadArguments
from groundwire.session.guarding.ready import coding
from groundwire.session.guarding.ready.coding import DECLARATIONS, coding_tools
from groundwire.session.project import Project


def run(folder: Path, name: str, **arguments: object) -> object:
    tool = next(tool for tool in coding_tools(folder) if tool.name == name)
    assert tool.work is not None
    return tool.work(arguments)()


def test_every_tool_is_declared_and_only_those_that_read_have_code(tmp_path: Path) -> None:
    declared = {each.name: each for each in DECLARATIONS}
    tools = {tool.name: tool for tool in coding_tools(tmp_path)}
    assert list(tools) == list(declared)
    for name, tool in tools.items():
        reads = declared[name].effect == "read"
        assert (tool.work is not None) == reads == isinstance(declared[name].target, ReadArguments)
        assert tool.description


def test_a_target_speaks_of_arguments_that_its_tool_takes(tmp_path: Path) -> None:
    text = """
[tools.write_file]
effect = "write"
target = { files = "whole" }
[tools.edit_file]
effect = "write"
target = { files = "replace" }
[tools.delete_file]
effect = "write"
target = { files = "delete" }
[tools.move_file]
effect = "write"
target = { files = "move" }
[tools.apply_patch]
effect = "write"
target = { files = "patch" }
[tools.run_command]
effect = "write"
target = { shell = "command" }
[tools.read_file]
effect = "read"
target = { reads = ["path"] }
[tools.list_folder]
effect = "read"
target = { reads = ["path"] }
"""
    as_written = {tool.name: tool for tool in decode_policy(text, "the test").tools}
    assert {each.name: each for each in DECLARATIONS} == as_written
    takes = {
        "whole": {"path", "content"},
        "replace": {"path", "old", "new"},
        "delete": {"path"},
        "move": {"path", "to"},
        "patch": {"patch"},
    }
    for tool in coding_tools(tmp_path):
        edit = getattr(as_written[tool.name].target, "edit", None)
        properties = tool.schema["properties"]
        assert isinstance(properties, dict)
        if edit is not None:
            assert set(properties) == takes[edit] == set(tool.schema["required"])


def test_the_project_declares_them_and_keeps_what_the_policy_says_itself(tmp_path: Path) -> None:
    policy = tmp_path / "groundwire.toml"
    policy.write_text(
        '[guard]\nfolder = "work"\n[tools.run_command]\neffect = "external"\noperation = "run"\n'
    )
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("inside")
    project = Project(policy)
    for _ in range(2):
        tools = project.coding_tools()
    declared = {tool.name: tool for tool in project.declared_policy().tools}
    assert set(declared) >= {tool.name for tool in tools}  # other tests declare tools too
    assert (declared["run_command"].effect, declared["run_command"].target) == ("external", None)
    assert declared["write_file"] in DECLARATIONS
    reader = next(tool for tool in tools if tool.name == "read_file")
    assert reader.work is not None
    assert reader.work({"path": "a.txt"})() == "inside"


def test_a_file_is_shown_whole_or_by_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\n\xffthree")
    assert run(tmp_path, "read_file", path="a") == "one\r\ntwo\n\ufffdthree"
    more = "\n[There is more; ask for later lines.]\n"
    assert run(tmp_path, "read_file", path="a", first_line=2, lines=1) == f"two\n{more}"
    assert run(tmp_path, "read_file", path="a", first_line=3, lines=9) == "\ufffdthree"
    assert run(tmp_path, "read_file", path="a", first_line=9) == ""
    assert run(tmp_path, "read_file", path="a", first_line=-5, lines=-1) == more


def test_a_file_without_an_end_of_line_is_shown_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coding, "_MOST_BYTES", 10)
    (tmp_path / "a").write_text("x" * 25)
    shown = run(tmp_path, "read_file", path="a")
    assert shown == "x" * 10 + "\n[There is more; ask for later lines.]\n"


def test_what_cannot_be_read_is_said_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert run(tmp_path, "read_file", path="pipe") == "It cannot be read: it is no plain file."
    assert run(tmp_path, "read_file", path=".") == "It cannot be read: it is no plain file."
    assert run(tmp_path, "read_file", path="no") == "It cannot be read: No such file or directory."
    assert "cannot be read" in str(run(tmp_path, "read_file", path="a\0b"))
    assert "cannot be read" in str(run(tmp_path, "list_folder", path="no"))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc here")
def test_the_environment_of_a_process_is_no_file_to_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc/self/environ")
    for path in ("/proc/self/environ", f"/proc/{os.getpid()}/environ", "link"):
        assert run(tmp_path, "read_file", path=path) == "It cannot be read: it is no plain file."


def test_a_folder_is_listed_in_order_up_to_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("")
    (tmp_path / "c").symlink_to(tmp_path)
    assert run(tmp_path, "list_folder") == "a\nb/\nc"
    monkeypatch.setattr(coding, "MOST_NAMES", 1)
    assert run(tmp_path, "list_folder", path=".") == "a\n[2 more]"
