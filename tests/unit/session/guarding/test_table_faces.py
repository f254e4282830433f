"""What a guarded table shows of itself: tool lists, answers, the proof block, and what it doubts."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.documents.outcome import Executed, Passed, Refused
from groundwire.errors import HostError, PolicyError
from groundwire.guard.agent_rule import AGENT_RULE
from groundwire.guard.proof import LIMITS
from groundwire.session import declarations
from groundwire.session.guarding import calling
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project
from tests.driving import answers, assistant, choice, exchange, user


@pytest.fixture(autouse=True)
def _no_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_declared", {})
    monkeypatch.setattr(declarations, "_silent", set())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project()


def coding(project: Project) -> GuardedTable:
    return project.guard(project.coding_tools())


def test_with_the_ready_made_tools_the_first_guarded_run_is_one_line(
    project: Project, tmp_path: Path
) -> None:
    table = coding(project)
    with project.session():
        written = table.dispatch(("write_file", {"path": "a.txt", "content": "one\n"}, "c1"))
        assert isinstance(written.outcome, Executed)
        edited = table.dispatch(("edit_file", {"path": "a.txt", "old": "one", "new": "two"}, "c2"))
        assert isinstance(edited.outcome, Executed)
        shown = table.dispatch(("read_file", {"path": "a.txt"}, "c3"))
        assert isinstance(shown.outcome, Passed)
        assert shown.text == "two\n"
        again = table.dispatch(("edit_file", {"path": "a.txt", "old": "one", "new": "two"}, "c4"))
        assert isinstance(again.outcome, Refused)
        assert again.message_for_model()["tool_call_id"] == "c4"
    assert (tmp_path / "a.txt").read_text() == "two\n"


def test_a_read_of_what_nobody_may_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groundwire.toml").write_text('[guard]\ndeny_read = [".env"]\n')
    (tmp_path / ".env").write_text("secret")
    project = Project()
    table = coding(project)
    with project.session():
        for path in (".env", "./.env", str(tmp_path / ".env")):
            result = table.dispatch(("read_file", {"path": path}, "c1"))
            assert isinstance(result.outcome, Refused)
            assert "secret" not in result.text


def test_the_proof_block_names_what_the_run_did_under_which_receipt(
    project: Project,
) -> None:
    table = coding(project)
    with project.session():
        written = table.dispatch(("write_file", {"path": "a.txt", "content": "one\n"}, "c1"))
        table.dispatch(("edit_file", {"path": "a.txt", "old": "none", "new": "two"}, "c2"))
        table.dispatch(("list_folder", {}, "c3"))
        proof = table.proof("text")
    assert isinstance(written.outcome, Executed)
    assert f"- write_file a.txt (receipt: {written.outcome.receipt})" in proof
    assert "- edit_file (reason: edit-not-found)" in proof
    assert "Let pass without a receipt: 1 call of list_folder" in proof
    assert "was not measured" in proof
    assert [limit for limit in LIMITS if limit not in proof] == []


def test_coverage_is_measured_where_the_wire_is_watched_and_unknown_elsewhere(
    project: Project,
) -> None:
    table = coding(project)
    inside = choice("c1", "write_file", '{"path":"a.txt","content":"one"}')
    beside = choice("c2", "write_file", '{"path":"b.txt","content":"two"}')
    with project.session() as run:
        assert table.report().coverage.state == "unknown"
        exchange(run, [user("go")], assistant(inside, beside))
        result = table.dispatch(inside)
        told = [user("go"), assistant(inside, beside), result.message_for_model()]
        exchange(run, [*told, answers("c2", "done")], assistant(text="done"))
        coverage = table.report().coverage
        assert (coverage.state, coverage.guarded, coverage.beside) == ("measured", 1, 1)
        assert "Coverage, measured on the wire: 1 of 2 calls" in table.proof()
    assert table.report().coverage.state == "unknown"


SPELT = '{"path": "a.txt",  "content": "one"}'


@pytest.mark.parametrize(
    ("call_id", "name", "arguments", "as_sent"),
    [
        ("c1", "write_file", {"path": "a.txt", "content": "one"}, True),
        ("c1", "write_file", {"content": "one", "path": "a.txt"}, True),
        ("c1", "write_file", {"path": "a.txt", "content": "two"}, False),
        ("c1", "edit_file", {"path": "a.txt", "content": "one"}, False),
        ("c2", "write_file", {"path": "a.txt", "content": "one"}, False),
    ],
)
def test_a_call_that_an_sdk_parsed_is_judged_as_it_was_spelt_on_the_wire(
    project: Project, call_id: str, name: str, arguments: dict[str, str], as_sent: object
) -> None:
    table = coding(project)
    with project.session() as run:
        exchange(run, [user("go")], assistant(choice("c1", "write_file", SPELT)))
        call = {"type": "tool_call", "id": call_id, "name": name, "args": arguments}
        result = table.dispatch(call)
    assert (result.call.arguments == SPELT) is as_sent
    assert (result.call.id, result.call.name) == (call_id, name)
    assert result.message_for_model()["tool_call_id"] == call_id


def test_outside_a_run_the_proof_block_proves_nothing(project: Project) -> None:
    assert "No call came through the guarded table." in coding(project).proof()


def test_one_runs_proof_says_nothing_of_another(project: Project) -> None:
    table = coding(project)
    with project.session() as first:
        table.dispatch(("write_file", {"path": "a.txt", "content": "one\n"}, "c1"))
        assert first.proof() == table.proof()
    with project.session() as second:
        assert "write_file" not in table.proof()
    assert "`write_file` `a.txt`" in first.proof()
    assert "No call came through the guarded table." in second.proof()


def test_every_undeclared_tool_is_named_at_once_with_lines_that_load(project: Project) -> None:
    def purge_all() -> None:
        """Purges."""

    def read_file() -> None:
        """Reads."""

    with pytest.raises(PolicyError) as refused:
        project.guard([purge_all, read_file, {"name": "odd \"name'\n"}])
    assert refused.value.reason == "undeclared-tools"
    text = str(refused.value)
    lines = text[text.index("[tools.") :]
    assert tomllib.loads(lines)["tools"] == {
        "purge_all": {"effect": "destructive", "operation": "purge_all"},
        "read_file": {"effect": "write"},
        "odd \"name'\n": {"effect": "write"},
    }
    assert "# effect = \"read\"  # its name says 'read', which proves nothing" in lines


def test_the_report_names_what_a_tools_name_says_and_its_declaration_does_not(
    project: Project,
) -> None:
    @gw.tool(effect="read")
    def list_and_purge() -> str:
        """Lists."""
        return ""

    @gw.tool(effect="read")
    def git_status() -> str:
        """Says."""
        return ""

    report = project.guard([list_and_purge, git_status]).report()
    assert report.suspicions == (
        "list_and_purge: declared as 'read', though its name says 'purge'",
    )
    assert report.passing == ("git_status", "list_and_purge")


def test_of_what_groundwire_carries_out_itself_a_name_says_no_more(project: Project) -> None:
    assert coding(project).report().suspicions == ()


def test_what_a_server_says_of_its_tool_raises_suspicion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = {"name": "look", "inputSchema": {}, "annotations": {"destructiveHint": True}}
    with pytest.raises(PolicyError) as refused:
        Project().guard([(listed, print)])
    assert 'effect = "destructive"  # its server says destructiveHint' in str(refused.value)
    (tmp_path / "groundwire.toml").write_text('[tools.look]\neffect = "read"\n')
    report = Project().guard([(listed, print)]).report()
    assert report.suspicions == (
        "look: declared as 'read', though its server says destructiveHint",
    )


def test_of_two_declared_effects_the_stricter_is_in_force_and_the_report_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groundwire.toml").write_text(
        '[tools.tidy]\neffect = "external"\noperation = "tidy"\n'
    )
    ran: list[bool] = []

    @gw.tool(effect="read")
    def tidy() -> str:
        """Tidies."""
        ran.append(True)
        return ""

    project = Project()
    table = project.guard([tidy])
    assert table.report().guarded == ("tidy",)
    (note,) = table.report().suspicions
    assert "'external' by the policy and 'read' by @gw.tool: the stricter holds" in note
    with project.session():
        assert isinstance(table.dispatch(("tidy", {}, "c1")).outcome, Refused)
    assert ran == []


@pytest.mark.parametrize(
    ("system", "shown"), [("Be brief.", False), (gw.with_policy("Be brief."), True)]
)
def test_whether_the_agents_rule_was_shown_is_read_off_the_wire(
    project: Project, system: str, shown: bool
) -> None:
    table = coding(project)
    with project.session() as run:
        assert table.report().agent_rule_shown is None
        told = [{"role": "system", "content": system}, user("go")]
        exchange(run, told, assistant(text="done"))
        assert table.report().agent_rule_shown is shown
        assert run.agent_rule_shown is shown
    assert AGENT_RULE in gw.with_policy("")


def test_a_table_offers_its_tools_to_each_provider(project: Project) -> None:
    table = coding(project)
    names = list(table)
    assert [each["name"] for each in table.anthropic()] == names
    assert [each["name"] for each in table.openai_responses()] == names
    assert len(table.openai()) == len(names)
    assert len(msgspec.json.encode(table.gemini())) > 0


def test_a_call_that_is_interrupted_before_anything_is_told_as_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calling, "drive", interrupted)
    table = coding(project)
    heard: list[str] = []
    with project.session() as run:
        run.on("settled", lambda result: heard.append(result.text))
        with pytest.raises(KeyboardInterrupt):
            table.dispatch(("read_file", {"path": "a.txt"}, "c1"))
        assert "- read_file (here it ended as: refused)" in table.proof("text")
    assert len(heard) == 1
    assert heard[0].startswith("Nothing was changed.")


def test_without_langchain_its_tools_are_refused_by_name(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "langchain_core", None)
    monkeypatch.setitem(__import__("sys").modules, "langchain_core.messages", None)
    with pytest.raises(HostError) as refused:
        coding(project).langchain()
    assert refused.value.reason == "langchain-not-installed"
