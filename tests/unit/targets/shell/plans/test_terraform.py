"""Terraform's own plan, made, kept and applied, with a stand-in of that name: see `tests.terraforms`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundwire.errors import GuardError, HostError
from groundwire.targets.shell.plans.commands import Applying
from groundwire.targets.shell.plans.contained import plan_contained
from groundwire.targets.shell.plans.port import Planned
from groundwire.targets.shell.plans.terraform import TerraformPlanner, forget_old, plan_of
from groundwire.targets.stopping import Stop
from tests.terraforms import StandIn, change, saved, shown
from tests.unit.targets.shell.commands import Shell, needs_overlay
from tests.unit.targets.trees import Tree, fresh

MADE = change("aws_a.made", ["create"], None, {"n": 1})
PLANNED = Planned(id="aws_a.made", action="create", before=None, after=b'{"n":1}', kind="terraform")


@pytest.fixture
def terraform(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path / "terraform")


def planner(
    terraform: StandIn, tree: Tree, *, file: str | None = None, program: str = "",
    planning: tuple[str, ...] = (), options: tuple[str, ...] = (), **variables: str,
) -> TerraformPlanner:  # fmt: skip
    applying = Applying(folder=".", file=file, planning=planning, options=options)
    program = program or str(terraform.program)
    kept = tree.folder / "plans" / fresh()
    return TerraformPlanner(tree.work, kept, {**os.environ, **variables}, applying, program)


def configured(tree: Tree, document: object) -> None:
    tree.file("main.tf.json", json.dumps(document).encode())


def test_a_plan_is_made_shown_and_applied_by_its_own_file(terraform: StandIn, tree: Tree) -> None:
    configured(tree, shown(MADE))
    made = planner(terraform, tree, planning=("-var=a=b",), options=("-parallelism=2",))
    plan = made.plan()
    assert plan.changes == (PLANNED,)
    assert not terraform.landed
    assert "Apply complete!" in made.apply(plan)
    assert json.loads(terraform.landed[0])["options"] == ["-var=a=b"]
    (applied,) = terraform.calls("apply")
    assert "-parallelism=2" in applied
    assert "-var=a=b" not in applied
    made.forget()
    with pytest.raises(HostError):
        made.apply(plan)
    assert len(terraform.landed) == 1


def test_a_plan_that_was_exchanged_is_not_applied(terraform: StandIn, tree: Tree) -> None:
    made = planner(terraform, tree)
    digest = made.save(saved(shown(MADE)).encode())
    plan = plan_of(digest, json.dumps(shown(MADE)).encode())
    (kept,) = (tree.folder / "plans").iterdir()
    kept.write_text(saved(shown()))
    with pytest.raises(GuardError) as raised:
        made.apply(plan)
    assert raised.value.reason == "plan-changed"
    assert not terraform.calls("apply")


def test_a_kept_plan_is_for_its_owner_alone_and_kept_once(terraform: StandIn, tree: Tree) -> None:
    made = planner(terraform, tree)
    made.save(b"secret")
    (kept,) = (tree.folder / "plans").iterdir()
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    with pytest.raises(HostError) as raised:
        made.save(b"another")
    assert raised.value.reason == "plan-failed"
    assert kept.read_bytes() == b"secret"


def test_an_apply_that_ends_badly_is_not_said_to_have_done_nothing(
    terraform: StandIn, tree: Tree
) -> None:
    made = planner(terraform, tree)
    plan = plan_of(made.save(saved(shown(MADE)).encode()), json.dumps(shown(MADE)).encode())
    terraform.ends(apply=1)
    with pytest.raises(HostError) as raised:
        made.apply(plan)
    assert raised.value.reason == "write-unsettled"
    assert terraform.landed == ["half"]


def test_an_apply_that_never_began_did_nothing(terraform: StandIn, tree: Tree) -> None:
    made = planner(terraform, tree, program=str(tree.folder / "none"))
    plan = plan_of(made.save(saved(shown(MADE)).encode()), json.dumps(shown(MADE)).encode())
    with pytest.raises(HostError) as raised:
        made.apply(plan)
    assert raised.value.reason == "plan-failed"


@pytest.mark.parametrize("ends", [{"plan": 1}, {"show": 1}])
def test_a_program_that_fails_has_no_plan(
    terraform: StandIn, tree: Tree, ends: dict[str, int]
) -> None:
    configured(tree, shown(MADE))
    terraform.ends(**ends)
    with pytest.raises(HostError) as raised:
        planner(terraform, tree).plan()
    assert raised.value.reason == "plan-failed"


def test_arguments_of_the_environment_change_no_command(terraform: StandIn, tree: Tree) -> None:
    configured(tree, shown(MADE))
    made = planner(terraform, tree, TF_CLI_ARGS_apply="-destroy", TF_CLI_ARGS="-x", TF_VAR_a="b")
    kept = made._environment
    assert not any(key.startswith("TF_CLI_ARGS") for key in kept)
    assert (kept["TF_VAR_a"], kept["TF_INPUT"]) == ("b", "0")


def test_plans_that_a_dead_process_left_are_forgotten_after_a_day(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for path, age in ((old, 90_000), (new, 80_000)):
        path.write_bytes(b"secret")
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    forget_old(tmp_path, 1_000_000.0)
    forget_old(tmp_path / "none", 1_000_000.0)
    assert (old.exists(), new.exists()) == (False, True)


# --- beside the working folder ----------------------------------------------------------------


class Contained:
    """A plan made beside the tree's folder."""

    def __init__(self, terraform: StandIn, tree: Tree, shell: Shell) -> None:
        self.terraform, self.tree, self.shell = terraform, tree, shell

    def plan(self, folder: str = ".", file: str | None = None, *planning: str) -> bytes:
        applying = Applying(folder=folder, file=file, planning=planning, options=())
        before = self.tree.contents()
        try:
            made = plan_contained(
                self.shell.target, self.tree.target, applying, str(self.terraform.program),
                fresh(), Stop(),
            )  # fmt: skip
        finally:
            assert self.tree.contents() == before
        assert plan_of("", made.shown).changes == (PLANNED,)
        return made.saved

    def reason(self, folder: str = ".", file: str | None = None) -> str:
        with pytest.raises((GuardError, HostError)) as raised:
            self.plan(folder, file)
        return raised.value.reason


@pytest.fixture
def contained(terraform: StandIn, tree: Tree, tmp_path: Path) -> Contained:
    seen = {"CONDA_PREFIX": str(terraform.folder)}
    return Contained(terraform, tree, Shell(tree, tmp_path / "home", variables=seen))


@needs_overlay
def test_a_plan_is_made_beside_the_folder_and_nothing_of_that_stands(contained: Contained) -> None:
    configured(contained.tree, shown(MADE))
    made = json.loads(contained.plan(".", None, "-var=a=b; touch x"))
    assert made["options"] == ["-var=a=b; touch x"]
    contained.tree.file("infra/main.tf.json", json.dumps(shown(MADE)).encode())
    contained.plan("infra")


@needs_overlay
def test_a_saved_plan_is_shown_beside_the_folder(contained: Contained) -> None:
    text = saved(shown(MADE)).encode()
    contained.tree.file("infra/a plan", text)
    assert contained.plan("infra", "a plan") == text
    assert contained.plan(".", "infra/a plan") == text


@needs_overlay
@pytest.mark.parametrize("file", ["../p", "/etc/hostname", "infra/../../p"])
def test_a_plan_outside_of_the_folder_is_not_read(contained: Contained, file: str) -> None:
    assert contained.reason(".", file) == "path-outside"
    assert contained.reason("..", None) == "path-outside"


@needs_overlay
def test_a_plan_that_is_not_there_or_cannot_be_made_is_none(contained: Contained) -> None:
    assert contained.reason(".", "none") == "plan-failed"
    configured(contained.tree, shown(MADE))
    contained.terraform.ends(plan=1)
    assert contained.reason() == "plan-failed"


@needs_overlay
def test_a_program_that_changes_the_plan_that_it_shows_is_caught(
    contained: Contained, terraform: StandIn
) -> None:
    contained.tree.file("p", saved(shown(MADE)).encode())
    text = terraform.program.read_text()
    terraform.program.write_text(
        text.replace('verb == "show":', 'verb == "show":\n    open(files[0], "a").write(" ")')
    )
    assert contained.reason(".", "p") == "plan-changed"
