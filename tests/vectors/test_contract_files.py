"""Files that are to deceive, exhaust or lead astray whoever opens a description."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from groundwire.contracts.detecting import detect
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.reading.unreadable import Unreadable
from tests.house.tree import CHECKOUT

FILES = sorted((CHECKOUT / "vectors" / "contracts" / "files").glob("*.toml"))


def vector(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_that_attack_are_refused_or_named(path: Path) -> None:
    case = vector(path)
    files = {name: text.encode() for name, text in case["files"].items()}
    asked: list[str] = []

    def read_file(name: str) -> bytes | None:
        asked.append(name)
        return files.get(name)

    root = case.get("root", next(iter(files)))
    if "refused" in case:
        with pytest.raises(Unreadable) as caught:
            open_description(root, read_file)
        assert caught.value.reason == case["refused"]
        assert caught.value.line == case.get("line", 0)
    else:
        found = open_description(root, read_file)
        assert found.unread == case["unread"]
        for pointer in case["unread"]:
            assert found.locator.where(pointer).line > 0
    assert set(asked) <= set(files)
    assert detect(root, files[root]) in {"openapi", None}


NESTED = {
    "api.json": b'{"openapi": "3.0.3", "paths": {}, "x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "api.yaml": b"openapi: 3.0.3\npaths: {}\nx: " + b"[" * 10_000 + b"]" * 10_000,
    "dashes.yaml": b"openapi: 3.0.3\npaths: {}\nx:\n - " + b"- " * 10_000 + b"x",
}


@pytest.mark.parametrize("name", NESTED)
def test_ten_thousand_levels_are_refused_by_name(name: str) -> None:
    with pytest.raises(Unreadable) as caught:
        open_description(name, NESTED.get)
    assert caught.value.reason == "too-deep"
    assert detect(name, NESTED[name]) is None


@pytest.mark.parametrize("name", ["api.json", "api.yaml"])
def test_a_hundred_megabytes_are_refused_by_name(name: str) -> None:
    data = b'{"openapi": "3.0.3", "paths": {}, "x": "' + b"a" * (100 << 20) + b'"}'
    with pytest.raises(Unreadable) as caught:
        open_description(name, {name: data}.get)
    assert caught.value.reason == "too-large"
    assert detect(name, data) is None
