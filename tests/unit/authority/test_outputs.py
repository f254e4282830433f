from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundwire.audit.doctor import examine_policy
from groundwire.authority.declarations import declare_tool
from groundwire.authority.mcp_meta import tool_from_meta
from groundwire.authority.outputs import with_outputs
from groundwire.authority.policy import load_policy, policy_document
from groundwire.authority.reading.governing.outputs import schema_text
from groundwire.contracts.openapi.opening import opening
from groundwire.documents.declaration import OutputSource
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session.project import Project

SCHEMA = {"type": "object", "required": ["id"]}
API = {
    "openapi": "3.1.0",
    "info": {"title": "", "version": "1"},
    "paths": {
        "/users/{id}": {
            "get": {
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"$ref": "../user.json"}}},
                    }
                }
            }
        }
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "user.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "api.json").write_text(json.dumps(API))
    return tmp_path


def declared(folder: Path, text: str) -> ToolDeclaration:
    path = folder / "groundwire.toml"
    path.write_text(f"[tools.get_user]\n{text}\n")
    (tool,) = with_outputs(load_policy(path), folder).tools
    return tool


def test_a_file_is_read_into_the_declaration_whole(folder: Path) -> None:
    tool = declared(folder, 'output = "user.json"')
    assert tool.output == OutputSource(kind="schema", file="user.json")
    assert json.loads(tool.output_schema) == SCHEMA


def test_an_operation_is_read_with_the_files_that_it_refers_to(folder: Path) -> None:
    where = 'description = "api/api.json", operation = "GET /users/{id}"'
    tool = declared(folder, f"output = {{ {where} }}")
    assert tool.output == OutputSource(
        kind="operation", file="api/api.json", operation="GET /users/{id}"
    )
    assert '"required":["id"]' in tool.output_schema
    again = declared(folder, f'output = {{ {where}, status = "200" }}')
    assert again.output is not None
    assert again.output.status == "200"
    assert again.output_schema == tool.output_schema


def test_a_schema_may_stand_in_the_policy(folder: Path) -> None:
    tool = declared(folder, 'output_schema = { type = "object", required = ["id"] }')
    assert tool.output is None
    assert json.loads(tool.output_schema) == SCHEMA


def test_the_same_schema_in_another_order_is_the_same_text() -> None:
    assert schema_text({"b": {}, "a": [1.5, None]}) == schema_text({"a": [1.5, None], "b": {}})
    assert "9223372036854775808" in schema_text({"maximum": 1 << 63})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('output = "none.json"', "output-unreadable"),
        ('output = "api"', "output-unreadable"),
        ('output = "groundwire.toml"', "output-unreadable"),
        ('output = "../user.json"', "bad-path"),
        ('output = "/etc/passwd"', "bad-path"),
        ("output = 7", "wrong-type"),
        ('output = { description = "api/api.json" }', "missing-setting"),
        ('output = { operation = "GET /users" }', "missing-setting"),
        ('output = { description = "api/api.json", operation = "GET /" }', "output-unreadable"),
        ('output = { description = "user.json", operation = "GET /" }', "output-unreadable"),
        (
            'output = { description = "a.json", operation = "GET /", status = "20" }',
            "bad-status",
        ),
        (
            'output = { description = "a.json", operation = "GET /", status = "2xx" }',
            "bad-status",
        ),
        (
            'output = { description = "a.json", operation = "GET /", media = "x" }',
            "unknown-setting",
        ),
        ('output = "user.json"\noutput_schema = { type = "object" }', "output-twice"),
        ('output_schema = "user.json"', "wrong-type"),
        ('output_schema = { type = "objects" }', "output-schema-unusable"),
        ('output_schema = { "$ref" = "https://example.com/user" }', "output-schema-unusable"),
        ('output_schema = { "$ref" = "#user" }', "output-schema-unusable"),
        ('output_schema = { "$schema" = "urn:mine" }', "output-schema-unusable"),
        ("output_schema = { const = 2031-05-02 }", "output-schema-unusable"),
        ("output_schema = { maximum = inf }", "output-schema-unusable"),
    ],
)
def test_what_is_no_output_is_refused_when_it_is_read(folder: Path, text: str, reason: str) -> None:
    with pytest.raises(PolicyError) as refused:
        declared(folder, text)
    assert refused.value.reason == reason
    assert "get_user" in str(refused.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "output-unreadable"),
        ("[]", "output-unreadable"),
        ("", "output-unreadable"),
        ('{"type":"object","type":"array"}', "output-unreadable"),
        ('{"$schema":"urn:mine"}', "output-unreadable"),
        ('{"maximum":1e999}', "output-unreadable"),
        ('{"$ref":"other.json"}', "output-schema-unusable"),
        ('{"type":"objects"}', "output-schema-unusable"),
        ('{"title":"' + "a" * (1 << 20) + '"}', "output-schema-unusable"),
        ("[" * 9_000, "output-unreadable"),
    ],
)
def test_a_file_that_is_no_schema_is_refused(folder: Path, content: str, reason: str) -> None:
    (folder / "user.json").write_text(content)
    with pytest.raises(PolicyError) as refused:
        declared(folder, 'output = "user.json"')
    assert refused.value.reason == reason
    assert "user.json" in str(refused.value)


def test_a_pattern_that_is_not_matched_in_linear_time_is_let_through(folder: Path) -> None:
    (folder / "user.json").write_text('{"pattern":"(?=a)b"}')
    assert "(?=a)b" in declared(folder, 'output = "user.json"').output_schema


@pytest.mark.parametrize("schema", [None, 7, "{}", ["a"], {1: {}}, {"a": {1, 2}}, {"a": b"b"}])
def test_what_json_has_not_is_no_schema(schema: Any) -> None:
    with pytest.raises(PolicyError) as refused:
        schema_text(schema)
    assert refused.value.reason == "output-schema-unusable"


def test_a_schema_that_goes_round_in_itself_is_none() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    with pytest.raises(PolicyError) as refused:
        schema_text(schema)
    assert refused.value.reason == "output-schema-unusable"


def test_a_project_reads_its_files_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "groundwire.toml").write_text('[tools.get_user]\noutput = "user.json"\n')
    monkeypatch.chdir(folder.parent)
    project = Project(folder / "groundwire.toml")
    (folder / "user.json").unlink()
    (tool,) = [each for each in project.declared_policy().tools if each.name == "get_user"]
    assert json.loads(tool.output_schema) == SCHEMA
    with pytest.raises(PolicyError) as refused:
        Project(folder / "groundwire.toml")
    assert refused.value.reason == "output-unreadable"


def test_the_schema_is_part_of_the_policy_s_digest(folder: Path) -> None:
    first = declared(folder, 'output = "user.json"')
    (folder / "user.json").write_text('{"type":"object"}')
    second = declared(folder, 'output = "user.json"')
    documents = [policy_document(Policy(tools=(tool,))) for tool in (first, second)]
    assert documents[0] != documents[1]


def test_a_policy_without_files_stays_the_same_object(tmp_path: Path) -> None:
    policy = Policy(tools=(ToolDeclaration(name="a"),))
    assert with_outputs(policy, tmp_path) is policy


def test_doctor_says_that_a_file_is_not_there(folder: Path) -> None:
    (folder / "groundwire.toml").write_text('[tools.get_user]\noutput = "none.json"\n')
    policy, path, (line,) = examine_policy(folder)
    assert (policy, path) == (Policy(), None)
    assert "none.json" in line.says


def test_code_gives_the_schema_itself_and_names_no_file() -> None:
    tool = declare_tool("get_user", {"output_schema": {"required": ("id",), "type": "object"}})
    assert json.loads(tool.output_schema) == SCHEMA
    with pytest.raises(PolicyError) as refused:
        declare_tool("get_user", {"output": "user.json"})
    assert refused.value.reason == "unknown-setting"


def test_a_server_names_no_file_here() -> None:
    meta = {"groundwire": {"output": "user.json", "output_schema": SCHEMA}}
    read = tool_from_meta("get_user", meta)
    assert read.declaration is not None
    assert json.loads(read.declaration.output_schema) == SCHEMA
    assert [each.split(":")[0] for each in read.dropped] == ["output"]


def test_a_description_that_many_tools_name_is_opened_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = 'description = "api/api.json", operation = "GET /users/{id}"'
    path = folder / "groundwire.toml"
    path.write_text("".join(f"[tools.t{n}]\noutput = {{ {where} }}\n" for n in range(3)))
    opened: list[str] = []
    real = opening.open_description

    def spied(name: str, read_file: Any) -> Any:
        opened.append(name)
        return real(name, read_file)

    monkeypatch.setattr(opening, "open_description", spied)
    tools = with_outputs(load_policy(path), folder).tools
    assert len({tool.output_schema for tool in tools}) == 1
    assert opened == ["api/api.json"]
