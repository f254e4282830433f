"""`groundwire approvals standing` and `revoke`: a yes beforehand, counted and for a while; and its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.cli.approving.answering import Json, KeyId, Out

if TYPE_CHECKING:
    from groundwire.audit.approving.terms import Terms
    from groundwire.documents.approval import Standing
    from groundwire.documents.entry import Envelope
    from groundwire.keys.keyring import Key


def standing(
    *,
    tool: Annotated[str, typer.Option(help="The tool, by its exact name.")] = "",
    argument: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATTERN",
            help="What an argument has to be: * anything without a slash, ** anything.",
        ),
    ] = None,
    effect: Annotated[
        list[str] | None, typer.Option(help="read, write, external or destructive.")
    ] = None,
    environment: Annotated[list[str] | None, typer.Option(help="Where.")] = None,
    operation: Annotated[
        list[str] | None, typer.Option(help="Of the tool; without it, tool_call.")
    ] = None,
    uses: Annotated[int, typer.Option(min=1, help="How many calls, at most.")] = 1,
    until: Annotated[str, typer.Option(help="30m, 8h, 7d, or a moment with its zone.")] = "8h",
    with_: Annotated[
        str, typer.Option("--with", metavar="ID", help="Say yes as well to one that there is.")
    ] = "",
    key: KeyId = "",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Say yes beforehand to calls of a tool: so many, for so long, where the arguments fit.

    Needs you at the terminal, like `grant`. Whoever the policy needs two of says so too, with --with. It
    helps no call that the policy denies. Exit code: 0 approved, 1 not, 3 there is no terminal.
    """
    from groundwire.audit.approving.terms import Terms
    from groundwire.cli.approving.places import approver

    terms = Terms(
        tool=tool,
        arguments=argument or (),
        effects=effect or (),
        environments=environment or (),
        operations=operation or (),
        uses=uses,
        until=until,
    )
    chosen = approver(key, ())
    made = _joined(with_, chosen) if with_ else _made(terms, chosen)
    _approve(made, chosen, out, as_json=as_json)


def revoke(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Of an approval beforehand.")],
    key: KeyId = "",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Take an approval beforehand back, whoever gave it: it helps no call any more.

    Needs you at the terminal for your passphrase. What it was used for stays done. Exit code: 0 taken
    back, 1 not, 3 there is no terminal.
    """
    from groundwire.attest.people.approvals import REVOCATIONS
    from groundwire.audit.approving.carrying import CarriedAnswer
    from groundwire.audit.approving.showing import lines_of_standing
    from groundwire.cli.approving.answering import prompt_for
    from groundwire.cli.approving.carrying import send
    from groundwire.cli.approving.places import approver, key_store
    from groundwire.cli.output import say, say_json
    from groundwire.cli.terminal.opening import open_terminal
    from groundwire.documents.approval import Revocation
    from groundwire.keys.times import format_time
    from groundwire.session.clock import now

    found, chosen = _lying(id_), approver(key, ())
    with open_terminal() as terminal:
        shown = lines_of_standing(found[0][0], terminal.columns)
        terminal.write("".join(f"{line}\n" for line in shown))
        signer = key_store().approver(chosen.id, terminal.secret(prompt_for(chosen)), now())
    gone = [
        Revocation(approver=signer.key_id, at=format_time(now()), standing=digest)
        for _, digest in found
    ]
    # Each lies under an id of its own: two people may have approved the same.
    answers = [
        CarriedAnswer(
            approver=signer.key_id,
            id=each.standing.removeprefix("sha256:")[:32],
            kind="revocation",
            said=REVOCATIONS.seal(each, signer),
        )
        for each in gone
    ]
    send(answers, out)
    if as_json:
        say_json({"revoked": found[0][0].id, "approver": signer.key_id})
    else:
        say([f"{found[0][0].id} is taken back by {signer.key_id}."])


def _made(terms: Terms, chosen: Key) -> Standing:
    from groundwire.audit.approving.terms import standing_of
    from groundwire.session.clock import now, random_bytes

    return standing_of(terms, chosen.id, random_bytes(16).hex(), now())


def _joined(start: str, chosen: Key) -> Standing:
    from groundwire.audit.approving.terms import joined
    from groundwire.session.clock import now

    return joined(_lying(start)[0][0], chosen.id, now())


def _approve(made: Standing, chosen: Key, out: Path | None, *, as_json: bool) -> None:
    from groundwire.attest.people.approvals import STANDINGS
    from groundwire.audit.approving.asking import require_typed
    from groundwire.audit.approving.carrying import CarriedAnswer
    from groundwire.audit.approving.showing import closing_lines, lines_of_standing
    from groundwire.audit.approving.terms import standing_digest
    from groundwire.cli.approving.answering import prompt_for
    from groundwire.cli.approving.carrying import send
    from groundwire.cli.approving.places import key_store
    from groundwire.cli.approving.reading import read_whole
    from groundwire.cli.output import say, say_json
    from groundwire.cli.terminal.opening import open_terminal
    from groundwire.session.clock import now

    digest = standing_digest(made)

    def laid(columns: int) -> Sequence[str]:
        return (*lines_of_standing(made, columns), *closing_lines(digest, "this approval", columns))

    with open_terminal() as terminal:
        require_typed(read_whole(terminal, laid), digest)
        signer = key_store().approver(chosen.id, terminal.secret(prompt_for(chosen)), now())
    said = STANDINGS.seal(made, signer)
    answer = CarriedAnswer(approver=signer.key_id, id=made.id, kind="standing", said=said)
    send([answer], out)
    if as_json:
        say_json({"standing": made, "approver": signer.key_id})
    else:
        say([f"{made.id} is approved by {signer.key_id}, for {made.uses} uses until {made.until}."])


def _lying(start: str) -> tuple[tuple[Standing, str], ...]:
    """The approval whose id starts so, with its digest; once for each who approved it."""
    from groundwire.attest.people.approvals import STANDINGS
    from groundwire.cli.approving.places import keyring, letter_named, mailbox

    letters = mailbox().standings()
    identity = letter_named(start, letters, "approval beforehand").id
    own = keyring(None)
    envelopes: list[Envelope] = [each.envelope for each in letters if each.id == identity]
    return tuple(STANDINGS.read(each, own) for each in envelopes)
