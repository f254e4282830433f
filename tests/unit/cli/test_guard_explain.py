"""`groundwire guard explain` and `dry-run`: what would be said of calls, and nothing done."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groundwire.cli.main import run

POLICY = """\
[tools.edit]
effect = "write"
target = { files = "replace" }

[tools.save]
effect = "write"
target = { files = "whole" }

[tools.shell]
effect = "write"
target = { shell = "command" }

[tools.commit]
effect = "write"
target = { git = "commit" }

[tools.note]
effect = "write"

[tools.mail]
effect = "external"
operation = "send_mail"

[tools.read]
effect = "read"
target = { reads = ["path"] }

[guard]
deny_read = [".env"]
"""
SPEC = """openapi: 3.0.3
paths:
  /a:
    get:
      responses:
        "200":
          description: ok
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("x = 1\n")
    (tmp_path / "openapi.yaml").write_text(SPEC)
    (tmp_path / "groundwire.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def explained(
    folder: Path, capsys: pytest.CaptureFixture[str], tool: str, **arguments: object
) -> tuple[int, dict[str, Any]]:
    path = folder / "call.json"
    path.write_text(json.dumps({"tool": tool, "arguments": arguments}))
    before = everything(folder)
    code = run(["guard", "explain", str(path), "--json"])
    assert everything(folder) == before
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says", "rule"),
    [
        ("edit", {"path": "src/app.py", "old": "1", "new": "2"}, 0, "allow", "default/write"),
        ("edit", {"path": "openapi.yaml", "old": "/a", "new": "/b"}, 1, "approve", "governed"),
        ("save", {"path": "new.py", "content": "x"}, 0, "allow", "default/ordinary-write"),
        ("save", {"path": "src/app.py", "content": "y"}, 1, "approve", "unread-overwrite"),
        ("save", {"path": ".git/info/x", "content": "y"}, 1, "approve", "default/git-folder"),
        ("save", {"path": "../elsewhere", "content": "y"}, 1, "approve", "outside-folder"),
        ("note", {"text": "x"}, 1, "approve", "default/unseen-change"),
        ("mail", {}, 1, "approve", "default/external"),
    ],
)
def test_a_call_is_decided_on_the_real_files_and_the_deciding_rule_is_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    tool: str,
    arguments: dict[str, object],
    code: int,
    says: str,
    rule: str,
) -> None:
    found = explained(folder, capsys, tool, **arguments)
    assert (found[0], found[1]["says"]) == (code, says)
    assert any(rule in each for each in found[1]["rules"])
    assert bool(found[1]["would_allow"]) is (says == "approve")
    assert ("give the tool a `target`" in found[1]["would_allow"]) is (tool == "note")


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("edit", {"path": "src/app.py", "old": "9", "new": "2"}, "edit-not-found"),
        ("edit", {"path": "src/app.py"}, "arguments-do-not-fit"),
        ("edit", {"path": "src", "old": "9", "new": "2"}, "not-a-file"),
        ("save", {"path": "groundwire.toml", "content": ""}, "protected-place"),
        ("edit", {"path": "groundwire.toml", "old": "9", "new": "2"}, "protected-place"),
        ("read", {"path": ".env"}, "denied-to-read"),
        ("unheard", {}, "undeclared-tool"),
    ],
)
def test_what_the_guard_would_refuse_by_itself_is_refused_with_its_reason(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    tool: str,
    arguments: dict[str, object],
    reason: str,
) -> None:
    code, found = explained(folder, capsys, tool, **arguments)
    assert (code, found["says"], found["reason"]) == (1, "refused", reason)
    assert found["message"]


@pytest.mark.parametrize("tool", ["shell", "commit"])
def test_what_only_doing_it_would_show_is_not_judged(
    folder: Path, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    code, found = explained(folder, capsys, tool, command="touch x", message="x")
    assert (code, found["says"]) == (3, "not-judged")


def test_what_an_overwrite_would_lose_is_printed_line_by_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"tool": "save", "arguments": {"path": "src/app.py", "content": "y"}}
    (folder / "call.json").write_text(json.dumps(call))
    assert run(["guard", "explain", "call.json"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert "    -x = 1" in printed
    assert "    +y" in printed


def test_a_declared_read_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = explained(folder, capsys, "read", path="src/app.py")
    assert (code, found["says"]) == (0, "passes")


def test_the_lines_that_are_printed_allow_the_call_once_they_stand_in_the_policy(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = folder / "call.json"
    edit = {"path": "openapi.yaml", "old": "/a", "new": "/b"}
    call.write_text(json.dumps({"tool": "edit", "arguments": edit}))
    assert run(["guard", "explain", "call.json"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("edit: approve in production, by default/governed\n")
    lines = printed.partition("put this into groundwire.toml:\n")[2]
    (folder / "groundwire.toml").write_text(POLICY + lines)
    assert run(["guard", "explain", "call.json"]) == 0


@pytest.mark.parametrize(
    "call",
    [
        {"type": "function", "id": "1", "function": {"name": "read", "arguments": "{}"}},
        {"type": "tool_use", "id": "1", "name": "read", "input": {}},
        {"name": "read", "arguments": {}},
        {"name": "read", "arguments": "{}"},
    ],
)
def test_a_call_is_taken_as_a_provider_gives_it_and_from_standard_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: dict[str, object]
) -> None:
    data = io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()))
    monkeypatch.setattr(sys, "stdin", data)
    assert run(["guard", "explain", "-"]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[", "not-json"), ("{}", "not-a-call"), ("[1]", "not-a-call"), ('"x"', "not-a-call")],
)
def test_what_is_no_call_is_one_clear_line(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    (folder / "call.json").write_text(text)
    assert run(["guard", "explain", "call.json"]) == 3
    assert f"reason: {reason}" in capsys.readouterr().err
    assert run(["guard", "explain", "nowhere.json"]) == 3


def test_calls_of_the_ready_made_tools_are_judged_where_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = folder / "call.json"
    asked = {"tool": "write_file", "arguments": {"path": "new.txt", "content": "x"}}
    call.write_text(json.dumps(asked))
    assert run(["guard", "explain", "call.json"]) == 1
    assert "give --coding-tools" in capsys.readouterr().out
    assert run(["guard", "explain", "call.json", "--coding-tools"]) == 0
    path = log(folder, ("write_file", {"path": "new.txt", "content": "x"}))
    assert run(["guard", "dry-run", path]) == 1
    capsys.readouterr()
    assert run(["guard", "dry-run", path, "--coding-tools"]) == 0
    assert "1 call; 0 asked, 0 refused, 1 would run" in capsys.readouterr().out


def test_what_the_policy_declares_of_a_ready_made_name_holds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (folder / "groundwire.toml").open("a") as policy:
        policy.write('[tools.run_command]\neffect = "external"\noperation = "deploy"\n')
    call = folder / "call.json"
    call.write_text(json.dumps({"tool": "run_command", "arguments": {"command": "ls"}}))
    assert run(["guard", "explain", "call.json", "--coding-tools"]) == 1
    assert "default/external" in capsys.readouterr().out


# --- dry-run --------------------------------------------------------------------------------


def log(folder: Path, *calls: tuple[str, dict[str, object]], name: str = "log.json") -> str:
    messages: list[dict[str, object]] = [{"role": "user", "content": "go on"}]
    for number, (tool, arguments) in enumerate(calls):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        called = {"id": f"c{number}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "x = 1"},
        ]
    (folder / name).write_text(json.dumps({"messages": messages}) + "\n")
    return str(folder / name)


def counted(capsys: pytest.CaptureFixture[str]) -> tuple[int, int, int, int]:
    found = json.loads(capsys.readouterr().out)
    return found["asked"], found["refused"], found["would_run"], found["not_judged"]


def test_a_log_is_replayed_against_a_policy_and_each_call_is_counted_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = {"path": "src/app.py", "old": "x = 1", "new": "x = 2"}
    path = log(
        folder,
        ("read", {"path": "src/app.py"}),
        ("edit", edit),
        ("edit", {**edit, "old": "x = 2", "new": "x = 3"}),
        ("edit", {"path": "openapi.yaml", "old": "/a", "new": "/b"}),
        ("save", {"path": "groundwire.toml", "content": ""}),
        ("shell", {"command": "make"}),
        ("unheard", {}),
    )
    before = everything(folder)
    assert run(["guard", "dry-run", path, "--json"]) == 1
    assert everything(folder) == before
    assert counted(capsys) == (1, 2, 3, 1)


def test_an_edit_is_made_on_what_the_edits_before_it_left(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = {"path": "src/app.py", "old": "x = 1", "new": "x = 2"}
    path = log(folder, ("edit", edit), ("edit", {**edit, "old": "x = 2", "new": "x = 3"}))
    assert run(["guard", "dry-run", path]) == 0
    assert "as it is now" not in capsys.readouterr().out


def test_an_edit_of_a_file_that_has_moved_on_is_judged_by_what_the_file_is_now(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = {"old": "long gone", "new": "x"}
    path = log(
        folder,
        ("edit", {"path": "src/app.py", **gone}),
        ("edit", {"path": "openapi.yaml", **gone}),
        ("edit", {"path": "src/removed.py", **gone}),
    )
    assert run(["guard", "dry-run", path]) == 1
    printed = capsys.readouterr().out
    assert "3 calls; 1 asked, 0 refused, 1 would run, 1 not judged" in printed
    assert "asked  edit  openapi.yaml  default/governed  (by its file as it is now)" in printed
    assert "not judged  edit, 1 call: the file is not what it was" in printed


def test_what_the_run_had_read_or_written_itself_it_may_write_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = {"path": "src/app.py", "content": "y"}
    path = log(folder, ("save", whole), ("save", {**whole, "content": "z"}))
    assert run(["guard", "dry-run", path, "--json"]) == 1
    assert counted(capsys) == (1, 0, 1, 0)
    path = log(folder, ("read", {"path": "src/app.py"}), ("save", whole))
    assert run(["guard", "dry-run", path, "--json"]) == 0
    assert counted(capsys) == (0, 0, 2, 0)


def test_each_run_begins_with_the_files_as_they_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = {"path": "src/app.py", "old": "x = 1", "new": "x = 2"}
    one, two = log(folder, ("edit", edit)), log(folder, ("edit", edit), name="other.json")
    assert run(["guard", "dry-run", one, two]) == 0
    assert "as it is now" not in capsys.readouterr().out


def test_a_log_of_commands_alone_is_not_judged_and_an_unreadable_one_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["guard", "dry-run", log(folder, ("shell", {"command": "ls"}))]) == 3
    assert "only doing it shows what it changes" in capsys.readouterr().out
    assert run(["guard", "dry-run", "nowhere.json"]) == 3
    assert "reason: file-unreadable" in capsys.readouterr().err


def test_the_same_refusal_is_printed_once_with_its_count(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(folder, *[("unheard", {"n": number}) for number in range(30)], ("mail", {}))
    assert run(["guard", "dry-run", path, "--limit", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("  refused  unheard  undeclared-tool: ")
    assert lines[1].endswith("  (30 times)")
    assert lines[2] == "  … and 1 more; --limit shows them"


def test_another_policy_can_be_tried(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "try.toml"
    other.write_text(
        POLICY + '[[guard.rules]]\nid = "api"\ndecide = "warn"\nartifacts = ["openapi"]\n'
    )
    path = log(folder, ("edit", {"path": "openapi.yaml", "old": "/a", "new": "/b"}))
    assert run(["guard", "dry-run", path]) == 1
    assert run(["guard", "dry-run", path, "--policy", str(other)]) == 0


# --- staged ---------------------------------------------------------------------------------


def staged(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> dict[str, Any]:
    call = {"tool": "shell", "arguments": {"command": command}}
    (folder / "call.json").write_text(json.dumps(call))
    before = everything(folder)
    code = run(["guard", "explain", "call.json", "--stage", "--json"])
    assert everything(folder) == before
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (code == 0) is (found["says"] in {"allow", "warn"})
    return found


def test_a_staged_command_is_judged_by_what_it_leaves_and_nothing_of_it_stands(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    detour = staged(folder, capsys, "perl -pi -e 's,/a,/b,' openapi.yaml")
    assert "default/governed" in detour["rules"] or detour["says"] == "deny"
    assert any(each["rule"] == "default/governed" for each in detour["witnesses"])
    ordinary = staged(folder, capsys, "echo 'x = 2' > src/app.py; cat openapi.yaml > /dev/null")
    assert not any(each["rule"] == "default/governed" for each in ordinary["witnesses"])
    assert any(each["rule"] == "default/ordinary-write" for each in ordinary["witnesses"])


def test_a_staged_command_that_edits_the_policy_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = staged(folder, capsys, "echo > groundwire.toml")
    assert (found["says"], found["reason"]) == ("refused", "protected-place")


def test_a_staged_command_that_edits_a_policy_of_another_name_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "try.toml").write_text(POLICY)
    (folder / "call.json").write_text(
        json.dumps({"tool": "shell", "arguments": {"command": "echo > try.toml"}})
    )
    code = run(["guard", "explain", "call.json", "--stage", "--policy", "try.toml", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["reason"]) == (1, "protected-place")


def test_a_staged_move_of_a_ref_is_judged_and_not_made(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        return subprocess.run(
            ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q", "-b", "main")
    git("add", "src")
    git("commit", "-q", "-m", "one")
    head = git("rev-parse", "HEAD")
    (folder / "src" / "app.py").write_text("x = 2\n")
    git("add", "src")
    git("config", "user.name", "a")
    git("config", "user.email", "a@b.example")
    call = {"tool": "commit", "arguments": {"message": "two"}}
    (folder / "call.json").write_text(json.dumps(call))
    assert run(["guard", "explain", "call.json", "--stage", "--json"]) == 0
    assert "default/git-ref" in json.loads(capsys.readouterr().out)["rules"]
    assert git("rev-parse", "HEAD") == head
