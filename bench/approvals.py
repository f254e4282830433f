"""What an approval given beforehand adds to a guarded write, beside the same write that needs none.

One process, one run, one tool: a write that a rule of the policy has asked about and that a standing
approval covers, and one that a rule allows, in turns. `python -m bench.approvals` exits 1 where the
first takes over 0.3 ms more, in the median. The approval is one of ten that lie there.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import groundwire as gw
from bench.quiet import load, outcome
from groundwire.attest.people.approvals import STANDINGS
from groundwire.canon.dsse import encode_base64
from groundwire.documents.approval import ArgumentPattern, Standing
from groundwire.documents.approving import Approver
from groundwire.documents.call import ToolCall
from groundwire.documents.governing import FileArguments, GuardRules, Rule
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Key, Keyring, encode_keyring
from groundwire.keys.times import format_time
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.people.mailbox import Mailbox

BOUND_MS = 0.3
PAIRS = 400
LYING = 10
ADA = Ed25519Signer.from_seed(b"\x02" * 32)


def write(path: str, content: str) -> str:
    """Never runs: groundwire writes itself."""
    return path + content


def trusted(folder: Path) -> None:
    """The keyring in the folder has Ada's key, whose private half lies nowhere."""
    keys = KeyStore(folder)
    keys.identity(datetime.now(UTC), b"\x01" * 32, "authority")
    key = Key(
        comment="ada", compromised_at=None, custody="passphrase", id=ADA.key_id, not_after=None,
        not_before="2020-01-01T00:00:00.000000Z", public_key=encode_base64(ADA.public_key),
        purposes=("approval",), retired_at=None, state="active",
    )  # fmt: skip
    path = folder / "keyring.json"
    path.write_bytes(encode_keyring(Keyring((*keys.keyring().keys, key), str(path))))
    path.chmod(0o600)


def approved_beforehand(mailbox: Mailbox) -> None:
    """So many standing approvals lie there; the last one to be looked at covers the writes."""
    since = datetime.now(UTC) - timedelta(minutes=1)
    for number in range(LYING):
        standing = Standing(
            approver=ADA.key_id,
            arguments=(ArgumentPattern(name="path", pattern="asked/*" if not number else "no/*"),),
            at=format_time(since), effects=("write",), environments=("production",),
            id=f"{number:032x}", operations=("tool_call",), since=format_time(since), tool="write",
            until=format_time(since + timedelta(hours=3 - number / LYING)), uses=100_000,
        )  # fmt: skip
        mailbox.post_standing(standing.id, ADA.key_id, STANDINGS.seal(standing, ADA))


def main() -> int:
    """The exit code."""
    before = load()
    free, asked, free_busy, asked_busy = [], [], [], []
    with tempfile.TemporaryDirectory() as top:
        os.environ["XDG_STATE_HOME"] = top + "/state"
        folder = Path(top) / "project"
        folder.mkdir()
        trusted(default_folder(os.environ))
        approved_beforehand(Mailbox(default_folder(os.environ).parent / "guard" / "approvals"))
        policy = Policy(
            tools=(
                ToolDeclaration(name="write", effect="write", target=FileArguments(edit="create")),
            ),
            guard=GuardRules(
                folder=str(folder),
                rules=(
                    Rule(id="asked", decide="approve", paths=("asked/**",)),
                    Rule(id="free", decide="allow", paths=("free/**",)),
                ),
            ),
            approvers=(Approver(name="ada", key=ADA.key_id),),
        )
        project = gw.Project(policy)
        table = project.guard([write])
        with project.session(Path(top) / "bench.gw"):
            for number in range(2 * PAIRS + 2):
                kind = "asked" if number % 2 else "free"
                arguments = f'{{"path":"{kind}/{number}.txt","content":"{number}"}}'
                call = ToolCall(id=f"c{number}", name="write", arguments=arguments)
                began, busy = time.perf_counter(), time.process_time()
                result = table.dispatch(call)
                took, used = time.perf_counter() - began, time.process_time() - busy
                if type(result.outcome).__name__ != "Executed":
                    print(f"a write was not carried out: {result!r}")
                    return 1
                if number >= 2:
                    (asked if number % 2 else free).append(took)
                    (asked_busy if number % 2 else free_busy).append(used)
    added = (median(asked) - median(free)) * 1000
    busy_added = (median(asked_busy) - median(free_busy)) * 1000
    print(
        f"a guarded write that a rule allows (ms, median of {PAIRS})      {median(free) * 1000:6.2f}"
    )
    print(f"one that a standing approval covers (ms)                   {median(asked) * 1000:6.2f}")
    over = "" if added <= BOUND_MS else "  OVER"
    print(
        f"what the approval adds (ms)                                {added:6.2f}  <= {BOUND_MS}{over}"
    )
    print(f"  of the process's own time (ms)                           {busy_added:6.2f}")
    return outcome(added > BOUND_MS, before)


if __name__ == "__main__":
    sys.exit(main())
