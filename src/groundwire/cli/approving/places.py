"""Places: where requests lie, whose keyring judges them, and with which key a person answers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from groundwire.audit.approving.asking import Asking, RunIs
    from groundwire.keys.keyring import Key, Keyring
    from groundwire.stores.keys import KeyStore
    from groundwire.stores.people.mailbox import Letter, Mailbox
    from groundwire.stores.people.uses import Uses

_SHORTEST: Final = 4


def mailbox() -> Mailbox:
    """Where this user's requests and answers are."""
    from groundwire.session.guarding.people.desk import MAILBOX
    from groundwire.stores.people.mailbox import Mailbox

    return Mailbox(_guard_folder() / MAILBOX)


def uses() -> Uses | None:
    """How often this user's approvals were used; None where none ever was."""
    from groundwire.session.guarding.guard import GRANTS
    from groundwire.stores.people.uses import Uses
    from groundwire.stores.writing.database import Database

    path = _guard_folder() / GRANTS
    return Uses(Database(path)) if path.exists() else None


def require_of_use(found: Iterable[Asking]) -> None:
    """A yes to each of these could still be used, as far as this user's stores say.

    Raises:
        GuardError: `approval-used`, `approval-denied`, `stopped`, `approval-run-over`.
    """
    from groundwire.audit.approving import asking as rules

    box, own, counted = mailbox(), keyring(None), uses()
    try:
        for each in found:
            if each.request is not None:
                rules.require_of_use(
                    each.request,
                    used=counted is not None and counted.taken(each.digest) > 0,
                    said=rules.said_to(each, (it.envelope for it in box.answers(each.id)), own),
                    run_is=run_is(each.request.asked.run),
                )
    finally:
        if counted is not None:
            counted.close()


def run_is(run: str) -> RunIs:
    """Whether a run is stopped, or closed, as this user's stops and heads have it.

    Of one whose process died the heads say no end; a stop of the run above it is not looked at.
    """
    from groundwire.cli.approving.stopped import standing
    from groundwire.documents.stop import EVERY_RUN
    from groundwire.errors import GroundwireError
    from groundwire.session.keeping import heads, state_folder

    if any(each.scope in (run, EVERY_RUN) for each in standing()):
        return "stopped"
    try:
        if not (state_folder() / "heads.sqlite").exists():
            return ""
        segment, last = 0, heads().get(run, 0)
        while last is not None and (later := heads().get(run, segment + 1)) is not None:
            segment, last = segment + 1, later
    except GroundwireError:
        return ""  # nobody knows
    return "over" if last is not None and last.state == "closed" else ""


def key_store() -> KeyStore:
    """The keys of this user."""
    import os

    from groundwire.stores.keys import KeyStore, default_folder

    return KeyStore(default_folder(os.environ))


def keyring(given: Path | None) -> Keyring:
    """The keyring in the file, else this user's own: never one that a project names.

    Raises:
        GroundwireError: it cannot be read, or is none.
    """
    from groundwire.authority.keyrings import trusted_keyring

    return key_store().keyring() if given is None else trusted_keyring(given)


def asking(start: str, trusted: Keyring) -> Asking:
    """The one request whose id starts so, judged.

    Raises:
        PolicyError: `no-such-approval`: none, or more than one.
    """
    from groundwire.audit.approving.asking import judge

    box = mailbox()
    letter = letter_named(start, box.requests(), "request")
    return judge(letter.id, letter.envelope, box.packet(letter.id), trusted)


def letter_named(start: str, letters: Iterable[Letter], what: str) -> Letter:
    """The one letter whose id starts so.

    Raises:
        PolicyError: `no-such-approval`: none, or more than one.
    """
    from groundwire.errors import PolicyError

    fitting = [each for each in letters if each.id.startswith(start)]
    if len({each.id for each in fitting}) > 1 or len(start) < _SHORTEST:
        raise PolicyError(
            "no-such-approval",
            f"{start!a} may be more than one {what}; give {_SHORTEST} or more digits of its id.",
        )
    if not fitting:
        raise PolicyError(
            "no-such-approval",
            f"No {what}'s id starts with {start!a}; `groundwire approvals list` shows them.",
        )
    return fitting[0]


def approver(named: str, asked: Iterable[tuple[str, ...]]) -> Key:
    """The key to answer with: the one named, else the only one of this user's that all who ask ask.

    `named` is the beginning of its id, "" for none; `asked` are the approvers of each request.

    Raises:
        PolicyError: `no-approver-key`: there is none, or there are several.
    """
    from groundwire.errors import PolicyError

    every = tuple(asked)
    digits = named.removeprefix("ed25519:")
    fitting = [
        key
        for key in key_store().keyring().keys
        if "approval" in key.purposes
        and key.state == "active"
        and key.id.removeprefix("ed25519:").startswith(digits)
        and (bool(digits) or all(key.id in each for each in every))
    ]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise PolicyError(
            "no-approver-key",
            "No active approval key of yours was asked; `groundwire keys list` shows yours, and"
            " `groundwire approvals show` who was asked.",
        )
    raise PolicyError(
        "no-approver-key", "Several of your keys may answer; name one with --key and its id."
    )


def _guard_folder() -> Path:
    import os

    from groundwire.stores.keys import default_folder

    return default_folder(os.environ).parent / "guard"
