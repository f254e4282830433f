"""Terraform: the plan that it saved is judged, and that one is what `terraform apply` carries out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from groundwire.canon.digest import sha256
from groundwire.errors import GuardError, HostError
from groundwire.targets.shell.plans.commands import Applying
from groundwire.targets.shell.plans.port import Plan
from groundwire.targets.shell.plans.shown import planned_in

_SECONDS: Final = 900.0
_LARGEST: Final = 64 << 20
_OLD: Final = 24 * 3600.0
_OF_ARGUMENTS: Final = "TF_CLI_ARGS"


class TerraformPlanner:
    """A root module at `folder`; the plan is saved at `saved`, where nobody else may write.

    `program` is terraform itself. Its providers and data sources run while it plans and applies, and
    what the configuration starts. Sensitive values stand in a saved plan in clear text.
    """

    def __init__(
        self,
        folder: Path,
        saved: Path,
        environment: Mapping[str, str],
        applying: Applying,
        program: str,
    ) -> None:
        self._folder = folder
        self._saved = saved
        kept = {key: value for key, value in environment.items() if _OF_ARGUMENTS not in key}
        self._environment = {**kept, "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}
        self._applying = applying
        self._program = program

    def plan(self) -> Plan:
        """What it would do now, resource by resource and output by output. Nothing contains it.

        Raises:
            GuardError: `plan-unreadable`, `plan-incomplete`. HostError: `plan-failed`.
        """
        self._make_folder()
        options = ("-input=false", "-no-color", "-lock-timeout=30s", f"-out={self._saved}")
        self._require(self._run("plan", *options, *self._applying.planning), "plan")
        return self.show()

    def show(self) -> Plan:
        """What the plan that is saved already would do. Nothing contains it.

        Raises:
            GuardError: `plan-unreadable`, `plan-incomplete`, `plan-changed`.
            HostError: `plan-failed`.
        """
        digest = self._digest()
        done = self._run("show", "-json", "-no-color", str(self._saved))
        shown = self._require(done, "show")
        self.require_unchanged(digest)
        return plan_of(digest, shown)

    def save(self, content: bytes) -> str:
        """These bytes are the saved plan; their digest.

        Raises:
            GuardError: `plan-unreadable`. HostError: `plan-failed`.
        """
        if len(content) > _LARGEST:
            raise _too_large()
        self._make_folder()
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(self._saved, flags, 0o600), "wb") as file:
                file.write(content)
        except OSError as error:
            raise HostError(
                "plan-failed", f"A plan cannot be kept at {self._saved} ({error.strerror})."
            ) from error
        return sha256(content)

    def require_unchanged(self, digest: str) -> None:
        """The saved plan has this digest.

        Raises:
            GuardError: `plan-changed`, `plan-unreadable`. HostError: `plan-failed`.
        """
        if self._digest() != digest:
            raise GuardError(
                "plan-changed",
                "The saved plan is not the one that was judged; nothing was applied. Plan anew.",
            )

    def apply(self, plan: Plan) -> str:
        """The saved plan was carried out; terraform itself refuses one that its state has outrun.

        Raises:
            GuardError: `plan-changed`. HostError: `plan-failed`: it did not begin;
                `write-unsettled`: it ended badly, so how much of it stands nobody can say.
        """
        self.require_unchanged(plan.digest)
        options = ("-input=false", "-no-color", *self._applying.options)
        done = self._run("apply", *options, str(self._saved))
        if done is None or done.returncode != 0:
            said = "" if done is None else done.stderr[-500:].decode("utf-8", "replace").strip()
            raise HostError(
                "write-unsettled",
                "terraform apply did not end well, and how much of the plan stands only terraform's"
                f" state and its provider can say: {said}",
            )
        return done.stdout.decode("utf-8", "replace")

    def forget(self) -> None:
        """No plan is saved any more: it holds secrets."""
        self._saved.unlink(missing_ok=True)

    # -- inside -------------------------------------------------------------------------------

    def _make_folder(self) -> None:
        try:
            self._saved.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise HostError(
                "plan-failed", f"A plan cannot be kept at {self._saved} ({error.strerror})."
            ) from error

    def _digest(self) -> str:
        try:
            with self._saved.open("rb") as file:
                content = file.read(_LARGEST + 1)
        except OSError as error:
            raise HostError(
                "plan-failed", f"There is no plan at {self._saved} ({error.strerror})."
            ) from error
        if len(content) > _LARGEST:
            raise _too_large()
        return sha256(content)

    def _run(self, *words: str) -> subprocess.CompletedProcess[bytes] | None:
        """How it ended; None where it was ended because it took too long.

        Raises:
            HostError: `plan-failed`: it did not begin.
        """
        try:
            return subprocess.run(  # noqa: S603 -- the program that the host named, and no shell
                [self._program, f"-chdir={os.fspath(self._folder)}", *words],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise HostError(
                "plan-failed", f"{self._program} {words[0]} did not begin ({error})."
            ) from error

    def _require(self, done: subprocess.CompletedProcess[bytes] | None, verb: str) -> bytes:
        if done is None:
            raise HostError("plan-failed", f"{self._program} {verb} did not end.")
        if done.returncode != 0:
            said = done.stderr[-500:].decode("utf-8", "replace").strip()
            raise HostError("plan-failed", f"{self._program} {verb} failed: {said}")
        return done.stdout


def forget_old(folder: Path, now: float) -> None:
    """No plan is kept there that a process left which died: none is in use for so long.

    `now` is in seconds since 1970. What cannot be removed stays.
    """
    with suppress(OSError):
        for kept in folder.iterdir():
            with suppress(OSError):
                if kept.lstat().st_mtime < now - _OLD:
                    kept.unlink()


def plan_of(digest: str, shown: bytes) -> Plan:
    """The plan of these bytes' digest, by what terraform shows of it.

    Raises:
        GuardError: `plan-unreadable`, `plan-incomplete`.
    """
    version, changes = planned_in(shown)
    return Plan(digest=digest, changes=changes, version=version)


def _too_large() -> GuardError:
    return GuardError("plan-unreadable", "The saved plan is too large to be judged.")
