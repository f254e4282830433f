"""Doctor: what this machine has and lacks for recording, one line a finding, each with a next step.

Reads and never repairs. It sees mode bits and not access lists, this process's view of a disk and
not its health, and takes a clock for wrong only where no right one could show this time.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec

from groundwire.authority.outputs import with_outputs
from groundwire.authority.policy import find_policy, load_policy, located
from groundwire.documents.counts import counted
from groundwire.documents.policy import AnchorDeclaration, Policy
from groundwire.errors import GroundwireError, HostError
from groundwire.keys.keyring import Key, Keyring, decode_keyring
from groundwire.keys.times import parse_time
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.targets.shell.canary import measure
from groundwire.targets.shell.running import run_contained
from groundwire.targets.shell.view import view_of

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
LATEST = datetime(2100, 1, 1, tzinfo=UTC)
DRIFT = timedelta(seconds=1)
LEAST_FREE = 256 << 20
PACKAGES = ("cryptography", "msgspec", "rfc8785", "typer", "rich")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked at. `todo` needs doing, and `next_step` says what; `note` may be so."""

    topic: str
    state: Literal["ok", "note", "todo"]
    says: str
    next_step: str = ""


class Reading(msgspec.Struct, frozen=True):
    """The wall clock, and seconds of a clock that nobody sets, read at one moment."""

    wall: datetime
    monotonic: float


def examine_versions() -> Iterator[Line]:
    """What runs here, and the packages it runs on."""
    own = installed("groundwire")
    python = sys.version.split()[0]
    yield Line(
        topic="versions",
        state="ok" if own else "todo",
        says=f"groundwire {own or '(not installed)'}, Python {python} on {sys.platform}",
        next_step="" if own else "install it: pip install groundwire",
    )
    found = {name: installed(name) for name in PACKAGES}
    missing = [name for name, number in found.items() if not number]
    yield Line(
        topic="versions",
        state="todo" if missing else "ok",
        says=", ".join(f"{name} {number or 'missing'}" for name, number in found.items()),
        next_step=f"pip install {' '.join(missing)}" if missing else "",
    )


def installed(package: str) -> str | None:
    """The version of a package that is installed, None where it is not."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def examine_commands(state: Path, token: str) -> Line:
    """How far a command gets here that a guarded tool runs: one was run that tried to get out.

    In a folder of its own in `state`, which is empty afterwards. `token` is text of letters and
    digits that nothing else has.
    """
    next_step = "where commands are to be guarded, run the agent where one is contained"
    try:
        view = view_of(os.environ, shown=(Path(sys.base_prefix),), written="/")
        measured = measure(run_contained, view, state, token)
    except GroundwireError as error:
        says = f"nothing contains a command here: {error.message}"
        return Line(topic="commands", state="note", says=says, next_step=next_step)
    if measured.containment == "contained":
        says = "a guarded command is contained: an overlay of its folder, and no network"
        return Line(topic="commands", state="ok", says=says)
    says = f"a guarded command gets out of what contains it: {', '.join(measured.ways)}"
    return Line(topic="commands", state="note", says=says, next_step=next_step)


def judge_clock(readings: Sequence[Reading], keyring: Keyring) -> Line:
    """Whether the wall clock can be right: its year, its pace, and that it did not go back."""
    now = readings[-1].wall
    passed = now - readings[0].wall
    steady = timedelta(seconds=readings[-1].monotonic - readings[0].monotonic)
    newest = max((parse_time(key.not_before) for key in keyring.keys), default=EARLIEST)
    problem = ""
    if not EARLIEST <= now < LATEST:
        problem = f"it is {now:%Y-%m-%d} by the clock, which cannot be"
    elif now < newest:
        problem = f"the clock is behind {newest:%Y-%m-%d %H:%M}, when a key here was made"
    elif abs(passed - steady) > DRIFT:
        problem = f"the clock was set by {(passed - steady).total_seconds():+.1f} s just now"
    return Line(
        topic="clock",
        state="todo" if problem else "ok",
        says=problem or f"{now:%Y-%m-%d %H:%M:%S} UTC",
        next_step="set the clock: every entry and certificate carries it" if problem else "",
    )


def examine_keys(environment: Mapping[str, str], now: datetime) -> tuple[Keyring, tuple[Line, ...]]:
    """The user's own keyring (of no keys where it cannot be read), and the state of its store."""
    try:
        folder = default_folder(environment)
        store = KeyStore(folder)
        keyring = store.keyring()
        identity = next((key for key in keyring.keys if _signs(key)), None)
        # Whether it could sign; a look makes no key.
        store.current_identity(now)
    except GroundwireError as error:
        return Keyring((), ""), (_needs("keys", error),)
    if identity is None:
        return keyring, (
            Line(
                topic="keys",
                state="note",
                says=f"none that signs recordings yet in {folder}",
                next_step="the first recording makes one, or: groundwire keys new",
            ),
        )
    return keyring, (
        Line(
            topic="keys", state="ok", says=f"{identity.id} signs; {len(keyring.keys)} in {folder}"
        ),
        _custody(identity),
    )


def _signs(key: Key) -> bool:
    return key.state == "active" and "recording" in key.purposes


def _custody(key: Key) -> Line:
    inside = key.custody == "in-process"
    return Line(
        topic="custody",
        state="note" if inside else "ok",
        says=f"{key.custody}: "
        + ("code in the agent's process could sign too" if inside else "as the keyring states"),
        next_step="keep checkpoints elsewhere: add [[anchors]] to groundwire.toml"
        if inside
        else "",
    )


def examine_policy(start: Path) -> tuple[Policy, Path | None, tuple[Line, ...]]:
    """The policy in force in `start` and where it lies; all defaults where it cannot be read."""
    try:
        path = find_policy(start)
        policy = with_outputs(load_policy(path), path.parent) if path else Policy()
    except GroundwireError as error:
        return Policy(), None, (_needs("policy", error),)
    if path is None:
        return (
            policy,
            None,
            (
                Line(
                    topic="policy",
                    state="note",
                    says=f"no groundwire.toml in {start.absolute()} or above: defaults hold",
                    next_step="write one to declare tools and anchors (docs/reference/policy.md)",
                ),
            ),
        )
    armed = sum(bool(tool.arguments_from or tool.arguments) for tool in policy.tools)
    lines = [
        Line(
            topic="policy",
            state="ok",
            says=f"{path}: {counted(armed, 'tool')} with declared arguments",
        )
    ]
    if policy.keyring is not None:
        lines.append(_keyring_line(located(path, policy.keyring)))
    lines += [_anchor_line(anchor, path) for anchor in policy.anchors]
    return policy, path, tuple(lines)


def _keyring_line(path: Path) -> Line:
    try:
        keyring = decode_keyring(path.read_bytes(), str(path))
    except OSError as error:
        return Line(
            topic="policy",
            state="todo",
            says=f"the keyring {path} cannot be read ({error.strerror})",
            next_step="export one there: groundwire keys export",
        )
    except GroundwireError as error:
        return _needs("policy", error)
    return Line(
        topic="policy", state="ok", says=f"keyring {path}: {counted(len(keyring.keys), 'key')}"
    )


def _anchor_line(anchor: AnchorDeclaration, policy_path: Path) -> Line:
    if anchor.kind == "http":
        return Line(
            topic="anchors",
            state="note",
            says=f"{anchor.target} was not asked",
            next_step="compare a run with it: groundwire verify RUN --against MIRROR",
        )
    folder = located(policy_path, anchor.target)
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return Line(topic="anchors", state="ok", says=f"{folder} can be written to")
    return Line(
        topic="anchors",
        state="todo",
        says=f"{folder} is no folder that can be written to",
        next_step="mount or make it, or take the anchor out of the policy",
    )


def examine_folder(topic: str, folder: Path) -> Iterator[Line]:
    """Whether files can be put into `folder`, how much room there is, and who else can look in."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield Line(
            topic=topic,
            state="todo",
            says=f"nothing can be written in {existing}",
            next_step="name a folder of your own, or change its owner or permissions",
        )
        return
    free = shutil.disk_usage(existing).free
    short = free < LEAST_FREE
    yield Line(
        topic=topic,
        state="todo" if short else "ok",
        says=f"{folder}: {_size(free)} free",
        next_step="make room: a full disk ends every recording on it" if short else "",
    )
    mode = stat.S_IMODE(existing.stat().st_mode)
    if existing == folder and mode & 0o077 and sys.platform != "win32":
        yield Line(
            topic=topic,
            state="todo",
            says=f"{folder} is open to others (mode {mode:04o})",
            next_step=f"chmod 700 {folder}",
        )


def _size(count: int) -> str:
    amount, unit = float(count), 0
    while amount >= 1024 and unit < 4:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.0f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def _needs(topic: str, error: GroundwireError) -> Line:
    says, _, rest = error.message.partition("; ")
    return Line(topic=topic, state="todo", says=says, next_step=rest or f"reason: {error.reason}")


def state_folder(environment: Mapping[str, str]) -> Path | None:
    """Where keys, heads and the run log of this user lie; None where no folder is named."""
    try:
        return default_folder(environment).parent
    except HostError:
        return None
