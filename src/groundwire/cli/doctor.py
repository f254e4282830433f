"""`groundwire doctor`: what this machine has, what it lacks, and what to do next."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from groundwire.audit import doctor as examination
from groundwire.audit.doctor import Line, Reading
from groundwire.authority.policy import located
from groundwire.canon import jcs
from groundwire.cli.main import DOES_NOT_HOLD, HOLDS
from groundwire.cli.output import say
from groundwire.documents.counts import counted
from groundwire.documents.policy import Policy
from groundwire.errors import GroundwireError
from groundwire.keys.keyring import Keyring
from groundwire.session import clock
from groundwire.session.watching import Attempt, Headers

app = typer.Typer(add_completion=False)
_MARKS = {"ok": "ok  ", "note": "note", "todo": "todo"}
_CLIENTS = {"openai": ("OpenAI", "AsyncOpenAI"), "anthropic": ("Anthropic", "AsyncAnthropic")}
_ENDPOINTS = {"openai": "chat completions and responses", "anthropic": "messages"}


@app.command()
def doctor(
    folder: Annotated[
        Path, typer.Argument(help="Where the agent is started: its groundwire.toml counts.")
    ] = Path(),
    *,
    policy: Annotated[
        bool,
        typer.Option("--policy", help="Say what groundwire.toml could have checked and does not."),
    ] = False,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            help="With --policy: a recording or log to learn tools from; may be repeated."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what this machine has, what it lacks, and what to do next.

    Looks at versions, keys and their custody, the clock, the disks, groundwire.toml, whether the
    SDKs installed here can be watched, and whether guarded commands are contained. With --policy it looks at declarations alone: tools seen in
    runs and not declared, names that no run has shown, checks that are off and until when; the runs
    are those given, else the newest in the runs folder. Changes nothing and sends nothing. Exit code
    1 when something needs doing.

    \b
    Example:
      groundwire doctor
      groundwire doctor services/triage --json
      groundwire doctor --policy --run conversations.jsonl
    """
    lines = tuple(examine_policy(folder, run or ()) if policy else examine(folder))
    needed = sum(line.state == "todo" for line in lines)
    if json:
        rows: list[jcs.JSON] = [
            {
                "next_step": line.next_step,
                "says": line.says,
                "state": line.state,
                "topic": line.topic,
            }
            for line in lines
        ]
        typer.echo(jcs.encode({"lines": rows, "needed": needed}))
    else:
        for line in lines:
            say([f"{_MARKS[line.state]} {line.topic:<10} {line.says}"])
            say([f"{'':16}-> {line.next_step}"] if line.next_step else [])
        typer.echo(f"{needed} to do" if needed else "nothing to do")
    raise typer.Exit(DOES_NOT_HOLD if needed else HOLDS)


def examine(folder: Path) -> Iterator[Line]:
    """Every line, in the order in which they are read out."""
    first = Reading(clock.now(), time.monotonic())
    yield from examination.examine_versions()
    keyring, key_lines = examination.examine_keys(os.environ, first.wall)
    yield from key_lines
    policy, path, policy_lines = examination.examine_policy(folder)
    yield from policy_lines
    if policy.approvers:
        yield from _approvers(policy, keyring, first.wall)
    if policy.notices or policy.guard.databases:
        yield from _variables(policy)
    runs = located(path, policy.runs) if path else folder.absolute() / policy.runs
    yield from examination.examine_folder("recordings", runs)
    state = examination.state_folder(os.environ)
    if state is not None:
        yield from examination.examine_folder("state", state)
    for name in _CLIENTS:
        yield examine_adapter(name)
    with tempfile.TemporaryDirectory() as ground:
        yield examination.examine_commands(Path(ground), clock.random_bytes(16).hex())
    yield examination.judge_clock((first, Reading(clock.now(), time.monotonic())), keyring)


def _approvers(policy: Policy, keyring: Keyring, now: datetime) -> Iterator[Line]:
    from groundwire.audit.guarding.approvers import examine_approvers
    from groundwire.stores.keys import KeyStore, default_folder

    def lies_open(key_id: str) -> bool:
        return KeyStore(default_folder(os.environ)).opens_without_passphrase(key_id)

    yield from examine_approvers(policy, keyring, lies_open, now)


def _variables(policy: Policy) -> Iterator[Line]:
    from groundwire.audit.guarding.variables import examine_variables

    yield from examine_variables(policy, os.environ)


def examine_policy(folder: Path, files: Sequence[Path]) -> Iterator[Line]:
    """What the policy in force in `folder` could have checked, by what these runs, or its own, show."""
    from groundwire.audit.declaring.arming import examine_arming
    from groundwire.audit.declaring.observing import observe
    from groundwire.audit.declaring.runs import SeenRun, newest_recordings, read_runs
    from groundwire.authority.keyrings import trusted_keyring

    policy, path, lines = examination.examine_policy(folder)
    yield from lines
    if not files:
        runs = located(path, policy.runs) if path else folder.absolute() / policy.runs
        files = newest_recordings(runs)
    seen = list(read_runs(files, trusted_keyring(), {}))
    for each in seen:
        if not isinstance(each, SeenRun):
            yield Line(topic="runs", state="note", says=each.message)
    read = [each for each in seen if isinstance(each, SeenRun)]
    yield Line(topic="runs", state="ok", says=f"{counted(len(read), 'run')} read")
    observed = observe(each.events for each in read)
    yield from examine_arming(policy, observed, clock.now().date())


def examine_adapter(name: str) -> Line:
    """Whether clients of the SDK installed here can be watched: one of each is, and sends nothing."""
    number = examination.installed(name)
    if number is None:
        return Line(
            topic="adapters",
            state="note",
            says=f"{name} is not installed",
            next_step=f"pip install 'groundwire[{name}]' if your agent uses it",
        )
    transports = [
        f"{package} {found}"
        for package in ("httpx", "httpx2")
        if (found := examination.installed(package))
    ]
    on = f"{name} {number} (here: {', '.join(transports)})"
    try:
        adapter = import_module(f"groundwire.adapters.{name}")
        sdk = import_module(name)
        for client in _CLIENTS[name]:
            made = getattr(sdk, client)(api_key="never-sent", base_url="http://127.0.0.1:9")
            adapter.watch(made, _Nobody())
    except GroundwireError as error:
        return Line(topic="adapters", state="todo", says=f"{on}: {error}", next_step=_upgrade(name))
    except Exception as error:  # noqa: BLE001 -- a stranger's constructor may raise anything
        return Line(
            topic="adapters",
            state="todo",
            says=f"{on} cannot be loaded: {type(error).__name__}: {error}",
            next_step=_upgrade(name),
        )
    return Line(
        topic="adapters",
        state="ok",
        says=f"{on}: {_ENDPOINTS[name]} can be watched, sync and async",
    )


def _upgrade(name: str) -> str:
    return f"pip install --upgrade 'groundwire[{name}]'"


class _Nobody:
    """A watcher of clients that are made only to see whether they can be watched."""

    def composed(
        self,
        tools: Sequence[str] | None,  # noqa: ARG002 -- the port's shape
    ) -> AbstractContextManager[None]:
        return nullcontext()

    def sent(
        self,
        method: str,  # noqa: ARG002 -- the port's shape
        url: str,  # noqa: ARG002 -- the port's shape
        headers: Headers,  # noqa: ARG002 -- the port's shape
        body: bytes,  # noqa: ARG002 -- the port's shape
    ) -> Attempt | None:
        return None
