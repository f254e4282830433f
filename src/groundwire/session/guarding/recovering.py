"""Recovering: what became of writes that nobody saw end; and a write undone by its receipt."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.target import Recovered
from groundwire.errors import GroundwireError, GuardError
from groundwire.session.guarding.calling import Code, Guarding
from groundwire.session.guarding.guard import Guard, State
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.shapes.calls import ModelCall
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.undoing import Undoable, UndoWay
from groundwire.stores.writing.grants import Write, WriteState
from groundwire.targets.git.locking import remove_locks
from groundwire.targets.git.moving import is_of_refs
from groundwire.targets.git.staged_git import WorkingTree
from groundwire.targets.shell.applying import recover_rest
from groundwire.targets.sql.target import NO_DATABASES, Databases, is_of_sql

_log = logging.getLogger("groundwire")

UNDO = ToolDeclaration(name="groundwire.undo", effect="write")
"""Under this name a write that is undone stands in its recording."""


class RecoveredWrite(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one write: `landed`, `not-landed`, or `unknown`, and then of which files.

    `why` is a reason code where it could not be told.
    """

    write: str
    receipt: str
    run: str
    sequence: int
    root: str
    state: WriteState
    unsettled: tuple[str, ...] = ()
    why: str = ""


def recover_writes(
    state: State, databases: Databases = NO_DATABASES, *, again: bool = True
) -> tuple[RecoveredWrite, ...]:
    """Each write that nobody saw end stands wholly or not at all, or is named.

    Writes of processes that still run are left to them; without `again`, so are those that were
    looked at before and are unknown still. Reads the targets; the recording is not asked.

    Raises:
        HostError: the database of grants cannot be used.
    """
    grants, alive = state.grants(), state.owners().is_alive
    found = []
    for write in grants.unsettled():
        if (again or write.owner) and not alive(write.owner):
            recovered = _recover(state, databases, write)
            grants.examined(write.id, recovered.state)
            found.append(recovered)
    return tuple(found)


def recover_quietly(guard: Guard) -> None:
    """As `recover_writes`, at the beginning of a run; it is logged. Never raises.

    Where nothing was ever written under a grant nothing is made.
    """
    try:
        written = guard.state.has_grants
        found = recover_writes(guard.state, guard.databases, again=False) if written else ()
    except GroundwireError as error:
        # Whoever writes will be refused for the same.
        _log.warning("groundwire: earlier guarded writes could not be looked at: %s", error)
        return
    for each in found:
        level = logging.INFO if each.state != "unknown" else logging.WARNING
        _log.log(
            level,
            "groundwire: the guarded write %s in %s, which nobody saw end: %s %s",
            each.write, each.root, each.state, " ".join(each.unsettled) or each.why,
        )  # fmt: skip


def undo(run: RunGuard, receipt: str) -> GuardedResult:
    """The write under the receipt of this digest is undone, as a guarded call of its own.

    Raises:
        GuardError: `nothing-written`: no write of that receipt is known here, or none landed;
            `written-elsewhere`: it was one in another project's folder; `statement-not-undone`.
    """
    guard = run.guard
    under = guard.state.grants().under(receipt)
    if any(write.state == "landed" and is_of_sql(write.plan) for write in under):
        raise GuardError(
            "statement-not-undone",
            "A statement that was committed is not undone by its receipt; write one that takes it"
            " back.",
        )
    writes = [write for write in under if write.state == "landed" and write.plan.steps]
    if not writes:
        raise GuardError(
            "nothing-written",
            f"Under {receipt[:80]} nothing stands that was written here, or it is too long ago.",
        )
    plan = writes[-1].plan
    of_refs = is_of_refs(plan)
    target: Undoable = guard.state.git(guard.folder)
    if not of_refs:
        target = WorkingTree(guard.state.files(Path(plan.root)))
    if not of_refs and plan.root not in {str(guard.folder), "/"}:
        raise GuardError(
            "written-elsewhere",
            f"That was written in {plan.root}; undo it there, under that folder's policy.",
        )
    call = ToolCall(id="", name=UNDO.name, arguments=f'{{"receipt":"{receipt}"}}')
    asked = Guarding(
        asked=ModelCall(call, "plain"),
        declared=UNDO,
        code=Code(),
        way=lambda _: UndoWay(target, plan),
    )
    return asked.in_thread(run)


def _recover(state: State, databases: Databases, write: Write) -> RecoveredWrite:
    plan = write.plan
    try:
        if is_of_sql(plan):
            found = databases.recover(plan)
        elif is_of_refs(plan):
            found = state.git(Path(plan.root)).recover(plan)
        else:
            (found,) = state.files(Path(plan.root)).recover(plan)
            remove_locks(plan)
            found = recover_rest(plan, found)
    except GroundwireError as error:
        return _said(write, "unknown", (), error.reason)
    return _said(write, _state(found), tuple(name.path for name in found.left_alone), "")


def _state(found: Recovered) -> WriteState:
    if found.left_alone:
        return "unknown"
    return "landed" if found.stands == "after" else "not-landed"


def _said(write: Write, state: WriteState, left: tuple[str, ...], why: str) -> RecoveredWrite:
    return RecoveredWrite(
        write=write.id, receipt=write.receipt, run=write.run, sequence=write.sequence,
        root=write.plan.root, state=state, unsettled=left, why=why,
    )  # fmt: skip
