"""Terminals: a program at a real terminal of its own, and somebody who types at it. No sleeps."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 30.0
"""Seconds until a program that says nothing is taken to be stuck."""

# The first terminal that the leader of a new session opens is its controlling one.
_AT_TERMINAL = """\
import os, sys
os.close(os.open(sys.argv[1], os.O_RDWR))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


class Typist:
    """Sits at the terminal: reads what is shown there, types, and looks at the modes."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self.seen = ""
        self._master = master
        self._at = 0

    def wait_for(self, text: str) -> str:
        """What was shown since the last time, up to and with `text`."""
        while (found := self.seen.find(text, self._at)) < 0:
            if not self._read():
                raise AssertionError(f"{text!r} was never shown, only {self.seen!r}")
        since, self._at = self._at, found + len(text)
        return self.seen[since : self._at]

    def type(self, text: str) -> None:
        """These characters are typed; a line ends with \\n."""
        os.write(self._master, text.encode())

    def answer(self, prompt: str, text: str) -> None:
        """`text` and the return key are typed once `prompt` was shown."""
        self.wait_for(prompt)
        self.type(f"{text}\n")

    def resize(self, *, columns: int, rows: int) -> None:
        """The terminal has another size from now on."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def modes(self) -> list[object]:
        """The modes of the terminal, as `termios.tcgetattr` tells them."""
        return termios.tcgetattr(self._master)

    @property
    def shows_what_is_typed(self) -> bool:
        """Whether the terminal echoes."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self) -> int:
        """The exit code; everything that was shown is in `seen`."""
        while self._read():
            pass
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        poll = select.poll()  # of any descriptor: `select` takes none over 1023
        poll.register(self._master, select.POLLIN)
        if not poll.poll(PATIENCE * 1000):
            raise AssertionError(f"the program is stuck; it showed {self.seen!r}")
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the last holder of the other side has gone
            return False
        self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


@contextmanager
def at_terminal(
    *arguments: str,
    columns: int = 80,
    rows: int = 24,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Iterator[Typist]:
    """`python ARGUMENTS` runs at a terminal of this size; its standard streams are not that.

    Standard input is empty, output and errors are pipes of `Typist.process`.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", _AT_TERMINAL, os.ttyname(slave), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=None if environment is None else dict(environment),
        cwd=folder,
        pass_fds=(slave,),
    )
    typist = Typist(process, master)
    # Ours is closed only once the program has it, or reading would end before it began.
    os.close(slave)
    try:
        yield typist
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        os.close(master)
