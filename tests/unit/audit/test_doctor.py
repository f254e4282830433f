"""What the doctor says of clocks, folders, keys and policies, one line for each thing looked at."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from groundwire.audit import doctor
from groundwire.audit.doctor import Line, Reading, judge_clock
from groundwire.keys.keyring import Keyring, encode_keyring
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.targets.shell.running import NotContained, Ran, run_in_copy
from tests.unit.targets.shell.commands import needs_overlay

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
NOBODY = Keyring((), "no keys")


def states(lines: tuple[Line, ...]) -> list[tuple[str, str]]:
    return [(line.topic, line.state) for line in lines]


def clock_line(wall: datetime, passed: float = 1.0, steady: float = 1.0) -> Line:
    start = Reading(wall - timedelta(seconds=passed), 100.0)
    return judge_clock((start, Reading(wall, 100.0 + steady)), NOBODY)


class TestClock:
    def test_a_clock_that_can_be_right_is_ok(self) -> None:
        assert clock_line(NOON).state == "ok"

    @pytest.mark.parametrize("year", [1970, 2024, 2100, 2999])
    def test_a_year_that_cannot_be_needs_doing(self, year: int) -> None:
        line = clock_line(NOON.replace(year=year))
        assert line.state == "todo"
        assert str(year) in line.says
        assert "set the clock" in line.next_step

    @pytest.mark.parametrize("passed", [-30.0, 3.0])
    def test_a_clock_that_was_set_meanwhile_is_told_from_one_that_ran(self, passed: float) -> None:
        line = clock_line(NOON, passed=passed)
        assert line.state == "todo"
        assert f"{passed - 1.0:+.1f} s" in line.says

    def test_a_clock_behind_a_key_that_was_made_here_needs_doing(self, tmp_path: Path) -> None:
        store = KeyStore(tmp_path / "keys")
        store.new("recording", "", NOON + timedelta(days=3), bytes(range(32)))
        line = judge_clock((Reading(NOON, 0.0), Reading(NOON, 0.0)), store.keyring())
        assert line.state == "todo"
        assert "2026-05-07" in line.says


class TestKeys:
    def test_without_keys_the_next_step_is_said_and_nothing_is_made(self) -> None:
        keyring, lines = doctor.examine_keys(os.environ, NOON)
        assert keyring.keys == ()
        assert states(lines) == [("keys", "note")]
        assert "keys new" in lines[0].next_step
        assert not default_folder(os.environ).exists()

    def test_an_active_identity_is_named_with_its_custody(self) -> None:
        key = KeyStore(default_folder(os.environ)).new("recording", "", NOON, bytes(range(32)))
        keyring, lines = doctor.examine_keys(os.environ, NOON)
        assert keyring.find(key.id) == key
        assert states(lines) == [("keys", "ok"), ("custody", "note")]
        assert key.id in lines[0].says

    def test_a_key_folder_open_to_others_needs_doing(self) -> None:
        folder = default_folder(os.environ)
        KeyStore(folder).new("recording", "", NOON, bytes(range(32)))
        folder.chmod(0o755)
        _, lines = doctor.examine_keys(os.environ, NOON)
        assert states(lines) == [("keys", "todo")]
        assert "chmod 700" in lines[0].next_step

    def test_a_lost_private_key_needs_doing_and_none_is_made_in_its_place(self) -> None:
        folder = default_folder(os.environ)
        KeyStore(folder).new("recording", "", NOON, bytes(range(32)))
        next(folder.glob("*.pem")).unlink()
        _, lines = doctor.examine_keys(os.environ, NOON)
        assert states(lines) == [("keys", "todo")]
        assert list(folder.glob("*.pem")) == []

    def test_an_identity_that_was_revoked_needs_doing(self) -> None:
        store = KeyStore(default_folder(os.environ))
        key = store.new("recording", "", NOON, bytes(range(32)))
        store.revoke(key.id, NOON)
        _, lines = doctor.examine_keys(os.environ, NOON)
        assert states(lines) == [("keys", "todo")]

    def test_a_machine_without_a_state_folder_is_told_so(self) -> None:
        _, lines = doctor.examine_keys({}, NOON)
        assert states(lines) == [("keys", "todo")]
        assert lines[0].next_step.startswith("set XDG_STATE_HOME")
        assert doctor.state_folder({}) is None


class TestPolicy:
    def test_without_one_the_defaults_are_named(self, tmp_path: Path) -> None:
        policy, path, lines = doctor.examine_policy(tmp_path)
        assert (path, states(lines)) == (None, [("policy", "note")])
        assert policy.runs == "runs"

    def test_one_that_cannot_be_what_was_meant_needs_doing(self, tmp_path: Path) -> None:
        (tmp_path / "groundwire.toml").write_text("[recording]\nkep_days = 3\n")
        _, _, lines = doctor.examine_policy(tmp_path)
        assert states(lines) == [("policy", "todo")]
        assert "line 2" in lines[0].says
        assert "keep_days" in lines[0].next_step

    def test_its_keyring_and_anchors_are_looked_at(self, tmp_path: Path) -> None:
        (tmp_path / "mirror").mkdir()
        (tmp_path / "groundwire.toml").write_text(
            "recording.keyring = 'public.json'\n"
            "[tools.reboot]\narguments_from = ['find']\n"
            "[[anchors]]\nkind = 'folder'\ntarget = 'mirror'\n"
            "[[anchors]]\nkind = 'folder'\ntarget = 'unmounted'\n"
            "[[anchors]]\nkind = 'http'\ntarget = 'https://anchors.example/'\n"
        )
        _, path, lines = doctor.examine_policy(tmp_path)
        assert path == tmp_path / "groundwire.toml"
        assert states(lines) == [
            ("policy", "ok"),
            ("policy", "todo"),
            ("anchors", "ok"),
            ("anchors", "todo"),
            ("anchors", "note"),
        ]
        (tmp_path / "public.json").write_bytes(encode_keyring(NOBODY))
        assert states(doctor.examine_policy(tmp_path)[2])[1] == ("policy", "ok")
        (tmp_path / "public.json").write_bytes(b"{}")
        assert states(doctor.examine_policy(tmp_path)[2])[1] == ("policy", "todo")


class TestFolders:
    def test_a_private_folder_with_room_is_ok(self, tmp_path: Path) -> None:
        folder = tmp_path / "runs"
        folder.mkdir(mode=0o700)
        assert states(tuple(doctor.examine_folder("recordings", folder))) == [("recordings", "ok")]

    def test_a_folder_that_is_not_there_yet_is_judged_by_the_one_above(
        self, tmp_path: Path
    ) -> None:
        lines = tuple(doctor.examine_folder("recordings", tmp_path / "a" / "b"))
        assert states(lines) == [("recordings", "ok")]

    def test_a_folder_open_to_others_needs_doing(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        lines = tuple(doctor.examine_folder("recordings", tmp_path))
        assert states(lines) == [("recordings", "ok"), ("recordings", "todo")]
        assert lines[1].next_step == f"chmod 700 {tmp_path}"

    def test_a_file_in_its_place_needs_doing(self, tmp_path: Path) -> None:
        path = tmp_path / "runs"
        path.write_text("")
        assert states(tuple(doctor.examine_folder("recordings", path / "a"))) == [
            ("recordings", "todo")
        ]

    def test_a_disk_without_room_needs_doing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 62)
        line = next(iter(doctor.examine_folder("recordings", tmp_path / "runs")))
        assert line.state == "todo"
        assert "make room" in line.next_step


class TestCommands:
    @needs_overlay
    def test_that_a_command_is_contained_is_measured(self, tmp_path: Path) -> None:
        line = doctor.examine_commands(tmp_path, "a" * 32)
        assert (line.topic, line.state) == ("commands", "ok")
        assert list(tmp_path.iterdir()) == []

    def test_where_nothing_contains_it_the_reason_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(_: object) -> Ran:
            raise NotContained("not-contained", "No namespaces here.")

        monkeypatch.setattr(doctor, "run_contained", refused)
        line = doctor.examine_commands(tmp_path, "a" * 32)
        assert line.state == "note"
        assert "No namespaces here." in line.says
        assert line.next_step

    def test_a_command_that_gets_out_is_not_contained(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(doctor, "run_contained", run_in_copy)
        line = doctor.examine_commands(tmp_path, "a" * 32)
        assert line.state == "note"
        assert "written outside" in line.says


def test_versions_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(tuple(doctor.examine_versions())) == [("versions", "ok"), ("versions", "ok")]
    monkeypatch.setattr(doctor, "PACKAGES", ("msgspec", "no-such-package"))
    line = tuple(doctor.examine_versions())[1]
    assert (line.state, line.next_step) == ("todo", "pip install no-such-package")
