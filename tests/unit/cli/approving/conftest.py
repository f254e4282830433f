from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.approving.office import Office


@pytest.fixture
def office(own_home: Path) -> Office:
    assert own_home.is_dir()
    return Office()
