"""`groundwire guard`: what is decided of guarded calls, and what became of them."""

from __future__ import annotations

import importlib
from typing import Final

import typer

COMMANDS: Final = {
    "explain": "Example: groundwire guard explain call.json",
    "dry-run": "Example: groundwire guard dry-run runs/triage.gw",
    "verify": "Example: groundwire guard verify runs/triage.gw#0",
    "undo": "Example: groundwire guard undo runs/triage.gw#0",
    "recover": "Example: groundwire guard recover",
    "once": "Example: groundwire guard once",
    "profile": "Example: groundwire guard profile strict/1",
}
"""Every command of the group, with its example. `dry-run` is `guarding.dry_run.dry_run`."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: groundwire guard profile strict/1",
)


@app.callback(help="Say what is decided of guarded calls, by which rules, and what allows them.")
def _group() -> None:
    """The commands are a group, however many there are."""


def _add(name: str, example: str) -> None:
    """The function named like its module is the command. These modules import little by themselves."""
    module = name.replace("-", "_")
    function = getattr(importlib.import_module(f"groundwire.cli.guarding.{module}"), module)
    app.command(name, epilog=example)(function)


for _name, _example in COMMANDS.items():
    _add(_name, _example)
