"""`groundwire stop` and `plan open`, beside a real agent in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from groundwire.attest.people.stops import STOPS
from groundwire.cli.main import run
from groundwire.keys.keyring import Key
from groundwire.session import clock
from groundwire.stores.keys import KeyStore, Lock
from tests.halting import stops
from tests.terminals import at_terminal

Captured = pytest.CaptureFixture[str]
WORDS = "kettle under brass moon"
MAIN = "import sys\nfrom groundwire.cli.main import main\nmain()"
POLICY = """\
[tools.show]
effect = "read"

[tools.edit]
effect = "write"
target = {{ files = "replace" }}

[[approvers]]
name = "ada"
key = "{key}"
{more}"""

# Makes one call at each line that it is told, and prints what became of it.
AGENT = """\
import sys
import groundwire as gw

def show() -> str:
    return "shown"

def edit(path: str, old: str, new: str) -> str:
    return "never its own code"

project = gw.Project("groundwire.toml")
table = project.guard([show, edit])
with project.session("runs/agent.gw") as run:
    print(run.run_id, flush=True)
    for number, line in enumerate(sys.stdin):
        if line.strip() == "show":
            result = table.dispatch(("show", "{}", f"c{number}"))
        else:
            result = table.dispatch(
                ("edit", '{"path": "a.py", "old": "1", "new": "2"}', f"c{number}")
            )
        outcome = result.outcome
        word = type(outcome).__name__.lower()
        print(word, getattr(outcome, "reason", ""), flush=True)
"""


class Agent:
    """An agent in a process of its own, which makes a call when it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.run = self._line()

    def calls(self, tool: str) -> str:
        """The tool was called; what became of the call."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{tool}\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture
def store(own_home: Path) -> KeyStore:
    return KeyStore(own_home / "state" / "groundwire" / "keys")


@pytest.fixture
def ada(store: KeyStore) -> Key:
    return store.new_approver("ada", clock.now(), b"\x11" * 32, Lock(WORDS, bytes(32)))


@pytest.fixture
def place(tmp_path: Path, ada: Key, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "groundwire.toml").write_text(POLICY.format(key=ada.id, more=""))
    (folder / "a.py").write_text("x = 1\n")
    monkeypatch.chdir(folder)
    return folder


@contextmanager
def agent() -> Iterator[Agent]:
    with subprocess.Popen(
        [sys.executable, "-c", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Agent(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def stop(*arguments: str, code: int = 0) -> str:
    """The command in a process of its own, which ends with this code; what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "stop", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # nobody is at a terminal: to stop needs none
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def at_prompt(*arguments: str, words: str = WORDS) -> tuple[int, str]:
    """The command at a terminal, where this passphrase is typed; its exit code and errors."""
    with at_terminal("-c", MAIN, *arguments, environment=os.environ) as typist:
        typist.answer("Passphrase of ada: ", words)
        code = typist.end()
        return code, typist.process.communicate()[1].decode()


@pytest.mark.parametrize("by", ["all", "id", "file"])
def test_a_running_agent_is_stopped_at_its_next_call_and_goes_on_once_a_person_lifts_it(
    place: Path, by: str
) -> None:
    with agent() as running:
        assert running.calls("show") == "passed read"
        named = {"all": "--all", "id": running.run, "file": "runs/agent.gw"}[by]
        assert "does nothing more" in stop(named)
        assert running.calls("edit") == "refused stopped"
        assert running.calls("show") == "refused stopped"
        assert (place / "a.py").read_text() == "x = 1\n"
        code, err = at_prompt("stop", "--lift", named, words="not the passphrase")
        assert (code, "reason: passphrase-wrong" in err) == (1, True)
        assert running.calls("show") == "refused stopped"
        assert at_prompt("stop", "--lift", named) == (0, "")
        assert running.calls("show") == "passed read"
        assert running.calls("edit") == "executed"
    assert (place / "a.py").read_text() == "x = 2\n"
    assert stop("--list") == "Nothing is stopped.\n"


def test_the_agents_own_hands_do_not_lift_what_it_has_seen(place: Path) -> None:
    """It takes the file away, lifts without a terminal, and pipes a passphrase in."""
    with agent() as running:
        stop("--all")
        assert running.calls("show") == "refused stopped"
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "stop", "--lift", "--all"],
            input=f"{WORDS}\n",
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        assert (done.returncode, "reason: no-terminal" in done.stderr) == (3, True)
        for path in stops().folder.glob("*.stop.json"):
            path.unlink()
        assert running.calls("show") == "refused stopped"


def test_a_stop_of_one_run_leaves_another(place: Path) -> None:
    with agent() as running:
        out = stop("another-run", code=3)
        assert "No run another-run is known here" in out
        assert running.calls("show") == "passed read"


def test_a_run_that_plans_acts_once_it_was_opened_at_a_terminal(place: Path, ada: Key) -> None:
    (place / "groundwire.toml").write_text(
        POLICY.format(key=ada.id, more='\n[guard]\nphase = "plan"\n')
    )
    with agent() as running:
        assert running.calls("show") == "passed read"
        assert running.calls("edit") == "refused plan-phase"
        code, err = at_prompt("plan", "open", running.run, words="not the passphrase")
        assert (code, "reason: passphrase-wrong" in err) == (1, True)
        assert running.calls("edit") == "refused plan-phase"
        assert at_prompt("plan", "open", "runs/agent.gw") == (0, "")
        assert running.calls("edit") == "executed"


def test_a_stop_is_signed_and_says_why_and_is_listed(
    place: Path, store: KeyStore, capsys: Captured
) -> None:
    assert run(["stop", "--all", "--reason", "it deletes", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    (paper,) = stops().papers()
    assert paper.envelope is not None
    document, _ = STOPS.read(paper.envelope, store.keyring())
    assert (document.scope, document.reason) == ("all", "it deletes")
    assert written == {"digest": paper.digest, "known": True, "scope": "all"}
    assert run(["stop", "--list"]) == 0
    assert f"{paper.digest}  all  {document.at}  it deletes\n" == capsys.readouterr().out
    assert run(["stop", "--list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["stops"]
    assert (listed["scope"], listed["doubt"]) == ("all", "")


def test_what_nobody_vouches_for_is_listed_as_a_stop_of_every_run(capsys: Captured) -> None:
    stops().put_bytes("stop", "0a" * 16, b"garbled")
    (stops().folder / "b.stop.json").mkdir()
    assert run(["stop", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("it holds for every run" in line for line in lines)
    assert sum(line.startswith("b.stop.json") for line in lines) == 1


def test_a_stop_of_every_run_needs_no_key_that_works(store: KeyStore, capsys: Captured) -> None:
    store.identity(datetime(2020, 1, 1, tzinfo=UTC), bytes(32), "authority")
    (store._keys.path / "keyring.json").write_text("garbled")
    assert run(["stop", "run-1"]) == 3
    assert "reason: stop-unsigned" in capsys.readouterr().err
    assert run(["stop", "--all"]) == 0
    assert "holds for every run" in capsys.readouterr().out
    (paper,) = stops().papers()
    assert (paper.kind, paper.envelope) == ("stop", None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("stop",),
        ("stop", "run-1", "--all"),
        ("stop", "all"),
        ("stop", "--list", "--all"),
        ("stop", "--list", "run-1"),
        ("stop", "--all", "--reason", "\x1b[2J"),
        ("stop", "--all", "--reason", "x" * 201),
        ("stop", "x" * 201),
        ("stop", "a\nb"),
        ("stop", "runs/nope.gw"),
        ("stop", "nope.gw"),
        ("stop", "--lift", "--all", "--reason", "x"),
        ("stop", "--lift"),
        ("stop", "--lift", "--all"),
        ("plan",),
        ("plan", "open"),
        ("plan", "open", "all"),
        ("plan", "open", "run-1"),
    ],
)
def test_what_was_asked_wrongly_ends_with_2_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "\x1b" not in captured.err
    assert stops().papers() == ()


def test_a_file_that_is_no_recording_names_no_run(place: Path, capsys: Captured) -> None:
    assert run(["stop", "a.py"]) == 3
    assert stops().papers() == ()
    assert "Traceback" not in capsys.readouterr().err


def test_a_key_that_the_policy_here_does_not_name_lifts_and_opens_nothing(
    place: Path, store: KeyStore, capsys: Captured
) -> None:
    other = store.new_approver("bob", clock.now(), b"\x12" * 32, Lock(WORDS, bytes(32)))
    assert run(["stop", "--all"]) == 0
    for arguments in (["stop", "--lift", "--all"], ["plan", "open", "run-1"]):
        assert run([*arguments, "--key", other.id]) == 2
        assert "reason: no-approver-key" in capsys.readouterr().err
    assert [paper.kind for paper in stops().papers()] == ["stop"]


def test_to_lift_what_is_not_stopped_asks_for_no_passphrase(place: Path, capsys: Captured) -> None:
    assert run(["stop", "--lift", "--all"]) == 2
    assert "reason: nothing-stopped" in capsys.readouterr().err
    assert run(["stop", "run-1"]) == 3
    assert run(["stop", "--lift", "--all"]) == 2
    assert "by its own name: run-1" in capsys.readouterr().err


@pytest.mark.parametrize("named", ["runs/nope.gw", "nope.gw", "run-1"])
def test_a_run_that_nobody_knows_is_not_opened(place: Path, capsys: Captured, named: str) -> None:
    """Nobody is at a terminal here: it is refused before a passphrase is asked for."""
    assert run(["plan", "open", named]) == 2
    assert f"No run {named} is known here" in capsys.readouterr().err
    assert stops().papers() == ()


def test_a_stop_of_an_id_that_nobody_knows_is_written_and_says_so(capsys: Captured) -> None:
    assert run(["stop", "run-1", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["known"] is False
    assert len(stops().papers()) == 1


def test_who_lifts_outside_of_the_project_is_told_where_to_go(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert run(["stop", "--all"]) == 0
    monkeypatch.chdir(tmp_path)
    assert run(["stop", "--lift", "--all"]) == 2
    assert "go to the project's" in capsys.readouterr().err


def test_a_lift_takes_away_what_nobody_vouches_for_too(place: Path) -> None:
    stop("--all")
    stops().put_bytes("stop", "0a" * 16, b"garbled")
    assert at_prompt("stop", "--lift", "--all") == (0, "")
    assert sorted(paper.kind for paper in stops().papers()) == ["lift", "lift"]
    assert len(list(stops().folder.glob("*.lifted.json"))) == 2
