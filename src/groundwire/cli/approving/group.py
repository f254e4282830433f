"""`groundwire approvals`: what agents ask of people, shown whole, and answered at a terminal."""

from __future__ import annotations

import importlib
from typing import Final

import typer

COMMANDS: Final = {
    "list": ("listing", "list_approvals", "groundwire approvals list"),
    "show": ("show", "show", "groundwire approvals show 6f1c0d5e"),
    "grant": ("answering", "grant", "groundwire approvals grant 6f1c0d5e"),
    "deny": ("answering", "deny", "groundwire approvals deny 6f1c0d5e"),
    "standing": (
        "standing",
        "standing",
        "groundwire approvals standing --tool edit --effect write --environment dev --uses 9",
    ),
    "revoke": ("standing", "revoke", "groundwire approvals revoke 6f1c0d5e"),
    "export": ("carrying", "export", "groundwire approvals export 6f1c0d5e --out asked.json"),
    "deliver": ("carrying", "deliver", "groundwire approvals deliver answer.json"),
}
"""Every command of the group: its module in `groundwire.cli.approving`, its function, an example."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: groundwire approvals list",
)


@app.callback(help="Show what agents ask of people, and answer it at a terminal.")
def _group() -> None:
    """The commands are a group, however many there are."""


def _add(name: str, module: str, function: str, example: str) -> None:
    """These modules import little by themselves."""
    found = getattr(importlib.import_module(f"groundwire.cli.approving.{module}"), function)
    app.command(name, epilog=f"Example: {example}")(found)


for _name, _told in COMMANDS.items():
    _add(_name, *_told)
