"""Artifacts beside a declared target, and against the files that they name: both are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.attest.grants import inspect_attestation
from groundwire.authority.places import Places
from groundwire.documents.canonical import decode, encode
from groundwire.documents.grant import Attestation, Sighting
from groundwire.documents.outcome import Executed, Refused, Unknown
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.target import TargetName
from groundwire.errors import EncodingError, GuardError
from groundwire.session.guarding.result import Artifact, GuardedResult
from groundwire.session.guarding.ways.claimed.artifacts import Reality
from groundwire.session.guarding.ways.claimed.untargeted import UntargetedWay
from tests.unit.session.guarding.calls import CREATE, DELETE, EDIT, MOVE, OWN, Place, call, word
from tests.unit.targets.trees import Tree

SAVE = ToolDeclaration(name="save", effect="write")
PAGES = {"rules": [{"id": "pages", "decide": "allow", "artifacts": ["page"]}]}
DENIED = {"rules": [{"id": "keep", "decide": "deny", "artifacts": ["page"]}]}


def place(folder: Path, rules: dict[str, Any] = PAGES, **more: Any) -> Place:
    made = Place(
        folder / "project",
        declared=(SAVE, EDIT, CREATE, DELETE, MOVE, OWN),
        rules={**rules, **more},
    )
    made.write("a.txt", "one\n")
    return made


def page(name: str, before: str | None, after: str | None) -> Artifact:
    sides = [None if text is None else text.encode() for text in (before, after)]
    return Artifact(id=name, kind="page", before=sides[0], after=sides[1])


def called(
    place: Place, tool: str, artifacts: list[Artifact], work: Any = None, **arguments: str
) -> GuardedResult:
    with place.session() as run:
        return run.call(call(tool, **arguments), work or (lambda: "done"), artifacts)


def edited(place: Place, *artifacts: Artifact) -> GuardedResult:
    return called(place, "edit", list(artifacts), path="a.txt", old="one", new="two")


def seen(result: GuardedResult) -> list[tuple[str, str, str]]:
    assert isinstance(result.outcome, Executed | Unknown), result.message
    return [(each.name.path, each.seen, each.claim) for each in result.outcome.observed]


# --- beside a declared target ----------------------------------------------------------------


def test_an_artifact_that_says_the_same_is_judged_with_the_target(tmp_path: Path) -> None:
    result = edited(place(tmp_path), page("a.txt", "one\n", "two\n"))
    assert word(result) == "executed", result.message
    assert seen(result) == [("a.txt", "content-match", "none"), ("a.txt", "content-match", "none")]
    assert result.proposal is not None
    assert [each.name.root.startswith("artifact:") for each in result.proposal.changes] == [
        False, True,
    ]  # fmt: skip


def test_the_stricter_of_both_holds(tmp_path: Path) -> None:
    given = place(tmp_path, DENIED)
    assert word(edited(given)) == "executed"
    given.write("a.txt", "one\n")
    result = edited(given, page("./a.txt", "one\n", "two\n"))
    assert word(result) == "refused: decision-denied"
    assert isinstance(result.outcome, Refused)
    assert result.outcome.rules == ("keep",)
    assert given.text("a.txt") == "one\n"


@pytest.mark.parametrize(
    "artifact",
    [
        page("a.txt", "one\n", "three\n"),
        page("a.txt", "none\n", "two\n"),
        page("a.txt", "one\n", None),
        page("sub/../a.txt", "one\n", "one\n"),
        page("a.txt", None, "two\n"),
        page("elsewhere", "x", "y"),
        page("b.txt", None, "two\n"),
    ],
)
def test_an_artifact_that_says_otherwise_than_the_target_is_refused(
    tmp_path: Path, artifact: Artifact
) -> None:
    given = place(tmp_path)
    assert word(edited(given, artifact)) == "refused: artifact-contradicts"
    assert given.text("a.txt") == "one\n"


def test_one_whose_content_nobody_gives_is_refused_beside_a_target_too(tmp_path: Path) -> None:
    result = edited(place(tmp_path), page("a.txt", None, None))
    assert word(result) == "refused: content-missing"


@pytest.mark.parametrize(
    ("tool", "arguments", "artifacts"),
    [
        ("create", {"path": "b.txt", "content": "new"}, [page("b.txt", None, "new")]),
        ("delete", {"path": "a.txt"}, [page("a.txt", "one\n", None)]),
        (
            "move",
            {"path": "a.txt", "to": "b.txt"},
            [page("a.txt", "one\n", None), page("b.txt", None, "one\n")],
        ),
    ],
)
def test_each_kind_of_change_can_be_said_by_the_host(
    tmp_path: Path, tool: str, arguments: dict[str, str], artifacts: list[Artifact]
) -> None:
    result = called(place(tmp_path), tool, artifacts, **arguments)
    assert word(result) == "executed", result.message
    assert {each[1] for each in seen(result)} == {"content-match"}


def test_where_the_tools_own_code_writes_what_else_it_does_is_the_hosts_word(
    tmp_path: Path,
) -> None:
    given = place(tmp_path)

    def work() -> str:
        given.write("a.txt", "two\n")
        return "done"

    result = called(
        given, "own", [page("row:7", "x", "y")], work, path="a.txt", old="one", new="two"
    )
    assert word(result) == "executed", result.message
    assert seen(result) == [
        ("a.txt", "content-match", "none"),
        ("row:7", "not-observed", "host-claimed"),
    ]
    assert result.ruling is not None
    assert {"declared-content", "host-claimed", "not-owned"} <= set(result.ruling.residuals)


# --- against a file that can be read ----------------------------------------------------------


def saved(given: Place, artifact: Artifact, writes: str | None = None) -> GuardedResult:
    def work() -> str:
        if writes is not None:
            given.write(artifact.id, writes)
        return "saved"

    return called(given, "save", [artifact], work)


def test_what_the_host_says_and_the_file_bears_out_is_seen(tmp_path: Path) -> None:
    result = saved(place(tmp_path), page("a.txt", "one\n", "two\n"), "two\n")
    assert word(result) == "executed"
    assert seen(result) == [("a.txt", "content-match", "none")]


@pytest.mark.parametrize("writes", [None, "three\n"])
def test_what_the_host_says_and_the_file_does_not_bear_out_is_a_conflict(
    tmp_path: Path, writes: str | None
) -> None:
    result = saved(place(tmp_path), page("a.txt", "one\n", "two\n"), writes)
    assert word(result) == "unknown: conflict"
    assert seen(result) == [("a.txt", "drift", "conflict")]
    assert result.attestation is not None
    said: Attestation = inspect_attestation(result.attestation)
    assert [(each.seen, each.claim) for each in said.observed] == [("drift", "conflict")]
    # What really stands there is judged, where that is anything new.
    assert (result.second is not None) == (writes is not None)
    assert '"claim":"conflict"' in result.text


def test_a_tool_that_raises_claims_nothing(tmp_path: Path) -> None:
    given = place(tmp_path)
    heard: list[GuardedResult] = []

    def work() -> object:
        given.write("a.txt", "three\n")
        raise RuntimeError

    with given.session() as run:
        run.on("settled", heard.append)
        with pytest.raises(RuntimeError):
            run.call(call("save"), work, [page("a.txt", "one\n", "two\n")])
    assert [word(each) for each in heard] == ["unknown: drift"]
    assert seen(heard[0]) == [("a.txt", "drift", "none")]


def test_a_file_that_is_said_to_be_made(tmp_path: Path) -> None:
    given = place(tmp_path)
    made = page("b.txt", None, "new\n")
    assert seen(saved(given, made, "new\n")) == [("b.txt", "content-match", "none")]
    (given.folder / "b.txt").unlink()
    # It may be one elsewhere: that nothing stands here says nothing.
    assert seen(saved(given, made)) == [("b.txt", "not-observed", "host-claimed")]
    assert seen(saved(given, made, "other\n")) == [("b.txt", "drift", "conflict")]


def test_a_file_that_is_said_to_be_gone_and_stands_is_a_conflict(tmp_path: Path) -> None:
    result = saved(place(tmp_path), page("a.txt", "one\n", None))
    assert seen(result) == [("a.txt", "drift", "conflict")]


@pytest.mark.parametrize(
    "artifact", [page("a.txt", "old\n", "two\n"), page("a.txt", None, "two\n")]
)
def test_a_before_that_does_not_stand_there_is_refused_before_anything_runs(
    tmp_path: Path, artifact: Artifact
) -> None:
    ran: list[int] = []
    result = called(place(tmp_path), "save", [artifact], lambda: ran.append(1))
    assert (word(result), ran) == ("refused: artifact-contradicts", [])
    assert "a.txt" in result.message


@pytest.mark.parametrize("name", ["row:7", "/etc/hostname", "../a.txt", "sub", "link"])
def test_an_id_that_is_no_file_of_the_folder_is_the_hosts_word(tmp_path: Path, name: str) -> None:
    given = place(tmp_path)
    (given.folder / "sub").mkdir()
    (given.folder / "link").symlink_to("sub")
    result = called(given, "save", [page(name, "x", "y")])
    assert word(result) == "executed", result.message
    assert seen(result) == [(name, "not-observed", "host-claimed")]


def test_a_file_that_changes_before_the_call_begins_is_drift(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path)

    def lost(*_: object) -> tuple[()]:
        given.write("a.txt", "meanwhile\n")
        return ()

    monkeypatch.setattr(UntargetedWay, "lost", lost)
    assert word(saved(given, page("a.txt", "one\n", "two\n"))) == "refused: state-drifted"


def test_an_artifact_names_no_place_that_nobody_writes(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write(".git/config", "[core]\n")
    result = called(given, "save", [page(".git/config", "[core]\n", "[alias]\n")])
    assert word(result) == "refused: protected-place"


def test_an_artifact_is_not_the_policy_in_force(tmp_path: Path) -> None:
    made = Tree(tmp_path)
    policy = made.file("mine.toml", b"[guard]\n")
    reality = Reality(made.target, Places(folder=made.work, policy=policy))
    way = UntargetedWay((page("./mine.toml", "[guard]\n", ""),), reality)
    with pytest.raises(GuardError) as raised:
        way.touches()
    assert raised.value.reason == "protected-place"


def test_a_sighting_always_says_what_the_hosts_word_is_worth() -> None:
    name = TargetName(kind="files", root="/r", path="a")
    plain = Sighting(name=name, seen="content-match", claim="none")
    assert b'"claim":"none"' in encode(plain)
    assert decode(encode(plain), Sighting) == plain
    with pytest.raises(EncodingError):
        decode(encode(plain).replace(b'"claim":"none",', b""), Sighting)
