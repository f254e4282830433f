"""Terraform: `terraform plan` is judged, and the plan that it saved is what `apply` carries out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from groundwire.canon import jcs
from groundwire.canon.digest import sha256
from groundwire.errors import EncodingError, GuardError, HostError
from groundwire.targets.shell.plans.port import Action, Plan, Planned

KIND: Final = "terraform"
_SECONDS: Final = 900.0
_LARGEST: Final = 64 << 20
_ACTIONS: Final[dict[tuple[str, ...], Action | None]] = {
    ("no-op",): None,
    ("read",): None,
    ("create",): "create",
    ("update",): "update",
    ("delete",): "delete",
    ("delete", "create"): "replace",
    ("create", "delete"): "replace",
}


class _Change(msgspec.Struct):
    actions: tuple[str, ...]
    before: msgspec.Raw
    after: msgspec.Raw


class _Resource(msgspec.Struct):
    address: str
    change: _Change


class _Output(msgspec.Struct):
    actions: tuple[str, ...]
    before: msgspec.Raw = msgspec.Raw(b"null")
    after: msgspec.Raw = msgspec.Raw(b"null")


class _Shown(msgspec.Struct):
    """What `terraform show -json` says, as far as it is read; format 1."""

    format_version: str
    resource_changes: tuple[_Resource, ...] = ()
    output_changes: dict[str, _Output] = {}


class TerraformPlanner:
    """A root module at `folder`; the plan is saved at `saved`, where nobody else may write.

    Terraform's providers and data sources run while it plans. Sensitive values stand in a saved
    plan in clear text.
    """

    def __init__(
        self,
        folder: Path,
        saved: Path,
        environment: Mapping[str, str],
        arguments: Sequence[str] = (),
        program: str = "terraform",
    ) -> None:
        self._folder = folder
        self._saved = saved
        self._environment = {**environment, "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}
        self._arguments = tuple(arguments)
        self._program = program

    def plan(self) -> Plan:
        """What it would do now, resource by resource and output by output.

        Raises:
            GuardError: `plan-unreadable`: of another format, or with an action that is not known.
            HostError: `plan-failed`.
        """
        options = ("-input=false", "-no-color", "-lock-timeout=30s", f"-out={self._saved}")
        self._run("plan", *options, *self._arguments)
        digest = self._digest()
        shown = self._run("show", "-json", "-no-color", str(self._saved))
        if self._digest() != digest:
            raise _changed()
        return Plan(kind=KIND, digest=digest, changes=_changes_in(shown))

    def apply(self, plan: Plan) -> str:
        """The saved plan was carried out; terraform itself refuses one that its state has outrun.

        Raises:
            GuardError: `plan-changed`. HostError: `plan-failed`.
        """
        if self._digest() != plan.digest:
            raise _changed()
        done = self._run("apply", "-input=false", "-no-color", str(self._saved))
        return done.decode("utf-8", "replace")

    def _digest(self) -> str:
        try:
            with self._saved.open("rb") as file:
                content = file.read(_LARGEST + 1)
        except OSError as error:
            raise HostError(
                "plan-failed", f"There is no plan at {self._saved} ({error.strerror})."
            ) from error
        if len(content) > _LARGEST:
            raise GuardError("plan-unreadable", "The saved plan is too large to be judged.")
        return sha256(content)

    def _run(self, *words: str) -> bytes:
        try:
            done = subprocess.run(  # noqa: S603 -- the program that the host named, and no shell
                [self._program, f"-chdir={os.fspath(self._folder)}", *words],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise HostError(
                "plan-failed", f"{self._program} {words[0]} did not end ({error})."
            ) from error
        if done.returncode != 0:
            said = done.stderr[-500:].decode("utf-8", "replace").strip()
            raise HostError("plan-failed", f"{self._program} {words[0]} failed: {said}")
        return done.stdout


def _changes_in(shown: bytes) -> tuple[Planned, ...]:
    try:
        read = msgspec.json.decode(shown, type=_Shown)
    except msgspec.MsgspecError as error:
        raise GuardError(
            "plan-unreadable", f"What terraform shows of its plan cannot be read: {error}"
        ) from error
    if read.format_version.split(".")[0] != "1":
        raise GuardError(
            "plan-unreadable",
            f"Terraform shows its plan in format {read.format_version[:20]}; only 1 is known.",
        )
    changes = [(each.address, each.change) for each in read.resource_changes]
    changes += [
        (f"output.{name}", _Change(each.actions, each.before, each.after))
        for name, each in read.output_changes.items()
    ]
    return tuple(found for name, change in changes if (found := _planned(name, change)) is not None)


def _planned(name: str, change: _Change) -> Planned | None:
    if change.actions not in _ACTIONS:
        raise GuardError(
            "plan-unreadable",
            f"The plan does to {name[:100]} what is not known here: {'/'.join(change.actions)[:50]}.",
        )
    action = _ACTIONS[change.actions]
    if action is None:
        return None
    return Planned(
        id=name,
        action=action,
        before=None if action == "create" else _content(name, change.before),
        after=None if action == "delete" else _content(name, change.after),
    )


def _content(name: str, value: msgspec.Raw) -> bytes:
    try:
        return jcs.encode(jcs.decode_foreign(bytes(value)).value)
    except EncodingError as error:
        raise GuardError(
            "plan-unreadable", f"What the plan says of {name[:100]} has no canonical form."
        ) from error


def _changed() -> GuardError:
    return GuardError(
        "plan-changed",
        "The saved plan is not the one that was judged; nothing was applied. Plan anew.",
    )
