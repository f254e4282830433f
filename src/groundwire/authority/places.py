"""Places: what no guarded tool writes here, what none reads, and that the policy stays as it was.

What is denied here no rule and no profile allows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from groundwire.authority.policy import MAX_BYTES
from groundwire.canon.digest import sha256
from groundwire.documents.target import TargetName
from groundwire.errors import GuardError, PolicyError
from groundwire.targets.places.kinds import denied_kind
from groundwire.targets.places.protected import (
    Place,
    Protected,
    What,
    denied_to_read,
    protection_of,
)
from groundwire.targets.places.repositories import (
    own_parts,
    repositories_named,
    repository_part,
)
from groundwire.targets.places.resolving import resolve

_WORDS = {
    "policy": "the policy that guards it",
    "keys": "keys",
    "state": "groundwire's own state",
    "recordings": "a recording",
    "agent-hooks": "settings of an agent's hooks",
    "git-hooks": "hooks that git runs",
    "git-config": "the configuration of git",
}


class Places:
    """The places of one project. Links and names are looked up anew each time: they may change."""

    def __init__(
        self,
        *,
        folder: Path,
        policy: Path | None = None,
        keys: Path | None = None,
        state: Path | None = None,
        runs: Path | None = None,
        deny_read: Sequence[str] = (),
        deny_read_kinds: Sequence[str] = (),
    ) -> None:
        """`folder` is where other names of a file are looked for. What is None is not there.

        Whatever lies in `runs` is protected, and every recording wherever it lies.

        Raises:
            HostError: `target-unreadable`: one of them cannot be looked up.
        """
        self._folder = folder
        places: tuple[tuple[What, Path | None], ...] = (
            ("policy", policy),
            ("keys", keys),
            ("state", state),
            ("recordings", runs),
            # Found once: what is moved out of such a folder later makes it no other one.
            *(part for each in repositories_named(folder) for part in own_parts(each)),
        )
        self._protected = tuple(
            Protected(what=what, place=resolve(path)) for what, path in places if path is not None
        )
        self._deny_read = tuple(deny_read)
        self._deny_read_kinds = frozenset(deny_read_kinds)

    @property
    def protected(self) -> tuple[Protected, ...]:
        """What is protected here by its place, beside what is by its name everywhere."""
        return self._protected

    def refuse_write(self, names: Iterable[TargetName]) -> None:
        """None of the targets is a place that no guarded tool writes.

        Names of a git repository's refs and of a database's tables are their target's to judge, and
        pass; of a database in a file that file is asked about.

        Raises:
            GuardError: `protected-place`. HostError: `target-unreadable`.
        """
        for name in names:
            if name.kind in ("git", "sql"):
                continue
            what = self._protection(self._resolved(_path_of(name)))
            if what is not None:
                raise GuardError(
                    "protected-place",
                    f"{name.path} is {_WORDS[what]}, or holds it; no tool writes there. "
                    "A person can, outside the agent.",
                )

    def refuse_read(self, path: Path | TargetName) -> None:
        """The path is none that no tool shows: keys, and what `deny_read` names.

        A relative path begins at the working folder.

        Raises:
            GuardError: `denied-to-read`. HostError: `target-unreadable`.
        """
        asked = _path_of(path) if isinstance(path, TargetName) else os.path.join(self._folder, path)
        protection = denied_to_read(self._resolved(asked), self._deny_read, self._protected)
        if protection is not None:
            raise GuardError(
                "denied-to-read",
                f"{asked} is not for tools to read ({protection.what}); see deny_read in [guard].",
            )

    def refuse_content(self, content: bytes) -> None:
        """The bytes are none of the kinds of secret that `deny_read_kinds` names.

        Raises:
            GuardError: `denied-to-read`.
        """
        kind = denied_kind(content, self._deny_read_kinds)
        if kind is not None:
            raise GuardError(
                "denied-to-read",
                f"These contents hold a {kind} and are not for tools to show; see deny_read_kinds "
                "in [guard].",
            )

    def _protection(self, place: Place) -> str | None:
        protection = protection_of(place, self._protected)
        if protection is not None:
            return protection.what
        return next(filter(None, map(repository_part, place.names)), None)

    def _resolved(self, path: str) -> Place:
        return resolve(path, search=(self._folder,))


class PolicyPin(msgspec.Struct, frozen=True):
    """The policy file as it was when the run began; None where there was none.

    `absent` are the places at which a policy would be found, were one made.
    """

    path: Path | None
    digest: str
    absent: tuple[Path, ...] = ()

    @classmethod
    def of(cls, path: Path | None, absent: Iterable[Path] = ()) -> PolicyPin:
        """The file pinned as it is now.

        Raises:
            PolicyError: `policy-unreadable`.
        """
        return cls(path, "" if path is None else _digest(path), tuple(absent))

    def unchanged(self) -> None:
        """The policy on the disk is, byte for byte, the one that the run began with.

        Does not see that it was another in between.

        Raises:
            PolicyError: `policy-changed`; `policy-unreadable`.
        """
        if self.path is not None and _digest(self.path) != self.digest:
            raise _changed(self.path)
        for path in self.absent:
            if os.path.lexists(path):
                raise _changed(path)


def _path_of(name: TargetName) -> str:
    return os.path.join(name.root, name.path)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)  # one byte more than any policy that is read has
    except OSError as error:
        raise PolicyError(
            "policy-unreadable",
            f"{path} cannot be read ({error.strerror}); nothing is written while it is so.",
        ) from error
    return sha256(content)


def _changed(path: Path) -> PolicyError:
    return PolicyError(
        "policy-changed",
        f"{path} is not what it was when this run began; nothing is written any more. Start a new "
        "run, in which the policy that is there now holds.",
    )
