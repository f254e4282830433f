"""The agent's shell without a guard: the same user's processes, with the command line and a terminal."""

from __future__ import annotations

import os
import shlex
import subprocess

from groundwire.stores.keys import KeyStore, default_folder
from tests.approvals.attempt import attempt
from tests.approvals.world import ADA, COMMAND, MALLORY, PASSPHRASE, Office, locked
from tests.approving import enrol, mailbox
from tests.askings import replace
from tests.terminals import at_terminal
from tests.unit.cli.approving.office import RUN, ended, next_page, read_to_the_end

NO_TERMINAL = "refused: no-terminal"


def _still(world: Office, how: str) -> str:
    """How it ended; and the call is asked about as before."""
    assert world.again().word == "refused: approval-pending", world.last
    return how


@attempt("beside", "grant without a terminal", "yes is piped in a hundred times", NO_TERMINAL)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    return _still(
        world, world.ended(*world.command("approvals", "grant", asked, typed="y\n" * 100))
    )


@attempt("beside", "grant without a terminal, all known", "page breaks, the digest and even the passphrase are piped in",
         NO_TERMINAL)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    digest = world.request(asked)[1].removeprefix("sha256:")[:8]
    lines = "\n" * 40 + f"{digest}\n{PASSPHRASE}\n"
    return _still(world, world.ended(*world.command("approvals", "grant", asked, typed=lines)))


@attempt("beside", "grant with the passphrase elsewhere", "in variables and options that there might be",
         NO_TERMINAL, "refused: usage")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    named = {
        f"GROUNDWIRE_{name}": PASSPHRASE for name in ("PASSPHRASE", "PASSWORD", "KEY_PASSPHRASE")
    }
    how = world.ended(*world.command("approvals", "grant", asked, **named))
    assert how == NO_TERMINAL
    for option in ("--passphrase", "--password", "--yes", "--force", "-y"):
        code, _ = world.command("approvals", "grant", asked, option, PASSPHRASE)
        assert code == 2, option
    return _still(world, "refused: usage")


@attempt("beside", "grant --json", "a document is asked for in the place of a person", NO_TERMINAL)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    return _still(world, world.ended(*world.command("approvals", "grant", asked, "--json")))


@attempt("beside", "a terminal of the agent's own, no passphrase", "reads to the end, types the digest, then return",
         "refused: passphrase-wrong")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    return _still(world, world.typed(world.asked(), ""))


@attempt("beside", "a terminal of the agent's own, guesses", "three passphrases that people use",
         "refused: passphrase-wrong")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    hows = {
        world.typed(asked, guess)
        for guess in ("correct horse battery staple", "ada", "Password123!")
    }
    assert len(hows) == 1
    return _still(world, hows.pop())


@attempt("beside", "a terminal of the agent's own, by script", "`script` gives a terminal; the answers are piped into it",
         "refused: not granted")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    command = shlex.join((*COMMAND, "approvals", "grant", asked))
    digest = world.request(asked)[1].removeprefix("sha256:")[:8]
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        input="\n" * 40 + f"{digest}\ny\n", capture_output=True, text=True, check=False,
        start_new_session=True, timeout=120,
    )  # fmt: skip
    return _still(world, "accepted" if done.returncode == 0 else "refused: not granted")


@attempt(
    "beside", "leaving before the end", "the first page alone, then q", "refused: not-shown-whole"
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    with at_terminal("-c", RUN, "approvals", "grant", asked, columns=40, rows=10) as typist:
        next_page(typist)
        typist.type("q\n")
        return _still(world, world.ended(*_said(ended(typist))))


@attempt("beside", "another digest than what was shown", "that of a request that somebody else made",
         "refused: digest-mistyped")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    other, asked = world.asked(new="v3"), world.asked()
    digest = world.request(other)[1].removeprefix("sha256:")[:8]
    with at_terminal("-c", RUN, "approvals", "grant", asked, columns=100, rows=60) as typist:
        read_to_the_end(typist)
        typist.type(f"{digest}\n")
        return _still(world, world.ended(*_said(ended(typist))))


@attempt("beside", "ada at a packet that was changed", "what is to be shown is made harmless; she is shown nothing",
         "refused: approval-untrusted")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    packet, request = mailbox().packet(asked), mailbox().request(asked)
    assert packet is not None
    assert request is not None
    harmless = replace(packet, changes=(replace(packet.changes[0], diff="+# a comment"),))
    mailbox().post_request(asked, request, harmless)
    how = world.typed(asked, PASSPHRASE, shown=False)
    mailbox().post_request(asked, request, packet)
    return _still(world, how)


@attempt("beside", "a key that the agent makes for itself", "keys new --purpose approval at its own terminal, then grant",
         "refused: approver-unknown")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    arguments = ("keys", "new", "--purpose", "approval", "--name", "mallory")
    with at_terminal("-c", RUN, *arguments) as typist:
        for _ in range(2):
            typist.wait_for(": ")
            typist.type("words of the agent's own\n")
        code, out, err = ended(typist)
    assert code == 0, err
    key = next(word for word in out.split() if word.startswith("ed25519:"))
    with at_terminal("-c", RUN, "approvals", "grant", asked, "--key", key) as typist:
        return _still(world, world.ended(*_said(ended(typist))))


@attempt("beside", "delivering what the agent signed", "approvals deliver of an answer by its own key",
         "refused: approver-unknown")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    enrol(MALLORY.key())
    path = world.carried(asked, MALLORY, world.says(MALLORY, asked))
    return _still(world, world.ended(*world.command("approvals", "deliver", str(path))))


@attempt("beside", "a state folder of the agent's own", "XDG_STATE_HOME with its own keys: a yes there is none here",
         "refused: no-such-approval")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    own = str(world.place.top / "own-state")
    how = world.ended(*world.command("approvals", "grant", asked, XDG_STATE_HOME=own))
    return _still(world, how)


@attempt("beside", "ada's locked file and the open keys are copied", "signed with every key that opens without words",
         "refused: nothing opens")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    held = default_folder(os.environ) / f"{ADA.signer.key_id.removeprefix('ed25519:')}.pem"
    assert held.read_bytes() == locked(ADA, PASSPHRASE)
    store = KeyStore(default_folder(os.environ))
    assert not store.opens_without_passphrase(ADA.signer.key_id)
    for purpose in ("authority", "recording"):
        _, signer = world.key_of(purpose)
        mailbox().post_answer(asked, signer.key_id, world.says_as(signer, asked))
    return _still(world, "refused: nothing opens")


def _said(how: tuple[int, str, str]) -> tuple[int, str]:
    return how[0], how[1] + how[2]
