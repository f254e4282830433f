"""Refs moved in one transaction of git's, each only where it still says what was judged."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.canon.digest import sha256
from groundwire.documents.target import Absent, Change, ChangeKind, Plan, Present, Reading, Step
from groundwire.errors import GroundwireError, GuardError, HostError
from groundwire.targets.disk.git_program import Git, Ran, failed
from groundwire.targets.git.committing import signed_by
from groundwire.targets.git.repository import ref_text
from groundwire.targets.refusing import drifted

_PREPARED = b"prepare: ok"
_NOBODY = ("groundwire", "groundwire@localhost")


def change_of(reading: Reading, after: bytes | None) -> Change:
    """The move of the ref that was read to what it is to say.

    Raises:
        GuardError: `edit-malformed`: it says so already; `target-not-read`: it has no token.
    """
    if after == reading.content:
        raise GuardError("edit-malformed", f"{reading.name.path} is there already.")
    state = reading.state
    if not isinstance(state, Present | Absent):
        raise GuardError("target-not-read", f"{reading.name.path} could not be read.")
    kind: ChangeKind = "changed"
    if after is None:
        kind = "deleted"
    elif reading.content is None:
        kind = "created"
    return Change(name=reading.name, kind=kind, state=state, before=reading.content, after=after)


def step_of(change: Change) -> Step:
    """The change without what its ref says."""
    after = None if change.after is None else sha256(change.after)
    return Step(path=change.name.path, kind=change.kind, state=change.state, after=after, held="")


def is_of_refs(plan: Plan) -> bool:
    """Whether the plan is one of refs: nothing is held beside a ref while it moves."""
    return bool(plan.steps) and all(not step.held for step in plan.steps)


def require_pins(changes: Sequence[Change]) -> None:
    """Every change says where its ref was, in words and in token, and where it is to be.

    Without the old value git compares nothing and overwrites what another writer put there.

    Raises:
        GuardError: `missing-expected`.
    """
    for change in changes:
        match change.state:
            case Absent():
                pinned = change.before is None and change.kind == "created"
            case Present(digest=digest):
                pinned = (
                    change.before is not None
                    and sha256(change.before) == digest
                    and is_object_name(change.before)
                    and change.kind in {"changed", "deleted"}
                )
        said = change.after is None or is_object_name(change.after)
        if not pinned or not said or (change.after is None) != (change.kind == "deleted"):
            raise GuardError(
                "missing-expected",
                f"The change of {change.name.path} does not say at which object the ref was when it"
                " was judged; without that nothing is compared, so nothing is written.",
            )


def is_object_name(text: bytes) -> bool:
    """Whether a ref's text names one object, and not the one of only zeros that means none."""
    name = text[:-1]
    return (
        text[-1:] == b"\n"
        and len(name) in {40, 64}
        and not name.strip(b"0123456789abcdef")
        and bool(name.strip(b"0"))
    )


def move_refs(git: Git, changes: Sequence[Change], says: str, now: int) -> None:
    """Every ref says what it is to say, or an error is raised and all say what they did.

    `says` goes into the reflogs, with `now` in seconds since 1970.

    Raises:
        GuardError: `state-drifted`. HostError: `git-failed`, `git-missing`; `write-unsettled`.
    """
    moves = b"".join(_command(change) for change in changes)
    given = b"start\0" + moves + b"prepare\0commit\0"
    try:
        ran = git.ask(
            "update-ref", "--no-deref", "-m", says, "--stdin", "-z", given=given,
            environment=signed_by(*_NOBODY, now),
        )  # fmt: skip
    except HostError as error:
        if error.reason == "git-missing":
            raise
        ran = Ran(-1, b"", "it did not end in time")
    if ran.code != 0:
        _settle(git, changes, ran)


def _settle(git: Git, changes: Sequence[Change], ran: Ran) -> None:
    """A transaction that did not end well stands after all, or not at all; or an error says neither.

    Before git has said that it is prepared it has moved nothing. After that the refs are asked.
    """
    try:
        texts = [ref_text(git, change.name.path) for change in changes]
    except GroundwireError as error:
        raise _unsettled(changes) from error
    begun = ran.code < 0 or _PREPARED in ran.out
    if begun and all(text == each.after for text, each in zip(texts, changes, strict=True)):
        return
    if begun:
        raise _unsettled(changes)
    for text, change in zip(texts, changes, strict=True):
        if text != change.before:
            raise drifted(change.name.path)
    raise failed("update-ref", ran)


def _command(change: Change) -> bytes:
    ref = change.name.path.encode()
    old = b"" if change.before is None else change.before.strip()
    new = b"" if change.after is None else change.after.strip()
    match change.kind:
        case "created":
            return b"create " + ref + b"\0" + new + b"\0"
        case "deleted":
            return b"delete " + ref + b"\0" + old + b"\0"
        case _:
            return b"update " + ref + b"\0" + new + b"\0" + old + b"\0"


def _unsettled(changes: Sequence[Change]) -> HostError:
    return HostError(
        "write-unsettled",
        f"Nobody can say where {changes[0].name.path} stands after git was interrupted; look at it"
        " with git before anything else is written.",
    )
