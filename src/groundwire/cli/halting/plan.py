"""`groundwire plan`: a run that only plans may act from now on."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: groundwire plan open runs/triage.gw",
)


@app.callback(help='Let a run act that only plans (phase = "plan").')
def _group() -> None:
    """The commands are a group, however many there are."""


@app.command("open", epilog="Example: groundwire plan open runs/triage.gw")
def open_plan(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run: its id, or its recording.")],
    key: Annotated[str, typer.Option(help="The approver's key, or how its id begins.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Let one run, and those below it, act from its next guarded call on.

    Needs an approver at the terminal, for their passphrase. It is for good: to hold the run up again,
    stop it. Every rule of the policy holds as before.
    """
    from groundwire.cli.halting import places
    from groundwire.cli.output import say, say_json

    scope = places.scope_of(run, every=False, needed=True)
    opener = places.open_plan(scope, key, known=places.is_known(run, scope))
    if as_json:
        say_json({"approver": opener, "run": scope})
    else:
        say([f"The run {scope} may act from its next guarded call on; opened by {opener}."])
