"""`[guard]`, targets and operations: what is read, and that nothing garbled is taken for a rule."""

from __future__ import annotations

import pytest

from groundwire.authority.declarations import declare_tool
from groundwire.authority.mcp_meta import tool_from_meta
from groundwire.authority.policy import decode_policy
from groundwire.authority.reading.governing.rules import environment_names
from groundwire.documents.governing import (
    Artifact,
    CommandArguments,
    EnvironmentPattern,
    FileArguments,
    Freeze,
    GitArguments,
    GuardRules,
    ReadArguments,
    Rule,
    Targeted,
)
from groundwire.errors import PolicyError

FULL = """\
[guard]
profile = "strict/1"
folder = "work"
environment = "staging"
deny_read = [".env", "secrets/**"]
deny_read_kinds = ["private-key"]
keep_bytes = 0
keep_days = 7
command_seconds = 1200
command_bytes = 1048576
plans = ["terraform"]
trusted_servers = ["github"]

[[guard.artifacts]]
kind = "runbook"
paths = ["*.runbook"]

[[guard.rules]]
id = "big-files"
decide = "deny"
artifacts = ["openapi"]
paths = ["api/**"]
changes = ["deleted", "lost-content"]
severities = ["breaking"]
tools = ["edit"]
effects = ["write"]
operations = ["tool_call"]
environments = ["production", "staging"]
callers = ["night-watch"]
larger_than = 1000

[[guard.freezes]]
id = "year-end"
since = "2031-12-24T00:00:00Z"
until = 2032-01-02T00:00:00+01:00
environments = ["production"]

[[guard.environments]]
name = "staging"
pattern = "staging/**"
"""


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "groundwire.toml")
    return caught.value


def target(said: str) -> Targeted | None:
    return decode_policy(f"[tools.a]\ntarget = {said}\n", "p").tools[0].target


def test_every_key_of_the_guard_is_read() -> None:
    assert decode_policy(FULL, "p").guard == GuardRules(
        profile="strict/1",
        folder="work",
        environment="staging",
        deny_read=(".env", "secrets/**"),
        deny_read_kinds=("private-key",),
        keep_bytes=0,
        keep_days=7,
        command_seconds=1200,
        command_bytes=1 << 20,
        plans=("terraform",),
        trusted_servers=("github",),
        artifacts=(Artifact(kind="runbook", paths=("*.runbook",)),),
        rules=(
            Rule(
                id="big-files",
                decide="deny",
                artifacts=("openapi",),
                paths=("api/**",),
                changes=("deleted", "lost-content"),
                severities=("breaking",),
                tools=("edit",),
                effects=("write",),
                operations=("tool_call",),
                environments=("production", "staging"),
                callers=("night-watch",),
                larger_than=1000,
            ),
        ),
        freezes=(
            Freeze(
                id="year-end",
                since="2031-12-24T00:00:00.000000Z",
                until="2032-01-01T23:00:00.000000Z",
                environments=("production",),
            ),
        ),
        environments=(EnvironmentPattern(name="staging", pattern="staging/**"),),
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ('{ files = "replace" }', FileArguments(edit="replace")),
        (
            '{ files = "replace", path = "file", old = "a", new = "b", writes = "tool" }',
            FileArguments(edit="replace", path="file", old="a", new="b", writes="tool"),
        ),
        (
            '{ files = "edits", edits = "changes" }',
            FileArguments(edit="edits", edits="changes"),
        ),
        ('{ files = "move", to = "dest" }', FileArguments(edit="move", to="dest")),
        ('{ shell = "cmd" }', CommandArguments(command="cmd")),
        (
            '{ git = "commit", message = "text" }',
            GitArguments(does="commit", message="text"),
        ),
        (
            '{ git = "set-ref", ref = "name", commit = "to" }',
            GitArguments(does="set-ref", ref="name", commit="to"),
        ),
        ('{ reads = ["path", "other"] }', ReadArguments(paths=("path", "other"))),
    ],
)
def test_a_target_has_one_spelling_for_each_kind(said: str, meant: Targeted) -> None:
    assert target(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "{}",
        '{ path = "file" }',
        '{ files = "replace", shell = "command" }',
        '{ files = "replace", content = "text" }',
        '{ files = "delete", to = "x" }',
        '{ shell = "command", path = "x" }',
        '{ git = "commit", ref = "x" }',
        '{ git = "commit", writes = "tool" }',
        '{ reads = ["path"], writes = "tool" }',
    ],
)
def test_a_target_that_says_two_things_or_names_an_argument_it_has_not_is_refused(
    said: str,
) -> None:
    error = refusal(f"[tools.a]\ntarget = {said}\n")
    assert error.reason == "bad-target"
    assert "line 2" in str(error)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('[tools.a]\ntarget = "replace"', "wrong-type", 2),
        ('[tools.a]\ntarget = { files = "rewrite" }', "unknown-choice", 2),
        ('[tools.a]\ntarget = { files = "whole", writes = "me" }', "unknown-choice", 2),
        ('[tools.a]\ntarget = { shell = "" }', "blank-name", 2),
        ("[tools.a]\ntarget = { reads = [] }", "empty-declaration", 2),
        ('[tools.a]\ntarget = { file = "replace" }', "unknown-setting", 2),
        ('[tools.a]\noperation = ""', "blank-name", 2),
        ("guard = 1", "wrong-type", 1),
        ("[guard]\nprofil = 'x'", "unknown-setting", 2),
        ("[guard]\nprofile = 'enforce'", "unknown-profile", 2),
        ("[guard]\nprofile = 'enforce/2'", "unknown-profile", 2),
        ("[guard]\nenvironment = 'staging'", "unknown-environment", 2),
        ("[guard]\ndeny_read = ['../x']", "bad-path-pattern", 2),
        ("[guard]\ndeny_read = []", "empty-declaration", 2),
        ("[guard]\ndeny_read_kinds = ['passwords']", "unknown-choice", 2),
        ("[guard]\nkeep_bytes = -1", "out-of-range", 2),
        ("[guard]\nkeep_days = nan", "wrong-type", 2),
        ("[guard]\ncommand_seconds = 0", "out-of-range", 2),
        ("[guard]\ncommand_seconds = 86401", "out-of-range", 2),
        ("[guard]\ncommand_seconds = inf", "wrong-type", 2),
        ("[guard]\ncommand_bytes = 1048575", "out-of-range", 2),
        ("[guard]\ncommand_bytes = '1G'", "wrong-type", 2),
        ("[guard]\nplans = ['make']", "unknown-planner", 2),
        ("[guard]\nplans = 'terraform'", "wrong-type", 2),
        ("[guard.rules]\nid = 'a'", "wrong-type", 1),
        ("[[guard.rules]]\nid = 'a'", "missing-setting", 1),
        ("[[guard.rules]]\ndecide = 'deny'", "missing-setting", 1),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'block'", "unknown-choice", 3),
        ("[[guard.rules]]\nid = 'A b'\ndecide = 'deny'", "bad-name", 2),
        ("[[guard.rules]]\nid = 'default/external'\ndecide = 'allow'", "bad-name", 2),
        ("[[guard.rules]]\nid = 'profile'\ndecide = 'allow'", "bad-name", 2),
        (
            "[[guard.rules]]\nid = 'a'\ndecide = 'deny'\n[[guard.rules]]\nid = 'a'\ndecide = 'warn'",
            "repeated-entry",
            5,
        ),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\npaths = ['a/../b']", "bad-path-pattern", 4),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\npaths = []", "empty-declaration", 4),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nchanges = ['moved']", "unknown-choice", 4),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nseverities = ['bad']", "unknown-choice", 4),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\neffects = ['unstated']", "unknown-choice", 4),
        (
            "[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nenvironments = ['prod']",
            "unknown-environment",
            4,
        ),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nlarger_than = -1", "out-of-range", 4),
        ("[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nlarger = 1", "unknown-setting", 4),
        ("[[guard.artifacts]]\npaths = ['x']", "missing-setting", 1),
        (
            "[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nartifacts = ['opnapi']",
            "unknown-artifact",
            4,
        ),
        ("[[guard.artifacts]]\nkind = 'x'\npaths = ['']", "blank-name", 3),
        ("[[guard.environments]]\nname = 'x'\npattern = '*/'\n" * 2, "repeated-entry", 4),
    ],
)
def test_a_rule_that_cannot_be_what_was_meant_is_refused_where_it_stands(
    text: str, reason: str, line: int
) -> None:
    error = refusal(text)
    assert error.reason == reason
    assert f"line {line}" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "since",
    [
        "'2031-12-24T00:00:00'",
        "'2031-12-24'",
        "'2031-12-24T24:00:00Z'",
        "'2031-13-24T00:00:00Z'",
        "'tomorrow'",
        "'2031-12-24 00:00:00Z'",
        "'20311224T000000Z'",
        "'2031-W52-3T00:00:00Z'",
        "2031-12-24T00:00:00",
        "2031-12-24",
        "nan",
        "1956528000",
        "true",
        "''",
    ],
)
def test_a_freeze_whose_time_is_garbled_or_names_no_zone_is_refused(since: str) -> None:
    text = f"[[guard.freezes]]\nid = 'a'\nsince = {since}\nuntil = '2032-01-01T00:00:00Z'\n"
    error = refusal(text)
    assert error.reason == "bad-time"
    assert "line 3" in str(error)


@pytest.mark.parametrize("until", ["2031-12-24T00:00:00Z", "2031-12-23T00:00:00Z"])
def test_a_freeze_that_ends_before_it_begins_is_refused(until: str) -> None:
    text = f"[[guard.freezes]]\nid = 'a'\nsince = '2031-12-24T00:00:00Z'\nuntil = '{until}'\n"
    assert refusal(text).reason == "out-of-range"


@pytest.mark.parametrize("effect", ["external", "destructive"])
def test_a_tool_that_reaches_outside_or_destroys_has_to_name_its_operation(effect: str) -> None:
    error = refusal(f"[tools.a]\ncontent = 'full'\neffect = '{effect}'\n")
    assert (error.reason, "line 3" in str(error)) == ("missing-operation", True)
    assert 'write operation = "deploy"' in str(error)
    with pytest.raises(PolicyError) as caught:
        declare_tool("a", {"effect": effect})
    assert caught.value.reason == "missing-operation"
    tool = decode_policy(f"[tools.a]\neffect = '{effect}'\noperation = 'deploy'\n", "p").tools[0]
    assert tool.operation == "deploy"


@pytest.mark.parametrize(
    ("effect", "said"),
    [("read", "{ shell = 'command' }"), ("write", "{ reads = ['path'] }")],
)
def test_a_tool_said_to_read_that_writes_is_refused(effect: str, said: str) -> None:
    error = refusal(f"[tools.a]\neffect = '{effect}'\ntarget = {said}\n")
    assert (error.reason, "line 3" in str(error)) == ("contradictory-target", True)


def test_code_declares_a_target_as_the_file_does() -> None:
    declared = declare_tool("a", {"effect": "write", "target": {"files": "whole", "path": "to"}})
    assert declared.target == FileArguments(edit="whole", path="to")


def test_a_kind_that_only_a_host_gives_is_declared_without_paths() -> None:
    rule = "[[guard.rules]]\nid = 'a'\ndecide = 'deny'\nartifacts = ['note']\n"
    read = decode_policy("[[guard.artifacts]]\nkind = 'note'\n" + rule, "p").guard
    assert read.artifacts == (Artifact(kind="note"),)


def test_a_server_may_say_that_its_tool_is_destructive_without_a_name_for_it() -> None:
    found = tool_from_meta("a", {"groundwire": {"effect": "destructive"}})
    assert found.declaration is not None
    assert found.declaration.effect == "destructive"


def test_a_server_does_not_say_which_arguments_groundwire_is_to_write_files_by() -> None:
    found = tool_from_meta("a", {"groundwire": {"target": {"files": "whole"}, "effect": "write"}})
    assert found.declaration is not None
    assert (found.declaration.effect, found.declaration.target) == ("write", None)
    assert found.dropped == ("target: only the agent's own policy says what a tool writes to",)


def test_production_is_the_strictest_environment_wherever_it_is_named() -> None:
    patterns = [
        EnvironmentPattern(name=name, pattern=f"{name}/**")
        for name in ("dev", "production", "staging", "dev")
    ]
    assert environment_names(patterns) == ("dev", "staging", "production")
