"""The checks of this version, and the kinds of finding it knows."""

from __future__ import annotations

from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.compose.missing_tools import MissingTools
from groundwire.checks.seams import Check
from groundwire.checks.wire.manifest import WireManifest
from groundwire.checks.write.order import ResultOutOfOrder
from groundwire.checks.write.pairing import UnpairedCall

ALL_CHECKS: tuple[Check, ...] = (
    MissingTools(),
    WireManifest(),
    UnsupportedArgument(),
    UnpairedCall(),
    ResultOutOfOrder(),
)

# Kinds that have a name and a meaning but no check in this version: a question about one of them
# cannot be answered, which is not the same as "none found".
WITHOUT_A_CHECK: tuple[str, ...] = (
    "column-type-mismatch",
    "dangling-reference",
    "duplicate-execution",
    "empty-lookup",
    "missing-column",
    "prior-turn-evidence",
    "unsupported-claim",
)


def filable_kinds() -> tuple[str, ...]:
    """The kinds that some check of this version can file."""
    return tuple(sorted({check.kind for check in ALL_CHECKS}))
