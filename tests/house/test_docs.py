"""The documentation is true: made pages are up to date, commands exist, examples run."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import msgspec
import pytest
from bench.__main__ import measurements
from typer.main import get_command

from groundwire.authority.policy import decode_policy
from groundwire.authority.reading.keys import KEYS
from groundwire.cli import main as frame
from groundwire.documents.approving import ApprovalRules, Approver
from groundwire.documents.declaration import CheckRules, Claim, Column, Evidence, Off, ToolGroup
from groundwire.documents.governing import (
    Artifact,
    EnvironmentPattern,
    FileArguments,
    Freeze,
    GitArguments,
    GuardRules,
    Rule,
)
from groundwire.documents.notice import NoticeDeclaration
from groundwire.documents.policy import AnchorDeclaration, Policy, ToolDeclaration
from groundwire.documents.sql import DatabaseDeclaration, SqlArguments
from tests import generate_docs
from tests.house.reasons import reasons_in_source
from tests.house.tree import CHECKOUT, shown, text_of, tracked_files

DOCS = CHECKOUT / "docs"
PAGES = [path for path in tracked_files() if path.suffix == ".md"]
BLOCK = re.compile(r"^[ ]*```(\w+)([^\n]*)\n(.*?)^[ ]*```", re.MULTILINE | re.DOTALL)
KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


# --- reason codes ---------------------------------------------------------------------------


def meanings() -> dict[str, str]:
    found = tomllib.loads(text_of(generate_docs.REASONS))
    assert all(isinstance(meaning, str) for meaning in found.values())
    return found


def test_every_reason_in_the_source_is_a_code_with_a_meaning() -> None:
    used = reasons_in_source()
    assert {code: places for code, places in used.items() if not KEBAB.fullmatch(code)} == {}
    assert {code: places for code, places in used.items() if code not in meanings()} == {}


def test_every_reason_with_a_meaning_is_used() -> None:
    assert set(meanings()) - set(reasons_in_source()) == set()


def test_meanings_are_sentences_in_the_order_of_their_codes() -> None:
    assert list(meanings()) == sorted(meanings())
    assert [code for code, text in meanings().items() if not re.fullmatch(r"[^|]+\.", text)] == []


# --- made pages -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(generate_docs.PAGES))
def test_a_made_page_is_what_make_docs_would_write(name: str) -> None:
    path = generate_docs.REFERENCE / name
    written = path.read_text(encoding="utf-8") if path.exists() else ""
    assert written == generate_docs.PAGES[name](), "run `make docs`"


# --- groundwire.toml ------------------------------------------------------------------------


def test_the_page_of_the_policy_states_the_defaults_in_force() -> None:
    owners = {
        "": Policy,
        "recording": Policy,
        "checks.evidence": Evidence,
        "tools.<name>.columns.<name>": Column,
        "groups.<name>": ToolGroup,
        "guard": GuardRules,
        "approvals": ApprovalRules,
        "databases.<name>": DatabaseDeclaration,
        "notices[]": NoticeDeclaration,
        "tools.<name>.target": FileArguments,
    }
    others = (GitArguments, SqlArguments)
    stated = {
        (
            next(each for each in (owner, *others) if name in each.__struct_fields__),
            name,
        ): key.default.strip("`")
        for table, owner in owners.items()
        for name, key in KEYS[table].items()
        if key.default.startswith("`")
    } | {
        (CheckRules if name in CheckRules.__struct_fields__ else Policy, name): key.default.strip(
            "`"
        )
        for name, key in KEYS["checks"].items()
        if key.default.startswith("`")
    }
    for (owner, name), default in stated.items():
        known = {field.name: field.default for field in msgspec.structs.fields(owner)}
        assert default == _spelled(known[name]), (owner, name)


def test_every_field_of_a_declaration_has_a_key_and_every_key_a_field() -> None:
    pairs = {
        "tools.<name>": ToolDeclaration,
        "groups.<name>": ToolGroup,
        "claims[]": Claim,
        "checks.off[]": Off,
        "checks.evidence": Evidence,
        "tools.<name>.columns.<name>": Column,
        "anchors[]": AnchorDeclaration,
        "guard": GuardRules,
        "guard.artifacts[]": Artifact,
        "guard.rules[]": Rule,
        "guard.freezes[]": Freeze,
        "guard.environments[]": EnvironmentPattern,
        "databases.<name>": DatabaseDeclaration,
        "approvers[]": Approver,
        "approvals": ApprovalRules,
        "notices[]": NoticeDeclaration,
    }
    for table, noun in pairs.items():
        named = {"name"} if "<name>" in table else set()
        elsewhere = {"databases"} if noun is GuardRules else set()  # tables of their own
        assert set(noun.__struct_fields__) - elsewhere == set(KEYS[table]) | named, table


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else f'"{value}"' if isinstance(value, str) else str(value)


# --- commands -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(frame.COMMANDS))
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    module = frame.MODULES.get(name, name).replace(".", "/")
    assert (Path(frame.__file__).parent / f"{module}.py").exists()
    for command in [(name,), *((name, member) for member in generate_docs.subcommands(name))]:
        text = generate_docs.help_of(*command)
        if command == (name,) and generate_docs.subcommands(name):
            continue  # its members have the examples
        example = re.compile(
            rf"^\s*(?:Example:\s*)?(?:\$ )?groundwire {' '.join(command)}\b", re.MULTILINE
        )
        assert "Example" in text, command
        assert example.search(text), command


def console_commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for language, _, block in BLOCK.findall(text_of(page)):
            if language in {"console", "bash", "sh"}:
                lines = (line.strip() for line in block.splitlines())
                found += [(shown(page), line[2:]) for line in lines if line.startswith("$ ")]
    return found


@pytest.mark.parametrize(("page", "line"), console_commands())
def test_a_command_in_the_documentation_exists_with_its_options(page: str, line: str) -> None:
    words = shlex.split(line.partition(" #")[0].partition(" | ")[0].partition(" > ")[0])
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    match words:
        case ["groundwire", first, *rest] if not first.startswith("-"):
            _judge_command(first, rest)
        case ["make", *targets]:
            text = text_of(CHECKOUT / "Makefile")
            for target in targets:
                assert re.search(rf"^{re.escape(target)}:", text, re.MULTILINE), target
        case [python, "-m", module, *_] if "python" in python and module.startswith(
            ("bench", "tests")
        ):
            assert importlib.util.find_spec(module), module


def _judge_command(first: str, rest: list[str]) -> None:
    assert first in frame.COMMANDS
    command = get_command(frame.app(first))
    members = getattr(command, "commands", {})
    if members and rest and not rest[0].startswith("-"):
        assert rest[0] in members
        command = members[rest[0]]
    options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    given = {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"}
    assert given - options == set()


# --- code blocks ----------------------------------------------------------------------------


def pages_with(language: str, mark: str = "") -> list[Path]:
    return [
        page
        for page in PAGES
        if any(
            found == language and mark in marks for found, marks, _ in BLOCK.findall(text_of(page))
        )
    ]


@pytest.mark.parametrize("page", pages_with("python"), ids=shown)
def test_python_in_the_documentation_compiles(page: Path) -> None:
    for language, _, block in BLOCK.findall(text_of(page)):
        if language == "python":
            compile(block, shown(page), "exec")


@pytest.mark.parametrize("page", pages_with("python", "run"), ids=shown)
def test_what_is_marked_to_run_does_and_ends_as_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page run one after the other, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for language, marks, block in BLOCK.findall(text_of(page)):
        if "run" not in marks.split():
            continue
        if language == "python":
            exec(compile(block, shown(page), "exec"), names)
            continue
        for line in block.splitlines():
            command, _, promise = line.removeprefix("$ ").partition("#")
            words = shlex.split(command)
            expected = re.search(r"exit code (\d)", promise)
            assert words[0] == "groundwire"
            assert expected, line
            assert frame.run(words[1:]) == int(expected[1]), line


@pytest.mark.parametrize("page", pages_with("toml"), ids=shown)
def test_a_policy_in_the_documentation_is_one(page: Path) -> None:
    for language, marks, block in BLOCK.findall(text_of(page)):
        if language == "toml" and "mutant" not in marks:
            decode_policy(block, shown(page))


# --- measurements ---------------------------------------------------------------------------


def test_every_measurement_is_listed_with_its_command() -> None:
    listed = text_of(CHECKOUT / "bench" / "README.md")
    assert [name for name in measurements() if f"python -m bench.{name}" not in listed] == []
