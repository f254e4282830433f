"""The agent's shell as the guard gives it one: beside the folder, contained, with nothing of ours."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.approvals.again import done_once, uses
from tests.approvals.attempt import attempt
from tests.approvals.world import ADA, COMMAND, Office, mail_folder
from tests.approving import mailbox

UNSEEN = "refused: no-such-approval"
NOTHING = "nothing of it was there"


def _ran(world: Office, command: str) -> str:
    """How a command of the agent's ended; the call is asked about as before."""
    done = world.shell(command)
    assert done.word == "executed", done
    assert world.again().word == "refused: approval-pending", world.last
    if "No such file or directory" in done.text and str(COMMAND[0]) in done.text:
        return UNSEEN  # this environment lies where no command sees anything (`/tmp`): not even it
    return world.ended(done.exit, done.text.partition("[exit code")[0])


@attempt(
    "shell",
    "approvals grant in the guarded shell",
    "yes is piped into it; it sees no mailbox",
    UNSEEN,
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    return _ran(world, f"yes | {shlex.join((*COMMAND, 'approvals', 'grant', asked))}")


@attempt(
    "shell", "approvals grant by script in the guarded shell", "with a terminal of its own", UNSEEN
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    inner = shlex.join((*COMMAND, "approvals", "grant", asked))
    return _ran(world, f"script -qec {shlex.quote(inner)} /dev/null < /dev/null")


@attempt(
    "shell", "an answer written in the guarded shell", "a file in the mailbox, by its path", NOTHING
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    before = sorted(mail_folder().iterdir())
    folder = shlex.quote(str(mail_folder()))
    world.shell(f"mkdir -p {folder} && echo '{{}}' > {folder}/{asked}.{'0' * 16}.answer.json")
    assert sorted(mail_folder().iterdir()) == before
    assert world.again().word == "refused: approval-pending", world.last
    return NOTHING


@attempt(
    "shell",
    "the keys, looked for in the guarded shell",
    "every file of the home, and of the key folder",
    NOTHING,
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    done = world.shell('find "$HOME" -type f -exec cat {} + ; cat "$HOME"/state/groundwire/keys/*')
    assert done.word == "executed", done
    assert "[user]" in done.text  # the shell did look
    assert "PRIVATE KEY" not in done.text
    assert "ed25519:" not in done.text
    return NOTHING


@attempt(
    "shell",
    "an answer written by the file tool",
    "write_file into the mailbox",
    "refused: protected-place",
)
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    path = mail_folder() / f"{asked}.{'0' * 16}.answer.json"
    done = world.do("create_file", path=str(path), content="{}")
    assert not path.exists()
    return done.word


@attempt("shell", "an answer put there through a link", "a link in the project to the mailbox",
         "refused: protected-place", "refused: bad-path")  # fmt: skip
def _(world: Office) -> str:
    world.people(ADA)
    asked = world.asked()
    Path(world.place.folder / "mail").symlink_to(mail_folder())
    done = world.do("create_file", path=f"mail/{asked}.{'0' * 16}.answer.json", content="{}")
    assert len(mailbox().answers(asked)) == 0
    return done.word


@attempt(
    "shell",
    "the policy, edited by the file tool",
    "another approver is added",
    "refused: protected-place",
)
def _(world: Office) -> str:
    world.people(ADA)
    world.asked()
    return world.do(
        "edit_file", path="groundwire.toml", old="wait_seconds = 0", new="needed = 1"
    ).word


@attempt("shell", "the database of uses, by the file tool", "delete_file of what was used",
         "refused: protected-place")  # fmt: skip
def _(world: Office) -> str:
    done_once(world)
    word = world.do("delete_file", path=str(uses())).word
    assert uses().exists()
    return word
