"""A shell over a tree, for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.targets.shell.commands import Shell
from tests.unit.targets.trees import Tree


@pytest.fixture
def shell(tree: Tree, tmp_path: Path) -> Shell:
    return Shell(tree, tmp_path / "home")
