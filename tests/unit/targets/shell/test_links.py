"""Which links a staged command may make."""

from __future__ import annotations

import pytest

from groundwire.documents.staged import StagedLink
from groundwire.targets.shell.links import may_link


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("node_modules/.bin/tsc", "../typescript/bin/tsc"),
        ("packages/a/node_modules/b", "../../b"),
        (".venv/bin/python", "/usr/bin/python3.11"),
        (".venv/bin/python", "/given/tools/bin/python3.11"),
        (".venv/lib64", "lib"),
        ("build/lib.so", "lib.so.1"),
        ("node_modules/.bin/old", None),
    ],
)
def test_links_among_build_products_are_made(path: str, to: str | None) -> None:
    assert may_link(StagedLink(path=path, to=to), "/project", ("/given/tools",))


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("src/link", "a"),
        ("link", None),
        ("node_modules", "elsewhere"),
        ("node_modules/x", "../.."),
        ("node_modules/x", "../../outside"),
        ("node_modules/x", "y/../../../outside"),
        ("node_modules/x", "y/../z"),
        ("node_modules/x", "/etc/passwd"),
        ("node_modules/x", "/usr/../etc/passwd"),
        ("node_modules/x", "/given/toolshed"),
        ("node_modules/x", "../.git/hooks"),
        ("node_modules/x", "../.GIT/hooks"),
        ("node_modules/x", "../groundwire.toml"),
        ("node_modules/x", "../.claude/settings.json"),
        ("node_modules/x", "../.claude"),
    ],
)
def test_links_elsewhere_or_to_elsewhere_are_not(path: str, to: str | None) -> None:
    assert not may_link(StagedLink(path=path, to=to), "/project", ("/given/tools",))
