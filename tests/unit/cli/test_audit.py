from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.checks.registry import WITHOUT_A_CHECK
from groundwire.cli import main
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.session.project import Project, Session
from tests import driving

DATA = Path(__file__).parents[3] / ".." / "shared" / "data"
USER = {"role": "user", "content": "Restart db-7."}


def asks(host: str) -> dict[str, object]:
    function = {"name": "restart", "arguments": json.dumps({"host": host})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def log(folder: Path, *runs: list[object], name: str = "log.jsonl") -> Path:
    text = "".join(json.dumps({"messages": run}) + "\n" for run in runs)
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def audit(*arguments: str | Path) -> int:
    return main.run(["audit", *map(str, arguments)])


def test_a_defect_ends_with_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(log(folder, [USER, asks("db-9"), ANSWER]), "--arm-all") == 1
    out, err = capsys.readouterr()
    assert "1 finding." in out
    assert "`db-9`" in out
    assert "Green means" in out
    assert "audited 1 run in" in err


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ([USER, asks("db-7"), ANSWER], 0),
        ([USER, asks("please be quick about it"), ANSWER], 0),
        ([USER, {"role": "assistant", "content": "Done."}], 3),
    ],
    ids=["clean", "advisory", "nothing-checked"],
)
def test_the_exit_code_without_a_defect(folder: Path, run: list[object], code: int) -> None:
    assert audit(log(folder, run), "--arm-all") == code


def test_json_is_one_document_on_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(
        folder, [USER, asks("db-9"), ANSWER], [USER, asks("db-7"), ANSWER], name="l.jsonl.gz"
    )
    assert audit(path, "--arm-all", "--json") == 1
    out, err = capsys.readouterr()
    read = json.loads(out)
    assert out.count("\n") == 1
    assert read["grades"] == {"exact": 1, "fragment": 0, "self": 0, "nowhere": 1}
    assert read["totals"]["runs"] == 2
    assert read["headline"]["code"] == "findings"
    assert "audited" in err


def test_without_arm_all_nothing_is_armed_and_the_words_say_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(log(folder, [USER, asks("db-9"), ANSWER])) == 0
    assert "not-declared" in capsys.readouterr().out


def test_the_policy_of_the_folder_arms_its_tools(folder: Path) -> None:
    (folder / "groundwire.toml").write_text('[tools.restart]\narguments_from = ["list_hosts"]\n')
    assert audit(log(folder, [USER, asks("db-9"), ANSWER])) == 1


def test_a_policy_with_an_unknown_key_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "groundwire.toml").write_text('[tools.restart]\narguments_form = ["list_hosts"]\n')
    assert audit(log(folder, [USER, asks("db-9"), ANSWER])) == 2
    assert "arguments_from" in capsys.readouterr().err


def test_several_files_are_one_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = log(folder, [USER, asks("db-7"), ANSWER], name="a.jsonl")
    two = log(folder, [USER, asks("db-9"), ANSWER], name="b.jsonl")
    assert audit(one, two, "--arm-all", "--json") == 1
    assert json.loads(capsys.readouterr().out)["totals"]["runs"] == 2


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("unsupported-argument", 1, "1 finding"),
        ("unpaired-call", 1, "No finding of kind unpaired-call"),
        (next(iter(WITHOUT_A_CHECK), "banana"), 3 if WITHOUT_A_CHECK else 2, ""),
        ("banana", 2, "is no kind of finding"),
    ],
)
def test_a_question_about_one_kind(
    folder: Path, capsys: pytest.CaptureFixture[str], kind: str, code: int, words: str
) -> None:
    path = log(folder, [USER, asks("db-9"), ANSWER])
    assert audit(path, "--arm-all", "--kind", kind) == code
    assert words in capsys.readouterr().out


def test_a_row_that_cannot_be_read_is_said_loudly_and_the_others_are_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(folder, [USER, asks("db-9"), ANSWER], [USER, asks("db-7"), ANSWER])
    path.write_bytes(path.read_bytes() + b'{"what":1}\n' * 9)
    assert audit(path, "--arm-all", "--json") == 1
    out, err = capsys.readouterr()
    totals = json.loads(out)["totals"]
    assert totals.pop("checked") >= 4
    assert totals == {
        "runs": 2,
        "requests": 4,
        "responses": 2,
        "defects": 1,
        "advisories": 0,
        "unread": 9,
    }
    assert "Line 3" in err
    assert "and 4 parts more" in err


def test_schemas_are_named_or_lie_beside_the_log(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = {
        "run_id": "r",
        "model": "m",
        "schema_text": "@set",
        "messages": [
            USER,
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c", "name": "restart", "arguments": {"host": "db-7731"}}],
            },
        ],
    }
    tool = {"name": "restart", "parameters": {"properties": {"host": {"enum": ["db-7731"]}}}}
    path = folder / "runs.jsonl"
    path.write_text(json.dumps(run) + "\n")
    assert audit(path, "--arm-all") == 1
    elsewhere = folder / "other.json"
    elsewhere.write_text(json.dumps({"@set": json.dumps([tool])}))
    assert audit(path, "--arm-all", "--schemas", elsewhere) == 0
    elsewhere.rename(folder / "schemas.json")
    assert audit(path, "--arm-all") == 0
    (folder / "schemas.json").write_text('{"@set":5}')
    capsys.readouterr()
    assert audit(path, "--arm-all") == 3
    assert "not-schemas" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not-a-log"),
        (b"hello", "not-a-log"),
        (b"\x00\xff\xfe", "not-a-log"),
        (b'{"messages":', "not-a-log"),
    ],
)
def test_what_is_no_log_is_refused_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str], data: bytes, reason: str
) -> None:
    path = folder / "log.jsonl"
    path.write_bytes(data)
    assert audit(path) == 3
    out, err = capsys.readouterr()
    assert f"(reason: {reason})" in err
    assert "no evidence to read" in out


def test_a_file_that_cannot_be_read_is_refused_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(folder / "none.jsonl") == 3
    assert audit(folder) == 3
    assert capsys.readouterr().err.count("file-unreadable") == 2


CLEAN = [USER, asks("db-7"), ANSWER]
DEFECT = [USER, asks("db-9"), ANSWER]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad, none = log(folder, CLEAN, name="good.jsonl"), folder / "bad.bin", folder / "none"
    bad.write_bytes(b"hello")
    assert audit(none, bad, good, "--arm-all", "--json") == 3
    out, err = capsys.readouterr()
    read = json.loads(out)
    assert read["totals"]["runs"] == 1
    assert read["totals"]["unread"] == 2
    assert [(each["source"], each["reason"]) for each in read["problems"]] == [
        (str(none), "file-unreadable"),
        (str(bad), "not-a-log"),
    ]
    assert f"{none} cannot be read" in err
    assert "(reason: not-a-log)" in err
    assert audit(none, bad, log(folder, DEFECT, name="worse.jsonl"), "--arm-all") == 1


def test_schemas_that_cannot_be_read_beside_one_file_do_not_stop_the_others(folder: Path) -> None:
    (folder / "apart").mkdir()
    one = log(folder / "apart", CLEAN)
    (folder / "apart" / "schemas.json").write_text("[]")
    assert audit(one, log(folder, CLEAN), "--arm-all") == 3
    assert audit(one, log(folder, DEFECT), "--arm-all") == 1


def test_a_log_of_which_a_part_could_not_be_read_does_not_end_with_zero(folder: Path) -> None:
    path = log(folder, CLEAN)
    assert audit(path, "--arm-all") == 0
    path.write_bytes(path.read_bytes() + b'{"what":1}\n')
    assert audit(path, "--arm-all") == 3


def test_a_file_that_is_named_twice_is_audited_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(folder, CLEAN)
    assert audit(path, path, "--arm-all", "--json") == 0
    assert json.loads(capsys.readouterr().out)["totals"]["runs"] == 1


def test_every_finding_says_in_which_file_and_run_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = log(folder, DEFECT, name="one.jsonl"), log(folder, CLEAN, DEFECT, name="two.jsonl")
    assert audit(one, two, "--arm-all", "--json") == 1
    read = json.loads(capsys.readouterr().out)
    assert [(each["file"], each["run"]) for each in read["findings"]] == [
        (str(one), "line-1"),
        (str(two), "line-2"),
    ]
    assert [run["files"] for run in read["runs"]] == [[str(one)], [str(two)], [str(two)]]
    assert audit(one, two, "--arm-all") == 1
    out = capsys.readouterr().out
    assert f"run line-1 in {one}, " in out
    assert f"run line-2 in {two}, " in out


def test_the_advice_of_a_finding_is_printed_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = ", ".join(f'"list_hosts_of_the_{name}_site"' for name in ("north", "south", "east"))
    (folder / "groundwire.toml").write_text(f"[tools.restart]\narguments_from = [{tools}]\n")
    path = log(folder, [USER, asks("db-9 " + "and more of it " * 9), ANSWER])
    audit(path)
    out = capsys.readouterr().out
    [message] = [line for line in out.splitlines() if line.startswith("  The model called")]
    assert len(message) > 300
    assert message.endswith("The call was not blocked.")


def test_nothing_in_a_log_is_printed_raw_as_text_or_as_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "db\u202e\x9b\u20667-9"
    rows = [
        {"run_id": f"r{evil}", "model": evil, "schema_text": f"@{evil}", "messages": [USER]},
        {"id": f"c{evil}", "model": evil, "messages": [USER, asks(evil), ANSWER]},
        {evil: 1},
    ]
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for extra in ((), ("--json",)):
        audit(path, "--arm-all", *extra)
        out, err = capsys.readouterr()
        for line in (*out.splitlines(), *err.splitlines()):
            assert line.isprintable()
    read = json.loads(out)
    assert [run["run"] for run in read["runs"]] == [f"r{evil}", f"c{evil}"]
    assert read["findings"][0]["finding"]["witnesses"][0]["value"] == evil


def test_one_thing_is_never_said_in_the_plural(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit(log(folder, [USER, asks("db-9")]), "--arm-all")
    out, err = capsys.readouterr()
    assert "1 run, 1 request, 1 response, " in out
    assert re.search(r"\b1 (?!class|is|of)\w+s\b", out + err) is None


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there: real runs not read")
def test_real_runs_are_read_with_counts_per_grade(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit((DATA / "taubench.dev.jsonl.gz").resolve(), "--arm-all", "--json") == 1
    read = json.loads(capsys.readouterr().out)
    assert read["totals"]["runs"] == 124
    assert read["totals"]["unread"] == 0
    grades = read["grades"]
    assert {"exact", "fragment", "self", "nowhere"} <= set(grades)
    served = sum(count for word, count in grades.items() if word.startswith("exact"))
    assert served > 0.85 * sum(grades.values())
    accused = sum(
        count
        for kind, count in read["by_kind"].items()
        if kind.startswith("unsupported-argument") and "advisory" not in kind
    )
    assert accused < 0.02 * sum(grades.values())


# --- compared with what was said live ---------------------------------------------------------


def recording(folder: Path) -> Path:
    policy = Policy(tools=(ToolDeclaration(name="restart", arguments_from=("list_hosts",)),))
    with Session(folder / "run.gw", project=Project(policy)) as run:
        driving.exchange(run, [USER], asks("db-9"))
        assert run.findings
    return folder / "run.gw"


def test_a_recording_compared_with_its_live_run_is_equal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = recording(folder)
    assert audit(run, "--compare-live") == 0
    assert capsys.readouterr().out.startswith(f"{run}: equal: ")
    assert audit(run, "--compare-live", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]
    assert found["state"] == "equal"


def test_a_live_run_that_was_judged_otherwise_ends_with_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = recording(folder)
    monkeypatch.setattr(Engine, "feed", lambda *_: ())
    assert audit(run, "--compare-live") == 1
    assert "differs at finding 1" in capsys.readouterr().out


def test_other_versions_of_checks_end_with_three(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = recording(folder)
    monkeypatch.setattr(UnsupportedArgument, "version", 99)
    assert audit(run, "--compare-live") == 3
    assert "versions differ" in capsys.readouterr().out


def test_a_log_cannot_be_compared_with_a_live_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(log(folder, [USER, asks("db-9"), ANSWER]), "--compare-live") != 0
    assert "not-a-recording" in capsys.readouterr().err
