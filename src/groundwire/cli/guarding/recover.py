"""`groundwire guard recover`: what became of guarded writes that nobody saw end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.session.guarding.recovering import RecoveredWrite

_WORDS = {
    "landed": "landed: all of it stands",
    "not-landed": "did not land: nothing of it stands",
    "unknown": "unknown: somebody has changed these since, or stands in their way; look at them",
}


def recover(
    accept_clock: Annotated[
        bool,
        typer.Option(
            "--accept-clock",
            help="The clock was wrong before and is right now: grants are good by it again.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Read the targets of every guarded write that was interrupted, and finish it or put it back.

    A run under a guard does so by itself when it begins. Writes of processes that still run are
    left to them. Does not look at deeds that are to be done once: `groundwire guard once`. Exit code: 0 each landed or did not, 1 of one or more nobody can say.
    """
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.cli.output import say, say_json
    from groundwire.documents.governing import GuardRules
    from groundwire.session.clock import now
    from groundwire.session.guarding.guard import State
    from groundwire.session.guarding.recovering import recover_writes
    from groundwire.session.guarding.ways.sql import databases_of

    found = find_policy(Path.cwd())
    rules = load_policy(found).guard if found else GuardRules()
    state = State(now, rules)
    databases = databases_of(rules, found.parent if found else Path.cwd())
    if accept_clock and state.has_grants:
        state.grants().accept_clock(now())
    recovered = recover_writes(state, databases) if state.has_grants else ()
    if as_json:
        say_json(recovered)
    else:
        say(_lines(recovered))
    raise typer.Exit(int(any(each.state == "unknown" for each in recovered)))


def _lines(recovered: tuple[RecoveredWrite, ...]) -> Iterator[str]:
    if not recovered:
        yield "Every guarded write is settled. (What is to be done once: groundwire guard once.)"
    for each in recovered:
        yield f"{each.receipt}"
        yield f"  call {each.sequence} of run {each.run}, in {each.root}"
        yield f"  {_WORDS[each.state]}" + (f" ({each.why})" if each.why else "")
        for path in each.unsettled:
            yield f"    {path}"
