"""Places: what no tool writes or reads here under whatever name, and a policy that has to stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.authority.places import Places, PolicyPin
from groundwire.documents.target import TargetName
from groundwire.errors import GuardError, HostError, PolicyError

KEY = b"-----BEGIN PRIVATE KEY-----\n" + b"A" * 64 + b"\n-----END PRIVATE KEY-----\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for each in ("work/src", "work/runs", "state/keys"):
        (tmp_path / each).mkdir(parents=True)
    (tmp_path / "work" / "guard.toml").write_text("agent = 'a'\n")
    (tmp_path / "work" / "runs" / "notes").write_text("x")
    (tmp_path / "work" / "src" / "app.py").write_text("x")
    (tmp_path / "work" / ".env").write_text("x")
    return tmp_path.resolve()


@pytest.fixture
def places(folder: Path) -> Places:
    return Places(
        folder=folder / "work",
        policy=folder / "work" / "guard.toml",
        keys=folder / "state" / "keys",
        state=folder / "state",
        runs=folder / "work" / "runs",
        deny_read=(".env", "secrets/**"),
        deny_read_kinds=("private-key",),
    )


def named(folder: Path, path: str) -> TargetName:
    return TargetName(kind="files", root=str(folder), path=path)


@pytest.mark.parametrize(
    "path",
    [
        "work/guard.toml",
        "work/GUARD.toml",
        "state/keys/a.key",
        "state/grants.sqlite",
        "state",
        "work/runs/notes",
        "work/src/run.gw",
        "work/.git/hooks/pre-commit",
        "work/.claude/settings.json",
        "work/.kiro/hooks/lint.json",
        "work/.windsurf/hooks.json",
        "work/groundwire.toml",
    ],
)
def test_a_protected_place_is_refused_however_it_is_spelled(
    folder: Path, places: Places, path: str
) -> None:
    with pytest.raises(GuardError) as caught:
        places.refuse_write([named(folder, "work/src/app.py"), named(folder, path)])
    assert caught.value.reason == "protected-place"


def test_a_link_or_another_name_of_a_protected_file_is_refused(
    folder: Path, places: Places
) -> None:
    (folder / "work" / "link").symlink_to(folder / "work" / "guard.toml")
    os.link(folder / "work" / "guard.toml", folder / "work" / "twin")
    (folder / "work" / "way").symlink_to(folder / "state")
    for path in ("work/link", "work/twin", "work/way/new"):
        with pytest.raises(GuardError):
            places.refuse_write([named(folder, path)])


def test_ordinary_files_and_refs_of_git_are_not_protected(folder: Path, places: Places) -> None:
    ref = TargetName(kind="git", root=str(folder / "work"), path=".git/config")
    places.refuse_write([named(folder, "work/src/app.py"), named(folder, "work/new.py"), ref])


@pytest.mark.parametrize("path", [".env", "sub/.ENV", "secrets/a/b", "../state/keys/a.key"])
def test_what_is_denied_to_read_is_refused(folder: Path, places: Places, path: str) -> None:
    with pytest.raises(GuardError) as caught:
        places.refuse_read(Path(path))
    assert caught.value.reason == "denied-to-read"
    with pytest.raises(GuardError):
        places.refuse_read(named(folder / "work", path))


def test_a_path_with_a_null_in_it_is_one_clear_refusal(folder: Path, places: Places) -> None:
    with pytest.raises(HostError) as caught:
        places.refuse_read(Path("a\0b"))
    assert caught.value.reason == "target-unreadable"
    with pytest.raises(HostError):
        places.refuse_write([named(folder, "a\0b")])


def test_policy_recordings_and_sources_are_for_reading(places: Places) -> None:
    for path in ("guard.toml", "runs/notes", "src/app.py"):
        places.refuse_read(Path(path))


def test_contents_of_a_denied_kind_are_refused_wherever_they_stand(places: Places) -> None:
    with pytest.raises(GuardError) as caught:
        places.refuse_content(b"# notes\n" + KEY)
    assert caught.value.reason == "denied-to-read"
    places.refuse_content(b"a PRIVATE KEY is spoken of")


class TestPolicyPin:
    def test_a_policy_that_is_as_it_was_is_unchanged(self, folder: Path) -> None:
        path = folder / "work" / "guard.toml"
        pin = PolicyPin.of(path)
        pin.unchanged()
        path.write_text(path.read_text())
        pin.unchanged()

    def test_a_policy_changed_in_mid_run_is_refused(self, folder: Path) -> None:
        path = folder / "work" / "guard.toml"
        pin = PolicyPin.of(path)
        path.write_text("agent = 'b'\n")
        with pytest.raises(PolicyError) as caught:
            pin.unchanged()
        assert caught.value.reason == "policy-changed"

    def test_a_policy_that_is_gone_is_refused(self, folder: Path) -> None:
        path = folder / "work" / "guard.toml"
        pin = PolicyPin.of(path)
        path.unlink()
        with pytest.raises(PolicyError) as caught:
            pin.unchanged()
        assert caught.value.reason == "policy-unreadable"

    def test_a_policy_that_grows_beyond_any_is_refused(self, folder: Path) -> None:
        path = folder / "work" / "guard.toml"
        pin = PolicyPin.of(path)
        path.write_bytes(b"#" * (2 << 20))
        with pytest.raises(PolicyError) as caught:
            pin.unchanged()
        assert caught.value.reason == "policy-changed"

    def test_a_policy_made_where_there_was_none_is_refused(self, folder: Path) -> None:
        path = folder / "work" / "groundwire.toml"
        pin = PolicyPin.of(None, (path,))
        pin.unchanged()
        path.symlink_to(folder / "nowhere")
        with pytest.raises(PolicyError) as caught:
            pin.unchanged()
        assert caught.value.reason == "policy-changed"


# --- repositories under other names -----------------------------------------------------------

PARTS = ("hooks", "hooks/pre-commit", "config", "HOOKS/x", "Config", "config.worktree", "commondir")


def bare(folder: Path) -> Path:
    """A folder that git takes for a repository."""
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text("[core]\n\tbare = true\n")
    return folder


def refused(places: Places, name: TargetName) -> str:
    with pytest.raises(GuardError) as raised:
        places.refuse_write([name])
    return raised.value.reason


@pytest.mark.parametrize("part", PARTS)
def test_attack_what_git_runs_is_written_in_a_bare_repository(folder: Path, part: str) -> None:
    bare(folder / "work" / "sub" / "mirror")
    places = Places(folder=folder / "work")
    assert refused(places, named(folder / "work", f"sub/mirror/{part}")) == "protected-place"


@pytest.mark.parametrize("part", PARTS[:6])
def test_attack_what_git_runs_is_written_where_a_git_file_says_the_repository_is(
    folder: Path, part: str
) -> None:
    """Also once its HEAD was moved away, without which git takes it for no repository."""
    work = folder / "work"
    bare(work / ".bare")
    (work / ".git").unlink(missing_ok=True)
    (work / ".git").write_text("gitdir: ./.bare\n")
    places = Places(folder=work)
    (work / ".bare" / "HEAD").unlink()
    assert refused(places, named(work, f".bare/{part}")) == "protected-place"


def test_attack_what_git_runs_is_written_in_the_repository_that_a_working_tree_shares(
    folder: Path,
) -> None:
    shared, tree = folder / "work" / "shared", folder / "work" / "tree"
    own = shared / "worktrees" / "tree"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (tree / "deep").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {own}\n")
    places = Places(folder=tree / "deep")
    assert refused(places, named(shared, "hooks/pre-commit")) == "protected-place"
    assert refused(places, named(shared, "worktrees/tree/config.worktree")) == "protected-place"
    places.refuse_write([named(shared, "description"), named(tree, "hooks/pre-commit")])


@pytest.mark.parametrize("lacks", ["HEAD", "objects", "refs"])
def test_folders_that_only_look_like_a_part_of_a_repository_are_ordinary(
    folder: Path, lacks: str
) -> None:
    made = bare(folder / "work" / "app")
    (made / lacks).rename(made / "other")
    places = Places(folder=folder / "work")
    places.refuse_write([named(folder / "work", f"app/{part}") for part in PARTS])
