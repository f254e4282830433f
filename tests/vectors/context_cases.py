"""The shared cases of context integrity as runs: what the checks say under either set of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundwire.documents.declaration import Claim, Column
from groundwire.documents.event import Parked, Vouched
from groundwire.documents.fact import Facts
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Message, ResultPart, ToolSpec
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

FILE = Path(__file__).parents[2] / ".." / "shared" / "cases" / "context-integrity.json"
Case = Mapping[str, Any]
_ROW = {
    "failed": "checked-fail",
    "passed": "checked-pass",
    "unreachable": "unreachable",
    "not_applicable": "not-applicable",
}


class Verdict(msgspec.Struct, frozen=True):
    """What was said of a case; of several encounters the gravest disposition."""

    disposition: str
    defects: int = 0
    advisories: int = 0

    def __str__(self) -> str:
        return f"{self.disposition}, {self.defects} defects, {self.advisories} advisories"


def cases() -> list[Case]:
    """Every case whose check judges a run; none where the file is not there."""
    if not FILE.is_file():
        return []
    found = msgspec.json.decode(FILE.read_bytes())
    return [case for case in found if case["check"] in _STORIES]


def expected(case: Case) -> Verdict:
    """The verdict that the case states, in the same words."""
    check, stated = case["check"], case["expect"]
    findings = stated.get("findings", stated.get("unsupported", ()))
    doubts = sum(1 for each in findings if isinstance(each, dict) and each.get("advisory"))
    if check == "empty-lookup":
        doubts = len(findings)
    if check == "prior-turn-evidence" and stated["disposition"] == "checked-fail":
        return Verdict("checked-fail", 0, 1)
    if check in {"unsupported-argument", "evidence-gate"}:
        return Verdict("checked-fail" if findings else "checked-pass", len(findings))
    words = stated.get("dispositions") or [stated["disposition"]]
    gravest = next(word for word in _ROW.values() if word in words)
    return Verdict(gravest, len(findings) - doubts, doubts)


def verdict(case: Case, rules: str) -> Verdict:
    """What the checks of this version say of the case under these rules."""
    kinds, tell = _STORIES[case["check"]]
    story = Story()
    tell(story, case["input"], rules)
    story.end()
    filed: Sequence[Finding] = [one for kind in kinds for one in story.filed(kind)]
    rows = [story.row(kind) for kind in kinds]
    disposition = next((_ROW[word] for word in _ROW if any(row.get(word) for row in rows)), "none")
    if case["check"] in {"unsupported-argument", "evidence-gate"} and disposition not in {
        "checked-fail",
        "unreachable",
    }:
        # Nothing to judge is no finding; the cases say no more than that.
        disposition = "checked-pass"
    doubts = sum(one.advisory for one in filed)
    return Verdict(disposition, len(filed) - doubts, doubts)


def _argument(story: Story, given: Case, rules: str) -> None:
    schema = given["schema"]
    spec = ToolSpec(name="act", schema=msgspec.json.encode(schema or {}).decode())
    story.declare(ToolDeclaration(name="act", arguments_from=("look",)), checks={"rules": rules})
    for entry in given["external"]:
        match entry:
            case {"value": str(value), "source": str(source)}:
                story.tell(Vouched(step=1, at="", value=value, source=source))
            case _:
                pass
    shown = [
        one
        for number, text in enumerate(given["grounded"])
        for one in (
            message("assistant", call("look", {}, f"g{number}")),
            result(text, f"g{number}"),
        )
    ]
    own = [message("assistant", text) for text in given["assistant"]]
    asked = frame(message("user", "?"), *shown, *own, message("user", "?"))
    story.request(msgspec.structs.replace(asked, tools=(spec,)))
    story.respond(response(call("act", given["args"], "c")))


def _claim(story: Story, given: Case, rules: str) -> None:
    claims = tuple(Claim(**claim) for claim in given["claims"])
    story.declare(checks={"rules": rules, "claims": claims})
    shown: list[Message] = [message("user", "What is it?")]
    for number, row in enumerate(given["rows"]):
        facts = [{"entity": row["entity"], row["field"]: row["value"]}]
        told = Facts(facts, measured_at=f"2031-05-{number + 2:02}", source="case")
        shown += [
            message("assistant", call("look", {}, f"c{number}")),
            result(str(told), f"c{number}"),
        ]
    story.request(frame(*shown))
    story.respond(response(msgspec.json.encode(given["answerObject"]).decode()))


def _gate(story: Story, given: Case, rules: str) -> None:
    story.declare(checks={"rules": rules, "evidence": {"posture": "assist"}})
    shown = [
        one
        for number, text in enumerate(given["toolResults"])
        for one in (
            message("assistant", call("look", {}, f"c{number}")),
            result(text, f"c{number}"),
        )
    ]
    said = [message("user", text) for text in given["userMessages"]]
    story.request(frame(*said, *shown))
    story.respond(response(given["answer"]))


_READINGS = {"empty": "[]", "nonempty": '[{"port": 1}]', None: "nobody can read this"}


def _lookup(story: Story, given: Case, rules: str) -> None:
    armed = ToolDeclaration(name="lookup", arguments_from=tuple(given["argumentsFrom"]))
    story.declare(armed, checks={"rules": rules})
    shown: list[Message] = []
    for place, (tool, text) in enumerate(given["produced"]):
        shown += [message("assistant", call(tool, {}, f"p{place}"))]
        shown += [message("tool", ResultPart(f"p{place}", text))]
    found = message("tool", ResultPart("c", _READINGS[given["reading"]]))
    story.request(frame(*shown, message("assistant", call("lookup", given["args"], "c")), found))


def _columns(story: Story, given: Case, rules: str) -> None:
    columns = tuple(
        msgspec.convert(
            {"name": name, **(said if isinstance(said, dict) else {"type": said})}, Column
        )
        for name, said in given["declared"].items()
    )
    story.declare(ToolDeclaration(name="rows", columns=columns), checks={"rules": rules})
    part = ResultPart("c1", msgspec.json.encode(given["result"]).decode())
    story.request(frame(message("assistant", call("rows")), message("tool", part)))


def _parked(story: Story, given: Case, rules: str) -> None:
    story.declare(checks={"rules": rules})
    for group, tools in given["parked"].items():
        story.tell(Parked(step=0, at="", group=group, tools=tuple(tools), parked=True))
    story.request(frame(message("user", "?"), tools=given["wire"]))


def _dangling(story: Story, given: Case, rules: str) -> None:
    served = given["servedTools"]
    story.declare(
        *(ToolDeclaration(name=t["name"], arguments_from=tuple(t.get("from", ()))) for t in served),
        checks={"rules": rules},
    )
    names = [tool["name"] for tool in served]
    before = _results(given["dropped"], "old")
    story.request(frame(message("user", "?"), *before, tools=names))
    after = _results(given["presentResults"], "new")
    story.request(frame(message("user", "?"), *after, tools=names))


def _results(tools: Sequence[str], prefix: str) -> list[Message]:
    return [
        one
        for tool in tools
        for one in (
            message("assistant", call(tool, {}, f"{prefix}-{tool}")),
            result(f"{prefix} {tool}", f"{prefix}-{tool}"),
        )
    ]


def _wire(story: Story, given: Case, rules: str) -> None:
    story.declare(checks={"rules": rules})
    story.compose(0, *given["request"])
    manifest = given["manifest"]
    story.request(None if manifest is None else frame(tools=manifest), composed=0)


_STORIES: dict[str, tuple[tuple[str, ...], Callable[[Story, Case, str], None]]] = {
    "unsupported-argument": (("unsupported-argument",), _argument),
    "unsupported-claim": (("unsupported-claim",), _claim),
    "evidence-gate": (("unsupported-value",), _gate),
    "empty-lookup": (("empty-lookup",), _lookup),
    "column-types": (("column-type-mismatch", "missing-column"), _columns),
    "parked-but-served": (("parked-but-served",), _parked),
    "dangling-reference": (("dangling-reference",), _dangling),
    "wire": (("invariant-violation",), _wire),
}
