"""A plan made, or shown, beside the working folder: as any command runs there, without a network.

What the folder's own configuration starts while it is planned (providers, data sources) is held in
as a staged command is. Nothing of what it leaves is applied; the plan alone is taken out.
"""

from __future__ import annotations

import os
from typing import Final

import msgspec

from groundwire.documents.staged import Containment
from groundwire.documents.target import TargetName
from groundwire.errors import GuardError, HostError
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.shell.plans.commands import Applying
from groundwire.targets.shell.staged_command import StagedCommand
from groundwire.targets.shell.staging import ShellTarget
from groundwire.targets.stopping import Stop

_SHELL: Final = "/bin/sh"
_SHOW: Final = 'p=$0 d=$1 o=$2 s=$3; shift 3; "$p" "-chdir=$d" show -json -no-color "$o" > "$d/$s"'
_MAKE: Final = (
    'p=$0 d=$1 o=$2 s=$3; shift 3; "$p" "-chdir=$d" plan -input=false -no-color "-out=$o" "$@" >&2'
    ' && "$p" "-chdir=$d" show -json -no-color "$o" > "$d/$s"'
)


class Contained(msgspec.Struct, frozen=True, kw_only=True):
    """A plan and what the program shows of it, and how far a program got where it was made."""

    saved: bytes
    shown: bytes
    containment: Containment


def folder_of(applying: Applying, files: FilesTarget) -> TargetName:
    """The folder that the command applies in, below the working folder; "" is that itself.

    Raises:
        GuardError: `bad-path`, `path-outside`. HostError: `target-unreadable`.
    """
    if os.path.normpath(applying.folder) == ".":
        return TargetName(kind="files", root=files.root, path="")
    return files.locate(applying.folder)


def file_of(applying: Applying, folder: TargetName, files: FilesTarget) -> TargetName | None:
    """The saved plan that the command names; None where it names none.

    Raises:
        GuardError: `bad-path`, `path-outside`. HostError: `target-unreadable`.
    """
    if applying.file is None:
        return None
    return files.locate(os.path.join(folder.path, applying.file))


def plan_contained(
    shell: ShellTarget,
    files: FilesTarget,
    applying: Applying,
    program: str,
    name: str,
    stop: Stop,
) -> Contained:
    """The command's plan, made or read beside the working folder; nothing of that stands anywhere.

    `name` is used once, like that of a write. `program` is a whole path.

    Raises:
        GuardError: `plan-changed`: the saved plan is not what was shown; and as `ShellTarget.stage`.
        HostError: `plan-failed`, and as `ShellTarget.stage`.
    """
    folder = folder_of(applying, files)
    given = file_of(applying, folder, files)
    before = None if given is None else saved_at(given, files)
    at = folder.path or "."
    shown = f".gw-{name}.json"
    if given is None:
        saved = f".gw-{name}.tfplan"
        words = (_SHELL, "-c", _MAKE, program, at, saved, shown, *applying.planning)
    else:
        saved = os.path.relpath(given.path, folder.path or ".")
        words = (_SHELL, "-c", _SHOW, program, at, saved, shown)
    staged = shell.stage(words, name, stop=stop)
    _require_ended(staged)
    left = {file.path: file.after for file in staged.staged.changes}
    if given is not None and (given.path in left or saved_at(given, files) != before):
        raise GuardError(
            "plan-changed",
            "The saved plan changed while it was read; nothing was applied. Plan anew.",
        )
    plan = before if given is not None else left.get(os.path.normpath(os.path.join(at, saved)))
    said = left.get(os.path.normpath(os.path.join(at, shown)))
    if plan is None or said is None:
        raise HostError("plan-failed", f"{program} left no plan.")
    return Contained(saved=plan, shown=said, containment=staged.staged.containment)


def saved_at(name: TargetName, files: FilesTarget) -> bytes:
    """The bytes of a saved plan in the working folder.

    Raises:
        GuardError: `path-is-link`, `not-a-file`. HostError: `plan-failed`, `target-unreadable`.
    """
    content = files.read_state(name).content
    if content is None:
        raise HostError("plan-failed", f"There is no plan that can be read at {name.path}.")
    return content


def _require_ended(staged: StagedCommand) -> None:
    if staged.staged.exit != 0:
        said = staged.staged.output.stderr[-500:].decode("utf-8", "replace").strip()
        raise HostError(
            "plan-failed",
            "The plan could not be made or read beside the working folder, where there is no"
            f" network and no secret: {said}\nMake it where there is one, `terraform plan"
            " -out=FILE`, and apply that; or declare `plans` in [guard].",
        )
