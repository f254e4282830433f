"""SARIF 2.1.0: what code hosts demand of it is there, and a declared break is suppressed."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from groundwire.audit.diffing.sarif import sarif
from groundwire.contracts.changes import GRADES, Change, Where
from groundwire.contracts.comparison import Comparison
from groundwire.contracts.port import RULES
from tests.unit.audit.diffing.showing import HOSTILE, RULE, change, compared

LEVELS = {"breaking": "error", "exposure": "error", "undecided": "warning", "risky": "warning"}
URI = re.compile(r"(?:file:///)?(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})+")


def run(*comparisons: Comparison, noted: bool = False) -> Any:
    found = msgspec.json.decode(msgspec.json.encode(sarif(comparisons, noted=noted)))
    assert found["version"] == "2.1.0"
    assert found["$schema"].endswith("sarif-2.1.0.json")
    (only,) = found["runs"]
    judge(only)
    return only


def judge(only: Any) -> None:
    """What section 3 of the standard demands of each object that is used."""
    driver = only["tool"]["driver"]
    assert driver["name"]
    assert only["columnKind"] == "unicodeCodePoints"
    names = [rule["id"] for rule in driver["rules"]]
    assert len(set(names)) == len(names)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    for invocation in only["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)
        for notice in invocation["toolExecutionNotifications"]:
            assert notice["message"]["text"]
            assert notice["descriptor"]["id"]
            judge_places(notice["locations"])
    for result in only["results"]:
        assert names[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"note", "warning", "error"}
        assert result["message"]["text"]
        assert result["locations"]
        judge_places(result["locations"] + result["relatedLocations"])
        assert all(
            re.fullmatch("[0-9a-f]{64}", each) for each in result["partialFingerprints"].values()
        )
        for suppression in result.get("suppressions", ()):
            assert suppression["kind"] in {"inSource", "external"}


def judge_places(places: Any) -> None:
    for each in places:
        physical = each["physicalLocation"]
        assert URI.fullmatch(physical["artifactLocation"]["uri"])
        region = physical.get("region", {"startLine": 1})
        assert region["startLine"] >= 1
        assert region.get("startColumn", 1) >= 1


def test_no_change_is_a_run_without_results() -> None:
    assert run(compared())["results"] == []


@pytest.mark.parametrize("grade", GRADES)
def test_each_grade_has_its_level(grade: Any) -> None:
    found = run(compared(change(grade=grade)), noted=True)
    assert found["results"][0]["level"] == LEVELS.get(grade, "note")
    assert found["results"][0]["properties"]["grade"] == grade


def test_what_harms_nobody_is_left_out_unless_asked_for() -> None:
    assert run(compared(change(grade="noted")))["results"] == []


def test_a_rule_is_listed_once_and_every_rule_can_be() -> None:
    found = run(compared(*(change(rule=name, number=n) for n, name in enumerate((*RULES, RULE)))))
    assert [rule["id"] for rule in found["tool"]["driver"]["rules"]] == sorted(RULES)


def test_a_declared_break_is_suppressed() -> None:
    found = run(compared(change(pardoned="agreed"), change(number=2)))
    assert [each.get("suppressions") for each in found["results"]] == [
        [{"kind": "external", "justification": "agreed"}],
        None,
    ]


def test_a_file_that_was_not_read_is_a_notice_and_the_run_no_success() -> None:
    (only,) = run(compared(unreadable="why", reason="not-json"))["invocations"]
    assert only["executionSuccessful"] is False
    assert only["toolExecutionNotifications"][0]["descriptor"] == {"id": "not-json"}
    assert run(compared())["invocations"][0]["executionSuccessful"] is True


def test_the_witness_stands_in_the_message_and_a_bare_value_too() -> None:
    assert "> GET /users\n" in run(compared(change()))["results"][0]["message"]["text"]
    bare = Change(rule=RULE, grade="breaking", says="It is.", value={"a": None})
    (result,) = run(compared(bare))["results"]
    assert result["message"]["text"] == 'It is.\nshown by {"a":null}'
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "api.json"


def test_a_fingerprint_outlives_lines_and_tells_files_apart() -> None:
    def mark(found: Change, path: str = "a") -> object:
        return run(compared(found, path=path))["results"][0]["partialFingerprints"]

    assert mark(change()) == mark(
        msgspec.structs.replace(change(), before=Where("api.json", "/paths/1", 77, 1))
    )
    assert mark(change()) != mark(change(), "b")
    assert mark(change()) != mark(change(number=2))
    assert mark(change()) != mark(change(rule="security-removed"))


@pytest.mark.parametrize("text", [*HOSTILE, "a b%.json", "/abs/a.json", "\udcff"])
def test_whatever_a_file_is_called_it_has_an_address(text: str) -> None:
    run(compared(change(name=text), path=text))
