"""`groundwire keys`: make, list, rotate, revoke and export this user's own keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from groundwire.canon.jcs import JSON
    from groundwire.cli.terminal.opening import Terminal
    from groundwire.errors import PolicyError
    from groundwire.keys.keyring import Key
    from groundwire.stores.keys import KeyStore, Lock

# Stated again, so that `--help` does not wait for the cryptography library.
Purpose: TypeAlias = Literal["recording", "approval", "authority", "service"]
Elsewhere: TypeAlias = Literal["other-user-agent", "hardware"]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
]

_SHORTEST = 8
_NEXT = "Give your verifiers the keyring: groundwire keys export -o keyring.json"

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make, list, rotate, revoke and export your own keys. Private keys stay in"
    " $XDG_STATE_HOME/groundwire/keys (else ~/.local/state/groundwire/keys).",
    epilog="Example: groundwire keys list",
)


@app.command(epilog="Example: groundwire keys new --comment 'the build machine'")
def new(
    purpose: Annotated[Purpose, typer.Option(help="What the key is for.")] = "recording",
    comment: Annotated[str, typer.Option(help="A word for people, in the keyring.")] = "",
    name: Annotated[
        str, typer.Option(help="Whose key it is, for approval: a word in small letters.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Make a new active key. For recordings there is one at a time: rotate that.

    A key for approval is one person's, and opens by a passphrase that is asked for at the terminal:
    from no argument, no variable and no standard input.
    """
    from groundwire.session import clock

    if purpose == "approval":
        _new_approver(name, comment, as_json=as_json)
        return
    if name:
        raise _together("--name is the person's of a key for approval; for others: --comment")
    with _asked_well():
        key = _store().new(purpose, comment, clock.now(), clock.random_bytes(32))
    _show(key, f"{key.id}\nis active for {purpose}. {_NEXT}", as_json=as_json)


@app.command("list", epilog="Example: groundwire keys list --json")
def list_keys(as_json: Json = False) -> None:
    """List your own keys: state, purposes, custody, times."""
    store = _store()
    keyring = store.keyring()
    if as_json:
        _print_json({"keyring": keyring.source, "keys": [_plain(key) for key in keyring.keys]})
        return
    for key in keyring.keys:
        print(_line(key))
    if not keyring.keys:
        print("There are no keys yet; the first run makes one, or: groundwire keys new")


@app.command(epilog="Example: groundwire keys rotate")
def rotate(
    key: Annotated[
        str | None,
        typer.Argument(help="The key's id, or its start. Without it: the one for recordings."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put a new key in the place of the one that signs recordings, or of one for approval.

    What the old one signed before still verifies; its private half is deleted. A person's key is
    replaced at the terminal, by whoever knows its passphrase; who does not, revokes it.
    """
    from groundwire.session import clock

    store = _store()
    if key is not None and (named := store.keyring().find(_found(store, key))) is not None:
        if "approval" in named.purposes:
            _rotate_approver(named, as_json=as_json)
            return
        if "recording" not in named.purposes or named.state != "active":
            raise _together(
                f"{named.id} is not one that is rotated: revoke it, or make another with"
                " `groundwire keys new`"
            )
    fresh = store.rotate(clock.now(), clock.random_bytes(32))
    _show(fresh, f"{fresh.id}\nsigns your recordings from now on. {_NEXT}", as_json=as_json)


@app.command(
    epilog="Example: groundwire keys revoke ed25519:3f9a0c1e --since 2026-05-04T10:20:30.000000Z"
)
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, or as much of its start as is unique.")],
    since: Annotated[
        str | None,
        typer.Option(
            help="From when somebody else may have had it, in UTC. Without it: from its beginning."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say that a key may be somebody else's too.

    What it signed counts no more: nothing in this version can date it to before then.
    """
    from groundwire.keys.times import parse_time

    store = _store()
    with _asked_well():
        moment = None if since is None else parse_time(since)
    revoked = store.revoke(_found(store, key), moment)
    _show(
        revoked,
        f"{revoked.id}\nis revoked from {revoked.compromised_at}: what it signed counts no more."
        f" {_NEXT}",
        as_json=as_json,
    )


@app.command(epilog="Example: groundwire keys add ada.json --custody hardware")
def add(
    keyring: Annotated[
        Path, typer.Argument(help="The keyring that the approver exported where they work.")
    ],
    custody: Annotated[
        Elsewhere, typer.Option(help="How its private keys are kept there, by your own word.")
    ] = "other-user-agent",
    as_json: Json = False,
) -> None:
    """Take an approver's public key into your own keyring, of one who works elsewhere.

    Takes the active keys for approval alone, under your word of their custody. Compare the id with the
    approver by a way you trust: whoever gave you another file would approve in their place.
    """
    from groundwire.audit.guarding.approvers import keys_from_elsewhere
    from groundwire.errors import PolicyError
    from groundwire.stores.private_keys.folder import KeyFolder

    found = keys_from_elsewhere(_read(keyring), str(keyring), custody)
    if not found:
        raise PolicyError("no-keys", f"{keyring} has no active key for approval and nothing else.")
    new = KeyFolder(_folder()).add_elsewhere(found)
    if as_json:
        _print_json({"added": [_plain(key) for key in new]})
        return
    for key in new:
        print(f"{key.id}\nis in your keyring, {key.custody}. {_pasteable(key, _named(key))}")
    if not new:
        print("Your keyring has every one of these keys already; nothing was changed.")


@app.command(epilog="Example: groundwire keys export -o keyring.json")
def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file; without it, standard output.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write your public keys for whoever is to verify your recordings."""
    from groundwire.errors import PolicyError

    store = _store()
    if not store.list():
        raise PolicyError(
            "no-keys", "There are no keys to export; make one with `groundwire keys new`."
        )
    if output is None:
        print(store.export().decode(), end="")
        return
    count = store.export_to(output)
    if as_json:
        _print_json({"file": str(output), "keys": count})
    else:
        print(f"{output} holds {count} public key{'s' if count > 1 else ''} and no private one.")


def _new_approver(name: str, comment: str, *, as_json: bool) -> None:
    from groundwire.cli.terminal.opening import open_terminal
    from groundwire.session import clock

    store = _store()
    store.keyring()  # what is wrong with the folder is said before anybody has typed anything
    _require_name(name)
    with open_terminal() as terminal:
        lock = _locked_by(terminal, name)
    label = f"{name}: {comment}" if comment else name
    with _asked_well():
        key = store.new_approver(label, clock.now(), clock.random_bytes(32), lock)
    _show(key, _introduced(key, name), as_json=as_json)


def _rotate_approver(old: Key, *, as_json: bool) -> None:
    from groundwire.cli.terminal.opening import open_terminal
    from groundwire.session import clock

    store = _store()
    name = _named(old)
    with open_terminal() as terminal:
        passphrase = terminal.secret(f"Passphrase of {old.id[:16]}: ")
        store.approver(old.id, passphrase, clock.now())
        lock = _locked_by(terminal, name)
    key = store.rotate_approver(old.id, passphrase, clock.now(), clock.random_bytes(32), lock)
    _show(key, f"{_introduced(key, name)}\nTake out the block with {old.id}.", as_json=as_json)


def _locked_by(terminal: Terminal, name: str) -> Lock:
    import getpass

    from groundwire.cli.terminal.passphrases import choose
    from groundwire.keys.locked import SALT_BYTES
    from groundwire.session import clock
    from groundwire.stores.keys import Lock

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a process of no named user
        user = ""
    return Lock(choose(terminal, (name, user)), clock.random_bytes(SALT_BYTES))


def _introduced(key: Key, name: str) -> str:
    """The key, and what a policy says so that it may approve; to be pasted as it is."""
    return f"{key.id}\nis active for approval, and opens by your passphrase. {_pasteable(key, name)}{_NEXT}"


def _pasteable(key: Key, name: str) -> str:
    return (
        "In the groundwire.toml of a project where it may say yes:\n\n"
        f'[[approvers]]\nname = "{name}"\nkey = "{key.id}"\n\n'
    )


def _named(key: Key) -> str:
    """The name that stands before the comment, where it can be one in a policy."""
    from groundwire.authority.reading.governing.rules import read_id
    from groundwire.authority.reading.values import Misdeclared

    try:
        return read_id(key.comment.partition(":")[0], ())
    except Misdeclared:
        return "approver"


def _read(path: Path) -> bytes:
    from groundwire.errors import HostError
    from groundwire.keys.keyring import MAX_KEYRING_BYTES

    try:
        with path.open("rb") as file:
            return file.read(MAX_KEYRING_BYTES + 1)
    except OSError as error:
        raise HostError(
            "keyring-unreadable", f"{path} cannot be read ({error.strerror or error})."
        ) from error


def _require_name(name: str) -> None:
    from groundwire.authority.reading.governing.rules import read_id
    from groundwire.authority.reading.values import Misdeclared

    try:
        read_id(name, ())
    except Misdeclared as error:
        raise _together(f"--name {error}: a key for approval is one person's") from error


def _together(what: str) -> PolicyError:
    from groundwire.errors import PolicyError

    return PolicyError("bad-arguments", f"{what}.")


def _store() -> KeyStore:
    from groundwire.stores.keys import KeyStore

    return KeyStore(_folder())


def _folder() -> Path:
    import os

    from groundwire.stores.keys import default_folder

    return default_folder(os.environ)


@contextmanager
def _asked_well() -> Iterator[None]:
    """What an argument cannot mean is a usage error, not a document that could not be read."""
    from groundwire.errors import EncodingError, PolicyError

    try:
        yield
    except EncodingError as error:
        raise PolicyError(error.reason, error.message) from error


def _found(store: KeyStore, text: str) -> str:
    """The id of the one key whose id starts so, with or without `ed25519:`."""
    from groundwire.errors import PolicyError

    digits = text.removeprefix("ed25519:")
    fitting = [key.id for key in store.list() if key.id.removeprefix("ed25519:").startswith(digits)]
    if len(digits) < _SHORTEST or len(fitting) > 1:
        raise PolicyError(
            "ambiguous-key",
            f"{text!a} may be more than one key; give {_SHORTEST} digits of its id, or more.",
        )
    if not fitting:
        raise PolicyError(
            "unknown-key", f"No key's id starts with {text!a}; `groundwire keys list` shows them."
        )
    return fitting[0]


def _show(key: Key, sentence: str, *, as_json: bool) -> None:
    if as_json:
        _print_json({"key": _plain(key)})
    else:
        print(sentence)


def _line(key: Key) -> str:
    until = key.compromised_at or key.retired_at or key.not_after or "no end"
    comment = f"  {key.comment}" if key.comment else ""
    purposes = ",".join(key.purposes)
    return f"{key.id}  {key.state}  {purposes}  {key.custody}  {key.not_before} to {until}{comment}"


def _plain(key: Key) -> JSON:
    import msgspec

    plain: JSON = msgspec.to_builtins(key)
    return plain


def _print_json(document: JSON) -> None:
    from groundwire.canon import jcs

    print(jcs.encode(document).decode())
