"""`groundwire approvals grant` and `deny`: a person reads at a terminal, and signs what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from groundwire.audit.approving.asking import Asking, Trusted
    from groundwire.audit.approving.carrying import CarriedAnswer
    from groundwire.cli.terminal.opening import Terminal
    from groundwire.documents.approval import Answer
    from groundwire.keys.keyring import Key, Keyring

Ids: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID...", help="Requests by their ids, or how these begin."),
]
KeyId: TypeAlias = Annotated[
    str, typer.Option("--key", help="The key to answer with, or how its id begins.")
]
Requests: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--request", metavar="FILE", help="Requests that were exported elsewhere."),
]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Where the answer goes, to be delivered."),
]
Keys: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="KEYRING", help="The keyring that knows who asks; else your own."),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
]


def grant(
    ids: Ids = None,
    key: KeyId = "",
    requests: Requests = None,
    out: Out = None,
    keys: Keys = None,
    as_json: Json = False,
) -> None:
    """Show what is asked, to its end, and sign a yes to exactly that.

    Needs you at the terminal: what is asked is shown there page by page, then you type how its digest
    begins, then your passphrase. Several requests are shown one after the other and granted as one. One
    that was used or denied, or whose run is closed or stopped, is refused. Exit code: 0 granted, 1 not, 3
    there is no terminal.
    """
    from groundwire.cli.approving.places import require_of_use

    asked = _asked(ids, requests, keys)
    if ids:
        require_of_use(asked)
    _answer(asked, "granted", key, out, keys, as_json=as_json)


def deny(
    ids: Ids = None,
    key: KeyId = "",
    requests: Requests = None,
    out: Out = None,
    keys: Keys = None,
    as_json: Json = False,
) -> None:
    """Sign a no: the call is refused at once, whatever others say.

    Needs you at the terminal for your passphrase; what is asked need not be read to its end. Exit code:
    0 denied, 1 not, 3 there is no terminal.
    """
    _answer(_asked(ids, requests, keys), "denied", key, out, keys, as_json=as_json)


def signed(
    given: Sequence[Trusted], key: Key, answer: Answer, terminal: Terminal
) -> Iterator[CarriedAnswer]:
    """An answer to each request, signed once the passphrase was typed, while all are still open.

    Raises:
        GuardError: `approval-expired`. TrustError: `passphrase-wrong`, or the key counts no more.
    """
    from groundwire.attest.people.approvals import APPROVALS
    from groundwire.audit.approving.asking import answer_of, require_open
    from groundwire.audit.approving.carrying import CarriedAnswer
    from groundwire.cli.approving.places import key_store
    from groundwire.session.clock import now

    for each in given:
        require_open(each.request, now())
    signer = key_store().approver(key.id, terminal.secret(prompt_for(key)), now())
    at = now()
    for each in given:
        require_open(each.request, at)
    for each in given:
        said = answer_of(each, signer.key_id, granted=answer == "granted", now=at)
        yield CarriedAnswer(
            approver=signer.key_id,
            id=each.request.id,
            kind="answer",
            said=APPROVALS.seal(said, signer),
        )


def prompt_for(key: Key) -> str:
    """What stands before the place where the passphrase is typed."""
    return f"Passphrase of {key.comment or key.id}: "


def _asked(
    ids: list[str] | None, requests: list[Path] | None, keys: Path | None
) -> tuple[Asking, ...]:
    """What is to be answered, each once, in the order in which it was named."""
    from groundwire.audit.approving.asking import judge
    from groundwire.cli.approving.carrying import carried_requests
    from groundwire.cli.approving.places import asking, keyring
    from groundwire.errors import PolicyError

    if bool(ids) == bool(requests):
        raise PolicyError(
            "bad-arguments",
            "Name requests by their ids, or give a file of them with --request; not both.",
        )
    trusted = keyring(keys)
    found = [asking(each, trusted) for each in ids or ()]
    for path in requests or ():
        found += [
            judge(each.id, each.request, each.packet, trusted) for each in carried_requests(path)
        ]
    return tuple({each.id: each for each in found}.values())


def _answer(
    asked: Sequence[Asking],
    answer: Answer,
    key: str,
    out: Path | None,
    keys: Path | None,
    *,
    as_json: bool,
) -> None:
    from groundwire.audit.approving.asking import require_approver, require_open, trusted
    from groundwire.cli.approving.carrying import send
    from groundwire.cli.approving.places import approver, keyring
    from groundwire.cli.output import say, say_json
    from groundwire.cli.terminal.opening import open_terminal
    from groundwire.session.clock import now

    given = [trusted(each) for each in asked]
    for each in given:
        require_open(each.request, now())
    chosen = approver(key, (each.request.approvers for each in given))
    for each in given:
        require_approver(each.request, chosen.id)
    with open_terminal() as terminal:
        if answer == "granted":
            _read(terminal, given, keyring(keys))
        else:
            terminal.write("".join(f"No to request {each.request.id}.\n" for each in given))
        answers = tuple(signed(given, chosen, answer, terminal))
    send(answers, out)
    where = "lies where the call finds it" if out is None else f"is in {out}; deliver it"
    if as_json:
        say_json({"answer": answer, "approver": chosen.id, "ids": [each.id for each in answers]})
    else:
        say(f"{each.id} is {answer} by {chosen.id}; the answer {where}." for each in answers)


def _read(terminal: Terminal, given: Sequence[Trusted], trusted: Keyring) -> None:
    """All of it was shown, and the beginning of its digest typed."""
    from groundwire.audit.approving.asking import digest_to_type, require_typed
    from groundwire.audit.approving.showing import closing_lines, lines_of_requests
    from groundwire.cli.approving.reading import read_whole

    digest = digest_to_type(each.digest for each in given)
    whose = "this request" if len(given) == 1 else f"these {len(given)} requests together"

    def laid(columns: int) -> Sequence[str]:
        whole = lines_of_requests(given, trusted, columns)
        return (*whole, *closing_lines(digest, whose, columns))

    require_typed(read_whole(terminal, laid), digest)
