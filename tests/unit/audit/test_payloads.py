from __future__ import annotations

import msgspec
import pytest

from groundwire.audit.payloads import read_finding
from groundwire.audit.report import Filed
from groundwire.audit.summary import finding_lines
from groundwire.documents.finding import Assertion, Finding, Subject

WHOLE = Finding(
    kind="unpaired-call",
    seam="write",
    subjects=(Subject("call", "c1"),),
    witnesses=(Assertion(subject=Subject("call", "c1"), predicate="p", value="v", provenance="w"),),
    message="A call stands alone.",
    lane=0,
    step=4,
)


def test_a_whole_payload_is_read_without_a_warning() -> None:
    assert read_finding(msgspec.to_builtins(WHOLE)) == (WHOLE, ())


def test_ro13_a_payload_without_its_parts_is_read_with_a_warning_for_each() -> None:
    finding, warnings = read_finding({"seam": "wire", "lane": 1, "step": 2})
    assert (finding.kind, finding.seam, finding.lane) == ("unstated", "wire", 1)
    assert warnings == (
        "kind is missing",
        "subjects is missing",
        "witnesses is missing",
        "message is missing",
    )
    assert list(finding_lines(Filed(run="r", finding=finding)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", 5),
        ("seam", "hall"),
        ("subjects", "tool"),
        ("subjects", [{"kind": "tool"}]),
        ("witnesses", [None]),
        ("step", "four"),
        ("advisory", "yes"),
    ],
)
def test_a_malformed_field_is_named_and_the_rest_is_kept(field: str, value: object) -> None:
    payload = {**msgspec.to_builtins(WHOLE), field: value}
    finding, warnings = read_finding(payload)
    assert warnings == (f"{field} is malformed",)
    assert finding.message == WHOLE.message


@pytest.mark.parametrize("payload", [None, 5, "text", [], True])
def test_what_is_no_object_is_said_to_be_none(payload: object) -> None:
    finding, warnings = read_finding(payload)  # type: ignore[arg-type] -- the point of the test
    assert warnings == ("the payload is no object",)
    assert finding.kind == "unstated"


def test_a_field_of_another_version_is_passed_over() -> None:
    finding, warnings = read_finding({**msgspec.to_builtins(WHOLE), "severity": "high"})
    assert (finding, warnings) == (WHOLE, ())
