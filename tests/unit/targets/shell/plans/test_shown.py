"""What terraform shows of a plan: read whole, or refused. The format is 1.2, from its own pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.errors import GuardError
from groundwire.targets.shell.plans.port import Planned
from groundwire.targets.shell.plans.shown import planned_in
from tests.terraforms import VERSION, change, shown


def read(document: Any) -> list[tuple[str, str, str, bytes | None, bytes | None]]:
    text = document if isinstance(document, str) else json.dumps(document)
    _, found = planned_in(text.encode())
    return [(each.kind, each.id, each.action, each.before, each.after) for each in found]


def reason(document: Any) -> str:
    with pytest.raises(GuardError) as raised:
        read(document)
    return raised.value.reason


def test_a_plan_is_read_resource_by_resource_and_output_by_output() -> None:
    document = shown(
        change("aws_a.made", ["create"], None, {"n": 1}),
        change("aws_a.same", ["no-op"], {}, {}),
        change("aws_a.gone", ["delete"], {"n": 2}, None),
        change("aws_a.anew", ["delete", "create"], {"n": 3}, {"n": 4}),
        change("aws_a.first", ["create", "delete"], {"n": 5}, {"n": 6}),
        change("data.aws_b.read", ["read"], None, {}),
        change("aws_a.old", ["delete"], {"n": 7}, None, deposed="byebye01"),
        output_changes={"url": {"actions": ["update"], "before": "x", "after": "y"}},
    )
    assert read(document) == [
        ("terraform", "aws_a.made", "create", None, b'{"n":1}'),
        ("terraform", "aws_a.gone", "delete", b'{"n":2}', None),
        ("terraform", "aws_a.anew", "replace", b'{"n":3}', b'{"n":4}'),
        ("terraform", "aws_a.first", "replace", b'{"n":5}', b'{"n":6}'),
        ("terraform", "aws_a.old (deposed byebye01)", "delete", b'{"n":7}', None),
        ("terraform", "output.url", "update", b'"x"', b'"y"'),
    ]
    version, _ = planned_in(json.dumps(document).encode())
    assert version == VERSION


def test_what_is_known_only_once_it_is_applied_is_a_thing_of_its_own() -> None:
    document = shown(
        change("aws_a.x", ["create"], None, {"n": 1}, after_unknown={"id": True, "n": False}),
        change("aws_a.y", ["update"], {"n": 1}, {"n": 2}, after_unknown={"tags": [{}, False]}),
    )
    assert [each[:2] for each in read(document)] == [
        ("terraform", "aws_a.x"), ("terraform-unknown", "aws_a.x"), ("terraform", "aws_a.y"),
    ]  # fmt: skip


def test_what_others_changed_meanwhile_is_a_thing_of_its_own() -> None:
    document = shown(resource_drift=[change("aws_a.x", ["update"], {"n": 1}, {"n": 9})])
    assert read(document) == [("terraform-drift", "aws_a.x", "update", b'{"n":1}', b'{"n":9}')]


def test_programs_that_the_configuration_starts_are_things_of_their_own() -> None:
    local = {"type": "local-exec", "expressions": {"command": {"constant_value": "make"}}}
    inner = {"address": "aws_a.in", "type": "aws_a", "provisioners": [local]}
    root = {
        "resources": [
            {"address": "aws_a.plain", "type": "aws_a"},
            {"address": "data.external.it", "mode": "data", "type": "external"},
        ],
        "module_calls": {"m": {"module": {"resources": [inner]}}, "n": {}},
    }
    found = read(shown(configuration={"root_module": root}))
    assert [each[:3] for each in found] == [
        ("terraform-program", "data.external.it", "create"),
        ("terraform-program", "module.m.aws_a.in", "create"),
    ]
    assert b"local-exec" in (found[1][4] or b"")


@pytest.mark.parametrize(
    "more",
    [
        {"errored": True},
        {"complete": False},
        {"deferred_changes": [{"reason": "resource_config_unknown"}]},
        {"deferred_action_invocations": [{}]},
        {"action_invocations": [{"address": "action.aws_lambda_invoke.x"}]},
    ],
)
def test_a_plan_that_does_not_say_all_is_refused_by_that_name(more: dict[str, Any]) -> None:
    assert reason(shown(**more)) == "plan-incomplete"


@pytest.mark.parametrize(
    "document",
    [
        "no json",
        "[]",
        "{}",
        "[" * 100_000,
        shown(format_version="2.0"),
        shown(format_version="0.2"),
        shown(format_version=""),
        shown(format_version=1),
        shown(something_new=[]),
        {"format_version": "1.0", "resource_changes": [{"address": "a"}]},
        shown(change("a.b", ["forget"], {}, {})),
        shown(change("a.b", ["create", "forget"], {}, {})),
        shown(change("a.b", [], {}, {})),
        shown(change("a.b", ["no-op"], {}, {}, previous_address="a.c")),
        shown(change("a.b", ["no-op"], {}, {}, importing={"id": "i-1"})),
        shown(change("a.b", ["create"], None, {}), change("a.b", ["delete"], {}, None)),
        shown(resource_drift=[change("a.b", ["forget"], {}, {})]),
        json.dumps(shown(change("a.b", ["create"], None, "KEY"))).replace("KEY", "\\ud800"),
    ],
)
def test_a_plan_that_is_not_understood_is_no_plan(document: Any) -> None:
    assert reason(document) == "plan-unreadable"


def test_what_is_planned_is_a_noun() -> None:
    _, (found,) = planned_in(json.dumps(shown(change("a.b", ["delete"], {}, None))).encode())
    assert found == Planned(id="a.b", action="delete", before=b"{}", after=None, kind="terraform")
