"""Guard: what every guarded call of a project shares: keys, targets, grants, kept images, places."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from groundwire.authority.local import LocalAuthority
from groundwire.authority.places import Places, PolicyPin
from groundwire.authority.reading.governing.rules import PRODUCTION
from groundwire.authority.ruling.contracts import contract_engines
from groundwire.documents.governing import GuardRules
from groundwire.documents.policy import Policy
from groundwire.keys.keyring import Keyring
from groundwire.session.clock import random_bytes
from groundwire.session.guarding.notices.giving import Notices
from groundwire.session.guarding.people.desk import Desk
from groundwire.session.guarding.people.halting import STOPS_FOLDER, Halts, watch_of
from groundwire.session.guarding.pieces.since import Since
from groundwire.session.guarding.signing import SigningKeys, Standing
from groundwire.session.guarding.ways.files import Files
from groundwire.session.guarding.ways.planned.way import PlanWay
from groundwire.session.guarding.ways.sql import databases_of
from groundwire.stores.keys import default_folder
from groundwire.stores.writing.grants import Grants
from groundwire.stores.writing.once import Deeds
from groundwire.stores.writing.owners import Owners
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.disk.kept import KeptBounds, KeptFiles
from groundwire.targets.disk.programs import program_outside
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.git.target import GitTarget
from groundwire.targets.places.resolving import real_path
from groundwire.targets.shell.plans.commands import PROGRAM, applying_of
from groundwire.targets.shell.plans.terraform import forget_old
from groundwire.targets.shell.running import Limits
from groundwire.targets.shell.staging import Bounds, ShellTarget, open_shell
from groundwire.targets.shell.view import view_of
from groundwire.targets.stopping import Stop

GRANTS: Final = "grants.sqlite"
_ID_BYTES = 16


def fresh_id() -> str:
    """32 hex digits that nobody has used: the name of a grant, a write or an owner."""
    return random_bytes(_ID_BYTES).hex()


class State:
    """The guard's part of this user's state folder: opened when it is first needed, once a process.

    Raises, from every method:
        HostError: `no-state-home`, or as the store that is asked for.
    """

    def __init__(self, now: Callable[[], datetime], rules: GuardRules) -> None:
        self._now = now
        self._rules = rules
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._kept: KeptFiles | None = None
        self._grants: Grants | None = None
        self._deeds: Deeds | None = None
        self._targets: dict[str, FilesTarget] = {}
        self._refs: dict[str, GitTarget] = {}

    @property
    def folder(self) -> Path:
        """Where it is."""
        return default_folder(os.environ).parent / "guard"

    @property
    def bounds(self) -> KeptBounds:
        """How much is kept of what was there before, and for how long."""
        rules = self._rules
        return KeptBounds(total=rules.keep_bytes, age=rules.keep_days * 24 * 3600.0)

    def kept(self) -> KeptFiles:
        """The before-images."""
        with self._locked():
            if self._kept is None:
                self._kept = KeptFiles(
                    self.folder / "kept", lambda: self._now().timestamp(), self.bounds
                )
            return self._kept

    def grants(self) -> Grants:
        """The grants that were consumed."""
        with self._locked():
            if self._grants is None:
                owner = owners(self.folder / "owners").name(fresh_id())
                keep = timedelta(days=self._rules.keep_days)
                self._grants = Grants(self.folder / GRANTS, owner, keep)
            return self._grants

    def deeds(self) -> Deeds:
        """What is to be done once, and was begun."""
        with self._locked():
            grants = self.grants()
            if self._deeds is None:
                owner = self.owners().name(fresh_id())
                self._deeds = Deeds(grants.database, owner, self.owners().is_alive)
            return self._deeds

    @property
    def has_grants(self) -> bool:
        """Whether any grant was ever consumed here, as far as there is a database of them."""
        return os.path.lexists(self.folder / GRANTS)

    def owners(self) -> Owners:
        """Who else writes."""
        return owners(self.folder / "owners")

    def files(self, root: Path) -> FilesTarget:
        """The files below a folder, as a target."""
        with self._locked():
            real = real_path(root)
            if real not in self._targets:
                self._targets[real] = FilesTarget(Path(real), self.kept(), self.folder / "journals")
            return self._targets[real]

    def git(self, folder: Path) -> GitTarget:
        """The refs of the repository that a folder is in, as a target."""
        with self._locked():
            real = real_path(folder)
            if real not in self._refs:
                now = self._now
                self._refs[real] = GitTarget(Path(real), self.kept(), lambda: now().timestamp())
            return self._refs[real]

    def holdings(self, root: Path) -> DiskHoldings:
        """Where bytes may stand besides."""
        return DiskHoldings(root, self.kept())

    def close(self) -> None:
        """What is open is closed; another use opens it again."""
        with self._locked():
            if self._grants is not None:
                self._grants.close()
            if self._kept is not None:
                self._kept.close()
            self._grants = self._kept = self._deeds = None
            self._targets.clear()
            self._refs.clear()

    def _locked(self) -> threading.RLock:
        if self._process != os.getpid():
            # A forked child: what its parent holds open, and holds locked, is the parent's.
            self._process = os.getpid()
            self._lock = threading.RLock()
            self._kept = self._grants = self._deeds = None
            self._targets = {}
            self._refs = {}
        return self._lock


class Guard:
    """What a project's guarded calls share under one policy; made once for each project.

    `folder` is the policy's own, `pin` its file as it was read. Opens nothing until a call is
    guarded.
    """

    def __init__(
        self, policy: Policy, folder: Path, pin: PolicyPin, now: Callable[[], datetime]
    ) -> None:
        self.rules = policy.guard
        self.folder = Path(os.path.realpath(folder / self.rules.folder))
        self.now = now
        self.state = State(now, self.rules)
        self.databases = databases_of(self.rules, folder)
        self._runs = folder / Path(policy.runs).expanduser()
        self._pin = pin
        self.contracts = policy.contracts
        self.described: dict[str, tuple[tuple[int, int, int, int], bool]] = {}
        self.engines = contract_engines(policy.diff, lambda: now().date().isoformat())
        self.since = Since(self.engines, self.rules.artifacts)
        self._policy = policy
        self._desk: Desk | None = None
        self._halts: Halts | None = None
        self.notices = Notices(policy.notices, now)
        self._keys: SigningKeys | None = None
        self._authority: tuple[Standing, LocalAuthority] | None = None
        self._places: Places | None = None
        self._shell: ShellTarget | None = None
        self._lock = threading.Lock()
        self._shell_lock = threading.Lock()

    def keys(self) -> Standing:
        """The key that decides and carries out, and the keyring, as they are now.

        Raises:
            HostError: as `SigningKeys.standing`.
        """
        with self._lock:
            if self._keys is None:
                self._keys = SigningKeys(default_folder(os.environ), self.now, random_bytes)
        return self._keys.standing()

    def authority(self) -> LocalAuthority:
        """Whoever decides, with the key that signs now."""
        standing = self.keys()
        with self._lock:
            if self._authority is None or self._authority[0] is not standing:
                made = LocalAuthority(self.rules, standing.signer, str(self.folder), self.engines)
                self._authority = (standing, made)
            return self._authority[1]

    def desk(self) -> Desk:
        """Whom a person's yes is asked of, and where it lies.

        Raises:
            HostError: `no-state-home`.
        """
        with self._lock:
            if self._desk is None:
                grants = self.state.grants().database
                self._desk = Desk(self._policy, self.state.folder, grants, self.now)
            return self._desk

    def halts(self) -> Halts:
        """What people stopped, and which runs they let act.

        Raises:
            HostError: `no-state-home`.
        """
        with self._lock:
            if self._halts is None:
                watch = watch_of(self.state.folder / STOPS_FOLDER)
                self._halts = Halts(watch, self._who_lifts)
            return self._halts

    def _who_lifts(self) -> tuple[Keyring, frozenset[str]]:
        """The keyring, and the keys of those who may say yes where it is strictest."""
        keyring, own = self.keys().keyring, self.keys().signer.key_id
        return keyring, frozenset(self.desk().approvers.counting(PRODUCTION, keyring, own))

    def places(self) -> Places:
        """Where nobody writes, and what nobody reads."""
        with self._lock:
            if self._places is None:
                keys = default_folder(os.environ)
                self._places = Places(
                    folder=self.folder,
                    policy=self._pin.path,
                    keys=keys,
                    state=keys.parent,
                    runs=self._runs,
                    deny_read=self.rules.deny_read,
                    deny_read_kinds=self.rules.deny_read_kinds,
                )
            return self._places

    def shell(self) -> ShellTarget:
        """Commands in the working folder; how far one gets was measured when it was first asked for.

        Raises:
            HostError: `staging-failed`, `no-state-home`.
        """
        places = self.places()
        with self._shell_lock:
            if self._shell is None:
                own = default_folder(os.environ).parent
                self._shell = open_shell(
                    self.state.files(self.folder),
                    view_of(
                        os.environ,
                        own=(own,),
                        shown=(Path(sys.base_prefix),),
                        written=str(self.folder),
                    ),
                    state=self.state.folder / "staging",
                    now=lambda: self.now().timestamp(),
                    token=fresh_id(),
                    bounds=Bounds(
                        limits=Limits(
                            seconds=float(self.rules.command_seconds),
                            written=self.rules.command_bytes,
                        ),
                        deny_read=self.rules.deny_read,
                        deny_read_kinds=self.rules.deny_read_kinds,
                    ),
                    protected=places.protected,
                )
            return self._shell

    def planned(self, command: str, stop: Stop) -> PlanWay | None:
        """How a command is judged by a plan of its own; None for any other command.

        Also where its program is not here, or lies in the working folder.
        """
        applying = applying_of(command)
        path = os.environ.get("PATH", os.defpath)
        program = None if applying is None else program_outside(PROGRAM, str(self.folder), path)
        if applying is None or program is None:
            return None
        plans = self.state.folder / "plans"
        forget_old(plans, self.now().timestamp())
        return PlanWay(
            self.shell,
            self.state.files(self.folder),
            applying,
            program,
            saved=plans / fresh_id(),
            environment=os.environ,
            outside=PROGRAM in self.rules.plans,
            stop=stop,
        )

    def require_policy_unchanged(self) -> None:
        """The policy on the disk is the one that is in force.

        Raises:
            GroundwireError: `policy-changed`.
        """
        self._pin.unchanged()

    def files(self) -> Files:
        """The working folder."""
        return Files(self.folder, self.state.files, self.state.bounds)


_owners: dict[str, Owners] = {}
_owners_lock = threading.Lock()


def owners(folder: Path) -> Owners:
    """The owners in this folder; one object a process, for a lock is held by the process."""
    with _owners_lock:
        return _owners.setdefault(os.fspath(folder), Owners(folder))


def _forked() -> None:
    global _owners_lock  # noqa: PLW0603 -- the parent may have held it when it forked
    _owners_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
