"""The how-to page shows what is printed."""

from __future__ import annotations

import re

from tests.house.tree import CHECKOUT, text_of
from tests.unit.cli.diffing.specs import Shell


def test_the_page_shows_what_the_command_prints_of_its_own_files(shell: Shell) -> None:
    page = text_of(CHECKOUT / "docs" / "how-to" / "compare-contracts.md")
    made = re.search(r"```python run\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    assert made
    assert shown
    exec(compile(made[1], "compare-contracts.md", "exec"), {})
    assert shell.diff("old.json", "new.json") == 1
    assert shell.out == shown[1]
