"""A process that is killed at any step of a guarded write: what stands, what is said of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groundwire.cli.main import run
from groundwire.documents.event import Guarded
from groundwire.documents.governing import GuardRules
from groundwire.errors import GuardError
from groundwire.session.clock import now
from groundwire.session.guarding.guard import State
from groundwire.session.guarding.recovering import RecoveredWrite, recover_writes, undo
from groundwire.targets.files.target import FilesTarget
from tests.driving import replayed
from tests.unit.session.guarding.calls import Place, call, word

KILLED = """
import os, signal, sys
from pathlib import Path
from groundwire.session.guarding.host import GuardHost
from groundwire.targets.disk.system import Disk
from tests.unit.session.guarding.calls import Place, call

folder, point, when = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
place = Place(folder)

def killing(owner, name, wanted):
    real = getattr(owner, name)
    def act(self, *args, **kwargs):
        if wanted(args) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        given = real(self, *args, **kwargs)
        if wanted(args):
            os.kill(os.getpid(), signal.SIGKILL)
        return given
    setattr(owner, name, act)

if point.startswith("disk:"):
    killing(Disk, point.removeprefix("disk:"), lambda args: True)
else:
    killing(GuardHost, "answer", lambda args: type(args[0]).__name__ == point)
table = place.table()
with place.session():
    for asked in CALLS:
        table.dispatch(asked)
"""
ONE = 'call("edit", path="a.py", old="1", new="2")'
STEPS = (
    "Detect", "ReadState", "Propose", "Preflight", "OpenReceipt", "Recheck", "RecordIntent",
    "Execute", "Observe", "RecordOutcome", "SealResult", "Acknowledge",
)  # fmt: skip


def killed(folder: Path, point: str, when: str, calls: str = ONE) -> None:
    script = KILLED.replace("CALLS", f"[{calls}]")
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), point, when],
        cwd=Path(__file__).parents[2], check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL


def recovered() -> tuple[RecoveredWrite, ...]:
    state = State(now, GuardRules())
    return recover_writes(state) if state.has_grants else ()


def states(place: Place) -> list[str]:
    events: list[Any] = replayed(place.folder.parent / "run.gw")
    return [event.state for event in events if isinstance(event, Guarded)]


@pytest.mark.parametrize(
    ("step", "when"), [*((step, "before") for step in STEPS), ("Acknowledge", "after")]
)
def test_a_kill_at_any_step_leaves_all_or_nothing_and_recovery_says_which(
    tmp_path: Path, step: str, when: str
) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    killed(place.folder, step, when)
    found = recovered()
    text = place.text("a.py")
    assert text in {"1", "2"}
    assert [each.state for each in found] in ([], ["landed" if text == "2" else "not-landed"])
    assert [each.name for each in place.folder.iterdir()] == ["a.py"]
    if text == "2":
        # Nothing changes without an intent that stands before it.
        assert "intent" in states(place)
    assert (STEPS.index(step) > STEPS.index("Execute")) == (text == "2")
    assert recovered() == ()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("act", ["exchange", "create", "rename", "sync"])
def test_a_kill_within_the_write_leaves_all_or_nothing(tmp_path: Path, act: str, when: str) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    killed(place.folder, f"disk:{act}", when)
    found = recovered()
    assert [each.state for each in found] in (
        [], ["landed"] if place.text("a.py") == "2" else ["not-landed"],
    )  # fmt: skip
    assert place.text("a.py") in {"1", "2"}
    assert [each.name for each in place.folder.iterdir()] == ["a.py"]


def test_an_intent_alone_reads_as_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    killed(place.folder, "Execute", "before")
    assert states(place) == ["decided", "intent"]
    run(["verify", str(tmp_path / "run.gw")])
    assert "1 unknown" in capsys.readouterr().out


def test_the_next_run_settles_what_the_last_one_left_before_it_writes(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    killed(place.folder, "disk:exchange", "after")
    assert len(list(place.folder.iterdir())) == 2
    table = place.table()
    with place.project.session(tmp_path / "next.gw"):
        assert word(table.dispatch(call("create", path="b.py", content="b"))) == "executed"
    assert sorted(each.name for each in place.folder.iterdir()) == ["a.py", "b.py"]
    assert place.text("a.py") == "1"


def test_a_write_of_a_process_that_still_runs_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    table = place.table()
    seen: list[Any] = []
    real = FilesTarget.write_if_unchanged

    def looking(self: FilesTarget, *args: Any) -> Any:
        seen.append(recovered())
        return real(self, *args)

    monkeypatch.setattr(FilesTarget, "write_if_unchanged", looking)
    with place.session():
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
    assert seen == [()]


def test_a_file_that_somebody_changed_since_the_death_is_left_alone_and_named(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    killed(place.folder, "Observe", "before")
    place.write("a.py", "theirs")
    (found,) = recovered()
    assert (found.state, found.unsettled) == ("unknown", ("a.py",))
    assert place.text("a.py") == "theirs"


# --- undoing -----------------------------------------------------------------------------------


def test_a_write_is_undone_by_its_receipt_as_a_guarded_call_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        done = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    with place.project.session(tmp_path / "undo.gw") as session:
        guarded = place.project.run_guard(session)
        assert guarded is not None
        result = undo(guarded, getattr(done.outcome, "receipt", ""))
    assert word(result) == "executed"
    assert place.text("a.py") == "1"
    assert result.receipt is not None
    events = [event for event in replayed(session.path) if isinstance(event, Guarded)]
    assert [event.state for event in events] == ["decided", "intent", "outcome", "attested"]
    assert events[0].name == "groundwire.undo"


@pytest.mark.parametrize("tool", ["create", "delete", "move"])
def test_what_was_made_deleted_or_moved_is_undone(tmp_path: Path, tool: str) -> None:
    place = Place(tmp_path / "project")
    if tool != "create":
        place.write("a.py", "1")
    before = {each.name: each.read_text() for each in place.folder.iterdir()}
    table = place.table()
    with place.session() as session:
        done = table.dispatch(call(tool, path="a.py", to="b.py", content="x"))
        guarded = place.project.run_guard(session)
        assert guarded is not None
        assert word(undo(guarded, getattr(done.outcome, "receipt", ""))) == "executed"
    assert {each.name: each.read_text() for each in place.folder.iterdir()} == before


def test_attack_an_undo_does_not_take_what_somebody_wrote_since(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    place.write("a.py", "1")
    table = place.table()
    with place.session() as session:
        done = table.dispatch(call("edit", path="a.py", old="1", new="2"))
        place.write("a.py", "theirs")
        guarded = place.project.run_guard(session)
        assert guarded is not None
        assert word(undo(guarded, getattr(done.outcome, "receipt", ""))) == "refused: changed-since"
    assert place.text("a.py") == "theirs"


def test_a_receipt_under_which_nothing_was_written_is_not_undone(tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    with place.session() as session:
        guarded = place.project.run_guard(session)
        assert guarded is not None
        with pytest.raises(GuardError) as raised:
            undo(guarded, "sha256:" + "0" * 64)
    assert raised.value.reason == "nothing-written"


def test_a_write_of_another_project_is_undone_there(tmp_path: Path) -> None:
    place, other = Place(tmp_path / "project"), Place(tmp_path / "other")
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        done = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    with other.project.session(tmp_path / "other.gw") as session:
        guarded = other.project.run_guard(session)
        assert guarded is not None
        with pytest.raises(GuardError) as raised:
            undo(guarded, getattr(done.outcome, "receipt", ""))
    assert raised.value.reason == "written-elsewhere"
    assert place.text("a.py") == "2"


def test_two_processes_share_one_store_and_each_write_has_its_own_grant(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from tests.unit.session.guarding.calls import Place, call, word
place = Place(Path(sys.argv[1]))
table = place.table()
with place.project.session(Path(sys.argv[2])):
    for number in range(40):
        asked = call("create", f"c{number}", path=f"{sys.argv[3]}-{number}.py", content="x")
        assert word(table.dispatch(asked)) == "executed"
"""
    folder = tmp_path / "project"
    folder.mkdir()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(folder), str(tmp_path / f"{name}.gw"), name],
            cwd=Path(__file__).parents[2], env=dict(os.environ),
        )
        for name in ("one", "two")
    ]  # fmt: skip
    assert [each.wait(timeout=120) for each in started] == [0, 0]
    assert len(list(folder.iterdir())) == 80
