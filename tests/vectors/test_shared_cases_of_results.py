"""Cases with known answers of empty lookups and columns, where they stand beside the checkout."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.documents.declaration import Column
from groundwire.documents.frame import ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response

FILE = Path(__file__).parents[2] / ".." / "shared" / "cases" / "context-integrity.json"
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="../shared/cases is not there: cases with known answers not run"
)
READINGS = {"empty": "[]", "nonempty": '[{"a":1}]', None: "no rows to see"}


def cases(check: str) -> list[object]:
    if not FILE.is_file():
        return []
    found = msgspec.json.decode(FILE.read_bytes())
    return [pytest.param(case, id=case["id"]) for case in found if case["check"] == check]


def disposition(story: Story, *kinds: str) -> str:
    """The worst that the rows of these kinds say, each of which met one result."""
    said = {name for kind in kinds for name, count in story.row(kind).items() if count == 1}
    for name in ("failed", "passed", "unreachable", "not_applicable"):
        if name in said:
            return {"failed": "checked-fail", "passed": "checked-pass"}.get(
                name, name.replace("_", "-")
            )
    raise AssertionError(said)


@pytest.mark.parametrize("rules", ["original", "default"])
@pytest.mark.parametrize("case", cases("empty-lookup"))
def test_empty_lookups(case: dict, rules: str) -> None:
    given = case["input"]
    story = Story()
    armed = ToolDeclaration(name="lookup", arguments_from=tuple(given["argumentsFrom"]))
    story.declare(armed, checks={"rules": rules})
    messages = []
    for place, (tool, text) in enumerate(given["produced"]):
        messages += [
            message("assistant", call(tool, {}, f"p{place}")),
            message("tool", ResultPart(f"p{place}", text)),
        ]
    lookup = call("lookup", given["args"], "c")
    shown = message("tool", ResultPart("c", READINGS[given["reading"]]))
    story.request(frame(*messages, message("assistant", lookup), shown))
    found = [
        {"predicate": finding.path[1:].replace("/", "."), "producer": finding.subjects[1].id}
        for finding in story.filed("empty-lookup")
    ]
    assert all(finding.advisory for finding in story.filed("empty-lookup"))
    assert {"disposition": disposition(story, "empty-lookup"), "findings": found} == case["expect"]


def column(name: str, declared: object) -> Column:
    fields = declared if isinstance(declared, dict) else {"type": declared}
    return msgspec.convert({"name": name, **fields}, Column)


@pytest.mark.parametrize("rules", ["original", "default"])
@pytest.mark.parametrize("case", cases("column-types"))
def test_columns(case: dict, rules: str) -> None:
    given = case["input"]
    story = Story()
    columns = tuple(column(name, declared) for name, declared in given["declared"].items())
    story.declare(ToolDeclaration(name="rows", columns=columns), checks={"rules": rules})
    text = msgspec.json.encode(given["result"]).decode()
    part = ResultPart("c1", text)
    story.request(frame(message("assistant", call("rows")), message("tool", part)))
    found = []
    for kind in ("column-type-mismatch", "missing-column"):
        for finding in story.filed(kind):
            one: dict[str, object] = {"kind": kind, "predicate": finding.path[1:]}
            if kind == "column-type-mismatch":
                observed = finding.witnesses[1].value.split()
                one |= {"rows": int(observed[0]), "of": int(observed[2]), "got": finding.grade}
            found.append(one)
    worst = disposition(story, "column-type-mismatch", "missing-column")
    assert {"disposition": worst, "findings": found} == case["expect"]


def report(name: str) -> dict:
    reports = msgspec.json.decode((FILE.parent / "from-users.json").read_bytes())
    return next(report for report in reports if report["id"] == name)


def of_a_cut_list(variant: str) -> Story:
    """The report's list: run by the host, served in part, and acted on."""
    given = report("N01")
    which = {each["v"]: each for each in given["variants"]}
    chosen = which[variant]
    whole = given["returned_by_tool"]["c1"]
    told = which["d"] if "as" in chosen or "mcp_result" in chosen else None
    served = told["served_instead"] if told else given["messages"][2]["content"]
    declared = [ToolDeclaration(name=name, **fields) for name, fields in given["declare"].items()]
    story = Story()
    story.declare(*declared, ToolDeclaration(name="assign", arguments_from=("list_shifts",)))
    one = given["messages"][1]["tool_calls"][0]
    asked = message("user", given["messages"][0]["content"])
    listing = call(one["function"]["name"], one["function"]["arguments"], "c1")
    story.request(frame(asked))
    story.respond(response(listing))
    story.execute(
        listing.call.name,
        listing.call.arguments,
        call_id="c1",
        result=served if told else whole,
        structured=whole if told else None,
    )
    shown = message("tool", ResultPart("c1", served))
    story.request(frame(asked, message("assistant", listing), shown))
    if "then_call" in chosen:
        name, arguments = chosen["then_call"]
        story.respond(response(call(name, arguments, "c2")))
    return story


def test_a_list_cut_by_the_host_is_partial() -> None:
    (finding,) = of_a_cut_list("a").filed("partial-result")
    assert finding.grade in {"cut", "prefix"}


def test_structured_content_that_was_not_injected_is_said() -> None:
    (finding,) = of_a_cut_list("d").filed("partial-result")
    assert finding.grade == "content-only"


def test_an_argument_from_it_was_returned_and_never_served() -> None:
    (finding,) = of_a_cut_list("d").filed("unsupported-argument")
    assert finding.path == "/shift"
    assert any("returned by a tool" in witness.provenance for witness in finding.witnesses)
    (finding,) = of_a_cut_list("e").filed("unsupported-argument")
    assert (finding.path, finding.grade) == ("/shift", "nowhere")
    assert not any("returned by a tool" in witness.provenance for witness in finding.witnesses)
