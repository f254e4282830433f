from __future__ import annotations

from pathlib import Path

import pytest

from tests.databases import DIALECTS, Shop, shop_of


@pytest.fixture(params=DIALECTS)
def shop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop in each kind of database."""
    return shop_of(request.param, tmp_path, monkeypatch)
