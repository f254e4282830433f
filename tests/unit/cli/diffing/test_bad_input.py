"""`groundwire diff` of what cannot be compared: a named error or undecided, and never 0."""

from __future__ import annotations

import json
import os

import pytest

from groundwire.audit.diffing import trees
from tests.unit.cli.diffing.specs import BOTH, LESS, NAME, Shell, api

DEEP = 10_000
BOMB = (
    "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {}\nx0: &a0 [1,1,1,1,1,1,1,1,1]\n"
    + "".join(f"x{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
)


BAD = {
    "empty": b"",
    "truncated": json.dumps(BOTH).encode()[:-20],
    "truncated-yaml": b"openapi: 3.0.3\npaths: {\n",
    "duplicate-keys": json.dumps(LESS).replace('"paths":', '"paths": {}, "paths":').encode(),
    "not-utf8": b'{"openapi": "3.0.3", "paths": {"/\xff": {}}}',
    "deep": b'{"openapi":"3.0.3","paths":' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
    "alias-bomb": BOMB.encode(),
    "another-version": b'{"openapi": "4.0.0", "info": {}, "paths": {}}',
    "no-version": b'{"openapi": 3, "paths": {}}',
    "nothing-left": b"{}",
    "a-list": b"[]",
    "nul": b"\0" * 40,
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("turned", [False, True], ids=["after", "before"])
def test_what_cannot_be_read_ends_with_three_and_is_named(
    shell: Shell, name: str, turned: bool
) -> None:
    shell.put("good.yaml", BOTH)
    shell.put("bad.yaml", BAD[name])
    files = ("bad.yaml", "good.yaml") if turned else ("good.yaml", "bad.yaml")
    assert shell.diff(*files) == 3
    assert "not compared (" in shell.out
    assert shell.out.endswith("1 file not read\n")
    assert "bad.yaml" in shell.out
    assert shell.diff(*files, "--json") == 3
    (file,) = json.loads(shell.out)["files"]
    assert file["unreadable"]
    assert file["reason"]
    assert file["changes"] == []
    for form in ("--markdown", "--sarif"):
        assert shell.diff(*files, form) == 3


def test_a_file_that_is_not_there_is_an_error_and_not_an_addition(shell: Shell) -> None:
    shell.put("a.json", BOTH)
    for files in (("a.json", "b.json"), ("b.json", "a.json"), ("no/b.json", "a.json")):
        assert shell.diff(*files) == 3
        assert "b.json" in shell.out + shell.err
        assert "missing-description" in shell.out + shell.err


def test_the_null_device_stands_for_a_file_that_is_not_there(shell: Shell) -> None:
    shell.put("a.json", BOTH)
    assert shell.diff(os.devnull, "a.json") == 0
    assert shell.out == "1 noted\n"
    assert shell.diff("a.json", os.devnull) == 1
    assert "path-removed" in shell.out or "operation-removed" in shell.out
    assert shell.diff(os.devnull, os.devnull) == 0


def test_a_folder_and_a_pipe_are_not_read(shell: Shell) -> None:
    shell.put("a.json", BOTH)
    (shell.folder / "folder").mkdir()
    os.mkfifo(shell.folder / "pipe")
    for name in ("folder", "pipe"):
        assert shell.diff("a.json", name) == 3
        assert "(target-unreadable)" in shell.out


def test_a_file_that_nobody_may_read_is_named(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.put("a.json", BOTH)
    real = os.open

    def denied(path: str, *arguments: int, **named: int) -> int:
        if path == "b.json":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **named)

    shell.put("b.json", BOTH)
    monkeypatch.setattr(os, "open", denied)
    assert shell.diff("a.json", "b.json") == 3
    assert "Permission denied" in shell.out


def test_a_file_that_is_too_large_is_not_read(shell: Shell) -> None:
    shell.put("a.json", BOTH)
    with (shell.folder / "b.json").open("wb") as file:
        file.truncate(trees.MOST_BYTES + 1)
    assert shell.diff("a.json", "b.json") == 3
    assert "(file-too-large)" in shell.out


@pytest.mark.parametrize("head", ['{"openapi":"3.0.3",', "{"])
def test_a_file_of_very_many_parts_is_given_up_before_it_is_read(shell: Shell, head: str) -> None:
    shell.put("a.json", BOTH)
    shell.put("b.json", f'{head}"x":[' + "[]," * 5_000_000 + "[]]}")
    assert shell.diff("a.json", "b.json") == 3
    assert "not compared (too-large)" in shell.out


def test_versions_of_different_kinds_are_not_held_against_each_other(shell: Shell) -> None:
    shell.put("a.json", BOTH)
    shell.put("b.json", {"$schema": "https://json-schema.org/draft/2020-12/schema"})
    assert shell.diff("a.json", "b.json") == 3
    assert "(kind-differs)" in shell.out


@pytest.mark.parametrize(
    "reference",
    ["../secret.json", "https://127.0.0.1:1/x.json", "/etc/hostname", "file:///etc/hostname"],
)
def test_a_reference_out_of_the_root_or_to_the_network_is_not_followed(
    shell: Shell, reference: str
) -> None:
    shell.put("secret.json", {"type": "string", "pattern": "SECRET"})
    shell.put("in/a.json", api({"$ref": reference}))
    shell.put("in/b.json", api({"$ref": reference, "x": 1}, version="2"))
    shell.put("in/c.json", api(NAME))
    assert shell.diff("in/a.json", "in/b.json") in {0, 3}
    assert "SECRET" not in shell.out
    assert shell.diff("in/a.json", "in/c.json") == 3
    assert "undecided: " in shell.out
    assert "SECRET" not in shell.out


def test_a_reference_leads_as_far_as_the_root_that_was_said(shell: Shell) -> None:
    shell.put("shared.json", NAME)
    shell.put("in/a.json", api({"$ref": "../shared.json"}))
    shell.put("in/b.json", api({"type": "integer"}))
    assert shell.diff("in/a.json", "in/b.json") == 3
    assert shell.diff("in/a.json", "in/b.json", "--root", ".") == 1
    assert "at shared.json:" in shell.out


def test_a_link_that_was_named_is_followed_and_one_that_is_referred_to_is_not(shell: Shell) -> None:
    shell.put("real/a.json", BOTH)
    shell.put("b.json", LESS)
    (shell.folder / "link.json").symlink_to("real/a.json")
    assert shell.diff("link.json", "b.json") == 1
    shell.put("elsewhere.json", NAME)
    (shell.folder / "real" / "x.json").symlink_to("../elsewhere.json")
    shell.put("real/c.json", api({"$ref": "x.json"}))
    shell.put("real/d.json", api({"type": "integer"}))
    assert shell.diff("real/c.json", "real/d.json") == 3


def test_a_cycle_through_all_of_and_a_catastrophic_pattern_come_to_an_end(shell: Shell) -> None:
    def of(last: object) -> object:
        loop = {"allOf": [{"$ref": "#/components/schemas/A"}]}
        schemas = {"A": loop, "B": {"type": "string", "pattern": f"^(a+)+(b*)*{last}$"}}
        answer = {
            "type": "object",
            "properties": {n: {"$ref": f"#/components/schemas/{n}"} for n in schemas},
        }
        return api(answer) | {"components": {"schemas": schemas}}

    assert shell.compare(of("c"), of("c")) == 0
    assert shell.compare(of("c"), of("d")) in {1, 3}
