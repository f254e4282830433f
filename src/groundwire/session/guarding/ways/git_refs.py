"""Refs: a commit of what is staged, or a ref that is set or deleted, moved by git's compare and swap."""

from __future__ import annotations

from typing import assert_never

from groundwire.documents.governing import GitArguments
from groundwire.documents.profile import Fact
from groundwire.documents.ref_edit import Commit, DeleteRef, RefEdit, SetRef
from groundwire.documents.target import Change, Observation, Plan, Proposal, Reading, TargetName
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.arguments import Arguments
from groundwire.session.guarding.ways.files import recheck_changes
from groundwire.targets.git.target import GitTarget


def ref_edit_of(declared: GitArguments, arguments: Arguments) -> RefEdit:
    """The move of a ref that a call asks for, by the declaration of its tool.

    Arguments that the declaration does not name are not looked at.

    Raises:
        GuardError: `arguments-do-not-fit`: one is missing or of another type.
    """
    match declared.does:
        case "commit":
            return Commit(message=_text(arguments, declared.message))
        case "set-ref":
            commit = _text(arguments, declared.commit)
            return SetRef(ref=_text(arguments, declared.ref), commit=commit)
        case "delete-ref":
            return DeleteRef(ref=_text(arguments, declared.ref))
        case _:
            assert_never(declared.does)


class GitWay:
    """One move of a ref of the repository that the working folder is in."""

    owned = True

    def __init__(self, target: GitTarget, request: RefEdit) -> None:
        self._target = target
        self._request = request

    def touches(self) -> tuple[TargetName, ...]:
        """The ref that moves."""
        return self._target.touches(self._request)

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """T1 of it."""
        return tuple(self._target.read_state(name) for name in names)

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """Where it moves to; of a commit its objects are made, and are not in the repository yet."""
        return self._target.propose(self._request, readings)

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:
        """That more is staged than is looked at; no other: git compares and swaps."""
        return () if self._target.history(proposal).whole else ("unjudged-history",)

    def history(self, proposal: Proposal) -> tuple[Change, ...]:
        """What the commit holds, or leaves out, otherwise than the working tree."""
        return self._target.history(proposal).changes

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:
        """The refs whose commits stand on no other afterwards."""
        return tuple(change.name for change in self._target.lost(proposal))

    def recheck(self, proposal: Proposal) -> None:
        """T2 of every change."""
        recheck_changes(self._target.read_state, proposal)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What the move will be, so that it can be recovered and undone."""
        return self._target.plan(proposal, write)

    def write(self, proposal: Proposal, write: str) -> object:
        """Every ref stands where it was proposed; a line for each."""
        self._target.write_if_unchanged(proposal, write)
        return "\n".join(_said(change.name, change.after) for change in proposal.changes)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of every change."""
        return self._target.observe(proposal)

    def close(self) -> None:
        """Nothing is held."""


def _said(name: TargetName, after: bytes | None) -> str:
    if after is None:
        return f"deleted {name.path}"
    return f"{name.path} is at {after.decode('ascii', 'replace').strip()}"


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise GuardError(
            "arguments-do-not-fit",
            f"The argument {name!r} of the call is not a text; nothing ran. Make it differently.",
        )
    return value
