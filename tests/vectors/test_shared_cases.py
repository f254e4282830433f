"""Cases with known answers that stand beside the checkout, where they are present.

The cases of `unsupported-argument` hold in the mode `grounding = "substring"`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.checks.conflicts import Known, NoValue, Said, Stated, conflicts
from groundwire.checks.wire.manifest import compare
from groundwire.grounding import substring
from groundwire.grounding.leaves import leaves_of
from groundwire.grounding.schemas import enum_strings
from tests.stories import Story, call, frame, message, result

CASES = Path(__file__).parents[2] / ".." / "shared" / "cases"
FILE = CASES / "context-integrity.json"
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: cases with known answers not run"
)


def cases(check: str) -> list[object]:
    if not FILE.is_file():
        return []
    found = msgspec.json.decode(FILE.read_bytes())
    return [pytest.param(case, id=case["id"]) for case in found if case["check"] == check]


@pytest.mark.parametrize("case", cases("unsupported-argument"))
def test_unsupported_argument_by_substring(case: dict) -> None:
    given = case["input"]
    external = substring.usable(given["external"])
    findings, excused = [], []
    for leaf in leaves_of(given["args"]):
        word, source = substring.judge(
            leaf.value,
            served=given["grounded"],
            own=given["assistant"],
            enums=enum_strings(given["schema"]),
            external=external,
        )
        if word in {"self", "nowhere"}:
            findings.append({"predicate": leaf.dotted, "message": word})
        elif word == "external":
            excused.append({"path": leaf.dotted, "source": source})
    assert {"findings": findings, "excused": excused} == case["expect"]


@pytest.mark.parametrize("case", cases("wire"))
def test_wire_manifest(case: dict) -> None:
    request, manifest = case["input"]["request"], case["input"]["manifest"]
    story = Story()
    story.compose(0, *request)
    shown = None if manifest is None else frame(tools=manifest)
    news = story.request(shown, composed=0)
    row = story.engine.rows()[1]
    disposition = next(
        name
        for name, count in (
            ("checked-fail", row.failed),
            ("checked-pass", row.passed),
            ("unreachable", row.unreachable),
        )
        if count
    )
    found = [
        {"direction": finding.grade, "tools": [subject.id for subject in finding.subjects]}
        for finding in news
    ]
    assert {"disposition": disposition, "findings": found} == case["expect"]
    if manifest is not None:
        pure = [
            {"direction": word, "tools": list(names)} for word, names in compare(request, manifest)
        ]
        assert pure == case["expect"]["findings"]


@pytest.mark.parametrize("case", cases("conflicts"))
def test_conflicts(case: dict) -> None:
    given = case["input"]
    found = conflicts(
        [_stated(assertion) for assertion in given["assertions"]],
        multi_valued=given.get("multiValued", ()),
    )
    assert len(found) == case["expect"]["conflicts"]


def _stated(assertion: dict) -> Stated:
    kind, _, name = assertion["subject"].partition(":")
    value = assertion["value"]
    match value:
        case {"kind": "unknown" | "not-applicable" as word}:
            wrapped: object = NoValue(word)
        case {"kind": "known", "value": inner}:
            wrapped = Known(inner)
        case _:
            wrapped = Said(value)
    return Stated(
        subject=(kind, name),
        predicate=assertion["predicate"],
        value=wrapped,
        stratum=assertion.get("stratum", "asserted"),
        epoch=assertion.get("epoch"),
    )


def test_parallel_results_in_the_wrong_order() -> None:
    reports = msgspec.json.decode((CASES / "from-users.json").read_bytes())
    report = next(report for report in reports if report["id"] == "N03")
    messages = []
    for given in report["messages"]:
        if given["role"] == "assistant":
            calls = [
                call(one["function"]["name"], one["function"]["arguments"], one["id"])
                for one in given["tool_calls"]
            ]
            messages.append(message("assistant", *calls))
        elif given["role"] == "tool":
            messages.append(result(given["content"], given["tool_call_id"]))
        else:
            messages.append(message("user", given["content"]))
    story = Story()
    assert [finding.kind for finding in story.request(frame(*messages))] == ["result-out-of-order"]

    nameless = [m if m.role != "tool" else result(m.parts[0].text, "") for m in messages]
    (finding,) = Story().request(frame(*nameless))
    assert (finding.kind, finding.grade) == ("unpaired-call", "no-id")
    assert "2 results" in finding.message
