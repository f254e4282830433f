"""A tree for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.targets.trees import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)
