"""One guarded call after another: what is decided, written, refused, observed and recorded."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.authority.local import LocalAuthority
from groundwire.canon.digest import sha256
from groundwire.documents.call import ToolCall
from groundwire.documents.canonical import decode
from groundwire.documents.event import Executed as RanEvent
from groundwire.documents.event import Guarded
from groundwire.documents.outcome import Executed, Rejudged, Unknown
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GuardError, HostError, PolicyError
from groundwire.session.guarding import carrying
from groundwire.session.guarding.carrying import Carrying
from groundwire.session.guarding.result import Artifact
from groundwire.session.guarding.ways.files import FileWay
from groundwire.session.project import Project
from groundwire.session.run import Run
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.writing.grants import Grants
from tests.driving import replayed
from tests.hands import verified
from tests.unit.session.guarding.calls import (
    DECLARED,
    EDIT,
    SEND,
    Place,
    call,
    state_folder,
    word,
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


def guarded(run: Any) -> list[Guarded]:
    return [event for event in replayed(run.path) if isinstance(event, Guarded)]


def states(run: Any) -> list[str]:
    return [event.state for event in guarded(run)]


async def begins(begun: asyncio.Event, task: asyncio.Future[Any]) -> None:
    """The event is set; a task that ended, or hangs, before it set it fails the test."""
    waits = asyncio.ensure_future(begun.wait())
    await asyncio.wait({waits, task}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    assert begun.is_set(), f"it never began: {task}"


# --- what groundwire writes itself ---------------------------------------------------------------


def test_an_ordinary_edit_is_decided_written_observed_and_recorded(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    table = place.table()
    with place.session() as run:
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "executed"
    assert place.text("a.py") == "x = 2\n"
    assert isinstance(result.outcome, Executed)
    assert [sighting.seen for sighting in result.outcome.observed] == ["content-match"]
    assert result.receipt is not None
    assert result.attestation is not None
    assert states(run) == ["decided", "intent", "outcome", "attested"]
    assert place.ran == []


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (call("create", path="new/b.py", content="b"), {"new/b.py": "b", "a.py": "a"}),
        (call("delete", path="a.py"), {"a.py": None}),
        (call("move", path="a.py", to="b.py"), {"a.py": None, "b.py": "a"}),
    ],
)
def test_files_are_made_deleted_and_moved(place: Place, asked: ToolCall, left: Any) -> None:
    place.write("a.py", "a")
    table = place.table()
    with place.session():
        assert word(table.dispatch(asked)) == "executed"
    assert {path: place.text(path) for path in left} == left


def test_a_governed_file_waits_for_a_person_and_the_person_is_told_what_allows_it(
    place: Place,
) -> None:
    place.write("api.yaml", "openapi: 3.1.0\npaths: {}\n")
    table = place.table()
    with place.session() as run:
        result = table.dispatch(
            call("edit", path="api.yaml", old="paths: {}", new="paths: {a: {}}")
        )
    assert word(result) == "refused: approval-unavailable"
    assert place.text("api.yaml") == "openapi: 3.1.0\npaths: {}\n"
    assert "[[guard.rules]]" in result.message
    assert "paths" not in result.text
    assert states(run) == ["decided", "outcome"]


def test_the_lines_that_a_refusal_shows_allow_the_call(place: Place, tmp_path: Path) -> None:
    place.write("api.yaml", "openapi: 3.1.0\npaths: {}\n")
    asked = call("edit", path="api.yaml", old="paths: {}", new="paths: {a: {}}")
    table = place.table()
    with place.session():
        lines = table.dispatch(asked).message.partition("toml:\n")[2]
    policy = place.folder / "groundwire.toml"
    policy.write_text(
        f'{lines}\n[tools.edit]\neffect = "write"\ntarget = {{ files = "replace" }}\n'
    )
    project = Project(policy)

    def edit(path: str, old: str, new: str) -> None: ...

    allowed = project.guard([edit])
    with project.session(tmp_path / "two.gw"):
        assert word(allowed.dispatch(asked)) == "executed"
    assert place.text("api.yaml") == "openapi: 3.1.0\npaths: {a: {}}\n"


def test_a_file_outside_the_folder_is_judged_under_its_own_name_and_waits(place: Place) -> None:
    outside = place.folder.parent / "outside.txt"
    outside.write_text("x")
    (place.folder / "link").symlink_to(outside)
    table = place.table()
    with place.session():
        for path in (str(outside), "../outside.txt", "link"):
            result = table.dispatch(call("edit", path=path, old="x", new="y"))
            assert word(result) == "refused: approval-unavailable"
            assert result.ruling is not None
            assert result.ruling.decision.rules == ("default/outside-folder",)
    assert outside.read_text() == "x"


@pytest.mark.parametrize(
    "path", ["groundwire.toml", ".git/hooks/pre-commit", ".claude/settings.json"]
)
@pytest.mark.parametrize("profile", ["observe/1", "enforce/1", "strict/1"])
def test_attack_no_profile_lets_a_tool_write_policy_hooks_or_settings(
    tmp_path: Path, path: str, profile: str
) -> None:
    place = Place(tmp_path / "project", rules={"profile": profile})
    table = place.table()
    with place.session():
        for tool in ("create", "own"):
            asked = call(tool, path=path, content="x", old="x", new="y")
            assert word(table.dispatch(asked)) == "refused: protected-place"
    assert place.text(path) is None
    assert place.ran == []


def test_attack_keys_state_and_recordings_are_not_written(place: Place, tmp_path: Path) -> None:
    table = place.table()
    with place.session() as run:
        assert run.path is not None
        keys = default_folder(os.environ)
        for path in (keys / "keyring.json", keys.parent / "guard" / "grants.sqlite", run.path):
            asked = call("write", path=str(path), content="x")
            assert word(table.dispatch(asked)) == "refused: protected-place"


# --- calls that cannot be read ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("", "arguments-malformed"),
        ("{", "arguments-malformed"),
        ("[]", "arguments-malformed"),
        ('{"path": NaN}', "arguments-malformed"),
        ('{"path": 1e999}', "arguments-malformed"),
        ('{"path":"a.py","path":"b.py","content":"x"}', "arguments-ambiguous"),
        ('{"path":"a.py"}', "arguments-do-not-fit"),
        ('{"path":["a.py"],"content":"x"}', "arguments-do-not-fit"),
    ],
)
@pytest.mark.parametrize("profile", ["observe/1", "enforce/1"])
def test_attack_arguments_that_two_readers_would_read_differently_run_nothing(
    tmp_path: Path, arguments: str, reason: str, profile: str
) -> None:
    place = Place(tmp_path / "project", rules={"profile": profile})
    table = place.table()
    with place.session():
        result = table.dispatch(ToolCall(id="c", name="write", arguments=arguments))
        assert word(result) == f"refused: {reason}"
    assert not list(place.folder.iterdir())


def test_an_unknown_name_and_a_thing_that_is_no_call_are_refused_and_nothing_raises(
    place: Place,
) -> None:
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("wipe"))) == "refused: unknown-tool"
        assert word(table.dispatch(object())) == "refused: unknown-call-shape"
        assert word(table.dispatch(None)) == "refused: unknown-call-shape"


def test_outside_a_run_nothing_runs(place: Place, tmp_path: Path) -> None:
    table = place.table()
    assert word(table.dispatch(call("send"))) == "refused: no-session"
    other = Place(tmp_path / "other")
    with other.project.session(tmp_path / "other.gw"):
        assert word(table.dispatch(call("send"))) == "refused: no-session"
    assert place.ran == []


def test_a_forked_child_is_refused(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        child = os.fork()
        if child == 0:
            code = 1
            try:
                told = word(table.dispatch(call("edit", path="a.py", old="1", new="2")))
                code = 0 if told == "refused: no-session" else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert place.text("a.py") == "1"


# --- the tool's own code ---------------------------------------------------------------------


def own(place: Place, does: Callable[[Path], object]) -> Callable[..., object]:
    def tool(path: str, old: str, new: str) -> object:
        return does(place.folder / path)

    tool.__name__ = "own"
    return tool


def test_a_tool_that_writes_itself_is_judged_before_and_looked_at_after(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table(own=own(place, lambda path: path.write_text("2")))
    with place.session():
        result = table.dispatch(call("own", path="a.py", old="1", new="2"))
    assert word(result) == "executed"
    assert result.ruling is not None
    assert "not-owned" in result.ruling.residuals


def test_attack_a_tool_that_writes_something_else_than_was_judged_is_drift_and_judged_again(
    place: Place,
) -> None:
    place.write("api.yaml", "a: 1\n")
    table = place.table(own=own(place, lambda path: path.write_text("openapi: 3.1.0\npaths: {}\n")))
    with place.session() as run:
        result = table.dispatch(call("own", path="api.yaml", old="1", new="2"))
    assert word(result) == "unknown: drift"
    assert result.second is not None
    assert result.second.decision.decision == "approve"
    told = guarded(run)
    assert [each.state for each in told][-3:] == ["outcome", "rejudged", "attested"]
    again = decode((told[-2].document or "").encode(), Rejudged)
    assert (again.decision, again.rules) == ("approve", result.second.decision.rules)
    (really,) = again.asked.changes
    assert really.after == sha256(b"openapi: 3.1.0\npaths: {}\n")
    assert not verified(run.path)


def test_a_drift_of_which_nothing_can_be_read_is_recorded_all_the_same(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writes(path: Path) -> None:
        path.write_text("3")
        monkeypatch.setattr(FileWay, "read_state", fails)

    def fails(self: FileWay, names: Any) -> Any:
        raise HostError("target-unreadable", "gone")

    place.write("a.py", "1")
    table = place.table(own=own(place, writes))
    with place.session():
        result = table.dispatch(call("own", path="a.py", old="1", new="2"))
    assert (word(result), result.second, result.recorded) == ("unknown: drift", None, True)


def test_a_tool_that_raises_before_it_writes_is_unknown_and_its_own_exception_comes_back(
    place: Place,
) -> None:
    class Own(Exception):
        pass

    raised = Own("unchanged")

    def fails(_: Path) -> None:
        raise raised

    place.write("a.py", "1")
    table = place.table(own=own(place, fails))
    with place.session() as run:
        with pytest.raises(Own) as caught:
            table.dispatch(call("own", path="a.py", old="1", new="2"))
        assert caught.value is raised
    outcome = next(event for event in guarded(run) if event.state == "outcome")
    assert (outcome.outcome, outcome.reason) == ("unknown", "drift")


def test_a_tool_that_writes_and_then_raises_is_executed_with_its_error(place: Place) -> None:
    def writes_and_raises(path: Path) -> None:
        path.write_text("2")
        raise KeyError("after")

    place.write("a.py", "1")
    table = place.table(own=own(place, writes_and_raises))
    heard: list[Any] = []
    with place.session() as run:
        run.on("settled", heard.append)
        with pytest.raises(KeyError):
            table.dispatch(call("own", path="a.py", old="1", new="2"))
    assert [word(result) for result in heard] == ["executed"]
    assert heard[0].outcome.error == "KeyError"


def test_an_external_call_waits_and_its_tool_does_not_run(place: Place) -> None:
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("send", to="x"))) == "refused: approval-unavailable"
    assert place.ran == []


def test_an_external_call_that_a_rule_allows_runs_once_and_nobody_says_what_it_left(
    tmp_path: Path,
) -> None:
    rule = {"id": "send", "decide": "allow", "operations": ["send"]}
    place = Place(tmp_path / "project", rules={"rules": [rule]})
    table = place.table()
    with place.session():
        result = table.dispatch(call("send", to="x"))
    assert word(result) == "executed"
    assert place.ran == [("send", {"to": "x"})]
    assert isinstance(result.outcome, Executed)
    assert result.outcome.observed == ()


# --- reads -----------------------------------------------------------------------------------


def test_a_read_passes_and_what_must_not_be_read_does_not(tmp_path: Path) -> None:
    rules = {"deny_read": ["*.pem"], "deny_read_kinds": ["private-key"]}
    place = Place(tmp_path / "project", rules=rules)
    place.write("a.py", "1")
    place.write("x.pem", "1")
    body = "\n".join(["A" * 64] * 4)
    place.write("innocent", f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n")
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("read", path="a.py"))) == "passed: read"
        for path in ("x.pem", "./X.PEM", "innocent"):
            assert word(table.dispatch(call("read", path=path))) == "refused: denied-to-read"
    assert place.ran == [("read", {"path": "a.py"})]


def test_a_whole_write_over_bytes_that_the_run_has_not_seen_waits(place: Place) -> None:
    place.write("a.py", "somebody's work")
    table = place.table(read=_reading(place))
    with place.session():
        asked = call("write", path="a.py", content="mine")
        result = table.dispatch(asked)
        assert word(result) == "refused: approval-unavailable"
        assert result.ruling is not None
        assert "unread-overwrite" in result.ruling.residuals
        table.dispatch(call("read", path="a.py"))
        assert word(table.dispatch(asked)) == "executed"
        assert word(table.dispatch(call("write", path="a.py", content="again"))) == "executed"
        place.write("a.py", "somebody's again")
        assert word(table.dispatch(asked)) == "refused: approval-unavailable"


def test_what_a_tool_has_shown_whole_was_read(place: Place) -> None:
    place.write("a.py", "somebody's work\n")
    table = place.table(read=_reading(place))
    with place.session():
        table.dispatch(call("read", path="other"))
        assert word(table.dispatch(call("write", path="a.py", content="mine"))) == "executed"
        place.write("b.py", "work")  # a word of what was shown, and no line of it
        asked = call("write", path="b.py", content="mine")
        assert word(table.dispatch(asked)) == "refused: approval-unavailable"


def _reading(place: Place) -> Callable[..., object]:
    def read(path: str) -> str:
        return "1: before\nsomebody's work\n3: after"

    return read


# --- between the looks -----------------------------------------------------------------------


def _at_step(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, act: Callable[[], object]
) -> None:
    real = getattr(owner, name)

    def acting(*args: Any, **kwargs: Any) -> Any:
        act()
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, acting)


def test_attack_a_file_that_changes_before_the_second_look_is_not_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.py", "1")
    table = place.table()
    _at_step(monkeypatch, FileWay, "recheck", lambda: place.write("a.py", "1 and theirs"))
    with place.session() as run:
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: state-drifted"
    assert place.text("a.py") == "1 and theirs"
    assert "intent" not in states(run)


def test_attack_a_file_that_changes_after_the_second_look_is_not_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.py", "1")
    table = place.table()
    _at_step(monkeypatch, Grants, "consume", lambda: place.write("a.py", "1 and theirs"))
    with place.session() as run:
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: state-drifted"
    assert place.text("a.py") == "1 and theirs"
    assert states(run) == ["decided", "intent", "outcome", "attested"]


def test_attack_a_link_put_in_the_way_during_the_call_is_not_followed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = place.folder.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("1")
    place.write("sub/a.py", "1")

    def swap() -> None:
        (place.folder / "sub").rename(place.folder / "was")
        (place.folder / "sub").symlink_to(outside)

    table = place.table()
    _at_step(monkeypatch, Grants, "consume", swap)
    with place.session():
        result = table.dispatch(call("edit", path="sub/a.py", old="1", new="2"))
    assert result.refused
    assert (outside / "a.py").read_text() == "1"


def test_attack_a_policy_changed_in_mid_run_refuses_every_write(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    policy = folder / "groundwire.toml"
    policy.write_text('[tools.edit]\neffect = "write"\ntarget = { files = "replace" }\n')
    (folder / "a.py").write_text("1")
    project = Project(policy)

    def edit(path: str, old: str, new: str) -> None: ...

    table = project.guard([edit])
    with project.session(tmp_path / "run.gw"):
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        policy.write_text(policy.read_text() + '[guard]\nprofile = "observe/1"\n')
        again = table.dispatch(call("edit", path="a.py", old="2", new="3"))
    assert word(again) == "refused: policy-changed"
    assert (folder / "a.py").read_text() == "2"


def test_attack_a_policy_changed_between_judgement_and_write_refuses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    policy = folder / "groundwire.toml"
    policy.write_text('[tools.edit]\neffect = "write"\ntarget = { files = "replace" }\n')
    (folder / "a.py").write_text("1")
    project = Project(policy)

    def edit(path: str, old: str, new: str) -> None: ...

    table = project.guard([edit])
    _at_step(monkeypatch, LocalAuthority, "decide", lambda: policy.write_text(""))
    with project.session(tmp_path / "run.gw"):
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: policy-changed"


def test_attack_a_payload_swapped_after_the_decision_is_not_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.py", "1")
    table = place.table()
    real = Carrying.consume

    def swapped(self: Carrying, step: Any, way: Any) -> Any:
        (change,) = step.proposal.changes
        other = msgspec.structs.replace(change, after=b"evil")
        proposal = msgspec.structs.replace(step.proposal, changes=(other,))
        return real(self, msgspec.structs.replace(step, proposal=proposal), way)

    monkeypatch.setattr(Carrying, "consume", swapped)
    with place.session():
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: grant-for-another"
    assert place.text("a.py") == "1"


def test_attack_one_grant_for_all_of_200_calls_serves_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrying, "fresh_id", lambda: "0" * 32)
    table = place.table()
    with place.session():
        told = [
            word(table.dispatch(call("create", f"c{number}", path=f"{number}.py", content="x")))
            for number in range(200)
        ]
    assert sorted(set(told)) == ["executed", "refused: grant-used"]
    assert told.count("executed") == 1
    assert len(list(place.folder.iterdir())) == 1


# --- keys, grants, clocks ---------------------------------------------------------------------


def test_attack_a_key_revoked_in_mid_run_opens_nothing_more(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        store = KeyStore(default_folder(os.environ))
        (key,) = [each for each in store.list() if "authority" in each.purposes]
        store.revoke(key.id, None)
        again = table.dispatch(call("edit", path="a.py", old="2", new="3"))
    assert word(again) == "refused: no-active-identity"
    assert place.text("a.py") == "2"


def test_attack_keys_deleted_in_mid_run_are_not_made_anew(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        shutil.rmtree(default_folder(os.environ))
        again = table.dispatch(call("edit", path="a.py", old="2", new="3"))
        assert word(again) == "refused: keyring-unreadable"
    assert place.text("a.py") == "2"


def test_attack_a_clock_set_back_to_before_the_latest_grant_refuses(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        place.clock.at -= timedelta(hours=5)
        again = table.dispatch(call("edit", path="a.py", old="2", new="3"))
    assert again.refused
    assert place.text("a.py") == "2"


def test_a_database_of_grants_that_is_garbled_refuses_every_write(place: Place) -> None:
    state_folder().mkdir(parents=True, mode=0o700)
    (state_folder() / "grants.sqlite").write_bytes(b"garbage")
    (state_folder() / "grants.sqlite").chmod(0o600)
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: grants-damaged"
    assert place.text("a.py") == "1"


def test_a_write_whose_intent_cannot_be_recorded_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Run) -> None:
        raise HostError("recording-unwritable", "full")

    place.write("a.py", "1")
    table = place.table()
    with place.session():
        monkeypatch.setattr(Run, "_make_durable", fails)
        with pytest.warns(UserWarning, match="no longer recorded"):
            result = table.dispatch(call("edit", path="a.py", old="1", new="2"))
        assert word(result) == "refused: guard-not-recorded"
        assert "See `run.lost_reason`" in result.message
        read = table.dispatch(call("read", path="a.py"))
        assert word(read) == "passed: read"
    assert place.text("a.py") == "1"


def test_where_no_copies_are_kept_what_stands_nowhere_else_is_asked_about(tmp_path: Path) -> None:
    place = Place(tmp_path / "project", rules={"keep_bytes": 0})
    place.write("notes.txt", "only here\n")
    with place.session():
        result = place.table().dispatch(call("delete", path="notes.txt"))
    assert word(result) == "refused: approval-unavailable"
    assert result.refusal is not None
    assert "default/lost-content" in result.refusal.rules
    assert place.text("notes.txt") == "only here\n"


# --- under observation -----------------------------------------------------------------------


def test_under_observation_a_call_passes_and_it_stands_what_would_have_been_decided(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "project", rules={"profile": "observe/1"})
    place.write("api.yaml", "openapi: 3.1.0\npaths: {}\n")
    table = place.table()
    with place.session() as run:
        result = table.dispatch(
            call("edit", path="api.yaml", old="paths: {}", new="paths: {a: {}}")
        )
    assert word(result) == "passed: observe"
    assert getattr(result.outcome, "would", "") == "approve"
    assert [name for name, _ in place.ran] == ["edit"]
    assert "intent" not in states(run)


def test_under_observation_an_edit_that_cannot_be_made_is_refused_and_nothing_is_raised(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "project", declared=[EDIT], rules={"profile": "observe/1"})
    place.write("a.py", "1")
    table = place.project.guard([{"name": "edit", "parameters": {"type": "object"}}])
    with place.session() as run:
        wrong = table.dispatch(call("edit", path="a.py", old="none", new="2"))
        assert word(asyncio.run(table.adispatch(call("edit", path="b", old="", new="2")))) == (
            "refused: file-absent"
        )
        right = table.dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(wrong) == "refused: edit-not-found"
    assert "stands 0 times" in wrong.message
    assert word(right) == "passed: observe"
    assert place.text("a.py") == "2"
    assert states(run) == ["outcome", "outcome", "decided", "outcome"]


def test_what_the_executor_says_of_a_refused_write_is_the_persons_message(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(self: FileWay, proposal: Any, write: str) -> object:
        raise GuardError("state-drifted", "a.py has moved.")

    place.write("a.py", "1")
    monkeypatch.setattr(FileWay, "write", moved)
    with place.session():
        result = place.table().dispatch(call("edit", path="a.py", old="1", new="2"))
    assert word(result) == "refused: state-drifted"
    assert result.message == "a.py has moved."


def test_a_write_of_which_nobody_can_say_whether_it_stands_is_unknown(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: FileWay, proposal: Any, write: str) -> object:
        raise HostError("write-unsettled", "x")

    place.write("a.py", "1")
    monkeypatch.setattr(FileWay, "write", half)
    heard: list[Any] = []
    with place.session() as run:
        run.on("settled", heard.append)
        with pytest.raises(HostError):
            place.table().dispatch(call("edit", path="a.py", old="1", new="2"))
    assert [word(result) for result in heard] == ["unknown: drift"]


# --- redaction -------------------------------------------------------------------------------


def test_a_redactor_gives_the_copy_that_is_recorded_and_what_runs_is_the_call(
    place: Place,
) -> None:
    def redact(call: ToolCall) -> ToolCall:
        return msgspec.structs.replace(call, arguments='{"hidden":true}')

    place.write("a.py", "1")
    functions = [place._remembering(each.name) for each in place.names()]
    table = place.project.guard(functions, redact=redact)
    with place.session() as run:
        asked = call("edit", path="a.py", old="1", new="token-8d1f")
        assert word(table.dispatch(asked)) == "executed"
    assert place.text("a.py") == "token-8d1f"
    assert run.path is not None
    assert b"token-8d1f" not in run.path.read_bytes()
    (ran,) = [event for event in replayed(run.path) if isinstance(event, RanEvent)]
    assert ran.arguments == '{"hidden":true}'


@pytest.mark.parametrize("redact", [lambda _: None, lambda _: 1 / 0])
def test_a_redactor_that_fails_refuses_reads_and_writes(place: Place, redact: Any) -> None:
    functions = [place._remembering(each.name) for each in place.names()]
    table = place.project.guard(functions, redact=redact)
    with place.session():
        for name in ("read", "create"):
            told = table.dispatch(call(name, path="a.py", content="x"))
            assert word(told) == "refused: redactor-failed"
    assert place.ran == []


# --- models ----------------------------------------------------------------------------------


def test_after_five_refusals_of_one_tool_and_target_a_model_is_told_to_stop(place: Place) -> None:
    place.write("api.yaml", "openapi: 3.1.0\npaths: {}\n")
    table = place.table()
    with place.session():
        told = [
            table.dispatch(
                call("edit", f"c{number}", path="api.yaml", old="paths: {}", new="paths: {a: {}}")
            )
            for number in range(5)
        ]
    assert [each.refusal.next for each in told if each.refusal] == ["ask-person"] * 4 + ["stop"]


def test_what_a_host_hears_is_each_state_and_settled_once_a_call(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    heard: list[str] = []
    with place.session() as run:
        run.on("guarded", lambda event: heard.append(event.state))
        run.on("settled", lambda result: heard.append(f"settled {word(result)}"))
        table.dispatch(call("edit", path="a.py", old="1", new="2"))
        table.dispatch(call("read", path="a.py"))
        table.dispatch(call("nothing"))
    assert heard == [
        "decided", "intent", "outcome", "attested", "settled executed",
        "outcome", "settled passed: read",
        "outcome", "settled refused: unknown-tool",
    ]  # fmt: skip


def test_callbacks_that_raise_or_hang_change_nothing(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    hang = threading.Event()
    with place.session() as run:
        run.on("guarded", lambda _: 1 / 0)
        run.on("settled", lambda _: hang.wait(1))
        assert word(table.dispatch(call("edit", path="a.py", old="1", new="2"))) == "executed"
        hang.set()


def test_the_report_says_what_is_guarded_and_what_became_of_it(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    with place.session():
        table.dispatch(call("edit", path="a.py", old="1", new="2"))
        table.dispatch(call("read", path="a.py"))
        table.dispatch(call("send"))
        report = table.report()
    assert report.profile == "enforce/1"
    assert report.passing == ("read",)
    assert set(report.guarded) == {each.name for each in DECLARED} - {"read"}
    assert set(report.carried_out) == set(report.guarded) - {"own", "send"}
    assert report.outcomes == {
        "executed": 1, "passed: read": 1, "refused: approval-unavailable": 1,
    }  # fmt: skip
    assert report.residuals["environment-unknown"] == 2
    assert report.unseen


# --- making a table --------------------------------------------------------------------------


def test_every_undeclared_tool_is_named_at_once_with_lines_to_paste(place: Place) -> None:
    def one() -> None: ...
    def two() -> None: ...

    with pytest.raises(PolicyError) as raised:
        place.project.guard([one, place._remembering("edit"), two])
    assert raised.value.reason == "undeclared-tools"
    assert "[tools.one]" in raised.value.message
    assert "[tools.two]" in raised.value.message
    assert "[tools.edit]" not in raised.value.message


def test_a_tool_given_twice_or_without_code_is_refused_at_once(place: Place) -> None:
    edit, send = place._remembering("edit"), {"name": "send", "input_schema": {}}
    with pytest.raises(PolicyError) as raised:
        place.project.guard([edit, edit])
    assert raised.value.reason == "duplicate-tool"
    with pytest.raises(PolicyError) as raised:
        place.project.guard([send])
    assert raised.value.reason == "no-tool-code"


def test_a_tool_declared_otherwise_since_the_run_began_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path / "project", declared=[EDIT])
    place.write("a.py", "1")
    with place.session():
        milder = msgspec.structs.replace(EDIT, effect="read", target=None)
        place.project.policy = msgspec.structs.replace(place.project.policy, tools=(milder,))
        table = place.project.guard([place._remembering("edit")])
        asked = call("edit", path="a.py", old="1", new="2")
        assert word(table.dispatch(asked)) == "refused: declared-since"


def test_the_tools_of_a_table_are_called_like_functions(place: Place) -> None:
    place.write("a.py", "1")
    table = place.table()
    assert sorted(table) == sorted(each.name for each in DECLARED)
    with place.session():
        assert table["edit"](path="a.py", old="1", new="2") == "changed a.py"
        assert "Nothing was changed" in str(table["send"](to="x"))


# --- one call of anything ----------------------------------------------------------------------


def test_a_call_of_anything_is_judged_by_the_hosts_word_and_says_so(tmp_path: Path) -> None:
    declared = ToolDeclaration(name="row", effect="write")
    place = Place(tmp_path / "project", declared=[declared])
    ran: list[int] = []
    with place.session() as run:
        artifact = Artifact(id="row 7", kind="row", before=b"a", after=b"b")
        result = run.call(call("row"), lambda: ran.append(1), [artifact])
        missing = run.call(call("row"), lambda: ran.append(2), [Artifact(id="x", kind="openapi")])
        unseen = run.call(call("row"), lambda: ran.append(3))
    assert result.ruling is not None
    assert {"declared-content", "host-claimed", "not-owned"} <= set(result.ruling.residuals)
    assert word(missing) == "refused: content-missing"
    assert missing.refusal is not None
    assert "profile/content-missing" in missing.refusal.rules
    assert "Give each artifact whole" in missing.message
    assert word(unseen) == "refused: approval-unavailable"
    assert 2 not in ran
    assert 3 not in ran


def test_what_only_the_host_knows_is_executed_and_said_to_be_seen_by_nobody(tmp_path: Path) -> None:
    declared = ToolDeclaration(name="row", effect="write")
    rules = {"rules": [{"id": "rows", "decide": "allow", "artifacts": ["row"]}]}
    place = Place(tmp_path / "project", declared=[declared], rules=rules)
    with place.session() as run:
        artifact = Artifact(id="7", kind="row", before=b"a", after=b"b")
        result = run.call(call("row"), lambda: "written", [artifact])
        proof = run.proof()
    assert isinstance(result.outcome, Executed), result.message
    (seen,) = result.outcome.observed
    assert (seen.name.path, seen.seen, seen.claim) == ("7", "not-observed", "host-claimed")
    assert result.text == "written"
    assert "Executed under a receipt, not observed" in proof


def test_a_declared_read_that_is_said_to_change_something_is_judged_as_a_write(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path / "project", declared=[ToolDeclaration(name="look", effect="read")])
    ran: list[int] = []
    with place.session() as run:
        artifact = Artifact(id="7", kind="row", before=b"a", after=b"b")
        held = run.call(call("look"), lambda: ran.append(1), [artifact])
        passed = run.call(call("look"), lambda: ran.append(2))
    assert word(held) == "refused: approval-unavailable"
    assert word(passed).startswith("passed")
    assert ran == [2]


def test_a_call_of_a_tool_that_nobody_declared_runs_nothing(place: Place) -> None:
    ran: list[int] = []
    with place.session() as run:
        assert word(run.call(call("wipe"), lambda: ran.append(1))) == "refused: unknown-tool"
    with pytest.raises(GuardError):
        run.call(call("edit"), lambda: ran.append(1))
    assert ran == []


# --- in the event loop ---------------------------------------------------------------------------


def test_200_overlapping_calls_have_a_grant_each(place: Place) -> None:
    table = place.table()

    async def all_of_them() -> list[str]:
        calls = [
            table.adispatch(call("create", f"c{number}", path=f"{number}.py", content=str(number)))
            for number in range(200)
        ]
        return [word(result) for result in await asyncio.gather(*calls)]

    with place.session() as run:
        told = asyncio.run(all_of_them())
    assert told == ["executed"] * 200
    assert {place.text(f"{number}.py") for number in range(200)} == {str(n) for n in range(200)}
    receipts = [event.document for event in guarded(run) if event.state == "decided"]
    assert len(set(receipts)) == 200


def test_an_async_tool_is_awaited_and_cannot_be_called_in_a_thread(tmp_path: Path) -> None:
    rule = {"id": "send", "decide": "allow", "operations": ["send"]}
    place = Place(tmp_path / "project", rules={"rules": [rule]}, declared=[SEND])

    async def send(to: str) -> str:
        await asyncio.sleep(0)
        return f"sent to {to}"

    table = place.project.guard([send])
    with place.session():
        assert word(table.dispatch(call("send", to="x"))) == "refused: async-tool"
        result = asyncio.run(table.adispatch(call("send", to="x")))
    assert (word(result), result.value) == ("executed", "sent to x")


def test_a_call_cancelled_while_its_tool_runs_is_unknown_and_is_cancelled(tmp_path: Path) -> None:
    rule = {"id": "send", "decide": "allow", "operations": ["send"]}
    place = Place(tmp_path / "project", rules={"rules": [rule]}, declared=[SEND])
    heard: list[Any] = []

    async def cancelled() -> None:
        begun = asyncio.Event()

        async def send(to: str) -> None:
            begun.set()
            await asyncio.Event().wait()

        table = place.project.guard([send])
        task = asyncio.ensure_future(table.adispatch(call("send", to="x")))
        await begins(begun, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with place.session() as run:
        run.on("settled", heard.append)
        asyncio.run(cancelled())
    assert [word(result) for result in heard] == ["unknown: cancelled"]
    assert isinstance(heard[0].outcome, Unknown)
    assert states(run) == ["decided", "intent", "outcome", "attested"]


def test_a_call_cancelled_while_a_file_is_read_waits_for_that_before_it_is_settled(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.py", "1")
    table = place.table()
    order: list[str] = []
    go = threading.Event()
    real = FileWay.read_state

    async def cancelled() -> None:
        begun, loop = asyncio.Event(), asyncio.get_running_loop()

        def slowly(self: FileWay, names: Any) -> Any:
            loop.call_soon_threadsafe(begun.set)
            go.wait(5)
            order.append("read")
            return real(self, names)

        monkeypatch.setattr(FileWay, "read_state", slowly)
        task = asyncio.ensure_future(table.adispatch(call("edit", path="a.py", old="1", new="2")))
        await begins(begun, task)
        for _ in range(2):
            task.cancel()
            await asyncio.wait({asyncio.ensure_future(asyncio.sleep(0))})
        for _ in range(50):  # whatever else of the call waits for a thread would have had it
            await asyncio.to_thread(order.count, "read")
        assert not task.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    with place.session() as run:
        run.on("settled", lambda result: order.append(word(result)))
        asyncio.run(cancelled())
    assert order == ["read", "refused: call-cancelled"]
    assert place.text("a.py") == "1"
