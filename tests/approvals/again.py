"""A yes that was true once: used again, after its time, for another run, or for more than it says."""

from __future__ import annotations

import os
import shutil
import threading
from contextvars import copy_context
from datetime import timedelta
from pathlib import Path
from typing import Any

import groundwire as gw
from groundwire.attest.people.approvals import STANDINGS
from groundwire.documents.approval import ArgumentPattern, Standing
from groundwire.documents.entry import Envelope
from groundwire.keys.times import format_time
from groundwire.stores.keys import default_folder
from tests.approvals.attempt import attempt
from tests.approvals.world import ADA, MALLORY, Office, Person, forged, mail_folder
from tests.approving import enrol, mailbox
from tests.hands import Hands

PENDING = "refused: approval-pending"
MOVED = "refused: grants-moved"
STANDING_ID = "5" * 32


def done_once(world: Office) -> str:
    """What ada allowed is done, and the file as it was before; the id of her request."""
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    assert world.again().word == "executed", world.last
    world.place.write("app.py", "v1\n")
    return asked


def uses() -> Path:
    """The database of uses."""
    return default_folder(os.environ).parent / "guard" / "grants.sqlite"


@attempt(
    "again",
    "a yes used a second time",
    "the same call with the same bytes, once it was done",
    PENDING,
)
def _(world: Office) -> str:
    done_once(world)
    return world.again().word


@attempt(
    "again",
    "an old answer under a new request",
    "replayed with the id of the request that was made anew",
    PENDING,
)
def _(world: Office) -> str:
    old = done_once(world)
    new = world.asked()
    for path in mail_folder().glob(f"{old}.*.answer.json"):
        shutil.copy(path, path.with_name(path.name.replace(old, new)))
    return world.again().word


@attempt("again", "a yes used by 20 threads at once", "one of them may write; the others are refused", "1 of 20",
         honest=True)  # fmt: skip
def _(world: Office) -> str:
    """The one yes that there was is taken once."""
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    words: list[str] = []
    threads = [
        threading.Thread(
            target=copy_context().run, args=(lambda: words.append(world.again().word),)
        )
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(words) == 20
    return f"{words.count('executed')} of 20"


EDIT: dict[str, object] = {"path": "app.py", "old": "v1", "new": "v2"}


@attempt(
    "again", "a yes in another run", "the same call in a second run of the same process", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    world.run.close()
    other = world.project.session(world.place.top / "runs" / "second.gw")
    with other:
        hands = Hands(world.project, other, world.table_of)
        return world.seen(hands.call("edit_file", EDIT)).word


@attempt("again", "a yes after its time", "15 minutes later", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    world.clock.advance(15 * 60)
    return world.again().word


@attempt(
    "again",
    "a yes after its time, the clock set back",
    "the process has seen the later time",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    kept = {path: path.read_bytes() for path in mail_folder().glob(f"{asked}.*")}
    world.clock.advance(16 * 60)
    assert world.again().word == PENDING
    for path, data in kept.items():  # what was forgotten is put back
        path.write_bytes(data)
        path.chmod(0o600)
    world.post(asked, world.says(ADA, asked, at=world.request(asked)[0].issued))
    world.clock.advance(-16 * 60)
    return world.again().word


@attempt("again", "a yes from the future", "dated an hour ahead of the request", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    soon = world.clock() + timedelta(minutes=10)
    world.post(asked, world.says(ADA, asked, at=format_time(soon)))
    return world.again().word


@attempt("again", "a yes that is older than the question", "dated before the request", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    before = world.clock() - timedelta(minutes=1)
    world.post(asked, world.says(ADA, asked, at=format_time(before)))
    return world.again().word


@attempt("again", "the database of uses deleted", "beside the guard, in mid-run", MOVED)
def _(world: Office) -> str:
    done_once(world)
    for path in uses().parent.glob("grants.sqlite*"):
        path.unlink()
    return world.again().word


@attempt(
    "again", "the database of uses rolled back", "a copy from before, put back in mid-run", MOVED
)
def _(world: Office) -> str:
    done_once(world)
    kept = {path: path.read_bytes() for path in uses().parent.glob("grants.sqlite*")}
    other = world.asked(new="v3")
    world.post(other, world.says(ADA, other))
    assert world.again(new="v3").word == "executed"
    world.place.write("app.py", "v1\n")
    for path in uses().parent.glob("grants.sqlite*"):
        path.unlink()
    for path, data in kept.items():
        path.write_bytes(data)
    return world.again(new="v3").word


@attempt("again", "the uses of another process, deleted", "the project is opened anew; the call is one of another run",
         PENDING)  # fmt: skip
def _(world: Office) -> str:
    done_once(world)
    world.run.close()
    for path in uses().parent.glob("grants.sqlite*"):
        path.unlink()
    anew = gw.Project(clock=world.clock)
    with anew.session(world.place.top / "runs" / "anew.gw") as run:
        hands = Hands(anew, run, world.table_of)
        return world.seen(hands.call("edit_file", EDIT)).word


# --- approvals beforehand -------------------------------------------------------------------


def stands(world: Office, person: Person = ADA, **changes: Any) -> Envelope:
    """An approval beforehand of two edits of `docs`, signed by the person."""
    now = world.clock()
    terms: dict[str, Any] = {
        "approver": person.signer.key_id, "arguments": (ArgumentPattern(name="path", pattern="docs/**"),),
        "at": format_time(now), "effects": ("write",), "environments": ("production",),
        "id": STANDING_ID, "operations": ("tool_call",), "since": format_time(now), "tool": "edit_file",
        "until": format_time(now + timedelta(hours=8)), "uses": 2, **changes,
    }  # fmt: skip
    return STANDINGS.seal(Standing(**terms), person.signer)


def stand(world: Office, envelope: Envelope, person: Person = ADA) -> str:
    """The approval lies there, and the call is made."""
    mailbox().post_standing(STANDING_ID, person.signer.key_id, envelope)
    return world.again().word


@attempt(
    "again", "ada's yes beforehand is taken", "app.py is what she allowed", "executed", honest=True
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    return stand(world, stands(world, arguments=(ArgumentPattern(name="path", pattern="app.py"),)))


@attempt("again", "a yes beforehand for another file", "docs/** does not cover app.py", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    return stand(world, stands(world))


@attempt(
    "again",
    "a yes beforehand, its pattern widened",
    "docs/** becomes **, the signature kept",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    return stand(world, forged(stands(world), ("docs/**", "**")))


@attempt(
    "again",
    "a yes beforehand, its uses raised",
    "2 becomes 9, the signature kept; used twice",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    covers = stands(world, uses=1, arguments=(ArgumentPattern(name="path", pattern="app.py"),))
    assert stand(world, covers) == "executed"
    world.place.write("app.py", "v1\n")
    assert world.again().word == PENDING
    return stand(world, forged(covers, ('"uses":1', '"uses":9')))


@attempt(
    "again", "a yes beforehand, past its count", "a third call where two were allowed", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    covers = stands(world, arguments=(ArgumentPattern(name="path", pattern="app.py"),))
    assert stand(world, covers) == "executed"
    world.place.write("app.py", "v1\n")
    assert world.again().word == "executed"
    world.place.write("app.py", "v1\n")
    return world.again().word


@attempt(
    "again",
    "a yes beforehand, under a second id",
    "the same envelope lies there twice, past its count",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    covers = stands(world, uses=1, arguments=(ArgumentPattern(name="path", pattern="app.py"),))
    assert stand(world, covers) == "executed"
    world.place.write("app.py", "v1\n")
    mailbox().post_standing("6" * 32, ADA.signer.key_id, covers)
    return world.again().word


@attempt(
    "again", "a yes beforehand by the agent's key", "in the keyring, named by no policy", PENDING
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    enrol(MALLORY.key())
    covers = stands(world, MALLORY, arguments=())
    return stand(world, covers, MALLORY)


@attempt(
    "again",
    "a yes beforehand that was taken back",
    "its revocation seen, and then deleted",
    PENDING,
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    covers = stands(world, arguments=(ArgumentPattern(name="path", pattern="app.py"),))
    digest = STANDINGS.inspect(covers)[1]
    mailbox().post_revocation("7" * 32, ADA.signer.key_id, ADA.revokes(digest, world.clock()))
    assert stand(world, covers) == PENDING
    for path in mail_folder().glob("*.revocation.json"):
        path.unlink()
    return world.again().word


@attempt("again", "a yes beforehand after its time", "eight hours later", PENDING)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    covers = stands(world, arguments=(ArgumentPattern(name="path", pattern="app.py"),))
    world.clock.advance(8 * 3600)
    return stand(world, covers)
