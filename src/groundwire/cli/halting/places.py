"""Places: where stops lie, which run is meant, and the keys that stop, lift and open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groundwire.attest.people.stops import LIFTS, OPENINGS, STOPS
from groundwire.authority.policy import find_policy, load_policy
from groundwire.authority.reading.governing.rules import PRODUCTION
from groundwire.cli.approving.answering import prompt_for
from groundwire.cli.approving.places import key_store
from groundwire.cli.approving.stopped import Shown, shown_as, stop_folder
from groundwire.cli.terminal.opening import open_terminal
from groundwire.documents.approving import approvers_for
from groundwire.documents.stop import EVERY_RUN, MAX_REASON, Lift, Opening, Stop
from groundwire.errors import EncodingError, GroundwireError, HostError, PolicyError
from groundwire.keys.times import format_time
from groundwire.session import clock
from groundwire.stores.disk.reading import open_to_read

if TYPE_CHECKING:
    from groundwire.cli.terminal.opening import Terminal
    from groundwire.keys.keyring import Key
    from groundwire.keys.signer import Signer


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A stop that was written: whether it could be signed, and whether such a run is known here."""

    digest: str
    known: bool
    signed: bool


def scope_of(run: str | None, *, every: bool, needed: bool, alone: bool = False) -> str:
    """The run that is meant, by its id; a recording is asked for its own. `all` for every.

    Raises:
        PolicyError: `bad-arguments`: neither or both, or where there is to be none, one.
        HostError: the recording cannot be read.
    """
    if alone and (run or every):
        raise PolicyError("bad-arguments", "--list shows every stop; name no run with it.")
    if bool(run) == every and needed:
        raise PolicyError("bad-arguments", "Name one run, or say --all; not both.")
    if every or run is None:
        return EVERY_RUN
    if run == EVERY_RUN:
        raise PolicyError("bad-arguments", "Every run is --all.")
    if not Path(run).is_file():
        return run
    with open_to_read(Path(run)) as file:
        if file.opening is None:
            raise HostError("recording-unreadable", f"{run} is no recording; name the run's id.")
        return file.opening.run


def is_known(named: str | None, scope: str) -> bool:
    """Whether what was named is every run, a recording, or a run of which a head was kept here."""
    if scope == EVERY_RUN or (named is not None and Path(named).is_file()):
        return True
    return _has_head(scope)


def refuse_reason(reason: str) -> None:
    """No reason was given, where none is kept."""
    if reason:
        raise PolicyError("bad-arguments", "--reason is of a stop; a lift has none.")


def stop(scope: str, reason: str, *, known: bool) -> Written:
    """A stop lies where every guarded call looks; also of a run that nobody knows, unless it is a path.

    It is signed by this machine's authority key, which is made where there never was one. Where that
    cannot be, one that nobody signed lies there, and holds for every run.

    Raises:
        PolicyError: `bad-arguments`: a reason or a run that cannot be, or a path where nothing is.
        HostError: `stops-unreadable`; `stop-unsigned`: one run alone was to be stopped.
    """
    if not known and _is_path(scope):
        raise PolicyError(
            "bad-arguments",
            f"There is no file {scope}, and no run of that id; nothing was stopped.",
        )
    if len(reason) > MAX_REASON or not reason.isprintable():
        raise PolicyError(
            "bad-arguments", f"--reason takes at most {MAX_REASON} printable characters."
        )
    identity = clock.random_bytes(16).hex()
    try:
        signer = key_store().identity(clock.now(), clock.random_bytes(32), "authority")
        document = Stop(
            at=format_time(clock.now()),
            authority=signer.key_id,
            id=identity,
            reason=reason,
            scope=scope,
        )
        envelope = STOPS.seal(document, signer)
    except EncodingError as error:
        raise PolicyError("bad-arguments", error.message) from error
    except GroundwireError as error:
        if scope != EVERY_RUN:
            raise HostError(
                "stop-unsigned",
                f"Nothing can sign a stop of one run here ({error.message}); `groundwire stop --all`"
                " needs no key.",
            ) from error
        digest = stop_folder().put_bytes("stop", identity, b"nobody could sign this stop\n")
        return Written(digest=digest, known=True, signed=False)
    digest = stop_folder().put("stop", identity, envelope)
    return Written(digest=digest, known=known, signed=True)


def lifted(scope: str, key: str) -> tuple[Shown, ...]:
    """An approver said at the terminal that each stop of this scope holds no more.

    A stop that nobody vouches for holds for every run, and is lifted with those.

    Raises:
        PolicyError: `nothing-stopped`, `no-approver-key`. TrustError: `passphrase-wrong`, ….
        HostError: `no-terminal`, `stops-unreadable`.
    """
    folder, keyring = stop_folder(), key_store().keyring()
    papers = [each for each in folder.papers() if each.kind == "stop"]
    every = [(each, shown_as(each, keyring)) for each in papers]
    fitting = [(paper, shown) for paper, shown in every if shown.scope == scope and paper.digest]
    if not fitting:
        raise PolicyError("nothing-stopped", _nothing(scope, {shown.scope for _, shown in every}))
    chosen = _approver(key)
    with open_terminal() as terminal:
        for _, shown in fitting:
            terminal.write(f"Lifts {shown.digest} of {shown.at or 'an unknown time'}.\n")
        signer = _signer(terminal, chosen)
    for paper, _ in fitting:
        document = Lift(approver=signer.key_id, at=format_time(clock.now()), stop=paper.digest)
        folder.put("lift", clock.random_bytes(16).hex(), LIFTS.seal(document, signer))
        folder.put_away(paper)
    return tuple(shown for _, shown in fitting)


def open_plan(run: str, key: str, *, known: bool) -> str:
    """An approver said at the terminal that the run may act; the key's id.

    Raises:
        PolicyError: `no-approver-key`; `bad-arguments`: nobody knows the run. TrustError: `passphrase-wrong`, ….
        HostError: `no-terminal`, `stops-unreadable`.
    """
    chosen = _approver(key)
    if not known:
        raise PolicyError(
            "bad-arguments",
            f"No run {run} is known here, and no recording lies there; nothing was opened. The id of"
            " a run is in its recording's first line.",
        )
    with open_terminal() as terminal:
        signer = _signer(terminal, chosen)
    document = Opening(approver=signer.key_id, at=format_time(clock.now()), run=run)
    try:
        envelope = OPENINGS.seal(document, signer)
    except GroundwireError as error:
        raise PolicyError("bad-arguments", error.message) from error
    stop_folder().put("opening", clock.random_bytes(16).hex(), envelope)
    return signer.key_id


def _nothing(scope: str, others: set[str]) -> str:
    """That no stop of the scope lies here, and what is stopped instead."""
    whom = "every run" if scope == EVERY_RUN else f"the run {scope}"
    if not others:
        return f"No stop of {whom} lies here, nor any other."
    rest = ", ".join("--all" if other == EVERY_RUN else other for other in sorted(others)[:3])
    return (
        f"No stop of {whom} lies here. What is stopped is lifted by its own name: {rest}"
        " (`groundwire stop --list` shows all)."
    )


def _approver(named: str) -> Key:
    """The key of this user's that the policy here lets lift and open: the one named, else the only one.

    Raises:
        PolicyError: `no-approver-key`: the policy here names none of yours, or several.
    """
    found = find_policy(Path.cwd())
    known = load_policy(found).approvers if found else ()
    may = {each.key for each in approvers_for(known, PRODUCTION)}
    digits = named.removeprefix("ed25519:")
    fitting = [
        key
        for key in key_store().list()
        if key.id in may and key.id.removeprefix("ed25519:").startswith(digits)
    ]
    if len(fitting) != 1:
        which = "several of your keys; name one with --key" if fitting else "no key of yours"
        raise PolicyError(
            "no-approver-key",
            f"The policy in force here ({found or 'no groundwire.toml'}) names {which}"
            f"{f' that begins with {named!a}' if named else ''} in [[approvers]] for {PRODUCTION}."
            " The policy of the folder counts in which this is run: go to the project's.",
        )
    return fitting[0]


def _signer(terminal: Terminal, key: Key) -> Signer:
    return key_store().approver(key.id, terminal.secret(prompt_for(key)), clock.now())


def _is_path(run: str) -> bool:
    return "/" in run or os.sep in run or run.endswith(".gw")


def _has_head(run: str) -> bool:
    """Whether a run of this id was recorded by this user, as far as heads were kept."""
    from groundwire.session.keeping import heads

    try:
        return heads().get(run, 0) is not None
    except GroundwireError:
        return True  # nobody knows, and a stop that was written need not sound as if it failed
