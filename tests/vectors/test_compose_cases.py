"""Cases with known answers of the checks at the compose seam, where they stand beside the checkout."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.documents.event import Parked
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, result

CASES = Path(__file__).parents[2] / ".." / "shared" / "cases" / "context-integrity.json"
pytestmark = pytest.mark.skipif(
    not CASES.is_file(), reason="../shared/cases is not there: cases with known answers not run"
)
USER = message("user", "Go on.")


def cases(check: str) -> list[object]:
    if not CASES.is_file():
        return []
    found = msgspec.json.decode(CASES.read_bytes())
    return [pytest.param(case, id=case["id"]) for case in found if case["check"] == check]


def disposition(story: Story, kind: str) -> str:
    """What the last request came to."""
    row = story.row(kind)
    if row.get("failed"):
        return "checked-fail"
    return "checked-pass" if row.get("passed") else "not-applicable"


@pytest.mark.parametrize("case", cases("parked-but-served"))
def test_parked_but_served(case: dict) -> None:
    story = Story()
    for group, tools in case["input"]["parked"].items():
        story.tell(Parked(step=0, at="", group=group, tools=tuple(tools), parked=True))
    story.request(frame(USER, tools=case["input"]["wire"]))
    findings = [
        {
            "map": finding.subjects[0].id,
            "tools": [subject.id for subject in finding.subjects[1:]],
        }
        for finding in story.filed("parked-but-served")
    ]
    found = {"disposition": disposition(story, "parked-but-served"), "findings": findings}
    assert found == case["expect"]


@pytest.mark.parametrize("case", cases("dangling-reference"))
def test_dangling_reference(case: dict) -> None:
    given = case["input"]
    served = given["servedTools"]
    story = Story()
    story.declare(
        *(ToolDeclaration(name=t["name"], arguments_from=tuple(t.get("from", ()))) for t in served)
    )
    names = [tool["name"] for tool in served]

    def results(tools: list[str], prefix: str) -> list:
        return [
            one
            for tool in tools
            for one in (
                message("assistant", call(tool, {}, f"{prefix}-{tool}")),
                result(f"{prefix} {tool}", f"{prefix}-{tool}"),
            )
        ]

    present = results(given["presentResults"], "new")
    story.request(frame(USER, *results(given["dropped"], "old"), tools=names))
    story.request(frame(USER, *present, tools=names))
    findings = [
        {
            "tool": finding.subjects[0].id,
            "grounds": [subject.id for subject in finding.subjects[1:]],
        }
        for finding in story.filed("dangling-reference")
    ]
    found = {"disposition": disposition(story, "dangling-reference"), "findings": findings}
    assert found == case["expect"]
