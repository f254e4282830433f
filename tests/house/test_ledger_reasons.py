"""Every reason that a row of the ledger may give stands in the page that readers are sent to."""

from __future__ import annotations

import re

from tests.house.tree import CHECKOUT, PACKAGE

PAGE = CHECKOUT / "docs" / "reference" / "findings.md"
_GIVEN = re.compile(r"\b(?:not_applicable|unreachable)\(\s*(?:[^()\"]*? or )?\"([a-z-]+)\"")


def test_a_reason_that_a_check_gives_is_explained() -> None:
    given = {
        reason
        for path in (PACKAGE / "checks").rglob("*.py")
        for reason in _GIVEN.findall(path.read_text())
    }
    assert len(given) > 40
    table = PAGE.read_text().partition("| reason | |")[2].partition("\n## ")[0]
    explained = set(re.findall(r"`([a-z-]+)`", table))
    assert not given - explained
