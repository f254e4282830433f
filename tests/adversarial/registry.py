"""The registry matrix: what a table makes of tools by what is declared of them, and by nothing else.

The rows and the reasons where they differ from the family stand in `vectors/effects/registry.toml`.
"""

from __future__ import annotations

from typing import Any

from groundwire.authority.policy import decode_policy
from groundwire.errors import PolicyError
from groundwire.session.project import Project
from tests.adversarial.attack import Attack, add
from tests.adversarial.world import World
from tests.vectors.test_registry import ROWS, declared, given


def _ended(row: dict[str, Any]) -> str:
    try:
        table = Project(decode_policy(declared(row), "p")).guard(given(row))
    except PolicyError as error:
        named = all(name in str(error) for name in row["tools"])
        return f"refused at once: {error.reason}" if named else "a tool is not named"
    report = table.report()
    return f"guarded {sorted(report.guarded)}, passing {sorted(report.passing)}"


for _name, _row in ROWS.items():

    def _deed(_: World, row: dict[str, Any] = _row) -> str:
        return _ended(row)

    _end = (
        f"refused at once: {_row['refused']}"
        if "refused" in _row
        else f"guarded {sorted(_row['guarded'])}, passing {sorted(_row['passing'])}"
    )
    add(Attack("registry", _name, f"{_row['what']}{'' if _row['agrees'] else ' (differs)'}"[:72],
               (_end,), _deed, git=False))  # fmt: skip
