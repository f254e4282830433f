"""Contract: what a policy says of changes to contracts, and of files that a program makes of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

Harm: TypeAlias = Literal["breaking", "exposure", "undecided", "risky", "noted"]


class Waiver(msgspec.Struct, frozen=True, kw_only=True):
    """A break that was agreed to, for `reason`, through the day `until` (`YYYY-MM-DD`).

    `rule` is a rule's name. `file` is a pattern of paths and `operation` one such as
    `GET /users/{id}`; empty is any. A waiver with an operation pardons a change only where that
    is all it reaches.
    """

    rule: str
    reason: str
    until: str
    file: str = ""
    operation: str = ""


class DiffRules(msgspec.Struct, frozen=True, kw_only=True):
    """`[diff]`: what of a change fails, and what was declared.

    `version_bump = "major"`: a description whose version's first number rises has declared its
    breaks. `labels`: so has a change with one of these labels. `openapi` are knobs by name.
    """

    fail_on: tuple[Harm, ...] = ("breaking", "exposure", "undecided")
    version_bump: Literal["none", "major"] = "none"
    labels: tuple[str, ...] = ()
    openapi: Mapping[str, Harm] = msgspec.field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()


class DerivedContract(msgspec.Struct, frozen=True, kw_only=True):
    """`[[contracts]]`: the file at `path` is what the command `generate` makes of the `inputs`.

    The command writes the file, in the working folder. `inputs` are patterns of paths.
    """

    path: str
    generate: tuple[str, ...]
    inputs: tuple[str, ...]
