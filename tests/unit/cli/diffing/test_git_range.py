"""`groundwire diff --git`: every contract that differs between two commits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.cli.diffing.specs import BOTH, LESS, NAME, Shell, api, put, schema
from tests.unit.targets.git.repositories import Repo

RANGE = "HEAD~1..HEAD"
WAIVER = """
[[diff.waivers]]
rule = "response-property-removed"
reason = "agreed"
until = "9999-12-31"
"""


class History(Shell):
    """A repository in which `groundwire diff --git` is run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo = Repo(folder)
        super().__init__(self.repo.work, capsys)

    def commit(self, files: Mapping[str, object]) -> None:
        """The files are as given, or gone where that is None, in a new commit."""
        for name, document in files.items():
            if document is None:
                (self.folder / name).unlink()
            else:
                put(self.folder, name, document)
        self.repo.git("add", "-A", "-f")
        self.repo.git("commit", "-q", "--allow-empty", "-m", "change")

    def change(
        self, before: Mapping[str, object], after: Mapping[str, object], *arguments: str
    ) -> int:
        self.commit(before)
        self.commit(after)
        return self.diff("--git", RANGE, *arguments)

    def files(self, ends: str = RANGE) -> list[str]:
        self.diff("--git", ends, "--json")
        return [each["path"] for each in json.loads(self.out)["files"]]


@pytest.fixture
def history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> History:
    found = History(tmp_path, capsys)
    monkeypatch.chdir(found.folder)
    return found


def test_one_file_that_changed_is_compared_and_the_others_are_not(history: History) -> None:
    assert history.change({"a.json": BOTH, "b.json": BOTH}, {"a.json": LESS}) == 1
    assert "at a.json:" in history.out
    assert history.files() == ["a.json"]


def test_a_commit_without_contracts_comes_to_nothing(history: History) -> None:
    assert history.change({"a.json": BOTH}, {"readme.md": "x", "data.json": [1, 2]}) == 0
    assert (history.out, history.err) == ("", "")


def test_a_fragment_that_changed_shows_in_the_description_that_refers_to_it(
    history: History,
) -> None:
    root = api({"$ref": "schemas/user.yaml"})
    before = {"api/openapi.json": root, "api/schemas/user.yaml": schema(a=NAME, b=NAME)}
    assert history.change(before, {"api/schemas/user.yaml": schema(a=NAME)}) == 1
    assert "response-property-removed" in history.out
    assert "api/schemas/user.yaml:" in history.out
    assert "api/openapi.json" in history.files()


def test_a_description_that_was_renamed_is_compared_with_what_it_was(history: History) -> None:
    assert history.change({"old.json": BOTH}, {"old.json": None, "new.json": LESS}) == 1
    assert "at old.json:" in history.out
    assert "new.json:" in history.out
    assert history.files() == ["new.json"]
    history.commit({"new.json": None, "newer.json": LESS})
    assert history.diff("--git", RANGE) == 0


@pytest.mark.parametrize("to", ["gone.txt", "node_modules/x.json"])
def test_a_description_that_was_renamed_out_of_sight_is_gone(history: History, to: str) -> None:
    assert history.change({"a.json": BOTH}, {"a.json": None, to: BOTH}) == 1
    assert "is gone" in history.out


def test_a_description_that_was_added_harms_nobody_and_one_that_is_gone_breaks(
    history: History,
) -> None:
    assert history.change({}, {"a.json": BOTH}) == 0
    assert history.out == "1 noted\n"
    history.commit({"a.json": None})
    assert history.diff("--git", RANGE) == 1
    assert "is gone" in history.out


@pytest.mark.parametrize("turned", [False, True])
def test_a_description_that_is_unreadable_at_one_end_is_named(
    history: History, turned: bool
) -> None:
    ends: list[object] = [BOTH, json.dumps(BOTH)[:-9]]
    before, after = reversed(ends) if turned else ends
    assert history.change({"a.json": before}, {"a.json": after}) == 3
    assert "a.json: not compared (" in history.out
    assert "HEAD:a.json" in history.out or "HEAD~1:a.json" in history.out


def test_three_dots_begin_where_the_two_parted(history: History) -> None:
    history.commit({"a.json": BOTH})
    history.repo.git("checkout", "-q", "-b", "side")
    history.commit({"b.json": BOTH})
    history.repo.git("checkout", "-q", "main")
    history.commit({"a.json": LESS})
    assert history.diff("--git", "main...side") == 0
    assert history.out == "1 noted\n"
    assert history.diff("--git", "side...main") == 1
    assert history.files("main...side") == ["b.json"]
    assert history.files("main..side") == ["a.json", "b.json"]
    assert history.diff("--git", "side..") == 1


@pytest.mark.parametrize(
    "said", ["HEAD", "a..b", "..", "HEAD..HEAD..HEAD", "--all..HEAD", "HEAD..-x", ""]
)
def test_what_is_no_range_is_said_to_be_none(history: History, said: str) -> None:
    code = history.diff("--git", said)
    if said == "..":
        assert code == 0
    else:
        assert code == 3
        assert "reason: bad-range" in history.err


def test_a_change_cannot_pardon_itself(history: History) -> None:
    after = {"a.json": LESS, "groundwire.toml": WAIVER}
    assert history.change({"a.json": BOTH}, after) == 1
    assert history.change({"a.json": BOTH, "groundwire.toml": WAIVER}, {"a.json": LESS}) == 0
    assert "1 declared" in history.out


def test_a_change_cannot_unsay_what_fails(history: History) -> None:
    lax = '[diff]\nfail_on = ["risky"]\n'
    assert history.change({"a.json": BOTH}, {"a.json": LESS, "groundwire.toml": lax}) == 1


def test_a_policy_in_base_that_is_none_stops_everything(history: History) -> None:
    assert history.change({"groundwire.toml": "x = ["}, {"a.json": BOTH}) == 2
    assert history.change({"groundwire.toml": b"\xff"}, {"a.json": BOTH}) == 2
    assert "reason: policy-not-utf8" in history.err


def test_links_and_repositories_inside_are_named_and_not_followed(history: History) -> None:
    history.commit({"a.json": BOTH, "real.json": LESS})
    (history.folder / "a.json").unlink()
    (history.folder / "a.json").symlink_to("real.json")
    history.repo.git("update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",lib")
    history.repo.git("add", "a.json")
    history.repo.git("commit", "-q", "-m", "links")
    assert history.diff("--git", RANGE) == 3
    assert "a.json: not compared (target-unreadable)" in history.out
    assert "not looked at, repositories of their own: lib" in history.err


def test_what_lies_below_node_modules_is_not_looked_at_and_named(history: History) -> None:
    names = [f"web/node_modules/m{n}/openapi.json" for n in range(7)]
    files: dict[str, object] = dict.fromkeys(names, BOTH)
    assert history.change(files, dict.fromkeys(names, LESS)) == 0
    assert history.out == ""
    assert "not looked at, below node_modules or vendor: web/node_modules/m0/" in history.err
    assert history.err.endswith(" and 2 more\n")


def test_what_git_lfs_keeps_is_named(history: History) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n"
    before = {"openapi.json": pointer.format("a" * 64)}
    assert history.change(before, {"openapi.json": pointer.format("b" * 64)}) == 0
    assert "not looked at, kept by git LFS: openapi.json" in history.err


def test_a_contract_of_a_kind_that_nothing_compares_is_undecided(history: History) -> None:
    old = "type Query {\n  a: Int\n}\n"
    assert history.change({"s.graphql": old}, {"s.graphql": old.replace("a", "b")}) == 3
    assert "undecided: contract-not-compared" in history.out
    assert "at s.graphql" in history.out


def test_it_is_the_whole_repository_also_from_a_folder_in_it(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.commit({"a.json": BOTH, "in/x": "x", "in/groundwire.toml": WAIVER})
    history.commit({"a.json": LESS})
    assert history.diff("--git", RANGE) == 1
    monkeypatch.chdir(history.folder / "in")
    assert history.diff("--git", RANGE) == 0
    assert "1 declared" in history.out


def test_a_folder_in_no_repository_and_a_bare_one_are_said_to_be_that(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell.diff("--git", "HEAD..HEAD") == 3
    assert "reason: no-repository" in shell.err
    assert "run it in a checkout" in shell.err
    repo = Repo(shell.folder)
    repo.git("clone", "-q", "--bare", str(repo.work), str(shell.folder / "bare"))
    monkeypatch.chdir(shell.folder / "bare")
    assert shell.diff("--git", "HEAD..HEAD") == 3
    assert "reason: no-repository" in shell.err


def test_names_that_are_no_utf8_are_spelled_out(history: History) -> None:
    name = b"a\xff.json".decode("utf-8", "surrogateescape")
    assert history.change({name: BOTH}, {name: LESS}) == 1
    assert history.out.isascii()
    assert history.diff("--git", RANGE, "--json") == 1
    assert history.diff("--git", RANGE, "--sarif") == 1
    assert "a%FF.json" in history.out
    assert history.diff("--git", RANGE, "--markdown") == 1
    assert history.change({"a\n.json": BOTH}, {"a\n.json": LESS}) == 3
    assert "a\\n.json: not compared (" in history.out


def test_a_direction_holds_for_bare_schemas_and_leaves_descriptions_what_they_are(
    history: History,
) -> None:
    loose = {"type": "object", "properties": {"a": NAME}}
    before = {"a.json": BOTH, "s.json": schema(a=NAME)}
    assert history.change(before, {"s.json": loose}, "--direction", "accepts") == 0
    assert history.diff("--git", RANGE, "--direction", "produces") == 1
    history.commit({"a.json": LESS})
    assert history.diff("--git", RANGE, "--direction", "accepts") == 1
    assert "at a.json:" in history.out


def test_on_a_terminal_each_file_is_told_before_it_is_compared(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert history.change({"a.json": BOTH}, {"a.json": LESS}) == 1
    assert "comparing a.json" in history.err


def test_what_git_is_told_of_a_file_does_not_hide_it(history: History) -> None:
    before = {
        ".gitattributes": "*.json binary -diff\n",
        "openapi.json": api({"$ref": "user.json"}),
        "user.json": schema(a=NAME, b=NAME),
    }
    assert history.change(before, {"user.json": schema(a=NAME)}) == 1
    assert "openapi.json" in history.files()


def test_words_that_are_spelled_with_escapes_do_not_hide_a_description(history: History) -> None:
    def hidden(document: object) -> str:
        return json.dumps(document).replace('"openapi"', '"\\u006fpenapi"')

    assert history.change({"a.json": hidden(BOTH)}, {"a.json": hidden(LESS)}) == 1


def test_a_bare_schema_is_found_in_yaml_too(history: History) -> None:
    text = "type: object\nproperties:\n  a: {type: string}\n"
    before = {"s.yaml": text + "required: [a]\n"}
    assert history.change(before, {"s.yaml": text}, "--direction", "produces") == 1
