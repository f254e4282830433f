"""No tool writes policy, keys, state, recordings, hooks or git's settings, by whatever name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.targets.places.protected import (
    PATTERNS,
    Place,
    Protected,
    denied_to_read,
    protection_of,
)
from groundwire.targets.places.resolving import resolve


def place(path: str) -> Place:
    return Place(names=(path,), own=None, above=())


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("groundwire.toml", "policy"),
        ("runs/a.gw", "recordings"),
        ("runs/a.gw.d/0123", "recordings"),
        (".claude/settings.json", "agent-hooks"),
        (".claude/settings.local.json", "agent-hooks"),
        (".claude/hooks/x.sh", "agent-hooks"),
        (".git/hooks/pre-commit", "git-hooks"),
        (".git/config", "git-config"),
        (".git/config.worktree", "git-config"),
        (".git/modules/lib/hooks/post-checkout", "git-hooks"),
        (".git/modules/deep/lib/config", "git-config"),
        ("vendored/lib/.git/hooks/x", "git-hooks"),
        ("bare.git/config", "git-config"),
        (".git", "git-hooks"),
        (".GIT/Hooks/pre-commit", "git-hooks"),
        (".Claude/Settings.JSON", "agent-hooks"),
        ("GROUNDWIRE.toml", "policy"),
        ("ground\u200bwire.toml", "policy"),
    ],
)
def test_a_protected_place_is_not_written_however_it_is_spelled(path: str, what: str) -> None:
    found = protection_of(place(f"/srv/p/{path}"), ())
    assert found is not None
    assert found.what == what


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py", ".git/index", ".git/objects/ab/cd", ".git/HEAD", ".git/COMMIT_EDITMSG",
        ".github/workflows/ci.yml", ".gitignore", ".claude/commands/x.md", "hooks/pre-commit",
        "config", "docs/groundwire.md", "a.gwx", ".git/refs/heads/hooks", "git/config",
    ],
)  # fmt: skip
def test_an_ordinary_place_is_not_protected(path: str) -> None:
    assert protection_of(place(f"/srv/p/{path}"), ()) is None


def protected(folder: Path, what: str = "keys") -> tuple[Protected, ...]:
    return (Protected(what=what, place=resolve(folder)),)  # type: ignore[arg-type] # one of the words


def test_a_folder_of_keys_is_protected_with_everything_in_and_around_it(tmp_path: Path) -> None:
    keys = tmp_path / "state/keys"
    keys.mkdir(parents=True)
    (keys / "ring").write_bytes(b"x")
    for path in (keys, keys / "ring", keys / "new/x", tmp_path / "state", tmp_path):
        assert protection_of(resolve(path), protected(keys)) is not None, path
    assert protection_of(resolve(tmp_path / "state/other"), protected(keys)) is None
    assert protection_of(resolve(tmp_path / "state/keys2"), protected(keys)) is None


def test_a_symbolic_link_to_a_protected_place_is_protected(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.mkdir()
    (tmp_path / "link").symlink_to(keys)
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "innocent").symlink_to(".git/hooks")
    assert protection_of(resolve(tmp_path / "link/x"), protected(keys)) is not None
    assert protection_of(resolve(tmp_path / "innocent/pre-commit"), ()) is not None


def test_a_hard_link_of_a_protected_file_is_protected(tmp_path: Path) -> None:
    hooks = tmp_path / ".git/hooks"
    hooks.mkdir(parents=True)
    (hooks / "pre-commit").write_bytes(b"x")
    os.link(hooks / "pre-commit", tmp_path / "notes.txt")
    ring = tmp_path / "ring"
    ring.write_bytes(b"x")
    os.link(ring, tmp_path / "ring.txt")
    found = resolve(tmp_path / "notes.txt", [tmp_path])
    assert protection_of(found, ()) is not None
    assert found.unfound == 0
    assert protection_of(resolve(tmp_path / "ring.txt"), protected(ring)) is not None
    unsearched = resolve(tmp_path / "notes.txt")
    assert unsearched.unfound == 1, "what was not looked for is said"
    assert resolve(tmp_path / "notes.txt", [tmp_path], most=1).unfound == 1


def test_a_protected_place_that_is_not_there_yet_is_protected(tmp_path: Path) -> None:
    later = tmp_path / "State/Keys"
    spelled = tmp_path / "state/KEYS/ring"
    assert protection_of(resolve(spelled), protected(later)) is not None


BOUND = """
import subprocess, sys
from pathlib import Path
subprocess.run(["mount", "--bind", sys.argv[1], sys.argv[2]], check=True)
from groundwire.targets.places.protected import Protected, protection_of
from groundwire.targets.places.resolving import resolve
keys = (Protected(what="keys", place=resolve(Path(sys.argv[1]))),)
print(protection_of(resolve(Path(sys.argv[2]) / "ring"), keys) is not None)
"""


def test_a_bind_mount_of_a_protected_folder_is_protected(tmp_path: Path) -> None:
    keys, alias = tmp_path / "keys", tmp_path / "alias"
    keys.mkdir()
    alias.mkdir()
    try:
        done = subprocess.run(
            ["unshare", "-Urm", sys.executable, "-c", BOUND, str(keys), str(alias)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    except OSError:
        pytest.skip("no unshare")
    if done.returncode != 0:
        pytest.skip(f"no mount namespaces: {done.stderr[-80:]}")
    assert done.stdout.strip() == "True"


def test_reading_is_denied_by_pattern_whatever_the_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"x")
    (tmp_path / "link").symlink_to(".env")
    os.link(tmp_path / ".env", tmp_path / "readme")
    for name in (".env", "link", "readme", ".ENV", "./sub/../.env"):
        found = resolve(tmp_path / name, [tmp_path])
        assert denied_to_read(found, [".env"]) is not None, name
    assert denied_to_read(resolve(tmp_path / "other"), [".env"]) is None
    assert denied_to_read(place("/p/.env"), []) is None


def test_keys_are_never_read_and_policies_may_be(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    found = resolve(tmp_path / "keys/ring")
    assert denied_to_read(found, [], protected(tmp_path / "keys")) is not None
    assert denied_to_read(found, [], protected(tmp_path / "keys", "policy")) is None


def test_every_pattern_says_what_it_protects() -> None:
    assert {what for what, _ in PATTERNS} == {
        "policy", "recordings", "agent-hooks", "git-hooks", "git-config",
    }  # fmt: skip
