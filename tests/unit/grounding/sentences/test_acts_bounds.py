"""A sentence without an end costs its length."""

from __future__ import annotations

from unittest import mock

import pytest

from groundwire.grounding.sentences import acts


@pytest.mark.parametrize("text", ["I did not ", "I have cancelled ", "was sent ", "I sent it and "])
def test_what_is_read_around_a_verb_has_a_bound(text: str) -> None:
    seen: list[int] = []
    tail = acts._tail

    def spied(separator: object, before: str) -> str:
        seen.append(len(before))
        return tail(separator, before)  # type: ignore[arg-type]  # passed on

    with mock.patch.object(acts, "_tail", spied):
        list(acts.acts(text * 1000))
    assert max(seen, default=0) <= acts._REACH
