"""`terraform apply` through the guard: its plan is judged, and exactly that one is applied.

With a stand-in of that name over real processes (`tests.terraforms`): no terraform was here.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.attest.grants import inspect_attestation
from groundwire.attest.receipts import inspect_receipt
from groundwire.audit.deciding.asking import Asker
from groundwire.authority.places import PolicyPin
from groundwire.canon.digest import sha256
from groundwire.documents.call import ToolCall
from groundwire.documents.governing import CommandArguments
from groundwire.documents.outcome import Executed, Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import HostError
from groundwire.session.guarding.guard import Guard
from groundwire.session.guarding.result import Artifact, GuardedResult
from groundwire.session.guarding.ways.command import CommandText
from groundwire.session.guarding.ways.planned.way import PlanWay
from tests.terraforms import VERSION, StandIn, change, saved, shown
from tests.unit.session.guarding.calls import Place, state_folder, word
from tests.unit.targets.shell.commands import needs_overlay

replace = msgspec.structs.replace
RUN = ToolDeclaration(name="sh", effect="write", target=CommandArguments(command="cmd"))
DEPLOY = ToolDeclaration(
    name="deploy", effect="external", operation="deploy", target=CommandArguments(command="cmd")
)
WIPE = ToolDeclaration(
    name="wipe", effect="destructive", operation="wipe", target=CommandArguments(command="cmd")
)
MADE = change("aws_a.made", ["create"], None, {"n": 1})
GONE = change("aws_db.main", ["delete"], {"n": 2}, None)
ANEW = change("aws_db.main", ["delete", "create"], {"n": 3}, {"n": 4})
ALLOW = {"id": "tf", "decide": "allow", "artifacts": ["terraform"]}
KEEP = {
    "id": "keep-databases", "decide": "deny", "artifacts": ["terraform"], "changes": ["deleted"],
    "paths": ["aws_db.*"],
}  # fmt: skip
pytestmark = needs_overlay


class World:
    """A project, and the stand-in where its commands find it."""

    def __init__(self, folder: Path, *rules: dict[str, Any], **more: Any) -> None:
        self.terraform = StandIn(folder / "terraform")
        os.environ["PATH"] = f"{self.terraform.folder / 'bin'}:{os.environ['PATH']}"
        os.environ["CONDA_PREFIX"] = str(self.terraform.folder)
        self.place = Place(
            folder / "project", declared=(RUN, DEPLOY, WIPE), rules={"rules": list(rules), **more}
        )

    def saves(self, document: Any, path: str = "saved.tfplan") -> bytes:
        text = saved(document)
        self.place.write(path, text)
        return text.encode()

    def configures(self, document: Any) -> None:
        self.place.write("main.tf.json", json.dumps(document))

    def ran(self, command: str, tool: str = "sh") -> GuardedResult:
        with self.place.session():
            return self.place.table().dispatch((tool, {"cmd": command}, "c1"))

    @property
    def kept(self) -> list[Path]:
        """Plans that are still kept; none is after a call."""
        folder = state_folder() / "plans"
        return list(folder.iterdir()) if folder.exists() else []


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("CONDA_PREFIX", os.environ.get("CONDA_PREFIX", ""))


pytestmark = [needs_overlay, pytest.mark.usefixtures("environment")]


def changes(result: GuardedResult) -> list[tuple[str, str]]:
    assert result.proposal is not None, result.message
    return [(each.kind, each.name.path) for each in result.proposal.changes]


def test_a_plan_is_asked_about_and_nothing_is_applied(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.saves(shown(MADE))
    result = world.ran("terraform apply saved.tfplan")
    assert word(result) == "refused: approval-unavailable"
    assert changes(result) == [("created", "aws_a.made")]
    assert 'artifacts = ["terraform"]' in result.message
    assert (world.terraform.landed, world.kept) == ([], [])


@pytest.mark.parametrize("tool", ["sh", "deploy"])
def test_what_a_rule_allows_is_applied_once_and_is_the_plan_that_was_judged(
    tmp_path: Path, tool: str
) -> None:
    world = World(tmp_path, ALLOW)
    text = world.saves(shown(MADE))
    result = world.ran("terraform apply -parallelism=3 saved.tfplan", tool)
    assert isinstance(result.outcome, Executed), result.message
    assert world.terraform.landed == [text.decode()]
    assert world.kept == []
    assert isinstance(result.value, CommandText)
    assert (result.text, result.value.exit) == ("Apply complete!\n", 0)
    seen = [(each.name.path, each.seen, each.claim) for each in result.outcome.observed]
    assert seen == [("aws_a.made", "not-observed", "host-claimed")]
    assert result.receipt is not None
    receipt, _ = inspect_receipt(result.receipt)
    assert receipt.engines["terraform-plan"] == sha256(text)
    assert receipt.engines["terraform"] == VERSION
    assert receipt.asked.operation == ("deploy" if tool == "deploy" else "tool_call")
    assert result.ruling is not None
    assert {"host-claimed", "not-owned", "declared-content"} <= set(result.ruling.residuals)
    assert result.attestation is not None
    assert inspect_attestation(result.attestation).observed[0].claim == "host-claimed"
    (asked,) = world.terraform.calls("apply")
    assert asked[-1] not in ("saved.tfplan", str(world.place.folder / "saved.tfplan"))


@pytest.mark.parametrize("change_", [GONE, ANEW])
def test_a_rule_about_a_resource_and_what_becomes_of_it_decides(
    tmp_path: Path, change_: Any
) -> None:
    world = World(tmp_path, ALLOW, KEEP)
    world.saves(shown(MADE, change_))
    result = world.ran("terraform apply saved.tfplan")
    assert word(result) == "refused: decision-denied"
    assert isinstance(result.outcome, Refused)
    assert result.outcome.rules == ("keep-databases",)
    assert ("deleted", "aws_db.main") in changes(result)
    assert world.terraform.landed == []


def test_a_command_without_a_plan_has_one_made_beside_the_folder(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.configures(shown(MADE))
    before = sorted(world.place.folder.iterdir())
    result = world.ran("terraform apply -auto-approve -var a=b")
    assert word(result) == "executed", result.message
    (landed,) = world.terraform.landed
    assert json.loads(landed)["options"] == ["-var=a=b"]
    assert sorted(world.place.folder.iterdir()) == before
    assert world.terraform.calls("plan") == []  # of what ran there nothing was left here


def test_a_plan_is_made_as_the_program_is_only_where_the_policy_says_so(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW, plans=["terraform"])
    world.configures(shown(MADE))
    result = world.ran("terraform apply")
    assert word(result) == "executed", result.message
    assert len(world.terraform.calls("plan")) == 1
    assert result.receipt is not None
    assert inspect_receipt(result.receipt)[0].engines["containment"] == "none"
    world.saves(shown(GONE))
    assert changes(world.ran("terraform apply saved.tfplan")) == [("deleted", "aws_db.main")]
    assert world.kept == []


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (
            shown(change("a.b", ["create"], None, {}, after_unknown={"id": True})),
            "terraform-unknown",
        ),
        (shown(MADE, resource_drift=[change("a.b", ["update"], {}, {"n": 1})]), "terraform-drift"),
        (
            shown(
                MADE,
                configuration={
                    "root_module": {"resources": [{"address": "a.b", "provisioners": [{}]}]}
                },
            ),
            "terraform-program",
        ),
    ],
)
def test_what_a_plan_cannot_say_or_starts_is_asked_by_a_kind_of_its_own(
    tmp_path: Path, document: Any, kind: str
) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(document)
    result = world.ran("terraform apply saved.tfplan")
    assert word(result) == "refused: approval-unavailable"
    assert f'artifacts = ["{kind}"]' in result.message
    world = World(tmp_path / "again", ALLOW, {**ALLOW, "id": "more", "artifacts": [kind]})
    world.saves(document)
    assert word(world.ran("terraform apply saved.tfplan")) == "executed"


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (shown(format_version="2.0"), "plan-unreadable"),
        (shown(MADE, new_section=[{}]), "plan-unreadable"),
        (shown(MADE, errored=True), "plan-incomplete"),
        (shown(MADE, complete=False), "plan-incomplete"),
        (shown(MADE, deferred_changes=[{"reason": "x"}]), "plan-incomplete"),
        ("no plan", "plan-unreadable"),
    ],
)
@pytest.mark.parametrize("profile", ["enforce/1", "observe/1"])
def test_a_plan_that_cannot_be_judged_is_refused_under_every_profile(
    tmp_path: Path, document: Any, reason: str, profile: str
) -> None:
    world = World(tmp_path, ALLOW, profile=profile)
    world.saves(document)
    assert word(world.ran("terraform apply saved.tfplan")) == f"refused: {reason}"
    assert (world.terraform.landed, world.kept) == ([], [])


def test_a_plan_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.configures(shown(MADE))
    world.terraform.ends(plan=1)
    assert word(world.ran("terraform apply")) == "refused: plan-failed"
    assert word(world.ran("terraform apply none.tfplan")) == "refused: plan-failed"


def test_a_plan_without_changes_is_asked(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown())
    result = world.ran("terraform apply saved.tfplan")
    assert word(result) == "refused: approval-unavailable"


def test_an_apply_that_ends_badly_is_unknown(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(MADE))
    world.terraform.ends(apply=1)
    heard: list[GuardedResult] = []
    with world.place.session() as run:
        run.on("settled", heard.append)
        with pytest.raises(HostError) as raised:
            world.place.table().dispatch(("sh", {"cmd": "terraform apply saved.tfplan"}, "c1"))
    assert raised.value.reason == "write-unsettled"
    assert [word(each) for each in heard] == ["unknown: tool-raised"]
    assert world.terraform.landed == ["half"]
    assert world.kept == []


@pytest.mark.parametrize("step", ["facts", "recheck"])
def test_a_plan_that_is_exchanged_after_it_was_judged_is_not_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(MADE))
    true = getattr(PlanWay, step)

    def act(way: PlanWay, *given: Any) -> Any:
        done = true(way, *given)
        (kept,) = world.kept
        kept.write_text(saved(shown(GONE)))
        return done

    monkeypatch.setattr(PlanWay, step, act)
    result = world.ran("terraform apply saved.tfplan")
    assert word(result) == "refused: plan-changed"
    assert world.terraform.landed == []
    # By the last look, before a grant is used; else by the one right before it is applied.
    assert (result.attestation is None) == (step == "facts")


def test_what_lies_at_the_plans_name_later_is_not_what_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, ALLOW)
    text = world.saves(shown(MADE))
    true = PlanWay.facts

    def facts(way: PlanWay, *given: Any) -> Any:
        world.saves(shown(GONE))
        return true(way, *given)

    monkeypatch.setattr(PlanWay, "facts", facts)
    assert word(world.ran("terraform apply saved.tfplan")) == "executed"
    assert world.terraform.landed == [text.decode()]


def test_a_program_that_an_agent_put_into_the_folder_shows_no_plan(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(GONE))
    planted = world.place.write("bin/terraform", "#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    os.environ["PATH"] = f"{planted.parent}:{os.environ['PATH']}"
    result = world.ran("terraform apply saved.tfplan")
    assert changes(result) == [("deleted", "aws_db.main")]


def test_other_commands_and_tools_that_destroy_are_as_before(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(MADE))
    ran = world.ran("terraform apply saved.tfplan; true")
    # It ran beside the folder, where it reached nothing, and left nothing.
    assert (word(ran), ran.proposal and ran.proposal.changes) == ("executed", ())
    assert world.terraform.landed == []
    wiped = world.ran("terraform apply saved.tfplan", "wipe")
    assert word(wiped) == "refused: approval-unavailable"
    assert (wiped.proposal and wiped.proposal.changes, world.place.ran) == ((), [])


def test_under_observation_a_tools_own_code_runs_whatever_the_plan_says(tmp_path: Path) -> None:
    world = World(tmp_path, profile="observe/1")
    world.saves("no plan")
    result = world.ran("terraform apply saved.tfplan", "deploy")
    assert word(result) == "passed: observe"
    assert [name for name, _ in world.place.ran] == ["deploy"]


@pytest.mark.parametrize("tool", ["sh", "deploy"])
def test_what_would_be_said_of_a_plan_can_be_asked(tmp_path: Path, tool: str) -> None:
    world = World(tmp_path, ALLOW, KEEP)
    world.saves(shown(GONE))
    asked = ToolCall(id="c1", name=tool, arguments='{"cmd": "terraform apply saved.tfplan"}')

    def says(*, stage: bool, **rules: Any) -> str:
        policy = world.place.project.policy
        policy = replace(policy, guard=replace(policy.guard, **rules))
        guard = Guard(policy, world.place.folder, PolicyPin(None, ""), world.place.clock)
        return Asker(policy, guard, world.place.clock(), stage=stage).ask(asked).says

    assert says(stage=True) == "deny"
    assert says(stage=False) == "not-judged"
    assert says(stage=True, plans=("terraform",)) == "not-judged"  # nothing runs outside for it
    assert (world.terraform.landed, world.terraform.calls("show"), world.kept) == ([], [], [])


def test_strict_refuses_a_plan_whatever_a_rule_says(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW, profile="strict/1")
    world.saves(shown(MADE))
    assert word(world.ran("terraform apply saved.tfplan")) == "refused: decision-denied"


def test_artifacts_beside_a_plan_have_to_say_the_same(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(MADE))
    for after, ends in ((b'{"n":1}', "executed"), (b'{"n":2}', "refused: artifact-contradicts")):
        artifact = Artifact(id="aws_a.made", kind="terraform", before=None, after=after)
        with world.place.session() as run:
            call = ("deploy", {"cmd": "terraform apply saved.tfplan"}, "c1")
            result = run.call(call, lambda: "not run", [artifact])
        assert word(result) == ends, result.message
    assert len(world.terraform.landed) == 1


def test_a_plan_is_applied_by_an_async_dispatch_too(tmp_path: Path) -> None:
    world = World(tmp_path, ALLOW)
    world.saves(shown(MADE))

    async def main() -> GuardedResult:
        async with world.place.project.session():
            call = ("deploy", {"cmd": "terraform apply saved.tfplan"}, "c1")
            return await world.place.table().adispatch(call)

    assert word(asyncio.run(main())) == "executed"
    assert len(world.terraform.landed) == 1
