"""`groundwire guard verify`: a receipt, held against a keyring alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.audit.guarding.calls import GuardedCall
    from groundwire.documents.entry import Envelope
    from groundwire.keys.keyring import Keyring

_RECORDING = b'{"@":'
_BEGINS = len(_RECORDING)
_CODES = {"holds": 0, "does-not-hold": 1, "undecided": 3}


def verify(
    receipt: Annotated[
        str,
        typer.Argument(
            metavar="RECEIPT", help="A DSSE envelope, or RUN#N: guarded call N of a recording."
        ),
    ],
    keys: Annotated[
        Path | None, typer.Option(metavar="KEYRING", help="Trust these keys, no others.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what a receipt decided about what, who signed it, and whether the keyring bears it out.

    Needs the keyring and no network. Of RUN#N the recording is verified first. Exit code: 0 the
    signature counts, 1 it does not (its key was retired, revoked or made for something else; the
    bytes were changed), 2 usage, 3 nobody can tell (the signer is not in the keyring). A receipt that has
    expired still holds: it permits nothing any more, and says what was decided.
    """
    from groundwire.audit.guarding.receipts import judge_receipt, judged_lines
    from groundwire.audit.guarding.words import call_line, closing_words
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.cli.output import say, say_json
    from groundwire.session import clock

    keyring = trusted_keyring(keys)
    envelope, call, standing = _taken(receipt, keyring)
    judged = judge_receipt(envelope, keyring, clock.now(), call)
    if as_json:
        say_json(judged)
    else:
        say(judged_lines(judged))
        if call is not None:
            say((f"  in the run:     {call_line(call)}",))
            say((f"  closing:        {closing_words(call)}", f"  recording:      {standing}"))
        say((f"  keys trusted:   {keyring.source}",))
    raise typer.Exit(_CODES[judged.standing])


def _taken(named: str, keyring: Keyring) -> tuple[Envelope, GuardedCall | None, str]:
    """The envelope, and of a recorded one the call and what was said of the recording."""
    from groundwire.audit.guarding.receipts import (
        LARGEST,
        envelope_of_file,
        recorded_call,
        run_and_number,
    )
    from groundwire.audit.recordings import open_recording, standing_of
    from groundwire.errors import HostError
    from groundwire.session.keeping import known_head

    found = None if Path(named).is_file() else run_and_number(named)
    if found is None:
        data = _read(Path(named), LARGEST + 1)
        if len(data) > LARGEST:
            raise HostError("file-unreadable", f"{named} is larger than any receipt.")
        return envelope_of_file(data, named), None, ""
    path, number = found
    if not _read(Path(path), _BEGINS).startswith(_RECORDING):
        raise HostError("not-a-recording", f"{path} is no recording: RUN#N names a call of one.")
    evidence = open_recording(Path(path), keyring, known_head)
    envelope, call = recorded_call(evidence.reader, number)
    return envelope, call, standing_of(evidence.verdict)


def _read(path: Path, most: int) -> bytes:
    from groundwire.errors import HostError

    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError(
            "file-unreadable", f"{path} cannot be read: {reason}; give a file that can be read."
        ) from error
