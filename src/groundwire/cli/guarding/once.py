"""`groundwire guard once`: deeds to be done once of which nobody knows whether they were done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.stores.writing.once import Deed


def once(
    deed: Annotated[
        str, typer.Argument(help="The deed, by the beginning of its digest; without it, all.")
    ] = "",
    done: Annotated[
        bool, typer.Option("--done", help="It was done: nobody does it again.")
    ] = False,
    not_done: Annotated[
        bool, typer.Option("--not-done", help="It was not done: it may be tried again.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """List what was begun, is to be done once, and may or may not have been; or say which it was.

    To be said by a person who looked: what is said here is believed, whoever says it. It asks for no
    terminal and no passphrase, so any process of this user that nothing guards may say it too. Deeds that a process still
    carries out are not listed. Exit code: 0 nothing is unsettled any more, 1 something is.
    """
    from groundwire.cli.output import say, say_json
    from groundwire.documents.governing import GuardRules
    from groundwire.errors import GuardError
    from groundwire.session.clock import now
    from groundwire.session.guarding.guard import State

    state = State(now, GuardRules())
    found = state.deeds().unsettled() if state.has_grants else ()
    if done or not_done:
        named = [each for each in found if deed and each.key.startswith(_whole(deed))]
        if len(named) != 1 or (done and not_done):
            raise GuardError(
                "no-such-deed",
                "Name one deed of those that `groundwire guard once` lists, and say either --done or"
                " --not-done.",
            )
        state.deeds().read_as(named[0], "landed" if done else "absent")
        found = state.deeds().unsettled()
    elif deed:
        found = tuple(each for each in found if each.key.startswith(_whole(deed)))
    if as_json:
        say_json(found)
    else:
        say(_lines(found))
    raise typer.Exit(int(bool(found)))


def _whole(deed: str) -> str:
    return deed if deed.startswith("gw1:") else f"gw1:{deed}"


def _lines(found: Iterable[Deed]) -> Iterator[str]:
    told = False
    for each in found:
        told = True
        yield each.key
        yield f"  {each.tool}, call {each.call}"
        yield f"  of run {each.run}, begun at {each.at}, idempotency key {each.idempotency}"
        yield "  nobody knows whether it was done: look, then say --done or --not-done"
    if not told:
        yield "Every deed that is to be done once is settled."
