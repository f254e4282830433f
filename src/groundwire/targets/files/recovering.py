"""Interrupted writes: finished where everything stood, put back where it did not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groundwire.documents.target import Absent, Plan, Present, Recovered, Step, stands_for
from groundwire.errors import EncodingError, GuardError, HostError
from groundwire.targets.files.ground import Glance, Ground, glance, is_placed, last
from groundwire.targets.files.journal import ENDING, open_journal, require_plan
from groundwire.targets.files.placing import SPARE
from groundwire.targets.files.reverting import finish, put_back, remove_folders, unstage


def interrupted(state: Path) -> tuple[Path, ...]:
    """The journals that stand in the folder; none where there is no folder.

    Raises:
        HostError: `journal-failed`.
    """
    try:
        return tuple(sorted(state.glob(f"*{ENDING}")))
    except OSError as error:
        raise HostError(
            "journal-failed", f"{state} cannot be listed ({error.strerror or error})."
        ) from error


def recover_journal(ground: Ground, path: Path) -> Recovered | None:
    """The write of a journal stands wholly or not at all, and its journal is gone.

    Files that somebody else has changed since are left as they are and named. None: it had not
    begun. Interrupted itself, it can be done again.

    Raises:
        HostError: `journal-in-use`, `journal-failed`; `target-unwritable`: the journal stays.
        EncodingError: `bad-journal`: another root's, or none of ours.
    """
    journal, standing = open_journal(path, ground.disk)
    try:
        if standing is None:
            journal.discard()
            return None
        _require_here(ground, standing.plan)
        with ground.exclusively(standing.plan.steps):
            if standing.committed:
                found = _finished(ground, standing.plan, standing.staged)
            else:
                found = _put_back(ground, standing.plan, standing.staged or None)
        journal.discard()
        return found
    except OSError as error:
        raise HostError(
            "target-unwritable",
            f"The write of {path} could not be recovered ({error.strerror or error}); see to the"
            " folder and recover again.",
        ) from error
    finally:
        journal.close()


def recover_plan(ground: Ground, plan: Plan) -> Recovered:
    """The same for a write of one file, which needs no journal but its plan.

    A file that already stood, with nothing left beside it, stands; else it is put back.

    Raises:
        EncodingError: `bad-journal`. HostError: `target-unwritable`, `write-unsettled`.
    """
    require_plan(plan)
    _require_here(ground, plan)
    if len(plan.steps) > 1:
        raise EncodingError(
            "bad-journal", "A write of several files is recovered by its journal; name that."
        )
    try:
        with ground.exclusively(plan.steps):
            if all(_stands(ground, step) for step in plan.steps):
                return Recovered(write=plan.write, stands="after", left_alone=())
            return _put_back(ground, plan, [None])
    except OSError as error:
        raise HostError(
            "target-unwritable",
            f"The write of {plan.steps[0].path} could not be recovered"
            f" ({error.strerror or error}); see to the folder and recover again.",
        ) from error


def recover_several(ground: Ground, plan: Plan) -> Recovered:
    """The same for a write of several files, by its journal; without one nothing is changed.

    A write whose journal is gone had ended, or had not begun: which of the two the files say.

    Raises:
        EncodingError: `bad-journal`. HostError: as `recover_journal`.
    """
    require_plan(plan)
    _require_here(ground, plan)
    journal = None if ground.state is None else ground.state / (plan.write + ENDING)
    if journal is not None and journal.exists():
        recovered = recover_journal(ground, journal)
        if recovered is not None:
            return recovered
    if all(_stands(ground, step) for step in plan.steps):
        return Recovered(write=plan.write, stands="after", left_alone=())
    left = [step for step in plan.steps if not _is_untouched(ground, step)]
    return _recovered(ground, plan, "before", left)


def _is_untouched(ground: Ground, step: Step) -> bool:
    """Whether the name has what it had before the write."""
    try:
        with ground.root.open_parent(step.path) as folder:
            found = glance(ground.disk, last(step.path), folder)
    except GuardError:
        return False
    if found is None:
        return isinstance(step.state, Absent)
    return found.state is not None and stands_for(step.state, found.state)


def _put_back(ground: Ground, plan: Plan, staged: Sequence[Present | None] | None) -> Recovered:
    """`staged` None: nothing of it was placed yet."""
    left = []
    for at in reversed(range(len(plan.steps))):
        step = plan.steps[at]
        whole = unstage(ground, step) if staged is None else put_back(ground, step, staged[at])
        if not whole:
            left.append(step)
    remove_folders(ground, [folder for step in plan.steps for folder in step.folders])
    return _recovered(ground, plan, "before", left)


def _finished(ground: Ground, plan: Plan, staged: Sequence[Present | None]) -> Recovered:
    left = []
    for step, token in zip(plan.steps, staged, strict=True):
        whole = finish(ground, step)
        if not whole or not _is_after(step, _now(ground, step), token):
            left.append(step)
    return _recovered(ground, plan, "after", left)


def _recovered(ground: Ground, plan: Plan, stands: str, left: Sequence[Step]) -> Recovered:
    return Recovered(
        write=plan.write,
        stands="after" if stands == "after" else "before",
        left_alone=tuple(sorted(ground.root.name(step.path) for step in left)),
    )


def _stands(ground: Ground, step: Step) -> bool:
    """Whether the name has the after and nothing is left beside it."""
    try:
        with ground.root.open_parent(step.path) as folder:
            beside = glance(ground.disk, step.held, folder) or glance(
                ground.disk, step.held + SPARE, folder
            )
            here = glance(ground.disk, last(step.path), folder)
        gone = step.to is None or here is None
        return beside is None and gone and _is_after(step, _now(ground, step), None)
    except GuardError:
        return False


def _now(ground: Ground, step: Step) -> Glance | None:
    try:
        path = step.to or step.path
        with ground.root.open_parent(path) as folder:
            return glance(ground.disk, last(path), folder)
    except GuardError:
        return Glance(0, 0, None)  # a link or no folder is in the way: something else


def _is_after(step: Step, found: Glance | None, token: Present | None) -> bool:
    if step.after is None:
        return found is None
    if token is not None:
        return is_placed(found, token)
    if found is None or not isinstance(found.state, Present):
        return False
    if step.kind == "renamed":
        return stands_for(step.state, found.state)
    same = not isinstance(step.state, Absent) and stands_for(step.state, found.state)
    wanted = step.mode is None or step.mode == found.state.mode
    return found.state.digest == step.after and wanted and not same


def _require_here(ground: Ground, plan: Plan) -> None:
    if plan.root != ground.root.path:
        raise EncodingError(
            "bad-journal", f"The write was one in {plan.root}; recover it in that folder."
        )
