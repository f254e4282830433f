"""`groundwire prune`: delete recordings older than they are to be kept, under a signed record."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli.output import shown
from groundwire.documents.counts import counted

if TYPE_CHECKING:
    from groundwire.canon.jcs import JSON
    from groundwire.stores.prune import Report

app = typer.Typer(add_completion=False)

_WHY = {
    "open": "its run is not over",
    "in-use": "a writer has it open",
    "young": "it is not old enough",
    "does-not-verify": "it does not verify: look at it with `groundwire verify` and keep it",
    "not-a-file": "it is a link or no file",
}


@app.command(epilog="Example: groundwire prune --runs runs --keep-days 30 --dry-run")
def prune(
    runs: Annotated[
        Path | None,
        typer.Option(help="The folder of recordings. Without it: as groundwire.toml says."),
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(min=0, help="Days to keep a closed run. Without it: as groundwire.toml says."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be deleted.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Delete closed recordings, their attached files and what was cut off them.

    Each deletion is signed and made durable in the run log ($XDG_STATE_HOME/groundwire/runlog)
    before anything is deleted. What is open, in use, or does not verify stays.
    """
    from groundwire.canon import jcs

    folder, days = _asked(runs, keep_days)
    report = _prune(folder, days, dry_run=dry_run)
    if as_json:
        print(jcs.encode(_plain(report, folder, dry_run=dry_run)).decode())
        return
    verb = "would delete" if dry_run else "deleted"
    for pruned in report.pruned:
        closed, size = pruned.closed_at or "earlier", counted(pruned.bytes, "byte")
        print(f"{verb}  {shown(pruned.name)}  closed {closed}, {size}")
    for kept in report.kept:
        print(f"keeps  {shown(kept.name)}  {_WHY[kept.why]}")
    found = counted(len(report.pruned) + len(report.kept), "recording")
    print(f"{verb} {len(report.pruned)} of {found}")


def _asked(runs: Path | None, keep_days: int | None) -> tuple[Path, int]:
    """The folder and the days, from the command line or the policy.

    Raises:
        PolicyError: `keep-days-unstated`: nobody said how long to keep a recording.
    """
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.errors import PolicyError

    if runs is None or keep_days is None:
        path = find_policy(Path.cwd())
        policy = load_policy(path) if path else None
        if runs is None:
            base = path.parent if path else Path.cwd()
            runs = base / Path(policy.runs if policy else "runs").expanduser()
        if keep_days is None and policy is not None:
            keep_days = policy.keep_days
    if keep_days is None:
        raise PolicyError(
            "keep-days-unstated",
            "Nothing says how long a recording is kept: give --keep-days, or set keep_days in "
            "groundwire.toml.",
        )
    return runs, keep_days


def _prune(folder: Path, days: int, *, dry_run: bool) -> Report:
    from groundwire.keys.run_keys import new_run_key
    from groundwire.session import clock
    from groundwire.stores.heads import Heads
    from groundwire.stores.keys import KeyStore, default_folder
    from groundwire.stores.prune import prune as prune_folder
    from groundwire.stores.runlog import RunLog, deletions

    keys = default_folder(os.environ)
    store, state = KeyStore(keys), keys.parent
    now = clock.now()
    keyring = store.keyring()
    recorded = {
        (each.run, each.segment, each.root) for each in deletions(state / "runlog", keyring)
    }
    before = now - timedelta(days=days)
    if dry_run:
        return prune_folder(
            folder, closed_before=before, keyring=keyring, recorded=recorded, record=None
        )
    log = RunLog(
        state / "runlog",
        identity=lambda: store.identity(now, clock.random_bytes(32)),
        new_key=lambda: new_run_key(clock.random_bytes(32)),
        clock=clock.now,
        salts=clock.Salts(),
    )
    try:
        report = prune_folder(
            folder,
            closed_before=before,
            keyring=keyring,
            recorded=recorded,
            record=lambda head: log.deleting(head, reason=f"kept for {counted(days, 'day')}"),
        )
    finally:
        log.close()
    heads = Heads(state / "heads.sqlite")
    for pruned in report.pruned:
        heads.forget(pruned.run, pruned.segment)
    heads.close()
    return report


def _plain(report: Report, folder: Path, *, dry_run: bool) -> JSON:
    return {
        "dry_run": dry_run,
        "folder": shown(str(folder)),
        "kept": [{"name": shown(each.name), "why": each.why} for each in report.kept],
        "pruned": [
            {
                "bytes": each.bytes,
                "closed_at": each.closed_at,
                "name": shown(each.name),
                "run": each.run,
                "segment": each.segment,
            }
            for each in report.pruned
        ],
    }
