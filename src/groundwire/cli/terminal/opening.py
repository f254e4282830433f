"""Terminal: a person is asked where they sit, by the device, never through standard input.

Whoever can start a program can give it a terminal of their own: that somebody answers at one does
not prove a person. What proves one is what only they know, and that is asked for here.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Final, TypeAlias

from groundwire.errors import HostError

if sys.platform != "win32":
    import termios

DEVICE: Final = "/dev/tty"
_UNKNOWN_SIZE: Final = (80, 24)
_LONGEST_LINE: Final = 4096
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

Restoring: TypeAlias = Callable[[], None]


class Terminal:
    """The controlling terminal of this process, open until the `with` ends.

    Raises, from what reads and writes:
        HostError: `terminal-failed`: it hung up, ended the input, or sent what is no line of text.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @property
    def columns(self) -> int:
        """How many columns it has now; 80 where it does not say."""
        return self._size()[0]

    @property
    def rows(self) -> int:
        """How many rows it has now; 24 where it does not say."""
        return self._size()[1]

    def write(self, text: str) -> None:
        """All of the text is written, as it is: whoever shows a stranger's words escapes them."""
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        with _told("cannot be written to"):
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    def ask(self, prompt: str) -> str:
        """The line that is typed after the prompt was shown; what was typed before is dropped."""
        with _told("cannot be read"):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
        self.write(prompt)
        return self._line()

    def secret(self, prompt: str) -> str:
        """The line that is typed after the prompt was shown, which the terminal does not show.

        Its modes are put back whatever happens, also where the process is interrupted or asked to
        end; not where it is killed. The text stays in this process's memory until that is reused.
        """
        with self._unseen():
            self.write(prompt)
            try:
                return self._line()
            finally:
                with suppress(HostError):
                    self.write("\n")  # the one that was typed was not shown either

    def close(self) -> None:
        """The terminal is no longer open here."""
        descriptor, self._descriptor = self._descriptor, -1
        with suppress(OSError):
            os.close(descriptor)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _size(self) -> tuple[int, int]:
        with _told("does not say its size"):
            columns, rows = os.get_terminal_size(self._descriptor)
        return columns or _UNKNOWN_SIZE[0], rows or _UNKNOWN_SIZE[1]

    def _line(self) -> str:
        line = bytearray()
        with _told("cannot be read"):
            while not line.endswith(b"\n"):
                read = os.read(self._descriptor, _LONGEST_LINE)
                line += read
                if not read or len(line) > _LONGEST_LINE:
                    raise HostError(
                        "terminal-failed", "The input ended in the middle of a line; nothing done."
                    )
        try:
            return line.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            # `from None`: the cause would carry what was typed, and it may be a secret.
            raise HostError(
                "terminal-failed", "What was typed is not UTF-8; set the terminal to it."
            ) from None

    @contextmanager
    def _unseen(self) -> Iterator[None]:
        with _told("cannot be set"):
            before = termios.tcgetattr(self._descriptor)
            unseen = termios.tcgetattr(self._descriptor)
        unseen[3] &= ~termios.ECHO
        unseen[3] |= termios.ICANON | termios.ISIG
        # Stopped from the keyboard, the terminal would be left to others as it is now.
        unseen[6][termios.VSUSP] = b"\0"

        def restore() -> None:
            with suppress(termios.error, OSError):
                termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, before)

        with _ended_by(restore):
            try:
                with _told("cannot be set"):
                    termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, unseen)
                yield
            finally:
                restore()


def open_terminal() -> Terminal:
    """The terminal that this process was started from, open.

    Raises:
        HostError: `no-terminal`: there is none, as in a service, a job, or a tool's shell.
    """
    if sys.platform == "win32":
        raise HostError("no-terminal", "A person is asked on Linux and macOS only.")
    try:
        descriptor = os.open(DEVICE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise HostError(
            "no-terminal",
            "This needs a person at a terminal, and this process has none; type the command at one"
            " yourself. Nothing is read from standard input instead.",
        ) from error
    return Terminal(descriptor)


@contextmanager
def _ended_by(restore: Restoring) -> Iterator[None]:
    """Where a signal ends the process in here, `restore` is done first."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone, and that is not waiting here
        return

    def end(number: int, _frame: FrameType | None) -> None:
        restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    before = {number: signal.getsignal(number) for number in _ENDING}
    # One that is ignored stays so, and one that somebody else answers is theirs.
    ours = [number for number in _ENDING if before[number] is signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, end)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """What the terminal refuses in here becomes one HostError."""
    try:
        yield
    except (OSError, termios.error) as error:
        raise HostError(
            "terminal-failed", f"The terminal {what} ({error}); nothing was done."
        ) from error
