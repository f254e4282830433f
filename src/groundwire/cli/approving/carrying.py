"""`groundwire approvals export` and `deliver`: to an approver elsewhere, and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from groundwire.audit.approving.carrying import CarriedAnswer, CarriedRequest
    from groundwire.keys.keyring import Keyring

Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
]


def export(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="Requests by their ids, or how these begin."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    as_json: Json = False,
) -> None:
    """Write requests, and what is to be shown with them, for an approver elsewhere.

    The file holds what stands in the files that would be changed: it is for whoever may read them. They
    need your keyring too (`groundwire keys export`), and answer with `approvals grant --request FILE`.
    """
    from groundwire.audit.approving.asking import trusted
    from groundwire.audit.approving.carrying import CarriedRequest, CarriedRequests, as_file
    from groundwire.cli.approving.places import asking, keyring, mailbox
    from groundwire.cli.output import say, say_json
    from groundwire.errors import PolicyError

    box, own = mailbox(), keyring(None)
    carried = []
    for start in ids:
        given = trusted(asking(start, own))
        envelope = box.request(given.request.id)
        if envelope is None:
            raise PolicyError("no-such-approval", f"Request {given.request.id} is gone.")
        carried.append(CarriedRequest(id=given.request.id, packet=given.packet, request=envelope))
    write_file(out, as_file(CarriedRequests(requests=tuple(carried))))
    if as_json:
        say_json({"file": str(out), "ids": [each.id for each in carried]})
    else:
        say([f"{out} holds {', '.join(each.id for each in carried)}."])


def deliver(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What an approver's command wrote with --out.")
    ],
    as_json: Json = False,
) -> None:
    """Put what an approver said elsewhere where the calls that wait find it.

    Each answer is verified first, by your own keyring, which has to have the approver's key. One that
    does not hold is refused, and then none is put there.
    """
    from groundwire.audit.approving.carrying import answers_in
    from groundwire.cli.approving.places import keyring
    from groundwire.cli.output import say, say_json

    answers = answers_in(_read(file), str(file))
    own = keyring(None)
    for each in answers:
        _require(each, own)
    send(answers, None)
    if as_json:
        say_json({"delivered": [{"id": each.id, "approver": each.approver} for each in answers]})
    else:
        say(f"{each.id}: what {each.approver} said is there ({each.kind})." for each in answers)


def send(answers: Sequence[CarriedAnswer], out: Path | None) -> None:
    """What was said lies in the mailbox, or in the file to be delivered."""
    from groundwire.audit.approving.carrying import CarriedAnswers, as_file
    from groundwire.cli.approving.places import mailbox

    if out is not None:
        write_file(out, as_file(CarriedAnswers(answers=tuple(answers))))
        return
    box = mailbox()
    post = {
        "answer": box.post_answer,
        "standing": box.post_standing,
        "revocation": box.post_revocation,
    }
    for each in answers:
        post[each.kind](each.id, each.approver, each.said)


def carried_requests(path: Path) -> tuple[CarriedRequest, ...]:
    """The requests in an exported file.

    Raises:
        HostError: `file-unreadable`. EncodingError: `not-carried`.
    """
    from groundwire.audit.approving.carrying import requests_in

    return requests_in(_read(path), str(path))


def write_file(path: Path, data: bytes) -> None:
    """The file holds exactly these bytes, for this user alone; else what it held before.

    Raises:
        HostError: `export-failed`.
    """
    from groundwire.errors import HostError

    half = path.with_name(f".{path.name}.{os.getpid()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(half, flags, 0o600), "wb") as file:
            file.write(data)
        half.replace(path)
    except OSError as error:
        with suppress(OSError):
            half.unlink()
        raise HostError(
            "export-failed",
            f"{path} cannot be written: {error.strerror or error}; name another file.",
        ) from error


def _require(answer: CarriedAnswer, own: Keyring) -> None:
    """What was carried is what it says it is, by whom it says.

    Raises:
        GroundwireError: why it is not.
    """
    from groundwire.attest.people.approvals import APPROVALS, REVOCATIONS, STANDINGS
    from groundwire.audit.approving.asking import require_open, require_to, trusted
    from groundwire.cli.approving.places import asking
    from groundwire.errors import TrustError
    from groundwire.session.clock import now

    identity = answer.id
    match answer.kind:
        case "answer":
            said, _ = APPROVALS.read(answer.said, own)
            asked = trusted(asking(answer.id, own))
            require_to(said, asked.request, asked.digest)
            require_open(asked.request, now())
            author = said.approver
        case "standing":
            standing, _ = STANDINGS.read(answer.said, own)
            author, identity = standing.approver, standing.id
        case "revocation":
            author = REVOCATIONS.read(answer.said, own)[0].approver
    if (author, identity) != (answer.approver, answer.id):
        raise TrustError(
            "approval-for-another", f"{answer.id} says another approver or id than what is signed."
        )


def _read(path: Path) -> bytes:
    from groundwire.audit.approving.carrying import LARGEST
    from groundwire.errors import HostError

    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise HostError(
            "file-unreadable", f"{path} cannot be read ({error.strerror or error})."
        ) from error
    if len(data) > LARGEST:
        raise HostError("file-unreadable", f"{path} is larger than any such file.")
    return data
