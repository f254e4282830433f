"""`groundwire stop`: agents do nothing more, until an approver says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli.main import COULD_NOT_JUDGE, HOLDS

if TYPE_CHECKING:
    from groundwire.cli.approving.stopped import Shown
    from groundwire.cli.halting.places import Written

app = typer.Typer(add_completion=False)


@app.command()
def stop(
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="The run: its id, or its recording."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every run of this user.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for whoever reads it later.")] = "",
    listed: Annotated[bool, typer.Option("--list", help="Show what is stopped.")] = False,
    lift: Annotated[
        bool, typer.Option("--lift", help="Let RUN, or --all, go on: an approver, at a terminal.")
    ] = False,
    key: Annotated[
        str, typer.Option(help="With --lift: the approver's key, or how its id begins.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Stop a run, or every run, at its next guarded call.

    Anybody who may run this command may stop; it asks for no passphrase. A call that was begun is
    not interrupted; one that waits for a person is refused. Children of a stopped run are stopped.
    Only an approver lifts a stop, at a terminal in the project's folder. Exit code 3 where no run of
    that id is known here: the stop is written all the same.

    \b
    Example:
      groundwire stop --all --reason 'it deletes what it should not'
      groundwire stop runs/triage.gw
      groundwire stop --list
      groundwire stop --lift --all
    """
    from groundwire.cli.approving.stopped import standing
    from groundwire.cli.halting import places
    from groundwire.cli.output import say, say_json

    scope = places.scope_of(run, every=every, needed=not listed, alone=listed)
    if listed:
        shown = standing()
        if as_json:
            say_json({"stops": shown})
        else:
            say(_lines(shown))
        return
    if lift:
        places.refuse_reason(reason)
        lifted = places.lifted(scope, key)
        if as_json:
            say_json({"lifted": [each.digest for each in lifted], "scope": scope})
        else:
            say([f"{_whom(scope)} may go on; lifted: {', '.join(each.digest for each in lifted)}."])
        return
    written = places.stop(scope, reason, known=places.is_known(run, scope))
    if as_json:
        say_json({"digest": written.digest, "known": written.known, "scope": scope})
    else:
        say(_stopped(scope, written))
    raise typer.Exit(HOLDS if written.known else COULD_NOT_JUDGE)


def _stopped(scope: str, written: Written) -> Iterator[str]:
    yield f"{_whom(scope)} does nothing more from its next guarded call on ({written.digest})."
    if not written.signed:
        yield "No key could sign this, so it holds for every run: what nobody vouches for does."
    if not written.known:
        yield f"No run {scope} is known here: look for its id in its recording's first line."
    yield f"An approver lifts it: groundwire stop --lift {'--all' if scope == 'all' else scope}"


def _lines(shown: tuple[Shown, ...]) -> list[str]:
    lines = [
        f"{each.digest or each.name}  {each.scope}  {each.at or 'at an unknown time'}"
        + (f"  {each.reason}" if each.reason else "")
        + (f"  ({each.doubt}: it holds for every run)" if each.doubt else "")
        for each in shown
    ]
    return lines or ["Nothing is stopped."]


def _whom(scope: str) -> str:
    return "Every run" if scope == "all" else f"The run {scope}"
