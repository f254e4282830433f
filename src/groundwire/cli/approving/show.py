"""`groundwire approvals show`: all that is asked in one request, or approved beforehand."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from groundwire.audit.approving.asking import Asking
    from groundwire.keys.keyring import Keyring
    from groundwire.stores.people.mailbox import Letter

_COLUMNS: Final = 100


def show(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="Of a request or an approval beforehand.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Show a request whole, as its approver is shown it; needs no key.

    To have seen it here counts for nothing: `approvals grant` shows it again, at the terminal. Exit
    code: 0 it can be answered by whom it asks, 1 it cannot (its signature does not count).
    """
    from groundwire.cli.approving.places import asking, keyring, letter_named, mailbox

    own = keyring(None)
    beforehand = [each for each in mailbox().standings() if each.id.startswith(id_)]
    if beforehand:
        raise typer.Exit(
            _show_standing(letter_named(id_, beforehand, "approval"), own, as_json=as_json)
        )
    raise typer.Exit(_show_request(asking(id_, own), own, as_json=as_json))


def _show_request(found: Asking, own: Keyring, *, as_json: bool) -> int:
    from groundwire.audit.approving.asking import digest_to_type, trusted
    from groundwire.audit.approving.showing import closing_lines, lines_of_requests
    from groundwire.cli.output import say, say_json

    code = 1 if found.reason else 0
    if as_json:
        say_json(found)
    elif found.reason:
        say([f"{found.id} is untrusted, and nothing of it is shown: {found.message}"])
        say([f"reason: {found.reason}"])
    else:
        given, columns = trusted(found), _columns()
        say(lines_of_requests([given], own, columns))
        say(closing_lines(digest_to_type([given.digest]), "this request", columns))
    return code


def _show_standing(letter: Letter, own: Keyring, *, as_json: bool) -> int:
    from groundwire.attest.people.approvals import STANDINGS
    from groundwire.audit.approving.showing import lines_of_standing
    from groundwire.cli.output import say, say_json

    standing, digest = STANDINGS.read(letter.envelope, own)
    if as_json:
        say_json({"standing": standing, "digest": digest})
    else:
        say(lines_of_standing(standing, _columns()))
        say([f"By {standing.approver}."])
    return 0


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS
