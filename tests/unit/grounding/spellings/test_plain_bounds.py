"""A value of signs within signs has no more spellings than are looked up."""

from __future__ import annotations

import pytest

from groundwire.grounding.spellings.plain import MOST_SPELLINGS, plain


@pytest.mark.parametrize("value", ["http://" * 500 + "a", "(" * 500 + "a" + ")" * 500])
def test_spellings_within_spellings_have_an_end(value: str) -> None:
    assert len(list(plain(value))) <= MOST_SPELLINGS + 4
