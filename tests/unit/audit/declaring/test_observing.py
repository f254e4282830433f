"""What runs show of where arguments came from, and what is proposed from it."""

from __future__ import annotations

import json

import pytest

from groundwire.audit.declaring.choosing import Choice, choose
from groundwire.audit.declaring.observing import ArgumentSeen, Observed, dotted, observe
from groundwire.audit.declaring.proposal import propose
from groundwire.authority.policy import decode_policy
from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.event import Declared, Event
from groundwire.documents.frame import ToolSpec
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

FLEET = json.dumps(
    {"machines": [{"name": "zinnia-4", "disks": 4}, {"name": "aster-9", "disks": 2}]}
)
SCHEMA = '{"properties":{"mode":{"enum":["soft","hard"]}}}'


def run(
    *steps: tuple[str, object], served: str = FLEET, said: str = "Restart zinnia-4."
) -> list[Event]:
    """One run: the fleet is read, then each tool is called with its arguments."""
    story = Story()
    messages = [message("user", said)]
    specs = tuple(ToolSpec(name=name, schema=SCHEMA) for name in ("fleet", *dict(steps)))
    for number, (name, arguments) in enumerate((("fleet", {}), *steps)):
        story.request(frame(*messages, tools=specs))
        made = call(name, arguments, f"c{number}")
        story.respond(response(made))
        text = served if name == "fleet" else "ok"
        messages += [message("assistant", made), result(text, f"c{number}")]
    story.request(frame(*messages, tools=specs))
    return story.events


def chosen(tool: str, argument: str, *runs: list[Event]) -> Choice:
    return choose(observe(runs).tools[tool].arguments[argument], tool)


def test_values_that_stood_at_a_path_propose_it_with_the_count() -> None:
    runs = [run(("reboot", {"machine": name}), said="Go.") for name in ("zinnia-4", "aster-9")]
    assert chosen("reboot", "machine", *runs) == Choice(
        "fleet:$.machines[*].name", "2 of 2 values stood there"
    )


def test_the_results_count_where_a_user_said_the_value_too() -> None:
    assert chosen("reboot", "machine", run(("reboot", {"machine": "zinnia-4"}))).source == (
        "fleet:$.machines[*].name"
    )


def test_what_a_user_said_before_any_result_is_the_users() -> None:
    story = Story()
    story.request(frame(message("user", "Look at zinnia-4.")))
    story.respond(response(call("look", {"machine": "zinnia-4"})))
    assert chosen("look", "machine", story.events).source == "user"


def test_a_value_in_the_text_of_results_is_from_anywhere_in_them() -> None:
    events = run(("reboot", {"machine": "aster-9"}), served="name: aster-9, disks 2", said="Go.")
    assert chosen("reboot", "machine", events).source == "fleet:"


@pytest.mark.parametrize(
    ("argument", "value", "source"),
    [
        ("note", "A short word of thanks to the night shift.", "free-text"),
        ("since", "2031-05-02", "derived"),
        ("size", 123456, "derived"),
        ("hosts", "zinnia-4, aster-9", "list"),
        ("owner", "petrel", ""),
        ("mode", "hard", ""),
        ("count", 7, ""),
    ],
)
def test_what_stood_nowhere_is_told_by_its_shape(argument: str, value: object, source: str) -> None:
    assert (
        chosen("reboot", argument, run(("reboot", {argument: value}), said="Go.")).source == source
    )


def test_mixed_evidence_proposes_nothing_and_names_a_candidate() -> None:
    runs = [
        run(("reboot", {"machine": name}), said="Go.") for name in ("aster-9", "petrel", "heron")
    ]
    choice = chosen("reboot", "machine", *runs)
    assert (choice.source, choice.candidate) == ("", "fleet:$.machines[*].name")
    assert "1 of 3 values stood" in choice.why
    assert "2 of 3 stood nowhere" in choice.why


def test_a_tools_own_results_are_no_source_of_its_arguments() -> None:
    assert chosen("fleet", "x", run(("fleet", {"x": "aster-9"}), said="Go.")).source == ""


def test_an_argument_within_lists_has_one_dotted_path() -> None:
    assert dotted(("filter", "hosts", "3", "name")) == "filter.hosts[*].name"
    events = run(("reboot", {"filter": {"hosts": ["aster-9", "zinnia-4"]}}), said="Go.")
    assert chosen("reboot", "filter.hosts[*]", events).why == "2 of 2 values stood there"


def test_a_value_of_a_later_result_is_no_ground() -> None:
    story = Story()
    story.request(frame(message("user", "Go.")))
    story.respond(response(call("reboot", {"machine": "aster-9"})))
    story.request(
        frame(
            message("user", "Go."),
            message("assistant", call("reboot", {"machine": "aster-9"})),
            result(FLEET, "c1"),
        )
    )
    assert observe([story.events]).tools["reboot"].arguments["machine"].unseen == 1


def test_the_proposal_is_a_policy_with_its_evidence_beside_it() -> None:
    runs = [
        run(("reboot", {"machine": name, "why.not": "x y z", "mode": "hard"}), said="Go.")
        for name in ("zinnia-4", "aster-9")
    ]
    text = propose(observe(runs))
    (reboot,) = [tool for tool in decode_policy(text, "p").tools if tool.name == "reboot"]
    assert reboot.arguments == (
        ArgumentSource(argument="machine", kind="result", tool="fleet", at="$.machines[*].name"),
    )
    assert reboot.effect == "unstated"
    assert 'machine = "fleet:$.machines[*].name"  # 2 of 2 values stood there' in text
    assert "# effect = " in text
    fleet = next(tool for tool in decode_policy(text, "p").tools if tool.name == "fleet")
    assert fleet.rows_at == "$.machines"


def test_a_tool_without_a_line_to_propose_has_no_table_of_arguments() -> None:
    observed = Observed(runs=1)
    observed.tool("t").arguments["a"] = ArgumentSeen(values=1, unseen=1)
    assert decode_policy(propose(observed), "p").tools[0].arguments == ()


@pytest.mark.parametrize(
    "answered",
    [
        json.dumps({"groundwire_absence": 1, "looked_for": "zeus-77", "checked": ["the register"]}),
        json.dumps({"error": "none", "query": "zeus-77"}),
        "No machine zeus-77 is known.",
    ],
    ids=["absence", "json", "text"],
)
def test_a_result_that_repeats_what_the_model_asked_for_is_no_source(answered: str) -> None:
    story = Story()
    look, reboot = (
        call("find", {"machine": "zeus-77"}, "f1"),
        call("reboot", {"machine": "zeus-77"}),
    )
    story.request(frame(message("user", "Go.")))
    story.respond(response(look))
    story.request(frame(message("user", "Go."), message("assistant", look), result(answered, "f1")))
    story.respond(response(reboot))
    events = story.events
    assert chosen("reboot", "machine", events).source == ""
    assert observe([events]).tools["reboot"].arguments["machine"].places == {}


def test_what_a_run_itself_declared_is_seen() -> None:
    tools = (
        ToolDeclaration(name="reboot", arguments_from=("fleet",)),
        ToolDeclaration(name="fleet", effect="read"),
    )
    events = [
        Declared(step=0, at="", declarations=tools, grounding="whole", posture="observe"),
        *run(("reboot", {"machine": "aster-9"})),
    ]
    assert observe([events]).declared == {"reboot"}
