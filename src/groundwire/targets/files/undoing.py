"""A write undone: the changes that bring back what was kept, where nobody has changed it since."""

from __future__ import annotations

from collections.abc import Callable

from groundwire.documents.target import (
    Absent,
    Change,
    ChangeKind,
    Plan,
    Present,
    Proposal,
    Reading,
    Step,
    TargetName,
)
from groundwire.errors import GuardError
from groundwire.targets.disk.kept import KeptFiles

Read = Callable[[str], Reading]


def proposal_to_undo(plan: Plan, kept: KeptFiles, read: Read) -> Proposal:
    """The changes after which every file is as it was before the plan; nothing is written.

    Owner and extended attributes of a file that was deleted do not come back.

    Raises:
        GuardError: `changed-since`: a file is not what the write left; `not-kept`: what it held
            before was too large, too old or is damaged.
    """
    return Proposal(changes=tuple(_change(step, kept, read) for step in reversed(plan.steps)))


def _change(step: Step, kept: KeptFiles, read: Read) -> Change:
    now = read(step.to or step.path)
    here = now if step.to is None else read(step.path)
    if step.after is None:
        if not isinstance(now.state, Absent):
            raise _changed(step.path)
        return Change(
            name=now.name, kind="created", state=now.state, before=None,
            after=_kept(step, kept), mode=_mode_before(step),
        )  # fmt: skip
    if not isinstance(now.state, Present) or not _is_left(step, now.state):
        raise _changed(now.name.path)
    match step.kind:
        case "renamed":
            if not isinstance(here.state, Absent):
                raise _changed(step.path)
            return _change_of(now, "renamed", now.content, here.name, None)
        case "created":
            return _change_of(now, "deleted", None, None, None)
        case _:
            mode = _mode_before(step)
            mode = None if mode == now.state.mode else mode
            kind: ChangeKind = "mode" if step.kind == "mode" else "changed"
            after = now.content if kind == "mode" else _kept(step, kept)
            return _change_of(now, kind, after, None, mode)


def _change_of(
    now: Reading, kind: ChangeKind, after: bytes | None, to: TargetName | None, mode: int | None
) -> Change:
    if not isinstance(now.state, Present):
        raise _changed(now.name.path)
    return Change(
        name=now.name, kind=kind, state=now.state, before=now.content, after=after, to=to, mode=mode
    )


def _is_left(step: Step, state: Present) -> bool:
    """Whether the file is as the write left it."""
    if state.digest != step.after:
        return False
    if step.mode is not None:
        return state.mode == step.mode
    return not isinstance(step.state, Present) or state.mode == step.state.mode


def _mode_before(step: Step) -> int | None:
    return step.state.mode & 0o777 if isinstance(step.state, Present) else None


def _kept(step: Step, kept: KeptFiles) -> bytes:
    data = kept.read(step.state.digest) if isinstance(step.state, Present) else None
    if data is None:
        raise GuardError(
            "not-kept",
            f"What {step.path} held before is not kept: it was too large or too long ago, or what"
            " was kept is damaged. Look for it in version control.",
        )
    return data


def _changed(path: str) -> GuardError:
    return GuardError(
        "changed-since",
        f"{path} is not what the write left: it was changed since. Undo by hand what is still"
        " wanted.",
    )
