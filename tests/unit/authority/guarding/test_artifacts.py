"""Artifacts: which files are governed, and that ordinary ones are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.authority.artifacts.contents import kinds_by_content
from groundwire.authority.artifacts.kinds import kinds_of_change, kinds_of_file
from groundwire.authority.artifacts.surfaces import promises, taken_back
from groundwire.documents.governing import Artifact
from tests.unit.authority.guarding.questions import change, name

SPEC = b"openapi: 3.0.3\ninfo: {title: T}\npaths:\n  /a:\n    get: {}\n"
FASTAPI = b"""\
from fastapi import APIRouter
router = APIRouter()


@router.get("/users/{id}")
def user(id: int) -> dict:
    return {"id": id}
"""
MODEL = b"""\
from pydantic import BaseModel


class Base(BaseModel):
    id: int


class User(Base):
    email: str
"""


def kinds(path: str, before: bytes | None, after: bytes | None) -> set[str]:
    changed = change(path, before, after)
    return set(kinds_of_change(changed, changed.name))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (SPEC, "openapi"),
        (b"\xef\xbb\xbf" + SPEC, "openapi"),
        (SPEC.decode().encode("utf-16"), "openapi"),
        (SPEC.replace(b"\n", b"\r\n"), "openapi"),
        (b"'openapi': '3.1.0'\n'paths': {}\n", "openapi"),
        (b"- openapi: 3.0.3\n  paths: {}\n", "openapi"),
        (b"{openapi: 3.0.3, paths: {}}\n", "openapi"),
        (b"a:\n    spec: |\n        openapi: 3.0.3\n        paths: {}\n", "openapi"),
        (b'{"swagger": "2.0", "paths": {}}', "openapi"),
        (b'{"openapi": "3.0.3"}', "openapi"),
        (b'X={"openapi":"3.0.3","paths":{}}\n', "openapi"),
        (b'{"spec": "{\\"openapi\\":\\"3.0.3\\",\\"paths\\":{}}"}', "openapi"),
        (b"asyncapi: 2.6.0\nchannels: {}\n", "asyncapi"),
        (b'{"$schema": "https://json-schema.org/draft/2020-12/schema"}', "json-schema"),
        (b"$schema: http://json-schema.org/draft-07/schema#\n", "json-schema"),
        (b'{"type": "object", "properties": {}}', "json-schema"),
        (b'{"type": "array", "items": {}}', "json-schema"),
        (b'{"type": "string", "enum": ["a"]}', "json-schema"),
        (b'{"$defs": {"a": {}}}', "json-schema"),
        (b'syntax = "proto3";\n', "protobuf"),
        (b'edition = "2023";\n', "protobuf"),
        (b"data:\n  s: |\n    type Query { me: User }\n", "graphql"),
        (b"schema { query: Root }\n", "graphql"),
        (b'{"tools": [{"name": "a", "inputSchema": {}}]}', "mcp-manifest"),
        (b'{"mcpServers": {}}', "mcp-manifest"),
    ],
)
def test_a_contract_is_known_by_its_structure_wherever_it_stands(content: bytes, kind: str) -> None:
    assert kinds_by_content(content) == {kind}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"openapi: 3.0.3\n",
        b"We moved to openapi: 3.0.3 and the paths: of it are many.\n",
        b"openapi: yes\npaths: {}\n",
        b"dependencies:\n  openapi: 3.0.3\nother:\n  - paths: {}\n",
        b'{"dependencies": {"openapi": "3.0.3"}, "tools": []}',
        b'{"$schema": "https://json.schemastore.org/tsconfig", "compilerOptions": {}}',
        b'{"name": "app", "scripts": {"openapi": "3"}, "type": "module"}',
        b'{"tools": [{"name": "hammer"}]}',
        b'{"type": "array", "items": [1]}',
        b'{"type": "object", "name": "x", "required": true}',
        b"message = 'type Query is a word'\n",
        b"\x00\x01openapi: 3.0.3\npaths: {}\n",
        b"{" * 100_000,
        b"\xff\xfe\xff",
    ],
)
def test_a_text_that_only_speaks_of_a_contract_is_none(content: bytes) -> None:
    assert kinds_by_content(content) == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "src/openapi_client.py",
        "web/index.ts",
        "README.md",
        "docs/openapi.md",
        "package.json",
        "package-lock.json",
        "pyproject.toml",
        "uv.lock",
        "Makefile",
        "config/settings.yaml",
        "data/rows.csv",
        "tests/fixtures/openapi.yaml",
        "test/schema.graphql",
        "LICENSE",
        ".gitignore",
        "Dockerfile",
        "docs/ci.txt",
    ],
)
def test_ordinary_files_are_not_governed(path: str) -> None:
    body = b"name: x\nversion: 1\n"
    assert kinds(path, body, body + b"more: 2\n") == set()
    if path.endswith((".py", ".ts", ".md", ".lock")) or path.startswith("test"):
        assert kinds(path, b"x = 1\n", SPEC) == set()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("api/openapi.yaml", "openapi"),
        ("api/OpenAPI.YAML", "openapi"),
        ("swagger.json", "openapi"),
        ("asyncapi.yml", "asyncapi"),
        ("a/user.schema.json", "json-schema"),
        ("schema.graphql", "graphql"),
        ("svc.proto", "protobuf"),
        (".cursor/mcp.json", "mcp-manifest"),
        ("prisma/schema.prisma", "orm-schema"),
        ("db/migrations/1_drop.sql", "sql-migration"),
        ("alembic/versions/0042_rename.py", "sql-migration"),
        (".spectral.yaml", "contract-rules"),
        ("buf.yaml", "contract-rules"),
        (".github/workflows/ci.yml", "ci-file"),
        (".github/workflows/tests/fixtures/ci.yml", "ci-file"),
        (".gitlab-ci.yml", "ci-file"),
        ("Jenkinsfile", "ci-file"),
        (".husky/pre-commit", "ci-file"),
    ],
)
def test_a_path_alone_makes_an_artifact_whatever_stands_there(path: str, kind: str) -> None:
    assert kinds(path, None, b"anything") == {kind}
    assert kinds(path, b"anything", None) == {kind}


def test_taking_out_what_a_contract_is_known_by_does_not_ungovern_it() -> None:
    assert kinds("api.yaml", SPEC, SPEC.replace(b"openapi: 3.0.3\n", b"")) == {"openapi"}
    assert kinds("api.yaml", SPEC, b"") == {"openapi"}
    assert kinds("api.yaml", b"", SPEC) == {"openapi"}


def test_a_policy_governs_files_that_nobody_else_would_also_among_tests() -> None:
    declared = (Artifact(kind="runbook", paths=("*.run", "tests/api")),)
    assert kinds_of_file(name("a/b.run"), b"x", declared) == {"runbook"}
    assert kinds_of_file(name("tests/api/a.yaml"), SPEC, declared) == {"runbook"}
    changed = change("a.run", None, b"x")
    assert kinds_of_change(changed, changed.name, declared) == {"runbook"}


# --- contracts that a program states: rows that a reader of lines did not see ------------------


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("service/handlers.py", FASTAPI, FASTAPI.replace(b"/users/{id}", b"/people/{id}")),
        ("service/handlers.py", FASTAPI, FASTAPI.replace(b"@router", b"# @router")),
        ("service/handlers.py", FASTAPI, b"def broken(:\n"),
        ("service/handlers.py", FASTAPI, None),
        ("a.py", b"@ (router) . \\\n get('/a')\ndef a(): ...\n", b"def a(): ...\n"),
        ("src/models/user.py", MODEL, MODEL.replace(b"    email: str\n", b"    pass\n")),
        ("src/models/user.py", MODEL, MODEL.replace(b"id: int", b"id: str")),
        ("web/users.ts", b"app.get('/v1/users', list)\n", b"app.get('/v2/users', list)\n"),
        ("web/users.ts", b"app.get('/v1/users', list)\n", b"// app.get('/v1/users', list)\n"),
        ("web/users.ts", b"app.get('/v1/users', list)\n", b"/* app.get('/v1/users', list) */\n"),
        ("web/users.ts", b"app.get('/api/*', a)\napp.get('/b', b)\n", b"app.get('/api/*', a)\n"),
        (
            "gen/go/user.pb.go",
            b'type U struct {\n\tE string `protobuf:"bytes,2,opt,name=email"`\n}\n',
            b'type U struct {\n\tE string `protobuf:"bytes,3,opt,name=email"`\n}\n',
        ),
        (
            "package-lock.json",
            b" " * (2 << 20) + b'"resolved": "https://a.example/x"',
            b" " * (2 << 20) + b'"resolved": "https://b.example/x"',
        ),
        ("package-lock.json", b'"resolved": "https://a.example/x"', b'"resolved": "https://b/x"'),
    ],
)
def test_a_program_that_takes_back_what_it_promised_is_governed(
    path: str, before: bytes, after: bytes | None
) -> None:
    assert kinds(path, before, after) <= {"derived-contract", "package-source"}
    assert kinds(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("service/handlers.py", FASTAPI, FASTAPI.replace(b'{"id": id}', b'{"id": str(id)}')),
        ("service/handlers.py", FASTAPI, FASTAPI + FASTAPI.replace(b"/users/{id}", b"/new")),
        ("service/handlers.py", FASTAPI, FASTAPI.replace(b'"', b"'")),
        ("src/models/user.py", MODEL, MODEL + b"    name: str = ''\n"),
        (
            "src/models/user.py",
            MODEL + b"class _Row(User):\n    x: int\n",
            MODEL + b"class _Row(User):\n    y: int\n",
        ),
        ("src/plain.py", b"class A:\n    x: int\n", b"class A:\n    y: int\n"),
        ("web/users.ts", b"app.get('/v1/users', list)\n", b"app.get('/v1/users', page)\n"),
        ("web/types.ts", b"interface A {\n  x: string;\n}\n", b"interface A {\n}\n"),
        ("uv.lock", b'url = "https://a.example/x"', b'url = "https://a.example/y"'),
        ("config.toml", b'url = "https://a.example/x"', b'url = "https://b.example/x"'),
    ],
)
def test_an_edit_of_a_program_that_takes_nothing_back_is_ordinary(
    path: str, before: bytes, after: bytes
) -> None:
    assert kinds(path, before, after) == set()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("node_modules/a/openapi.yaml", None),
        ("node_modules/a/.github/workflows/ci.yml", None),
        (".venv/lib/python3.11/site-packages/a/schemas/draft7.json", None),
        ("dist/openapi.yaml", None),
        ("web/build/schema.graphql", None),
        ("dist/.github/workflows/ci.yml", "ci-file"),
        ("vendor/a/openapi.yaml", "openapi"),
        ("distribution/openapi.yaml", "openapi"),
    ],
)
def test_what_was_fetched_or_built_is_ordinary_and_what_is_vendored_is_not(
    path: str, kind: str | None
) -> None:
    assert kinds(path, None, SPEC) == (set() if kind is None else {kind})
    declared = (Artifact(kind="api", paths=("openapi.yaml",)),)
    if path.endswith("openapi.yaml"):
        assert "api" in kinds_of_file(name(path), SPEC, declared)


def test_a_program_that_is_only_moved_takes_nothing_back() -> None:
    moved = change("a/handlers.py", FASTAPI, FASTAPI, to="b/handlers.py")
    assert kinds_of_change(moved, moved.name) == frozenset()


@given(st.binary(max_size=400), st.binary(max_size=400), st.sampled_from(["py", "ts", "go", "yml"]))
def test_whatever_the_bytes_are_nothing_is_raised(one: bytes, other: bytes, end: str) -> None:
    assert kinds_by_content(one) == kinds_by_content(one)
    assert taken_back(f"gen/a.{end}", one, one) == ()
    assert set(taken_back(f"gen/a.{end}", one, other)) <= set(promises(f"gen/a.{end}", one))
