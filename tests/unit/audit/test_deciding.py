"""A run against a policy: guarded calls that no response chose are counted like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from groundwire.audit.deciding.asking import Asker
from groundwire.audit.deciding.log import decide_run
from groundwire.audit.replay import replay
from groundwire.authority.places import PolicyPin
from groundwire.documents.event import Event, Executed, Guarded
from groundwire.session.guarding.guard import Guard
from tests.unit.session.guarding.calls import LONG_AGO, Place, call, recorded


def asker(place: Place) -> Asker:
    policy = place.project.policy
    return Asker(policy, Guard(policy, place.folder, PolicyPin.of(None), place.clock), LONG_AGO)


def test_guarded_calls_that_no_response_chose_are_judged_by_what_their_tool_ran_with(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "project")
    table = place.table()
    with place.session() as run:
        table.dispatch(call("create", path="a.txt", content="x"))
        table.dispatch(call("create", path="b.txt", content="x"))
        table.dispatch(call("create", path="groundwire.toml", content="x"))
    for name in ("a.txt", "b.txt"):
        (place.folder / name).unlink()
    decided = decide_run("run", replay(recorded(run)), asker(place))
    told = [(each.says, [name.path for name in each.names]) for each in decided.answers]
    assert told == [("allow", ["a.txt"]), ("allow", ["b.txt"]), ("not-judged", [])]
    assert "arguments are not in the recording" in decided.answers[2].message


def test_no_call_is_judged_by_the_arguments_of_another(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    arguments = '{"path":"a.txt","content":"x"}'

    def settled(number: int, outcome: Literal["executed", "refused", "unknown"]) -> Guarded:
        return Guarded(
            step=number, at="", guarded=number, state="outcome", call_id="", link="unlinked",
            exchange=None, lane=None, name="create", document=None, outcome=outcome,
        )  # fmt: skip

    ran = Executed(
        step=0, at="", execution=0, call_id="", link="unlinked", exchange=None, lane=None,
        name="create", arguments=arguments, result="x",
    )  # fmt: skip
    events: list[Event] = [
        ran,
        settled(1, "refused"),
        settled(2, "executed"),
        settled(3, "unknown"),
    ]
    decided = decide_run("run", events, asker(place))
    assert [each.says for each in decided.answers] == ["not-judged", "allow", "not-judged"]


def test_what_is_asked_beforehand_is_judged_by_the_engines_of_the_guard(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    place.write(
        "api.yaml",
        "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /a: {get: {responses: {'200': {description: x}}}}\n",
    )
    ask = asker(place).ask
    titled = ask(call("edit", path="api.yaml", old="title: a", new="title: b"))
    assert titled.says == "allow"
    taken = ask(call("edit", path="api.yaml", old="  /a: {", new="  /b: {"))
    assert taken.says == "approve"
    assert taken.ruling is not None
    assert any("GET /a" in each.says for each in taken.ruling.decision.witnesses)
