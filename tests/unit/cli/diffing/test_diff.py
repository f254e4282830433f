"""`groundwire diff` of two files: what it says, in which form, and how it ends."""

from __future__ import annotations

import json
import re

import pytest

from groundwire.contracts.port import RULES
from tests.unit.cli.diffing.specs import (
    BOTH,
    FEW,
    GUARDED,
    LESS,
    MANY,
    NAME,
    OPEN,
    STATUS,
    UNDECIDED,
    Shell,
    api,
    more_statuses,
    path,
    schema,
)

GONE = "response-property-removed"


# --- how it ends ------------------------------------------------------------------------------


def test_a_response_field_that_is_gone_ends_with_one_and_shows_the_exchange(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS) == 1
    assert shell.out.splitlines()[0] == f"breaking: {GONE}"
    assert "    > GET /users" in shell.out
    assert "    < 200" in shell.out
    assert '    < {"id":0}' in shell.out
    assert "  before: no such response was allowed" in shell.out
    assert "  after:  such a response may come" in shell.out
    assert "  at before.json:" in shell.out
    assert "after.json:" in shell.out
    assert shell.out.splitlines()[-1].startswith("1 breaking")


def test_weakened_protection_ends_with_one_and_only_where_exposure_is_named(shell: Shell) -> None:
    assert shell.compare(GUARDED, OPEN) == 1
    assert "exposure: security-removed" in shell.out
    assert shell.compare(GUARDED, OPEN, "--fail-on", "breaking,risky,undecided") == 0
    assert shell.compare(GUARDED, OPEN, "--fail-on", "exposure") == 1


def test_what_is_risky_fails_only_where_it_is_named(shell: Shell) -> None:
    assert shell.compare(STATUS, more_statuses()) == 0
    assert "risky: response-status-added" in shell.out
    assert shell.compare(STATUS, more_statuses(), "--fail-on", "risky") == 1


def test_what_is_undecided_ends_with_three_only_where_it_is_named(shell: Shell) -> None:
    assert shell.compare(*UNDECIDED) == 3
    assert "not decided: " in shell.out
    assert "shown by" not in shell.out
    assert shell.compare(*UNDECIDED, "--fail-on", "breaking, exposure") == 0
    assert shell.compare(*UNDECIDED, "--fail-on", "undecided") == 3


def test_what_breaks_outweighs_what_is_undecided(shell: Shell) -> None:
    old = api({"type": "string", "pattern": r"^(a|b)\1$"}, paths={"/b": path(MANY)})
    new = api({"type": "string", "pattern": r"^(a|c)\1$"}, paths={"/b": path(FEW)})
    assert shell.compare(old, new) == 1
    assert shell.compare(old, new, "--fail-on", "undecided") == 3


@pytest.mark.parametrize("form", [[], ["--noted"], ["--direction", "both"]])
def test_a_file_and_itself_come_to_nothing_at_all(shell: Shell, form: list[str]) -> None:
    for document in (BOTH, GUARDED, schema(a=NAME), "openapi: 3.1.0\ninfo: {}\npaths: {}\n"):
        shell.put("same.yaml", document)
        assert shell.diff("same.yaml", "same.yaml", *form) == 0
        assert (shell.out, shell.err) == ("", "")


def test_a_file_that_is_no_contract_and_itself_come_to_nothing_and_to_another_to_three(
    shell: Shell,
) -> None:
    shell.put("a.txt", "hello")
    shell.put("b.txt", "there")
    assert shell.diff("a.txt", "a.txt") == 0
    assert shell.out == ""
    assert shell.diff("a.txt", "b.txt") == 3
    assert "(not-a-contract)" in shell.out


@pytest.mark.parametrize("said", ["", "breakin", "breaking,noted", "breaking;risky", "all"])
def test_a_grade_that_there_is_not_is_refused_before_anything_is_read(
    shell: Shell, said: str
) -> None:
    assert shell.diff("missing.json", "missing.json", "--fail-on", said) == 2
    assert "reason: bad-arguments" in shell.err
    assert shell.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["before.json"],
        ["before.json", "--git", "HEAD..HEAD"],
        ["--git", "HEAD..HEAD", "--root", "."],
        ["before.json", "after.json", "--json", "--sarif"],
        ["before.json", "after.json", "--root", "elsewhere"],
        ["before.json", ".", "--root", "."],
    ],
)
def test_what_does_not_go_together_is_a_wrong_use(shell: Shell, arguments: list[str]) -> None:
    shell.put("before.json", BOTH)
    shell.put("after.json", LESS)
    (shell.folder / "elsewhere").mkdir()
    assert shell.diff(*arguments) == 2
    assert "reason: bad-arguments" in shell.err


# --- forms ------------------------------------------------------------------------------------


def test_the_json_form_has_these_keys_and_no_others(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS, "--json") == 1
    found = json.loads(shell.out)
    assert list(found) == ["format", "counts", "not_read", "files", "remarks"]
    assert found["format"] == "groundwire-diff/1"
    assert found["counts"] == {
        "breaking": 1, "exposure": 0, "undecided": 0, "risky": 0, "noted": 0, "declared": 0,
    }  # fmt: skip
    assert (found["not_read"], found["remarks"]) == (0, [])
    (file,) = found["files"]
    assert list(file) == ["path", "kind", "before", "after", "changes", "unreadable", "reason"]
    assert (file["path"], file["kind"]) == ("after.json", "openapi")
    assert (file["before"], file["after"]) == ("before.json", "after.json")
    (change,) = file["changes"]
    assert list(change) == [
        "rule", "grade", "says", "before", "after", "reaches", "instead", "reason", "witness",
        "value", "pardoned",
    ]  # fmt: skip
    assert set(change["before"]) == {"file", "pointer", "line", "column"}
    assert set(change["witness"]) == {"asked", "answered", "before", "after"}
    assert set(change["witness"]["asked"]) == {"method", "target", "headers", "content"}
    assert set(change["witness"]["answered"]) == {"status", "headers", "content"}
    assert change["witness"]["answered"]["content"] == {
        "media_type": "application/json",
        "value": {"id": 0},
    }


def test_the_json_form_of_no_change_is_whole_too(shell: Shell) -> None:
    assert shell.compare(BOTH, BOTH, "--json") == 0
    found = json.loads(shell.out)
    assert found["files"][0]["changes"] == []
    assert set(found["counts"].values()) == {0}


def test_markdown_and_sarif_are_printed_on_demand(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS, "--markdown") == 1
    assert shell.out.startswith("**Contract changes:** 1 breaking")
    assert shell.compare(BOTH, LESS, "--sarif") == 1
    assert json.loads(shell.out)["version"] == "2.1.0"


def test_what_harms_nobody_is_counted_and_shown_on_demand(shell: Shell) -> None:
    assert shell.compare(api(NAME), api(NAME, paths={"/more": path(NAME)})) == 0
    assert shell.out == "1 noted\n"
    assert shell.diff("before.json", "after.json", "--noted") == 0
    assert shell.out.startswith("noted: operation-added\n")


def test_hostile_names_never_reach_the_terminal_raw(shell: Shell) -> None:
    evil = "a\x1b[2J\u202eb\nbreaking: x\x7f"
    old = api(schema(**{evil: NAME}), paths={f"/{evil}": path(MANY)})
    assert shell.compare(old, api(schema())) == 1
    for line in shell.out.split("\n"):
        assert line.isprintable()
        assert line != "breaking: x"
    for form in ("--markdown", "--json", "--sarif"):
        assert shell.diff("before.json", "after.json", form) == 1
        assert all(line.isprintable() for line in shell.out.split("\n"))


def test_many_changes_of_one_rule_are_told_in_brief_and_whole_as_json(shell: Shell) -> None:
    old = api(NAME, paths={f"/p{n}": path(MANY) for n in range(40)})
    assert shell.compare(old, api(NAME)) == 1
    assert shell.out.count("shown by") == 3
    assert "breaking: path-removed, 37 more\n" in shell.out
    assert "  and 27 that are not listed here; --json has them all\n" in shell.out
    assert shell.out.endswith("40 breaking\n")
    assert shell.diff("before.json", "after.json", "--json") == 1
    assert len(json.loads(shell.out)["files"][0]["changes"]) == 40


# --- rules ------------------------------------------------------------------------------------


def test_a_rule_is_explained_by_our_name_and_by_that_of_oasdiff(shell: Shell) -> None:
    assert shell.diff("--explain", GONE) == 0
    assert shell.out.startswith(f"{GONE} (breaking)\n  ")
    alias = RULES[GONE].aliases[0]
    assert alias in shell.out
    assert shell.diff("--explain", alias) == 0
    assert GONE in shell.out


def test_a_rule_that_there_is_not_is_answered_with_the_nearest(shell: Shell) -> None:
    assert shell.diff("--explain", "response-property-remove") == 2
    assert GONE in shell.err
    assert "docs/reference/openapi-rules.md" in shell.err
    assert "reason: unknown-rule" in shell.err


@pytest.mark.parametrize(
    ("said", "nearest"),
    [
        ("enum-removed-response-body", "response-body-enum-removed"),
        ("request-parameter-required", "request-parameter-added-required"),
        ("response_property_removed", GONE),
    ],
)
def test_the_nearest_rule_has_most_of_the_words(shell: Shell, said: str, nearest: str) -> None:
    assert shell.diff("--explain", said) == 2
    assert f"the nearest is {nearest}" in shell.err


# --- bare schemas -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "code"), [("accepts", 0), ("produces", 1), ("both", 1), (None, 1)]
)
def test_a_bare_schema_is_compared_for_who_sends_it(
    shell: Shell, direction: str | None, code: int
) -> None:
    old = schema(a=NAME)
    new = {"type": "object", "properties": {"a": NAME}}
    way = ["--direction", direction] if direction else []
    assert shell.compare(old, new, *way) == code


def test_a_schema_that_nothing_marks_as_one_is_told_by_the_direction(shell: Shell) -> None:
    assert shell.compare({"type": "string"}, {"type": "integer"}) == 3
    assert "--direction" in shell.out
    assert shell.compare({"type": "string"}, {"type": "integer"}, "--direction", "accepts") == 1
    assert 'shown by ""' in shell.out


def test_a_direction_that_there_is_not_is_a_wrong_use(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS, "--direction", "foo") == 2
    assert "reason: bad-arguments" in shell.err


@pytest.mark.parametrize("form", ["--markdown", "--sarif", ""])
def test_null_shows_a_break_like_any_other_value(shell: Shell, form: str) -> None:
    kinds = ["string", "null"]
    forms = [form] if form else []
    code = shell.compare({"type": kinds}, {"type": "string"}, "--direction", "accepts", *forms)
    assert code == 1
    assert re.search("shown by `?null", shell.out)


def test_what_is_undecided_of_a_schema_is_shown_by_nothing(shell: Shell) -> None:
    old, new = ({"type": "string", "contentSchema": {"minLength": each}} for each in (1, 2))
    assert shell.compare(old, new, "--direction", "accepts") == 3
    assert "shown by" not in shell.out
    shell.compare(old, new, "--direction", "accepts", "--json")
    assert "value" not in json.loads(shell.out)["files"][0]["changes"][0]


def test_a_direction_does_not_turn_a_description_into_a_schema(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS, "--direction", "accepts") == 1
    assert GONE in shell.out


# --- the policy -------------------------------------------------------------------------------

WAIVER = """
[[diff.waivers]]
rule = "{rule}"
reason = "nobody reads it"
until = "{until}"
"""


def waive(shell: Shell, rule: str = GONE, until: str = "9999-12-31", more: str = "") -> None:
    shell.put("groundwire.toml", WAIVER.format(rule=rule, until=until) + more)


def test_a_label_that_the_policy_does_not_have_is_told_of(shell: Shell) -> None:
    shell.put("groundwire.toml", '[diff]\nlabels = ["agreed"]\n')
    assert shell.compare(BOTH, LESS, "--label", "agreed", "--label", "agreeed") == 0
    assert shell.err.splitlines() == [
        "groundwire: the label agreeed declares nothing: [diff] labels of the policy does not have it"
    ]


def test_a_waiver_pardons_what_it_names_and_is_counted(shell: Shell) -> None:
    waive(shell)
    assert shell.compare(BOTH, LESS) == 0
    assert f"breaking: {GONE}  (declared: nobody reads it (until 9999-12-31))" in shell.out
    assert shell.out.endswith("1 declared\n")


def test_a_waiver_knows_a_file_by_its_path_from_the_policy(shell: Shell) -> None:
    shell.put("old/v.json", BOTH)
    shell.put("api/v.json", LESS)
    waive(shell, more='file = "/api/v.json"\n')
    assert shell.diff("old/v.json", "api/v.json") == 0
    waive(shell, more='file = "/other/v.json"\n')
    assert shell.diff("old/v.json", "api/v.json") == 1


def test_a_waiver_that_ended_pardons_nothing_and_is_told(shell: Shell) -> None:
    waive(shell, until="2020-01-01")
    assert shell.compare(BOTH, LESS) == 1
    assert f"the waiver of {GONE} ended on 2020-01-01: nobody reads it" in shell.err


def test_a_waiver_of_a_rule_that_there_is_not_is_refused(shell: Shell) -> None:
    waive(shell, rule="response-property-remove")
    assert shell.compare(BOTH, LESS) == 2
    assert "reason: unknown-rule" in shell.err


def test_a_label_declares_a_break_only_where_the_policy_says_so(shell: Shell) -> None:
    assert shell.compare(BOTH, LESS, "--label", "breaking-change") == 1
    shell.put("groundwire.toml", '[diff]\nlabels = ["breaking-change"]\n')
    assert shell.compare(BOTH, LESS, "--label", "breaking-change", "--label", "x") == 0
    assert shell.compare(BOTH, LESS, "--label", "x") == 1
    assert shell.compare(GUARDED, OPEN, "--label", "breaking-change") == 1


def test_a_major_version_declares_a_break_only_where_the_policy_says_so(shell: Shell) -> None:
    after = api(schema(id={"type": "integer"}), version="2.0")
    assert shell.compare(BOTH, after) == 1
    shell.put("strict.toml", '[diff]\nversion_bump = "major"\n')
    assert shell.compare(BOTH, after, "--policy", "strict.toml") == 0
    assert shell.compare(BOTH, LESS, "--policy", "strict.toml") == 1


def test_the_policy_says_what_fails_unless_the_command_does(shell: Shell) -> None:
    shell.put("groundwire.toml", '[diff]\nfail_on = ["risky"]\n')
    assert shell.compare(BOTH, LESS) == 0
    assert shell.compare(STATUS, more_statuses()) == 1
    assert shell.compare(BOTH, LESS, "--fail-on", "breaking") == 1


def test_a_knob_changes_the_grade(shell: Shell) -> None:
    shell.put("groundwire.toml", '[diff.openapi]\nresponse_status_added = "breaking"\n')
    assert shell.compare(STATUS, more_statuses()) == 1


def test_on_a_terminal_a_large_file_is_told_before_it_is_compared(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell.compare(BOTH, LESS | {"x-large": "x" * (1 << 20)}) == 1
    assert shell.err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert shell.diff("before.json", "after.json") == 1
    assert shell.err == "comparing after.json\n"
    assert shell.diff("before.json", "before.json") == 0
    assert shell.err == ""
