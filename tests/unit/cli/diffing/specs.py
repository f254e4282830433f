"""Small descriptions of an API, and edits of them by their effect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire.cli import main

JSON_TYPE = "application/json"


def schema(**members: object) -> dict[str, object]:
    return {"type": "object", "properties": members, "required": sorted(members)}


def path(answer: object) -> dict[str, object]:
    """A path whose `GET` answers like this."""
    content = {JSON_TYPE: {"schema": answer}}
    return {"get": {"responses": {"200": {"description": "ok", "content": content}}}}


def api(
    answer: object, *, paths: Mapping[str, object] | None = None, version: str = "1.0"
) -> dict[str, object]:
    """`GET /users` answers like this; `paths` come beside it."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": version},
        "paths": {"/users": path(answer), **(paths or {})},
    }


NAME = {"type": "string"}
MANY = schema(id={"type": "integer"}, name=NAME)
FEW = schema(id={"type": "integer"})
BOTH = api(MANY)
"""What it was before."""
LESS = api(FEW)
"""`name` is gone: it breaks."""
SAFE = {"security": [{"key": ["write"]}], "responses": {"204": {"description": "ok"}}}
_KEY = {"key": {"type": "oauth2", "flows": {}}}
GUARDED = api(NAME, paths={"/a": {"post": SAFE}}) | {"components": {"securitySchemes": _KEY}}
OPEN = api(NAME, paths={"/a": {"post": SAFE | {"security": []}}}) | {
    "components": {"securitySchemes": _KEY}
}
"""Anybody may post now: exposure."""
STATUS = api(NAME)


def more_statuses() -> str:
    """`STATUS` with another status: risky."""
    return json.dumps(STATUS).replace('"200":', '"410": {"description": "gone"}, "200":')


def unknown(keyword: object) -> dict[str, object]:
    """A description whose answer is held to a pattern that nothing decides."""
    return api({"type": "string", "pattern": keyword})


UNDECIDED = (unknown(r"^(a|b)\1$"), unknown(r"^(a|c)\1$"))


def put(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(document, bytes):
        path.write_bytes(document)
    else:
        text = document if isinstance(document, str) else json.dumps(document, indent=1)
        path.write_text(text, encoding="utf-8")
    return path


class Shell:
    """`groundwire diff` in a folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def put(self, name: str, document: object) -> Path:
        return put(self.folder, name, document)

    def diff(self, *arguments: object) -> int:
        self._capsys.readouterr()
        code = main.run(["diff", *map(str, arguments)])
        self.out, self.err = self._capsys.readouterr()
        assert "Traceback" not in self.err
        assert "a defect of groundwire" not in self.err
        return code

    def compare(self, before: object, after: object, *arguments: object) -> int:
        self.put("before.json", before)
        self.put("after.json", after)
        return self.diff("before.json", "after.json", *arguments)
