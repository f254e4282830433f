"""The asked act: the same change, where the policy names somebody who may allow it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import openai

from groundwire.audit.guarding.receipts import judge_receipt
from groundwire.authority.keyrings import trusted_keyring
from groundwire.demo import shop
from groundwire.demo.guarded import HELD, Loop
from groundwire.demo.person import grants, is_terminal_here
from groundwire.errors import HostError
from groundwire.keys.locked import SALT_BYTES
from groundwire.session import clock
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.project import Project
from groundwire.stores.keys import KeyStore, Lock, default_folder
from groundwire.testing.standin import StandIn

NAME: Final = "duty-officer"
COMMENT: Final = "the demo's duty officer"
_POLICY: Final = """\
agent = "release desk"

[[approvers]]
name = "{name}"
key = "{key}"

[approvals]
wait_seconds = 0
"""


def act(path: Path) -> Iterator[str]:
    """Lines to print; the recording stands at `path` afterwards, the repository nowhere.

    The officer's key is retired when the act is over, and forgotten when it is next played.

    Raises:
        HostError: the repository or the key cannot be made, or the run not be recorded;
            `person-failed`.
    """
    if not shop.is_git_here() or not is_terminal_here():
        yield "   There is no git, or no terminal, on this machine: this act is left out."
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    keys, passphrase = KeyStore(default_folder(os.environ)), clock.random_bytes(16).hex()
    keys.forget_approvers(COMMENT)
    lock = Lock(passphrase, clock.random_bytes(SALT_BYTES))
    key = keys.new_approver(COMMENT, clock.now(), clock.random_bytes(32), lock)
    try:
        with tempfile.TemporaryDirectory(prefix="demo-shop-", dir=path.parent) as made:
            folder = Path(made)
            shop.make(folder, _POLICY.format(name=NAME, key=key.id))
            yield from _played(folder, path, passphrase)
    finally:
        keys.retire_approver(key.id, clock.now())


def _played(folder: Path, path: Path, passphrase: str) -> Iterator[str]:
    project = Project(folder / "groundwire.toml")
    table = project.guard(project.coding_tools())
    with StandIn(shop.asking_turns()) as here, project.session(path) as session:
        client = project.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key="unused"))
        with client:
            loop = Loop(client, table, folder)
            asked = ""
            for line in loop.lines():
                yield line
                held = loop.latest if line.startswith(HELD) else None
                if held is not None and held.request and not asked:
                    asked = held.request
                    yield from _asked(asked, passphrase)
        yield _proven(loop.results["call_again"])
    if session.lost:
        raise HostError(session.lost_reason, "The demo's recording could not be made.")
    project.close()


def _asked(request: str, passphrase: str) -> Iterator[str]:
    typed = grants(request, passphrase)
    yield f"   person  groundwire approvals grant {request[:8]}...: the duty officer reads it to its end at"
    yield f"           a terminal, types {typed}, with which its digest begins, and a passphrase"


def _proven(allowed: GuardedResult) -> str:
    if allowed.receipt is None:  # a person has stopped everything meanwhile
        return "   receipt none: nothing was decided"
    judged = judge_receipt(allowed.receipt, trusted_keyring(), clock.now())
    by = ", ".join(f"{each.approver[:20]}..." for each in judged.receipt.approvals)
    return f"   receipt {judged.standing}: {judged.receipt.decision}, approved by {by} (the duty officer)"
