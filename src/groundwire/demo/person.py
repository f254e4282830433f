"""Person: somebody at a terminal of their own, played by a script that reads the screen and types."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from typing import Final

from groundwire.errors import HostError

_PATIENCE: Final = 60.0
# The first terminal that the leader of a new session opens is its controlling one.
_AT_TERMINAL: Final = """\
import os, sys
os.close(os.open(sys.argv[1], os.O_RDWR))
sys.argv = ["groundwire", *sys.argv[2:]]
from groundwire.cli.main import main
main()
"""
_ON: Final = "> "
_BEGINS: Final = re.compile(r"It begins with ([0-9a-f]{8})")
_LAST: Final = "q: leave): "
_ASKS: Final = "Passphrase of "


def is_terminal_here() -> bool:
    """Whether a terminal can be made on this machine."""
    return sys.platform != "win32"


def grants(request: str, passphrase: str) -> str:
    """`groundwire approvals grant REQUEST` was read to its end and granted; what was typed for it.

    Raises:
        HostError: `person-failed`: it said something else than was waited for.
    """
    own, its = os.openpty()
    with subprocess.Popen(  # noqa: S603 -- our own command
        [sys.executable, "-c", _AT_TERMINAL, os.ttyname(its), "approvals", "grant", request],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=(its,),
    ) as process:
        os.close(its)
        try:
            typed = _reads_and_types(own, passphrase)
            code = process.wait(_PATIENCE)
        except (HostError, subprocess.TimeoutExpired):
            process.kill()
            raise
        finally:
            os.close(own)
        if code != 0:
            said = process.stderr.read().decode() if process.stderr else ""
            raise HostError("person-failed", f"The approval was not given: {said.strip()}")
    return typed


def _reads_and_types(terminal: int, passphrase: str) -> str:
    """The first characters of the digest, which were typed before the passphrase."""
    seen, answered, typed = "", 0, ""
    poll = select.poll()
    poll.register(terminal, select.POLLIN)
    while True:
        if not poll.poll(_PATIENCE * 1000):
            raise HostError("person-failed", "The terminal of the demo's approver says nothing.")
        try:
            data = os.read(terminal, 65536)
        except OSError:  # nobody holds its other side any more
            return typed
        seen += data.decode("utf-8", "replace")
        shown = seen[answered:]
        if _ASKS in shown:
            answer = passphrase
        elif shown.endswith(_LAST) and (found := _BEGINS.search(seen)):
            answer = typed = found.group(1)
        elif shown.endswith(_ON):
            answer = ""
        else:
            continue
        answered = len(seen)
        os.write(terminal, f"{answer}\n".encode())
