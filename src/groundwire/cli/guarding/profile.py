"""`groundwire guard profile`: what a profile does about each fact that weakens a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.documents.profile import Profile

_DOES = {"report": "listed", "ask": "a person is asked", "refuse": "refused"}


def profile(
    name: Annotated[
        str, typer.Argument(help="With its version: enforce/1. Without it: all there are.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what a profile does about each fact that weakens what can be said of a call.

    The names are those that `profile` in [guard] takes. What a name means never changes.
    """
    from groundwire.cli.output import say, say_json
    from groundwire.guard.profiles import PROFILES, profile_named

    chosen = [profile_named(name)] if name else list(PROFILES.values())
    if as_json:
        say_json(chosen[0] if name else chosen)
        return
    for each in chosen:
        say(_lines(each))


def _lines(profile: Profile) -> list[str]:
    what = "" if profile.guards else ": every call is judged and recorded, and let through"
    width = max(len(row.fact) for row in profile.rows)
    return [
        f"{profile.name}{what}",
        *(f"  {row.fact:<{width}}  {_DOES[row.treatment]}" for row in profile.rows),
    ]
