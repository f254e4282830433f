"""What a command or a commit puts into history alone is judged as if it stood in the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from groundwire.documents.governing import CommandArguments, GitArguments
from groundwire.documents.outcome import Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.session.guarding.result import GuardedResult
from groundwire.targets.git import history
from tests.unit.session.guarding.calls import Place, call, word
from tests.unit.targets.git.repositories import Repo
from tests.unit.targets.shell.commands import needs_overlay

COMMIT = ToolDeclaration(name="commit", effect="write", target=GitArguments(does="commit"))
RUN = ToolDeclaration(name="run", effect="write", target=CommandArguments())
SPEC: Final = (
    "openapi: 3.0.3\ninfo: {title: Orders, version: 1.0.0}\npaths:\n  /orders:\n    get:\n"
    "      responses: {'200': {description: All of them}}\n"
)
LESS: Final = "openapi: 3.0.3\ninfo: {title: Orders, version: 1.0.0}\npaths: {}\n"
AS: Final = "git -c user.name=A -c user.email=a@b"


class World:
    def __init__(self, folder: Path) -> None:
        self.repo = Repo(folder)
        (self.repo.work / "less").write_text(LESS)
        self.repo.commit("spec", **{"openapi.yaml": SPEC, "other": "x\n"})
        self.place = Place(self.repo.work, declared=(COMMIT, RUN))
        self.table = self.place.table()

    def run(self, command: str) -> GuardedResult:
        with self.place.session():
            return self.table.dispatch(call("run", command=command))

    def commit(self) -> GuardedResult:
        with self.place.session():
            return self.table.dispatch(call("commit", message="next"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def rules(result: GuardedResult) -> tuple[str, ...]:
    assert isinstance(result.outcome, Refused), result
    assert result.outcome.reason == "approval-unavailable"
    return result.outcome.rules


@needs_overlay
def test_attack_a_governed_file_that_is_harmed_in_a_commit_on_the_way_is_asked(
    world: World,
) -> None:
    before = world.repo.at("main")
    result = world.run(
        f"cp openapi.yaml kept && cp less openapi.yaml && {AS} commit -q -a -m less && "
        f"mv kept openapi.yaml && {AS} commit -q -a -m back"
    )
    assert rules(result) == ("default/governed",)
    assert result.ruling is not None
    assert result.ruling.decision.witnesses[0].target is not None
    assert result.ruling.decision.witnesses[0].target.path == "openapi.yaml"
    assert world.repo.at("main") == before


@needs_overlay
def test_commits_of_ordinary_files_on_the_way_are_not_asked(world: World) -> None:
    result = world.run(
        f"echo a > other && {AS} commit -q -a -m a && echo b > other && {AS} commit -q -a -m b"
    )
    assert word(result) == "executed", result.message
    assert world.repo.git("show", "main~1:other") == "a"


@needs_overlay
def test_attack_a_governed_file_that_leaves_history_and_stays_in_the_folder_is_asked(
    world: World,
) -> None:
    result = world.run(f"git rm -q --cached openapi.yaml && {AS} commit -q -m untracked")
    assert rules(result) == ("default/governed",)
    assert world.repo.git("show", "main:openapi.yaml") == SPEC.strip()
    assert word(world.run(f"git rm -q --cached other && {AS} commit -q -m untracked")) == "executed"


@needs_overlay
def test_more_history_than_is_looked_at_is_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_COMMITS", 1)
    result = world.run(
        f"echo a > other && {AS} commit -q -a -m a && echo b > other && {AS} commit -q -a -m b"
    )
    assert rules(result) == ("profile/unjudged-history",)


def test_attack_a_governed_file_that_is_staged_and_written_over_is_judged_as_it_is_staged(
    world: World,
) -> None:
    world.repo.stage(**{"openapi.yaml": LESS})
    (world.repo.work / "openapi.yaml").write_text(SPEC)
    assert rules(world.commit()) == ("default/governed",)


def test_attack_a_governed_file_that_the_index_leaves_out_is_a_deletion(world: World) -> None:
    world.repo.git("rm", "-q", "--cached", "openapi.yaml")
    assert rules(world.commit()) == ("default/governed",)


def test_what_is_staged_as_the_folder_has_it_is_committed_unasked(world: World) -> None:
    world.repo.stage(**{"openapi.yaml": LESS})
    assert word(world.commit()) == "executed"


def test_a_part_of_an_ordinary_file_is_staged_and_committed_unasked(world: World) -> None:
    world.repo.stage(other="x\ny\n")
    (world.repo.work / "other").write_text("x\ny\nz\n")
    assert word(world.commit()) == "executed"
    assert world.repo.git("show", "main:other") == "x\ny"


def test_more_that_is_staged_than_is_looked_at_is_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.repo.stage(other="x\ny\n", more="m\n")
    (world.repo.work / "other").write_text("z\n")
    monkeypatch.setattr(history, "MOST_BYTES", 1)
    assert rules(world.commit()) == ("profile/unjudged-history",)
