"""A repository for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.targets.git.repositories import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)
