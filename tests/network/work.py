"""The child process: a watched and guarded run, its commands, and every reach for a network.

`python -m tests.network.work FOLDER NOTICES|- ANCHOR|- STRAY` prints one JSON object: what was reached
for, what the calls came to, and the exit codes of the commands. A reach that is for neither of the two
addresses is refused to whoever made it. `STRAY`: 1 where a tool's own code is to reach for one too.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

REACHES = (
    "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr",
    "socket.gethostbyname", "socket.getnameinfo", "socket.sendmsg", "socket.sendto",
)  # fmt: skip
reached: list[str] = []


def cut(*named: str) -> None:
    """From now on whatever reaches for a network is noted, and refused but for what is named.

    Names of this machine's own file system are no network; and for a moment groundwire listens on
    loopback itself, to see that a contained command cannot even get there.
    """
    allowed = {(parts.hostname, parts.port) for parts in map(urlsplit, named) if parts.hostname}

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event not in REACHES:
            return
        where = tuple(given[:2]) if event == "socket.getaddrinfo" else given[-1]
        here = event == "socket.bind" and where == ("127.0.0.1", 0)
        if here or (event in ("socket.bind", "socket.connect") and not isinstance(where, tuple)):
            return
        reached.append(f"{event} {where}")
        if not isinstance(where, tuple) or where[:2] not in allowed or event == "socket.bind":
            raise OSError(f"the network is cut: {event} {where}")

    sys.addaudithook(hook)


def main() -> None:
    folder, named, stray = Path(sys.argv[1]), sys.argv[2:4], sys.argv[4] == "1"
    notices, anchor = ("" if each == "-" else each for each in named)
    os.umask(0o077)
    os.chdir(folder)
    said = os.dup(1)
    os.dup2(2, 1)  # the commands' own words go elsewhere
    cut(notices, anchor)
    # Nothing of groundwire is imported before: importing it reaches for nothing either.
    carrying = importlib.import_module("tests.network.carrying")
    told = carrying.carry_out(folder, notices, anchor, stray) | {"reached": reached}
    sys.stdout.flush()
    os.write(said, json.dumps(told).encode())


if __name__ == "__main__":
    main()
