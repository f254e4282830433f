"""Conditions: whether a WHERE can leave a row out, as far as its text tells."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_SAME: Final = (exp.EQ, exp.GTE, exp.LTE, exp.NullSafeEQ, exp.Is)


def leaves_out(condition: exp.Expr | None) -> bool:
    """Whether the condition looks at the row at all, in such a way that it can fail.

    `1 = 1`, `true`, `id = id`, `id = 3 OR 1 = 1` and no condition at all look at none. Does not
    solve anything: `id > 0 OR id <= 0` passes, and what it changes is counted when it runs.
    """
    if condition is None:
        return False
    match condition:
        case exp.Where() | exp.Paren():
            return leaves_out(condition.this)
        case exp.Or():
            return leaves_out(condition.left) and leaves_out(condition.right)
        case exp.And():
            return leaves_out(condition.left) or leaves_out(condition.right)
        case _ if isinstance(condition, _SAME) and condition.left == condition.right:
            return False
        case _:
            return condition.find(exp.Column) is not None
