"""Derived: contracts that a program makes of other files, made of both sides of a call."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from groundwire.authority.artifacts.kinds import DERIVED
from groundwire.authority.artifacts.places import is_fetched
from groundwire.canon.digest import sha256
from groundwire.contracts.detecting import detect
from groundwire.documents.contract import DerivedContract
from groundwire.documents.question import Reached
from groundwire.errors import GuardError
from groundwire.session.guarding.guard import Guard, fresh_id
from groundwire.session.guarding.reaching.laying import Laid
from groundwire.targets.folders.searching import SearchBounds, search
from groundwire.targets.places.patterns import is_covered
from groundwire.targets.shell.staging import ShellTarget
from groundwire.targets.stopping import Stop

EDITED: Final = "derived-edited"
FAILED: Final = "generator-failed"
EMPTY: Final = "generator-wrote-nothing"
LOOSE: Final = "generator-not-contained"
NOT_RUN: Final = "generator-not-run"
TOO_LARGE: Final = "folder-not-looked-through"

_LAID: Final = "/tmp/groundwire-laid"  # noqa: S108 -- the sandbox's own, empty


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """One of them that a call reaches, and what it was made of, by digests."""

    contract: DerivedContract
    reached: Reached
    stood: Mapping[str, str] | None

    def standing(self, laid: Laid) -> Mapping[str, str] | None:
        """As `stood`, now."""
        return _stood(laid, self.contract)


def derived_of(guard: Guard, laid: Laid, stop: Stop, *, run: bool) -> Iterator[Derived]:
    """Every derived contract whose inputs the changes touch, or that they change by itself.

    Its program runs twice, contained, on copies: on what stands there, and on that with the
    changes laid over it. Nothing of it is kept but the file it makes.
    """
    for contract in guard.contracts:
        if not any(
            path == contract.path or _is_input(laid, path, contract) for path in laid.before
        ):
            continue
        stood = _stood(laid, contract)
        if stood is None:
            reached = _undecided(laid, contract, TOO_LARGE)
        elif not run:
            reached = _undecided(laid, contract, NOT_RUN)
        else:
            reached = _compared(guard, laid, contract, stop)
        yield Derived(contract=contract, reached=reached, stood=stood)


def _compared(guard: Guard, laid: Laid, contract: DerivedContract, stop: Stop) -> Reached:
    shell = guard.shell()
    if shell.measured.containment != "contained":
        return _undecided(laid, contract, LOOSE)
    made: list[bytes] = []
    for changed in ({}, laid.after):
        try:
            content = _made(shell, laid, contract, changed, stop)
        except GuardError:
            return _undecided(laid, contract, FAILED)
        if content is None:
            return _undecided(laid, contract, EMPTY)
        made.append(content)
    path = contract.path
    if path in laid.after and laid.after[path] != made[1]:
        return _undecided(laid, contract, EDITED)
    kind = detect(path, made[1]) or detect(path, made[0]) or DERIVED
    return Reached(
        name=laid.name(contract.path), kind=kind, before={path: made[0]}, after={path: made[1]}
    )


def _made(
    shell: ShellTarget,
    laid: Laid,
    contract: DerivedContract,
    changed: Mapping[str, bytes | None],
    stop: Stop,
) -> bytes | None:
    """What the program makes, with `changed` laid over what stands there; None: nothing.

    Raises:
        GuardError: `generator-failed`, or as `ShellTarget.stage`. HostError: as that.
    """
    lines, files = ["set -e"], dict[str, bytes]()
    for path, content in sorted(changed.items()):
        there = shlex.quote(f"./{path}")
        if content is None:
            lines.append(f"rm -f {there}")
            continue
        given = f"{_LAID}/{len(files)}"
        files[given] = content
        lines += [f"mkdir -p {shlex.quote(os.path.dirname(f'./{path}'))}", f"cat {given} > {there}"]
    # What is not made anew is not there: a file that was left is none that the program made.
    lines += [f"rm -rf {_LAID}", f"rm -f {shlex.quote(f'./{contract.path}')}"]
    lines.append(f"exec {shlex.join(contract.generate)}")
    ran = shell.stage(
        ("/bin/sh", "-c", "\n".join(lines)), fresh_id(), stop=stop, files=files
    ).staged
    if ran.exit:
        raise GuardError("generator-failed", "The program of a derived contract failed.")
    made = {file.path: file.after for file in ran.changes}
    stands = (
        laid.before[contract.path] if contract.path in laid.before else laid.disk(contract.path)
    )
    return made.get(contract.path, stands)


def _stood(laid: Laid, contract: DerivedContract) -> Mapping[str, str] | None:
    """The digests of what it is made of and of what stands there, but for what the call changes."""
    try:
        return {
            path: sha256(content)
            for path, content in search(
                laid.folder,
                lambda path: path == contract.path or _is_input(laid, path, contract),
                _is_skipped,
                SearchBounds(),
            )
            if path not in laid.before
        }
    except GuardError:
        return None


def _is_input(laid: Laid, path: str, contract: DerivedContract) -> bool:
    return any(is_covered(f"{laid.folder}/{path}", each) for each in contract.inputs)


def _is_skipped(path: str) -> bool:
    return path.rpartition("/")[2] == ".git" or is_fetched(f"{path}/x")


def _undecided(laid: Laid, contract: DerivedContract, why: str) -> Reached:
    return Reached(name=laid.name(contract.path), kind=DERIVED, undecided=why)
