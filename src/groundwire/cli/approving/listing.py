"""`groundwire approvals list`: what agents ask, and what was approved beforehand."""

from __future__ import annotations

from typing import Annotated

import typer


def list_approvals(
    pending: Annotated[
        bool, typer.Option("--pending", help="Only requests that wait for somebody.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """List every request, what waits for somebody first, and every approval beforehand.

    One whose signature your keyring does not bear out is untrusted: it cannot be granted, and nothing of
    it is shown.
    """
    from groundwire.audit.approving.asking import judge
    from groundwire.audit.approving.listing import (
        in_order,
        lines_of_list,
        listed,
        listed_standing,
        revoked_in,
    )
    from groundwire.cli.approving.places import keyring, mailbox, run_is, uses
    from groundwire.cli.output import say, say_json
    from groundwire.session.clock import now

    box, own, counted, moment = mailbox(), keyring(None), uses(), now()

    def taken(digest: str) -> int:
        return 0 if counted is None else counted.taken(digest)

    requests = in_order(
        [
            listed(
                judge(each.id, each.envelope, box.packet(each.id), own),
                [answer.envelope for answer in box.answers(each.id)],
                own,
                moment,
                taken,
                run_is,
            )
            for each in box.requests()
        ]
    )
    if pending:
        requests = tuple(each for each in requests if each.waits)
    revoked = revoked_in([each.envelope for each in box.revocations()], own)
    standings = [
        listed_standing(each.id, each.envelope, revoked, own, moment, taken)
        for each in (() if pending else box.standings())
    ]
    if counted is not None:
        counted.close()
    if as_json:
        say_json({"requests": requests, "standings": standings})
    else:
        say(lines_of_list(requests, standings))
