"""Planner: a program whose own plan is the change that is judged."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec

Action: TypeAlias = Literal["create", "update", "delete", "replace"]


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the plan changes: `id` as the program names it, its content before and after.

    None: it is not there before, or after. What the program itself cannot know before is not in
    `after`. `kind` is what a rule of the policy calls it by.
    """

    id: str
    action: Action
    before: bytes | None
    after: bytes | None
    kind: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a program would do. `digest` is of the saved plan that `apply` carries out.

    `version` is the program's, as it says. No two changes have one kind and one id.
    """

    digest: str
    changes: tuple[Planned, ...]
    version: str


class Planner(Protocol):
    """Makes a plan, and carries out that one and no other.

    Carrying it out runs the program as it is, with the network and with all that its user may do: a
    plan is the program's word. Nothing contains it and nobody looks afterwards.
    """

    def plan(self) -> Plan:
        """What the program would do now; it is saved.

        Raises:
            GuardError: `plan-unreadable`, `plan-incomplete`. HostError: `plan-failed`.
        """
        ...

    def apply(self, plan: Plan) -> str:
        """The saved plan was carried out; what the program printed.

        Raises:
            GuardError: `plan-changed`: the saved plan is not the one that was judged; nothing ran.
            HostError: `write-unsettled`: it ran, and how much of it stands nobody can say.
        """
        ...
