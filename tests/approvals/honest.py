"""What is no forgery: a person's own yes is taken, so that every refusal below says something."""

from __future__ import annotations

from tests.approvals.attempt import attempt
from tests.approvals.world import ADA, BEN, PASSPHRASE, Office
from tests.terminals import at_terminal
from tests.unit.cli.approving.office import RUN, ended, read_to_the_end


@attempt("honest", "ada reads, and says yes at her terminal", "grant at a terminal, with her passphrase",
         "executed", honest=True)  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    with at_terminal("-c", RUN, "approvals", "grant", asked, columns=100, rows=40) as typist:
        shown = "".join(read_to_the_end(typist))
        typist.type(f"{shown.split('It begins with ')[1][:8]}\n")
        typist.answer("Passphrase of ada: ", PASSPHRASE)
        code, _, err = ended(typist)
    assert code == 0, err
    world.catch_up()
    return world.again().word


@attempt(
    "honest", "ada and ben both say yes where two have to", "needed = 2", "executed", honest=True
)
def _(world: Office) -> str:
    world.people(ADA, BEN, rule="needed = 2")
    asked = world.asked()
    world.post(asked, world.says(ADA, asked))
    assert world.again().word == "refused: approval-pending"
    world.post(asked, world.says(BEN, asked), BEN)
    return world.again().word
