"""Guarded runs, from the model's call to the read-out: recorded, verified, compared, and told apart."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.audit.live.comparing import compare_live
from groundwire.audit.recordings import open_recording
from groundwire.authority.keyrings import trusted_keyring
from groundwire.cli import main
from groundwire.documents.event import Guarded
from groundwire.documents.verdict import Verdict
from groundwire.session import clock
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.project import Session
from tests.driving import answers, assistant, choice, exchange, reading, replayed, user
from tests.unit.session.guarding.calls import Place, call

ASK = user("Raise the limit.")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    place = Place(tmp_path / "project")
    monkeypatch.setattr(clock, "now", lambda: place.clock.at + timedelta(hours=1))
    place.write("limit.txt", "limit = 1\n")
    return place


def verdict_of(run: Session) -> Verdict:
    assert run.path is not None
    return open_recording(run.path, trusted_keyring()).verdict


class Talk:
    """A model that edits the file, one call an answer; what became of each is its next message."""

    def __init__(self, place: Place, run: Session) -> None:
        self.place, self.run = place, run
        self.table = place.table()
        self.said = [ASK]

    def edits(self, old: int, new: int, *, beside: bool = False) -> None:
        """The model asks for this edit, and the host has it done by the table, or by itself."""
        call_id = f"call-{len(self.said)}"
        asked = call("edit", call_id, path="limit.txt", old=f"limit = {old}", new=f"limit = {new}")
        chosen = assistant(choice(call_id, "edit", asked.arguments))
        exchange(self.run, self.said, chosen)
        if beside:
            self.place.write("limit.txt", f"limit = {new}\n")
        else:
            self.table.dispatch(asked)
        self.said += [chosen, answers(call_id, f"limit = {new}")]

    def ends(self) -> None:
        exchange(self.run, self.said, assistant(text="The limit is raised."))


def kinds(run: Session) -> list[tuple[str, bool]]:
    return [(each.kind, each.advisory) for each in run.findings if "ungoverned" in each.kind]


def test_a_guarded_run_verifies_is_its_live_run_again_and_counts_every_call(place: Place) -> None:
    states: list[object] = []
    settled: list[object] = []
    with place.session() as run:
        run.on("guarded", states.append)
        run.on("settled", settled.append)
        talk = Talk(place, run)
        talk.edits(1, 2)
        talk.edits(2, 3)
        talk.edits(7, 8)  # the file does not hold that
        talk.ends()
    assert place.text("limit.txt") == "limit = 3\n"
    verdict = verdict_of(run)
    assert (verdict.reason, verdict.message) == ("holds", verdict.message)
    assert (verdict.guarded.executed, verdict.guarded.refused, verdict.guarded.unknown) == (2, 1, 0)
    assert compare_live([reading(run.path)]).state == "equal"
    assert kinds(run) == []
    # Each state that was recorded was told, and each call settled once.
    assert all(isinstance(each, Guarded) for each in states)
    assert Counter(each.state for each in states if isinstance(each, Guarded)) == {
        "decided": 2, "intent": 2, "outcome": 3, "attested": 2,
    }  # fmt: skip
    assert [type(each) for each in settled] == [GuardedResult] * 3


def test_a_raw_write_beside_the_table_is_found_as_a_call_and_as_a_change(place: Place) -> None:
    with place.session() as run:
        talk = Talk(place, run)
        talk.edits(1, 2)
        talk.edits(2, 9, beside=True)
        talk.edits(9, 10)
        talk.ends()
    assert kinds(run) == [("ungoverned-call", False), ("ungoverned-change", True)]
    assert verdict_of(run).reason == "holds"
    assert compare_live([reading(run.path)]).state == "equal"


def test_a_person_who_edits_in_between_is_a_place_to_look_and_no_defect(place: Place) -> None:
    with place.session() as run:
        talk = Talk(place, run)
        talk.edits(1, 2)
        place.write("limit.txt", "limit = 5\n")
        talk.edits(5, 6)
        talk.ends()
    assert kinds(run) == [("ungoverned-change", True)]


def test_the_read_outs_tell_of_it_and_the_receipt_verifies_by_its_number(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with place.session() as run:
        talk = Talk(place, run)
        talk.edits(1, 2)
        talk.ends()
    named = str(run.path)
    assert main.run(["verify", named]) == 0
    assert "1: 1 executed, 0 passed, 0 refused, 0 unknown" in capsys.readouterr().out
    main.run(["audit", named])
    told = capsys.readouterr().out
    assert "Guarded calls: 1: 1 executed" in told
    assert "coverage, measured on the wire: 1 of 1 call" in told
    assert main.run(["explain", named, "--call", "call-1"]) == 0
    assert "guarded: #0 `edit` (call call-1)" in capsys.readouterr().out
    assert main.run(["guard", "verify", f"{named}#0"]) == 0
    told = capsys.readouterr().out
    assert "changed limit.txt" in told
    assert "its call has ended (executed); it permits nothing more" in told


CRASHES = """
import os, signal
import groundwire as gw
from groundwire.session.guarding.carrying import Carrying

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

project = gw.Project()
table = project.guard(project.coding_tools())
with gw.Session("runs/crash.gw", project=project):
    table.dispatch(("write_file", {"path": "a.txt", "content": "one"}, "call_1"))
    Carrying.write = killed
    table.dispatch(("write_file", {"path": "b.txt", "content": "two"}, "call_2"))
"""


def test_a_run_killed_behind_its_intent_reads_as_unknown_and_goes_on_with_the_next_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = subprocess.run([sys.executable, "-c", CRASHES], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert not Path("b.txt").exists()
    project = gw.Project()
    table = project.guard(project.coding_tools())
    with gw.Session("runs/crash.gw", project=project, resume=True) as run:
        wrote = table.dispatch(("write_file", {"path": "c.txt", "content": "three"}, "call_3"))
    assert run.lost == 0, run.lost_reason
    assert not wrote.refused, wrote.message
    states = [event for event in replayed(run.path) if isinstance(event, Guarded)]
    assert sorted({event.guarded for event in states}) == [0, 1, 2]
    verdict = verdict_of(run)
    assert (verdict.reason, verdict.message) == ("holds", verdict.message)
    assert (verdict.guarded.executed, verdict.guarded.intent_alone) == (2, 1)
    main.run(["audit", "runs/crash.gw"])
    told = capsys.readouterr().out
    assert "begun, and no outcome is recorded: its effect may stand" in told
    assert "not executed" not in told
