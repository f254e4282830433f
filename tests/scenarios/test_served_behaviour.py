"""A service answers otherwise than it declares, and no file changed: seen live, and again offline."""

from __future__ import annotations

from pathlib import Path

import pytest

import groundwire as gw
from groundwire.cli import main
from groundwire.session import declarations
from groundwire.session.project import Project, Session
from tests.driving import answers, assistant, choice, exchange, user

KIND = "result-violates-schema"
API = """\
openapi: 3.0.3
info: {title: Users, version: "1"}
paths:
  /users/{id}:
    get:
      operationId: getUser
      responses:
        "200":
          description: A user.
          content:
            application/json:
              schema: {$ref: "#/components/schemas/User"}
components:
  schemas:
    User:
      type: object
      required: [id, email]
      properties:
        id: {type: integer}
        email: {type: string}
        nick: {type: string, nullable: true}
"""
POLICY = """\
[tools.get_user]
effect = "read"
output = { description = "api/openapi.yaml", operation = "GET /users/{id}" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(declarations, "_declared", {})
    monkeypatch.setattr(declarations, "_silent", set())
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "openapi.yaml").write_text(API)
    (tmp_path / "groundwire.toml").write_text(POLICY)
    return tmp_path


def converse(run: Session, text: str, call_id: str = "c1") -> None:
    """A model asks for a user and is shown this."""
    asked = assistant(choice(call_id, "get_user", '{"id":7}'))
    exchange(run, [user("Who is 7?")], asked)
    exchange(run, [user("Who is 7?"), asked, answers(call_id, text)], assistant(text="Ada."))


def is_the_same_offline(run: Session) -> None:
    assert main.run(["audit", str(run.path), "--compare-live"]) == 0


def kinds(run: Session) -> list[tuple[str, str, bool]]:
    return [(f.path, f.grade, f.advisory) for f in run.findings if f.kind == KIND]


def test_a_service_that_drops_a_field_is_found_without_any_file_changed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project().session() as run:
        run.executed("c1", {"id": 7}, {"id": 7, "email": "a@b.c", "nick": None}, name="get_user")
        assert kinds(run) == []
        run.executed("c2", {"id": 7}, {"id": 7}, name="get_user")
        assert kinds(run) == [("", "required", False)]
    # The audit needs neither the description nor the policy.
    (folder / "api" / "openapi.yaml").unlink()
    (folder / "groundwire.toml").unlink()
    is_the_same_offline(run)
    capsys.readouterr()
    assert main.run(["audit", str(run.path)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert KIND in told
    assert "the answer of GET /users/{id} in api/openapi.yaml" in told


def test_what_only_the_wire_shows_is_an_advisory_live_and_offline() -> None:
    with Project().session() as run:
        converse(run, '{"id":"7","email":"a@b.c"}')
    assert kinds(run) == [("/id", "type", True)]
    is_the_same_offline(run)


def test_a_tool_in_code_declares_its_own_schema() -> None:
    @gw.tool(output_schema={"type": "object", "required": ["id"]}, name="find")
    def find(key: str) -> dict[str, str]:
        return {"key": key}

    with Project().session() as run:
        find("a")
    assert kinds(run) == [("", "required", False)]
    is_the_same_offline(run)


def test_what_an_mcp_server_lists_of_its_tools_holds_from_then_on() -> None:
    listed = [{"name": "remote", "outputSchema": {"type": "object", "required": ["id"]}}]
    with Project().session() as run:
        run.executed(None, {}, "none", name="remote", structured={})
        assert kinds(run) == []
        assert run.mcp_tools(listed) == ()
        assert run.mcp_tools(listed) == ()
        run.executed(None, {}, "7", name="remote", structured={"id": 7})
        assert kinds(run) == []
        run.executed(None, {}, "none", name="remote", structured={})
    assert kinds(run) == [("", "required", False)]
    is_the_same_offline(run)


def test_a_list_of_mcp_tools_does_not_replace_what_the_policy_says() -> None:
    with Project().session() as run:
        run.mcp_tools([{"name": "get_user", "outputSchema": {"type": "object"}}])
        run.executed(None, {}, {"id": 7}, name="get_user")
    assert kinds(run) == [("", "required", False)]
    is_the_same_offline(run)


def test_a_secret_in_a_result_is_neither_shown_nor_judged() -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    with Project().session() as run:
        run.executed("c1", {"id": 7}, {"id": secret}, name="get_user")
    assert kinds(run) == []
    (row,) = [row for row in run.rows if row.check == KIND]
    assert row.reasons == {"withheld": 1}
    is_the_same_offline(run)


def test_a_result_that_is_kept_out_of_the_file_is_judged_live_and_not_offline(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "groundwire.toml").write_text(POLICY + 'content = "commitments"\n')
    with Project().session() as run:
        run.executed("c1", {"id": 7}, {"id": 7}, name="get_user")
    assert kinds(run) == [("", "required", False)]
    assert main.run(["audit", str(run.path), "--compare-live"]) == 3
    assert "kept out by the policy" in capsys.readouterr().out


def test_what_an_mcp_server_lists_holds_in_the_next_files_of_a_run_too(folder: Path) -> None:
    (folder / "groundwire.toml").write_text("[recording]\nrotate_bytes = 4096\n")
    with Project().session() as run:
        run.mcp_tools([{"name": "remote", "outputSchema": {"required": ["id"]}}])
        for number in range(30):
            exchange(run, [user(f"{number} " + "x" * 300)], assistant(text="Yes."))
            run._drain()  # the worker's share, at once
        run.executed(None, {}, "none", name="remote", structured={})
    assert kinds(run) == [("", "required", False)]
    files = sorted(map(str, (folder / "runs").glob("*.gw")))
    assert len(files) > 1
    assert main.run(["audit", *files, "--compare-live"]) == 0
    assert main.run(["verify", *files]) == 0


def test_a_description_that_is_gone_is_an_error_when_the_project_is_made(folder: Path) -> None:
    (folder / "api" / "openapi.yaml").unlink()
    with pytest.raises(gw.PolicyError) as refused:
        Project()
    assert refused.value.reason == "output-unreadable"
    assert main.run(["doctor", "--policy"]) != 0
