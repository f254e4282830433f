"""Descriptions of several files in the guard: an edit of a part is judged as one of the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.documents.outcome import Executed
from groundwire.session.guarding.reaching import descriptions
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.ways.files import FileWay
from groundwire.targets.folders.searching import SearchBounds
from tests.unit.session.guarding.calls import Place, call, word

ROOT = """openapi: 3.0.3
info: {title: Users, version: '1'}
paths:
  /users:
    get:
      responses:
        '200':
          description: fine
          content:
            application/json:
              schema:
                $ref: 'schemas/user.yaml'
"""
USER = """type: object
required: [id, email]
properties:
  id: {type: string}
  email: {type: string}
"""
ASKED = "refused: approval-unavailable"
GONE = {"old": "required: [id, email]\nproperties:\n  id: {type: string}\n  email: {type: string}\n",
        "new": "required: [id]\nproperties:\n  id: {type: string}\n"}  # fmt: skip


def place(folder: Path, root: str = ROOT) -> Place:
    folder.mkdir(exist_ok=True)
    made = Place(folder / "project")
    made.write("api/openapi.yaml", root)
    made.write("api/schemas/user.yaml", USER)
    return made


def does(place: Place, name: str, **arguments: str) -> GuardedResult:
    with place.session():
        return place.table().dispatch(call(name, **arguments))


def seen(result: GuardedResult) -> list[tuple[str, str]]:
    assert result.ruling is not None
    witnesses = result.ruling.decision.witnesses
    return [(each.target.path, each.says) for each in witnesses if each.target is not None]


def test_an_edit_of_a_part_is_the_change_of_its_description(tmp_path: Path) -> None:
    result = does(place(tmp_path), "edit", path="api/schemas/user.yaml", **GONE)
    assert word(result) == ASKED
    [said] = [says for path, says in seen(result) if path == "api/openapi.yaml"]
    assert "GET /users answered by 200" in said
    assert "response-property-removed" in said


def test_an_edit_of_a_part_that_breaks_nobody_passes(tmp_path: Path) -> None:
    given = place(tmp_path)
    result = does(
        given,
        "edit",
        path="api/schemas/user.yaml",
        old="type: object",
        new="type: object\ntitle: User",
    )
    assert isinstance(result.outcome, Executed), result.message
    assert "title: User" in (given.text("api/schemas/user.yaml") or "")


def test_an_edit_of_the_root_is_read_with_its_parts(tmp_path: Path) -> None:
    result = does(place(tmp_path), "edit", path="api/openapi.yaml", old="fine", new="a user")
    assert isinstance(result.outcome, Executed), result.message
    moved = does(
        place(tmp_path / "b"),
        "edit",
        path="api/openapi.yaml",
        old="'schemas/user.yaml'",
        new="'other.yaml'",
    )
    assert word(moved) == ASKED


def test_a_part_that_goes_or_moves_takes_its_description_along(tmp_path: Path) -> None:
    assert word(does(place(tmp_path), "delete", path="api/schemas/user.yaml")) == ASKED
    moved = does(place(tmp_path / "b"), "move", path="api/schemas/user.yaml", to="api/user.yaml")
    assert word(moved) == ASKED


def test_a_file_that_is_moved_to_where_a_part_was_missing_takes_its_description_along(
    tmp_path: Path,
) -> None:
    given = place(tmp_path, ROOT.replace("user.yaml", "new.yaml"))
    given.write("notes.txt", USER)
    moved = does(given, "move", path="notes.txt", to="api/schemas/new.yaml")
    assert "api/openapi.yaml" in [path for path, _ in seen(moved)]


@pytest.mark.parametrize("path", ["api/schemas/user.yaml", "api/openapi.yaml"])
def test_a_part_that_another_changes_before_the_write_refuses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    given = place(tmp_path)
    given.write("api/schemas/other.yaml", "type: string\n")
    given.write(
        "api/openapi.yaml", ROOT + "components: {schemas: {O: {$ref: schemas/other.yaml}}}\n"
    )
    edits = {
        "api/schemas/user.yaml": {"old": "type: object", "new": "type: object\ntitle: User"},
        "api/openapi.yaml": {"old": "fine", "new": "a user"},
    }
    recheck = FileWay.recheck

    def meanwhile(self: FileWay, proposal: object) -> None:
        given.write("api/schemas/other.yaml", "type: integer\n")
        recheck(self, proposal)  # type: ignore[arg-type]  # the same proposal

    monkeypatch.setattr(FileWay, "recheck", meanwhile)
    result = does(given, "edit", path=path, **edits[path])
    assert word(result) == "refused: state-drifted"
    assert edits[path]["new"] not in (given.text(path) or "")


def test_a_part_behind_a_link_is_not_read_and_its_change_is_asked(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("common/user.yaml", USER)
    (given.folder / "api/schemas/user.yaml").unlink()
    (given.folder / "api/schemas/user.yaml").symlink_to("../../common/user.yaml")
    result = does(given, "edit", path="common/user.yaml", old="type: object", new="type: object\n")
    assert word(result) == ASKED
    assert any("reference-through-a-link" in says for _, says in seen(result))


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("type: string\n")
    given = place(tmp_path)
    result = does(
        given, "edit", path="api/openapi.yaml", old="'schemas/user.yaml'", new="'../../secret.yaml'"
    )
    assert word(result) == ASKED
    assert all("secret" not in says for _, says in seen(result))


def test_a_description_that_newly_has_a_part_of_another_ending_is_asked(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("api/schemas/user.part", USER)
    result = does(
        given, "edit", path="api/openapi.yaml", old="schemas/user.yaml", new="schemas/user.part"
    )
    assert word(result) == ASKED
    assert any("reference-of-another-ending" in says for _, says in seen(result))


def test_a_folder_over_the_bound_is_said_and_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptions, "SearchBounds", lambda: SearchBounds(files=1))
    result = does(
        place(tmp_path), "edit", path="api/schemas/user.yaml", old="object", new="object\n"
    )
    assert word(result) == ASKED
    assert any("folder-not-looked-through" in says for _, says in seen(result))


def test_ordinary_files_are_neither_asked_nor_looked_through_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path)
    given.write("app.py", "x = 1\n")
    given.write("package.json", '{"name": "a"}\n')
    quiet = does(given, "edit", path="package.json", old='"a"', new='"b"')
    assert isinstance(quiet.outcome, Executed), quiet.message

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(descriptions, "search", never)
    assert isinstance(does(given, "edit", path="app.py", old="1", new="2").outcome, Executed)


def test_a_model_is_told_nothing_that_stands_in_a_description(tmp_path: Path) -> None:
    given = place(tmp_path)
    given.write("api/openapi.yaml", ROOT.replace("fine", "SECRET-A"))
    given.write(
        "api/schemas/user.yaml",
        USER + "example: {id: SECRET-B, email: SECRET-C}\ndefault: {id: SECRET-D}\n",
    )
    result = does(given, "edit", path="api/schemas/user.yaml", **GONE)
    assert word(result) == ASKED
    assert result.answer is not None
    model = json.dumps(result.message_for_model()) + str(result.answer.text)
    person = str(result.ruling) + result.message
    for text in (model, person):
        assert "SECRET" not in text
    assert "email" not in model


def test_a_file_is_opened_again_only_once_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = place(tmp_path, "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\n")
    given.write("other.json", "{}\n")
    looked: list[bytes | None] = []
    looks = descriptions.leads_out

    def look(content: bytes | None) -> bool:
        looked.append(content)
        return looks(content)

    monkeypatch.setattr(descriptions, "leads_out", look)
    with given.session():
        table = given.table()
        for number in range(3):
            old, new = (
                ("{}", '{"a": 0}') if number == 0 else (f'"a": {number - 1}', f'"a": {number}')
            )
            table.dispatch(call("edit", path="other.json", old=old, new=new))
        assert looked.count(USER.encode()) == 1
        given.write("api/openapi.yaml", ROOT)
        result = table.dispatch(call("edit", path="api/schemas/user.yaml", **GONE))
    assert word(result) == ASKED
