"""A step put back or finished, from whatever point it had come to: in a refusal and after a crash.

Both say whether the name has what it should. Where somebody else has changed it since, it is left
as it is and the answer is no; nothing that is not ours is ever removed unless its bytes are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from groundwire.documents.target import Absent, Present, Step, is_same_file, stands_for
from groundwire.errors import GuardError
from groundwire.targets.disk.naming import settle_new
from groundwire.targets.disk.system import NOT_THERE
from groundwire.targets.files.ground import Glance, Ground, glance, is_placed, keep_glance, last
from groundwire.targets.files.placing import SPARE, put_again, swap_back


def put_back(ground: Ground, step: Step, staged: Present | None) -> bool:
    """The name has what it had before, `held` is gone; False where somebody else's is there.

    `staged` None: whether a file is ours is told by its content alone.

    Raises:
        HostError: `write-unsettled`, `target-unreadable`. Also raises `OSError`.
    """
    try:
        match step.kind:
            case "renamed":
                return _move_back(ground, step)
            case "created":
                return _uncreate(ground, step, staged)
            case "deleted":
                return _undelete(ground, step)
            case _:
                return _unexchange(ground, step, staged)
    except GuardError:
        return False  # a link or no file stands there now: not ours


def unstage(ground: Ground, step: Step) -> bool:
    """`held` is gone, where nothing was placed yet; False where the name is not what it was.

    Raises:
        HostError: `target-unreadable`. Also raises `OSError`.
    """
    try:
        with ground.root.open_parent(step.path) as folder:
            if glance(ground.disk, step.held, folder) is not None and folder is not None:
                ground.disk.remove(step.held, folder)
            return _is_before(step, glance(ground.disk, last(step.path), folder))
    except GuardError:
        return False


def finish(ground: Ground, step: Step, *, late: bool = True) -> bool:
    """What the step displaced is gone; False where it is not what was judged: then it is kept.

    `late` False: it was looked at just now, and nobody had it open, so it is not looked at again.

    Raises:
        HostError: `target-unreadable`. Also raises `OSError`.
    """
    if step.kind in {"created", "renamed"}:
        return True
    with ground.root.open_parent(step.path) as folder:
        if folder is not None and not late:
            ground.disk.remove(step.held, folder)
            return True
        held = glance(ground.disk, step.held, folder)
        if folder is None or held is None:
            return True
        if _is_before(step, held) or keep_glance(ground, held):
            ground.disk.remove(step.held, folder)
            return _is_before(step, held)
    return False


def remove_folders(ground: Ground, folders: Iterable[str]) -> None:
    """Folders that were made for the write are gone, the innermost first, if they are empty."""
    for path in sorted(folders, key=len, reverse=True):
        with suppress(OSError, GuardError), ground.root.open_parent(path) as above:
            if above is not None:
                ground.disk.remove_folder(last(path), above)


def _unexchange(ground: Ground, step: Step, staged: Present | None) -> bool:
    with ground.root.open_parent(step.path) as folder:
        if folder is None:
            return False
        name = last(step.path)
        _take_spare(ground, step, folder)
        held = glance(ground.disk, step.held, folder)
        found = glance(ground.disk, name, folder)
        if held is None:
            return _is_before(step, found)
        if _is_ours(step, held, staged):
            ground.disk.remove(step.held, folder)
            return _is_before(step, found)
        if found is not None and _is_ours(step, found, staged):
            _back(ground, step, found, held, folder)
            ours = glance(ground.disk, step.held, folder)
            if ours is not None and _is_ours(step, ours, staged):
                ground.disk.remove(step.held, folder)
            return _is_before(step, glance(ground.disk, name, folder))
        if not keep_glance(ground, held):
            return False
        ground.disk.remove(step.held, folder)
        return _is_before(step, found)  # then what was held was staged by half


def _back(ground: Ground, step: Step, found: Glance, held: Glance, folder: int) -> None:
    if ground.disk.state(folder).st_dev in ground.without_exchange:
        ground.disk.replace(step.held, last(step.path), folder)
        return
    try:
        swap_back(ground, step, found, held, folder)
    except OSError as error:
        if error.errno not in NOT_THERE:
            raise
        ground.disk.replace(step.held, last(step.path), folder)


def _take_spare(ground: Ground, step: Step, folder: int) -> None:
    """Where there was no exchange: the copy that was laid beside is `held`, or is not needed."""
    spare = step.held + SPARE
    if glance(ground.disk, spare, folder) is None:
        return
    if glance(ground.disk, step.held, folder) is None:
        ground.disk.replace(spare, step.held, folder)
    else:
        ground.disk.remove(spare, folder)


def _uncreate(ground: Ground, step: Step, staged: Present | None) -> bool:
    with ground.root.open_parent(step.path) as folder:
        if folder is None:
            return True
        name, spare = last(step.path), step.held + SPARE
        if glance(ground.disk, step.held, folder) is not None:
            ground.disk.remove(step.held, folder)  # only what was staged ever has this name
        found = glance(ground.disk, name, folder)
        if found is not None and _is_ours(step, found, staged):
            ground.disk.replace(name, spare, folder)
        taken = glance(ground.disk, spare, folder)
        if taken is None:
            return found is None
        if _is_ours(step, taken, staged):
            ground.disk.remove(spare, folder)
            return glance(ground.disk, name, folder) is None
        put_again(ground, step, spare, taken, folder)
        return False


def _undelete(ground: Ground, step: Step) -> bool:
    with ground.root.open_parent(step.path) as folder:
        if folder is None:
            return False
        held = glance(ground.disk, step.held, folder)
        if held is not None:
            put_again(ground, step, step.held, held, folder)
        return _is_before(step, glance(ground.disk, last(step.path), folder))


def _move_back(ground: Ground, step: Step) -> bool:
    to = step.to or step.path
    with ground.root.open_parent(step.path) as folder, ground.root.open_parent(to) as to_folder:
        found = glance(ground.disk, last(step.path), folder)
        moved = glance(ground.disk, last(to), to_folder)
        if folder is None or to_folder is None or not _is_moved(step, moved):
            return _is_before(step, found)
        if found is not None:
            # Killed between the two halves of a move without renameat2: one file, two names.
            if _is_moved(step, found):
                ground.disk.remove(last(to), to_folder)
                return True
            return False
        with suppress(FileExistsError):
            settle_new(ground.disk, last(to), to_folder, last(step.path), folder)
        return _is_before(step, glance(ground.disk, last(step.path), folder))


def _is_moved(step: Step, found: Glance | None) -> bool:
    return (
        found is not None
        and found.state is not None
        and is_same_file(step.state, found.state)
        and stands_for(step.state, found.state)
    )


def _is_before(step: Step, found: Glance | None) -> bool:
    if found is None:
        return isinstance(step.state, Absent)
    return found.state is not None and stands_for(step.state, found.state)


def _is_ours(step: Step, found: Glance, staged: Present | None) -> bool:
    if staged is not None:
        return is_placed(found, staged)
    state = found.state
    return (
        isinstance(state, Present)
        and state.digest == step.after
        and (step.mode is None or step.mode == state.mode)
        and not stands_for(step.state, state)
    )
