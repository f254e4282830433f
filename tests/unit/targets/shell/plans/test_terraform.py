"""Terraform's own plan as the judged change, with a stand-in of that name: no provider, no network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.documents.outcome import Executed, Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GuardError, HostError
from groundwire.session.guarding.result import Artifact, GuardedResult
from groundwire.targets.shell.plans.port import Plan, Planned
from groundwire.targets.shell.plans.terraform import TerraformPlanner
from tests.unit.session.guarding.calls import Place

STAND_IN = """#!/bin/sh
echo "$@" >> "{folder}/asked"
case "$2" in
plan) for word; do case "$word" in -out=*) cp "{folder}/shown.json" "${{word#-out=}}";; esac; done;;
show) cat "{folder}/shown.json";;
apply) cp "$5" "{folder}/applied"; echo "Apply complete!";;
esac
exit $(cat "{folder}/code")
"""
SHOWN: dict[str, Any] = {
    "format_version": "1.2",
    "resource_changes": [
        {"address": "a.made", "change": {"actions": ["create"], "before": None, "after": {"n": 1}}},
        {"address": "a.same", "change": {"actions": ["no-op"], "before": {}, "after": {}}},
        {"address": "a.gone", "change": {"actions": ["delete"], "before": {"n": 2}, "after": None}},
        {
            "address": "a.anew",
            "change": {"actions": ["delete", "create"], "before": {"n": 3}, "after": {"n": 4}},
        },
    ],
    "output_changes": {"url": {"actions": ["update"], "before": "x", "after": "y"}},
}


class Terraform:
    """A stand-in of that name that shows what it is told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "terraform"
        self.program.write_text(STAND_IN.format(folder=folder))
        self.program.chmod(0o755)
        self.show(SHOWN)
        self.end(0)
        self.saved = folder / "saved.plan"
        self.planner = TerraformPlanner(
            folder, self.saved, {"PATH": "/usr/bin:/bin"}, program=str(self.program)
        )

    def show(self, document: Any) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        (self.folder / "shown.json").write_text(text)

    def end(self, code: int) -> None:
        (self.folder / "code").write_text(str(code))

    @property
    def applied(self) -> bool:
        return (self.folder / "applied").exists()


@pytest.fixture
def terraform(tmp_path: Path) -> Terraform:
    folder = tmp_path / "terraform"
    folder.mkdir()
    return Terraform(folder)


def test_a_plan_is_read_resource_by_resource(terraform: Terraform) -> None:
    assert terraform.planner.plan().changes == (
        Planned(id="a.made", action="create", before=None, after=b'{"n":1}'),
        Planned(id="a.gone", action="delete", before=b'{"n":2}', after=None),
        Planned(id="a.anew", action="replace", before=b'{"n":3}', after=b'{"n":4}'),
        Planned(id="output.url", action="update", before=b'"x"', after=b'"y"'),
    )
    assert not terraform.applied


def test_what_is_applied_is_the_saved_plan(terraform: Terraform) -> None:
    plan = terraform.planner.plan()
    assert "Apply complete!" in terraform.planner.apply(plan)
    assert (terraform.folder / "applied").read_bytes() == terraform.saved.read_bytes()


def test_a_plan_that_was_exchanged_is_not_applied(terraform: Terraform) -> None:
    plan = terraform.planner.plan()
    terraform.saved.write_text("another")
    with pytest.raises(GuardError) as raised:
        terraform.planner.apply(plan)
    assert raised.value.reason == "plan-changed"
    assert not terraform.applied


@pytest.mark.parametrize(
    "shown",
    [
        "no json",
        "{}",
        {"format_version": "2.0"},
        {"format_version": "1.0", "resource_changes": [{"address": "a"}]},
        {
            "format_version": "1.0",
            "resource_changes": [
                {"address": "a", "change": {"actions": ["forget"], "before": 1, "after": 2}}
            ],
        },
    ],
)
def test_a_plan_that_is_not_understood_is_no_plan(terraform: Terraform, shown: Any) -> None:
    terraform.show(shown)
    with pytest.raises(GuardError) as raised:
        terraform.planner.plan()
    assert raised.value.reason == "plan-unreadable"


def test_a_program_that_fails_or_is_not_there_has_no_plan(
    terraform: Terraform, tmp_path: Path
) -> None:
    terraform.end(1)
    missing = TerraformPlanner(tmp_path, terraform.saved, {}, program=str(tmp_path / "none"))
    for planner in (terraform.planner, missing):
        with pytest.raises(HostError) as raised:
            planner.plan()
        assert raised.value.reason == "plan-failed"


# --- with the guard -------------------------------------------------------------------------

DEPLOY = ToolDeclaration(name="deploy", effect="external", operation="deploy")


def guarded(terraform: Terraform, folder: Path, plan: Plan, **rules: Any) -> GuardedResult:
    place = Place(folder / "project", declared=(DEPLOY,), rules=rules)
    artifacts = [
        Artifact(id=each.id, kind=plan.kind, before=each.before, after=each.after)
        for each in plan.changes
    ]
    with place.project.session() as run:
        call = ("deploy", msgspec.to_builtins({"plan": plan.digest}), "c1")
        return run.call(call, lambda: terraform.planner.apply(plan), artifacts)


def test_a_plan_is_asked_about_and_not_applied(terraform: Terraform, tmp_path: Path) -> None:
    result = guarded(terraform, tmp_path, terraform.planner.plan())
    assert isinstance(result.outcome, Refused)
    assert not terraform.applied


def test_a_rule_about_the_plan_decides(terraform: Terraform, tmp_path: Path) -> None:
    deny = {"id": "keep", "decide": "deny", "artifacts": ["terraform"], "changes": ["deleted"]}
    allow = {"id": "go", "decide": "allow", "tools": ["deploy"]}
    made = {"id": "made", "decide": "allow", "artifacts": ["terraform"]}
    plan = terraform.planner.plan()
    result = guarded(terraform, tmp_path, plan, rules=[deny, allow, made])
    assert isinstance(result.outcome, Refused)
    assert "keep" in result.outcome.rules
    assert not terraform.applied
    terraform.show({**SHOWN, "resource_changes": SHOWN["resource_changes"][:1]})
    result = guarded(terraform, tmp_path, terraform.planner.plan(), rules=[deny, allow, made])
    assert isinstance(result.outcome, Executed), result.message
    seen = {(each.seen, each.claim) for each in result.outcome.observed}
    assert seen == {("not-observed", "host-claimed")}  # it was carried out, and nobody can look
    assert terraform.applied
