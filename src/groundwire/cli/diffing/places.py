"""Places: what the two files on a command line are, and what they are called when spoken of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from groundwire.audit.diffing.diffing import Place
from groundwire.audit.diffing.trees import Folder
from groundwire.contracts.changes import Where
from groundwire.contracts.comparison import Comparison
from groundwire.errors import HostError, PolicyError

_LARGE: Final = 1 << 20


class Named(msgspec.Struct, frozen=True):
    """A file as it was named, and the place where it lies; None is a file that is not there."""

    said: str
    folder: str
    place: Place | None

    def is_large(self) -> bool:
        """Whether somebody will wait for it; never raises."""
        try:
            return os.stat(self.said).st_size > _LARGE
        except OSError:
            return False


def named(path: Path, root: Path | None) -> Named:
    """The file in the folder that its references may lead to; the null device is no file.

    A link that was named is followed; those that a description leads to are not.

    Raises:
        HostError: `missing-description`; PolicyError: `bad-arguments`: it is not below the root.
    """
    if str(path) == os.devnull:
        return Named(os.devnull, "", None)
    if "\0" in str(path):
        raise PolicyError("bad-arguments", "A path cannot hold a NUL.")
    whole = Path(os.path.realpath(path))
    above = Path(os.path.realpath(root)) if root else whole.parent
    if not above.is_dir():
        raise HostError("missing-description", f"There is no file {path}.")
    if not whole.is_relative_to(above) or whole == above:
        raise PolicyError("bad-arguments", f"{path} does not lie below {root or above}.")
    folder = str(above) if path.is_absolute() else os.path.relpath(above)
    inside = whole.relative_to(above).as_posix()
    return Named(str(path), folder, Place(Folder(above, ""), inside, str(path)))


def as_named(comparison: Comparison, before: Named, after: Named) -> Comparison:
    """The comparison with each place's file called as it was named."""
    changes = tuple(
        msgspec.structs.replace(
            each, before=_called(each.before, before), after=_called(each.after, after)
        )
        for each in comparison.changes
    )
    return msgspec.structs.replace(comparison, changes=changes)


def path_of(before: Named, after: Named, policy: Path | None) -> str:
    """What waivers know the file by: its path from the policy's folder, or from here.

    Of a file that does not lie there it is the path as it was named.
    """
    name = before if after.place is None else after
    home = Path(os.path.realpath(policy.parent if policy else Path.cwd()))
    whole = Path(os.path.realpath(name.said))
    return whole.relative_to(home).as_posix() if whole.is_relative_to(home) else name.said


def same_content(before: Named, after: Named) -> bool:
    """Whether the two files hold the same bytes."""
    if before.place is None or after.place is None:
        return before.place is after.place
    return before.place.content() == after.place.content()


def _called(where: Where | None, name: Named) -> Where | None:
    if where is None or name.place is None:
        return where
    if where.file == name.place.path:
        return msgspec.structs.replace(where, file=name.said)
    return msgspec.structs.replace(
        where, file=os.path.normpath(os.path.join(name.folder, where.file))
    )
