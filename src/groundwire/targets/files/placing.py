"""One step of a plan carried out by exchange, what it displaced compared, or put back.

Whatever a step displaces keeps existing under `held` until the whole write stands. Where it is not
what was judged, it goes back to its name, and what came to that name meanwhile is never lost.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from typing import Final

import msgspec

from groundwire.documents.target import Guarantee, Present, Step
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.naming import settle_new
from groundwire.targets.disk.system import NOT_THERE
from groundwire.targets.files.ground import (
    Glance,
    Ground,
    glance,
    is_unchanged,
    keep_glance,
    last,
)
from groundwire.targets.files.staging import stage
from groundwire.targets.refusing import drifted, require_unchanged

_MOST_TURNS: Final = 100
SPARE: Final = "~"
"""What the name of a second copy has behind `held`, where there is no exchange."""


class Placed(msgspec.Struct, frozen=True):
    """How sure it was, and whether what was displaced is its own before-image now, not `held`."""

    guarantee: Guarantee
    taken: bool = False


def place(
    ground: Ground, step: Step, staged: Present | None, before: bytes | None, *, take: bool = False
) -> Placed:
    """The step's after stands at its name, what stood there under `held`; how sure that was.

    `staged` is the token of the file under `held` for a step that has one. With `take` what was
    displaced and compared is kept as the file that it is, where that can be.

    Raises:
        GuardError: `state-drifted`, `state-unmeasurable`: the name has what others put there.
        HostError: `write-unsettled`, `moves-between-devices`. Also raises `OSError`.
    """
    if step.kind == "renamed":
        return Placed(_move(ground, step))
    if step.kind == "deleted":
        return _delete(ground, step, take=take)
    if staged is None:
        raise HostError("write-unsettled", f"{step.path} was not staged; nothing was written.")
    if step.kind == "created":
        return Placed(_create(ground, step))
    return _exchange(ground, step, before, take=take)


def _exchange(ground: Ground, step: Step, before: bytes | None, *, take: bool) -> Placed:
    name = last(step.path)
    with ground.folder(step.path) as folder:
        device = ground.disk.state(folder).st_dev
        if device not in ground.without_exchange:
            try:
                ground.disk.exchange(step.held, name, folder)
            except FileNotFoundError as error:
                raise drifted(step.path) from error
            except OSError as error:
                if error.errno not in NOT_THERE:
                    raise
                ground.without_exchange.add(device)
            else:
                displaced = _require_displaced(ground, step, folder)
                return Placed(
                    "exchange-detected", _taken(ground, step, displaced, folder, take=take)
                )
        _replace(ground, step, folder, before)
        return Placed("non-atomic")


def _require_displaced(ground: Ground, step: Step, folder: int) -> Glance | None:
    displaced = glance(ground.disk, step.held, folder)
    require_unchanged(step.path, step.state, displaced.state if displaced else None)
    return displaced


def _taken(
    ground: Ground, step: Step, displaced: Glance | None, folder: int, *, take: bool
) -> bool:
    """Whether what was displaced is kept as the file that it is; nobody may have it open to write."""
    return (
        take
        and displaced is not None
        and displaced.closed
        and isinstance(displaced.state, Present)
        and ground.kept.take(step.held, folder, displaced.state)
    )


def swap_back(ground: Ground, step: Step, placed: Glance, displaced: Glance, folder: int) -> None:
    """What was displaced has its name again, or what somebody put there since has; none is lost.

    `placed` was put at the name, `displaced` is under `held`. Each turn exchanges the two; it is
    over when what comes out is what went in, untouched. Afterwards `held` is what was placed
    first, or gone.

    Raises:
        HostError: `write-unsettled`. Also raises `OSError`.
    """
    name, ours = last(step.path), placed
    for _ in range(_MOST_TURNS):
        try:
            ground.disk.exchange(step.held, name, folder)
        except FileNotFoundError:
            # Somebody removed what was placed; what it displaced is all that there is.
            with suppress(FileExistsError):
                settle_new(ground.disk, step.held, folder, name, folder)
                return
            continue
        out = glance(ground.disk, step.held, folder)
        if out is not None and is_unchanged(placed, out):
            _settle(ground, step, ours, displaced, out, folder)
            return
        placed, displaced = displaced, out or displaced
    raise unsettled(step, "others kept writing to it")


def _settle(
    ground: Ground, step: Step, ours: Glance, at_name: Glance, held: Glance, folder: int
) -> None:
    if (held.device, held.inode) != (ours.device, ours.inode):
        # An older one of two that others put there; the newer has the name.
        if not keep_glance(ground, held):
            raise unsettled(step, f"others' bytes are too large to keep and stand in {step.held}")
        ground.disk.remove(step.held, folder)
    if (at_name.device, at_name.inode) == (ours.device, ours.inode):
        raise unsettled(step, "somebody wrote to it as soon as it stood there")


def _replace(ground: Ground, step: Step, folder: int, before: bytes | None) -> None:
    """Without exchange: a copy of what stands there is laid beside, compared, and replaced."""
    name, spare = last(step.path), step.held + SPARE
    if before is None:
        raise drifted(step.path)
    stage(ground.disk, folder, _unstepped(step), before, spare)
    found = glance(ground.disk, name, folder)
    require_unchanged(step.path, step.state, found.state if found else None)
    ground.disk.replace(step.held, name, folder)
    ground.disk.replace(spare, step.held, folder)


def _unstepped(step: Step) -> Step:
    """The step of a copy that is like the original in everything."""
    return Step(path=step.path, kind="changed", state=step.state, after=None, held=step.held)


def _create(ground: Ground, step: Step) -> Guarantee:
    with ground.folder(step.path) as folder:
        try:
            return settle_new(ground.disk, step.held, folder, last(step.path), folder)
        except FileExistsError as error:
            raise drifted(step.path) from error


def _delete(ground: Ground, step: Step, *, take: bool) -> Placed:
    name = last(step.path)
    with ground.folder(step.path) as folder:
        try:
            ground.disk.replace(name, step.held, folder)
        except FileNotFoundError as error:
            raise drifted(step.path) from error
        displaced = glance(ground.disk, step.held, folder)
        try:
            require_unchanged(step.path, step.state, displaced.state if displaced else None)
        except GuardError:
            put_again(ground, step, step.held, displaced, folder)
            raise
        taken = _taken(ground, step, displaced, folder, take=take)
    return Placed("exchange-detected", taken)


def put_again(ground: Ground, step: Step, beside: str, held: Glance | None, folder: int) -> None:
    """What was taken to `beside` has its name again; where that is taken, its bytes are kept.

    Raises:
        HostError: `write-unsettled`. Also raises `OSError`.
    """
    try:
        settle_new(ground.disk, beside, folder, last(step.path), folder)
    except FileExistsError:
        if held is None or not keep_glance(ground, held):
            raise unsettled(step, f"what it held stands in {beside}") from None
        ground.disk.remove(beside, folder)


def _move(ground: Ground, step: Step) -> Guarantee:
    to = step.to or step.path
    with ground.folder(step.path) as folder, ground.folder(to) as to_folder:
        try:
            how = settle_new(ground.disk, last(step.path), folder, last(to), to_folder)
        except FileNotFoundError as error:
            raise drifted(step.path) from error
        except FileExistsError as error:
            raise drifted(to) from error
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            raise HostError(
                "moves-between-devices",
                f"{step.path} and {to} are on two file systems; create the one and delete the"
                " other.",
            ) from error
        moved = glance(ground.disk, last(to), to_folder)
        try:
            require_unchanged(step.path, step.state, moved.state if moved else None)
        except GuardError:
            try:
                settle_new(ground.disk, last(to), to_folder, last(step.path), folder)
            except (FileExistsError, FileNotFoundError):
                raise unsettled(step, f"what it held may stand at {to}") from None
            raise
    return how


def unsettled(step: Step, why: str) -> HostError:
    """The error of a write of which nobody can say that all or nothing of it stands."""
    return HostError(
        "write-unsettled",
        f"It is not settled what stands at {step.path}: {why}. Look at it before anything else is"
        " written; what it held before is kept.",
    )
