"""Plans of a program that are exchanged, garbled or lied about; and hosts whose word is not so.

The program is a stand-in for terraform (`tests.terraforms`): no terraform was on the machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import groundwire as gw
from groundwire.session.guarding.result import Artifact
from groundwire.session.guarding.ways.planned.way import PlanWay
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.world import World
from tests.terraforms import StandIn, change, saved, shown

ALLOWED = (
    '[[guard.rules]]\nid = "tf"\ndecide = "allow"\nartifacts = ["terraform"]\n'
    '[[guard.rules]]\nid = "keep"\ndecide = "deny"\nartifacts = ["terraform"]\n'
    'changes = ["deleted"]\n'
)
MADE = change("aws_a.made", ["create"], None, {"n": 1})
GONE = change("aws_db.main", ["delete"], {"n": 2}, None)


@contextmanager
def _terraform(world: World) -> Iterator[StandIn]:
    """The stand-in, found by commands; what the policy allows is resources that are made."""
    made = StandIn(world.place.top / "terraform")
    before = {name: os.environ.get(name) for name in ("PATH", "CONDA_PREFIX")}
    os.environ["PATH"] = f"{made.program.parent}:{os.environ['PATH']}"
    os.environ["CONDA_PREFIX"] = str(made.folder)
    world.policy(ALLOWED)
    try:
        yield made
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _applied(
    world: World, document: Any, act: Callable[[World, StandIn], None] | None = None
) -> str:
    """What came of applying a saved plan of this; nothing of it may land."""
    with _terraform(world) as terraform:
        world.place.write("p.tfplan", document if isinstance(document, str) else saved(document))
        world.ready()
        if act is not None:
            act(world, terraform)
        word = world.shell("terraform apply -auto-approve p.tfplan").word
        assert terraform.landed == [], terraform.landed
        return word


for _name, _document, _end in (
    ("destroys what the policy keeps", shown(GONE), "refused: decision-denied"),
    (
        "destroys and makes anew what the policy keeps",
        shown(change("aws_db.main", ["create", "delete"], {"n": 1}, {"n": 2})),
        "refused: decision-denied",
    ),
    ("is of a format that is not known", shown(MADE, format_version="2.1"), "refused: plan-unreadable"),
    ("says what is not known", shown(MADE, surprise=[GONE]), "refused: plan-unreadable"),
    ("forgets a resource", shown(change("a.b", ["forget"], {}, None)), "refused: plan-unreadable"),
    ("leaves out what it defers", shown(MADE, deferred_changes=[GONE]), "refused: plan-incomplete"),
    ("starts actions beside", shown(MADE, action_invocations=[{}]), "refused: plan-incomplete"),
    ("ended in an error", shown(MADE, errored=True), "refused: plan-incomplete"),
    ("takes in what drifted", shown(MADE, resource_drift=[GONE]), "asked: approval-unavailable"),
    ("holds what nobody knows yet",
     shown(change("a.b", ["create"], None, {}, after_unknown={"policy": True})),
     "asked: approval-unavailable"),
    ("starts a program when it is applied",
     shown(MADE, configuration={"root_module": {"resources": [
         {"address": "aws_a.made", "provisioners": [{"type": "local-exec"}]}]}}),
     "asked: approval-unavailable"),
    ("is no plan", "no plan", "refused: plan-failed"),
):  # fmt: skip

    def _deed(world: World, document: Any = _document) -> str:
        return _applied(world, document)

    add(Attack("plans", f"a plan that {_name}", "terraform apply p.tfplan", (_end,), _deed))


@attack("plans", "a plan that is exchanged where it is kept", "after it was judged",
        "refused: plan-changed")  # fmt: skip
def _exchanged(world: World) -> str:
    true = PlanWay.facts

    def facts(way: PlanWay, *given: Any) -> Any:
        (kept,) = (world.place.home / "state/groundwire/guard/plans").iterdir()
        kept.write_text(saved(shown(GONE)))
        return true(way, *given)

    PlanWay.facts = facts  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        return _applied(world, shown(MADE))
    finally:
        PlanWay.facts = true  # type: ignore[method-assign]  # put in its place meanwhile


@attack("plans", "a terraform that the agent put into the folder", "first in PATH",
        "refused: decision-denied")  # fmt: skip
def _planted(world: World) -> str:
    lie = json.dumps(shown(MADE)).replace("'", "")

    def act(world: World, _: StandIn) -> None:
        planted = world.place.folder / "bin/terraform"
        world.place.write("bin/terraform", f"#!/bin/sh\necho '{lie}'\n")
        planted.chmod(0o755)
        os.environ["PATH"] = f"{planted.parent}:{os.environ['PATH']}"
        world.ready()

    return _applied(world, shown(GONE), act)


@attack("plans", "a configuration that runs a program while it is planned", "touch outside, `cat` keys",
        "refused: decision-denied")  # fmt: skip
def _planning(world: World) -> str:
    with _terraform(world) as terraform:
        mark = world.place.top / "planned-outside"
        text = terraform.program.read_text().replace(
            'if verb == "plan":', f'open("{mark}", "w")\nif verb == "plan":'
        )
        terraform.program.write_text(text)
        world.place.write("main.tf.json", json.dumps(shown(GONE)))
        world.ready()
        word = world.shell("terraform apply").word
        assert not mark.exists(), "it ran outside before anything was decided"
        assert terraform.landed == []
        return word


@attack(
    "plans", "a second command behind the plan", "terraform apply p.tfplan; touch made", "executed"
)
def _behind(world: World) -> str:
    with _terraform(world) as terraform:
        world.place.write("p.tfplan", saved(shown(MADE)))
        world.ready()
        # All of it runs beside the folder, where terraform reaches nothing.
        word = world.shell("terraform apply p.tfplan; true").word
        assert terraform.landed == []
        return word


@attack("plans", "an apply that ends badly is said to have done nothing", "quota in the middle",
        "unknown: tool-raised")  # fmt: skip
def _half(world: World) -> str:
    with _terraform(world) as terraform:
        world.place.write("p.tfplan", saved(shown(MADE)))
        world.ready()
        terraform.ends(apply=1)
        with suppress(gw.HostError):
            world.shell("terraform apply p.tfplan")
        world.close()
        assert terraform.landed == ["half"]
        (settled,) = (each for each in world.settled if getattr(each, "unknown", False))
        return f"unknown: {settled.outcome.reason}"  # type: ignore[attr-defined]  # a GuardedResult


# --- the host's word ------------------------------------------------------------------------


def _said(
    world: World, artifact: Artifact, tool: str, work: Callable[[], object], **given: str
) -> str:
    result = world.run.call((tool, given, "c1"), work, [artifact])
    world.last = result.message
    reason = getattr(result.outcome, "reason", "")
    word = type(result.outcome).__name__.lower()
    return f"{word}: {reason}" if reason else word


PAGE = (
    '[[guard.artifacts]]\nkind = "page"\n[[guard.rules]]\nid = "page"\ndecide = "allow"\n'
    'artifacts = ["page"]\n[tools.save]\neffect = "write"\n'
)


def _claims(name: str, end: str, deed: Callable[[World], str], *, leaves: bool = True) -> None:
    def act(world: World) -> str:
        world.policy(PAGE)
        world.ready()
        return deed(world)

    add(Attack("plans", name, "run.call(..., artifacts)", (end,), act, leaves=leaves))


def _page(before: str | None, after: str | None) -> Artifact:
    sides = [None if text is None else text.encode() for text in (before, after)]
    return Artifact(id="app.py", kind="page", before=sides[0], after=sides[1])


_claims(
    "a host that shows a stale before",
    "refused: artifact-contradicts",
    lambda world: _said(world, _page("v0\n", "v2\n"), "save", lambda: "saved"),
)
_claims(
    "a host that says it wrote and did not",
    "unknown: conflict",
    lambda world: _said(world, _page("v1\n", "v2\n"), "save", lambda: "saved"),
)
_claims(
    "a host that writes something else than it says",
    "unknown: conflict",
    lambda world: _said(
        world, _page("v1\n", "v2\n"), "save", lambda: world.place.write("app.py", "v3\n")
    ),
    leaves=False,
)
_claims(
    "a harmless artifact beside another edit",
    "refused: artifact-contradicts",
    lambda world: _said(
        world, _page("v1\n", "v2\n"), "edit_file", lambda: "not run",
        path="app.py", old="v1", new="evil",
    ),
)  # fmt: skip
