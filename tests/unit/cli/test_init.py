"""`groundwire init`: a draft from runs, printed or written, never over a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.authority.policy import decode_policy, load_policy
from groundwire.cli import main
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.project import Project
from tests.driving import answers, assistant, choice, exchange, user

FLEET = json.dumps({"machines": [{"name": "zinnia-4"}, {"name": "aster-9"}]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def conversation() -> list[dict[str, object]]:
    return [
        user("Restart the second one."),
        assistant(choice("c1", "fleet")),
        answers("c1", FLEET),
        assistant(choice("c2", "restart", '{"host": "aster-9"}')),
        answers("c2", "ok"),
        assistant(text="Done."),
    ]


def log(folder: Path) -> Path:
    path = folder / "log.jsonl"
    path.write_text(json.dumps({"messages": conversation()}) + "\n")
    return path


def recording(folder: Path) -> Path:
    messages = conversation()
    with Project().session(folder / "run.gw") as run:
        for end in (1, 3, 5):
            exchange(run, messages[:end], messages[end])
    return folder / "run.gw"


@pytest.mark.parametrize("make", [log, recording])
def test_a_draft_is_printed_from_recordings_and_logs(
    folder: Path, capsys: pytest.CaptureFixture[str], make: object
) -> None:
    assert callable(make)
    assert main.run(["init", str(make(folder))]) == 0
    text = capsys.readouterr().out
    assert 'host = "fleet:$.machines[*].name"  # 1 of 1 values stood there' in text
    assert len(decode_policy(text, "p").tools) == 2


def test_a_draft_is_written_into_a_new_file_and_never_over_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["init", str(log(folder)), "--write", "groundwire.toml"]
    assert main.run(arguments) == 0
    written = (folder / "groundwire.toml").read_text()
    assert decode_policy(written, "p").tools
    (folder / "groundwire.toml").write_text("# mine\n")
    assert main.run(arguments) == 3
    assert (folder / "groundwire.toml").read_text() == "# mine\n"
    assert "reason: file-exists" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad").write_text("no log")
    assert main.run(["init", "bad", "missing", str(log(folder))]) == 0
    err = capsys.readouterr().err
    assert "groundwire: bad: " in err
    assert "reason: not-a-log" in err
    assert "reason: file-unreadable" in err


def test_without_a_run_nothing_is_proposed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["init", "missing", "--write", "groundwire.toml"]) == 3
    assert not (folder / "groundwire.toml").exists()
    assert "no run could be read" in capsys.readouterr().err


def test_doctor_says_what_the_policy_could_have_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "groundwire.toml").write_text("[tools.restrat.arguments]\nhost = 'user'\n")
    assert main.run(["doctor", "--policy", "--run", str(log(folder))]) == 1
    text = capsys.readouterr().out
    assert "restart: 1 call, and no argument of it is declared" in text
    assert "nearest is 'restart'" in text
    assert "versions" not in text


def test_doctor_learns_from_the_newest_recordings_of_the_policys_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "runs").mkdir()
    recording(folder).rename(folder / "runs" / "run.gw")
    assert main.run(["doctor", "--policy"]) == 0
    assert "1 run read" in capsys.readouterr().out


def test_what_a_log_calls_a_tool_does_not_reach_the_terminal_raw(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(folder)
    path.write_text(path.read_text().replace("restart", "re\\u001b[31mstart"))
    main.run(["doctor", "--policy", "--run", str(path)])
    main.run(["init", str(path)])
    assert "\x1b" not in capsys.readouterr().out


def tools_list(folder: Path, name: str, **annotations: object) -> Path:
    path = folder / "tools.json"
    path.write_text(json.dumps({"tools": [{"name": name, "annotations": annotations}]}))
    return path


def proposed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, tuple[str, str]]:
    assert main.run(["init", "--effects", *arguments]) == 0
    text = capsys.readouterr().out
    tools = decode_policy(text, "p").tools
    return {tool.name: (tool.effect, tool.operation) for tool in tools}


def test_effects_are_proposed_as_changes_where_nothing_else_is_known(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert proposed(capsys, str(log(folder))) == {"fleet": ("write", ""), "restart": ("write", "")}


def test_without_asking_no_effect_is_proposed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["init", str(log(folder))]) == 0
    assert "\neffect" not in capsys.readouterr().out


@pytest.mark.parametrize(("trusted", "effect"), [(True, "read"), (False, "write")])
def test_a_servers_hint_lowers_suspicion_only_where_the_policy_trusts_it(
    folder: Path, capsys: pytest.CaptureFixture[str], trusted: object, effect: str
) -> None:
    if trusted:
        (folder / "groundwire.toml").write_text('[guard]\ntrusted_servers = ["fleet-server"]\n')
    file = tools_list(folder, "fleet", readOnlyHint=True)
    found = proposed(capsys, "--mcp", f"fleet-server={file}", str(log(folder)))
    assert found["fleet"] == (effect, "")
    assert found["restart"] == ("write", "")


def test_a_trusted_server_does_not_lower_what_a_name_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "groundwire.toml").write_text('[guard]\ntrusted_servers = ["s"]\n')
    file = tools_list(folder, "purge_all", readOnlyHint=True)
    assert proposed(capsys, "--mcp", f"s={file}") == {"purge_all": ("destructive", "purge_all")}


def test_of_two_servers_with_one_tool_the_more_suspect_counts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "groundwire.toml").write_text('[guard]\ntrusted_servers = ["s"]\n')
    file = tools_list(folder, "look", readOnlyHint=True)
    other = folder / "other.json"
    other.write_text(json.dumps([{"name": "look", "annotations": {"destructiveHint": True}}]))
    found = proposed(capsys, "--mcp", f"s={file}", "--mcp", f"t={other}")
    assert found == {"look": ("destructive", "look")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[", "not-tools-list"), ("{}", "not-tools-list"), ("[3]", "not-tools-list")],
)
def test_a_file_that_is_no_list_of_tools_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    (folder / "tools.json").write_text(text)
    assert main.run(["init", "--effects", "--mcp", "s=tools.json"]) in {1, 2, 3}
    error = capsys.readouterr().err
    assert reason in error
    assert "tools.json" in error


@pytest.mark.parametrize(
    "arguments",
    [[], ["--effects"], ["--mcp", "s=t.json"], ["--effects", "--mcp", "tools.json"]],
)
def test_what_cannot_be_meant_is_a_matter_of_usage(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main.run(["init", *arguments]) != 0
    assert "Traceback" not in capsys.readouterr().err


def test_a_tool_that_changed_something_under_the_guard_is_proposed_as_a_write(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = Project()
    table = project.guard(project.coding_tools())
    with project.session(folder / "run.gw"):
        table.dispatch(("write_file", {"path": "a.txt", "content": "one"}, "c1"))
        table.dispatch(("edit_file", {"path": "a.txt", "old": "none", "new": "two"}, "c2"))
    assert main.run(["init", "--effects", str(folder / "run.gw")]) == 0
    text = capsys.readouterr().out
    assert 'effect = "write"  # recorded calls changed something' in text
    assert text.count("recorded calls changed something") == 1


@pytest.mark.parametrize("effects", [["--effects"], []])
def test_a_draft_from_a_run_of_the_ready_made_tools_leaves_them_as_they_are(
    folder: Path, effects: list[str]
) -> None:
    def save_note(path: str) -> None:
        """Saves."""

    declared = Policy(tools=(ToolDeclaration(name="save_note", effect="read"),))
    project = Project(declared)
    table = project.guard([*project.coding_tools(), save_note])
    with project.session(folder / "run.gw"):
        table.dispatch(("write_file", {"path": "a.txt", "content": "one"}, "c1"))
        table.dispatch(("save_note", {"path": "a.txt"}, "c2"))
    draft = str(folder / "groundwire.toml")
    assert main.run(["init", *effects, str(folder / "run.gw"), "--write", draft]) == 0
    project = Project(draft)
    table = project.guard(project.coding_tools())
    with project.session(folder / "next.gw"):
        assert table.dispatch(("write_file", {"path": "b.txt", "content": "2"}, "c1")).text
        assert (folder / "b.txt").read_text() == "2"
    assert {tool.name for tool in load_policy(Path(draft)).tools} == {"save_note"}
