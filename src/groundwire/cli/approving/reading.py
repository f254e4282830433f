"""Reading: a person reads what they are asked, page by page, and types what nobody types unread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from groundwire.audit.approving.paging import Reading

Laid: TypeAlias = Callable[[int], Sequence[str]]
"""What is to be read, in lines of at most so many columns."""

NEXT: Final = "Enter: on, b: back, q: leave"
LAST: Final = "Type the digest's first 8 characters (b: back, q: leave): "


class Asked(Protocol):
    """A terminal, as far as this needs one."""

    @property
    def columns(self) -> int: ...
    @property
    def rows(self) -> int: ...
    def write(self, text: str) -> None: ...
    def ask(self, prompt: str) -> str: ...


def read_whole(terminal: Asked, laid: Laid) -> str:
    """What was typed for the digest, once every page was shown on a terminal of one size.

    Where the size changes meanwhile it begins anew: a page may have been cut.

    Raises:
        GuardError: `not-shown-whole`: the person left before the end.
        HostError: the terminal failed.
    """
    from groundwire.errors import GuardError

    while True:
        size = terminal.columns, terminal.rows
        typed = _read(terminal, size, laid)
        if typed is not None:
            return typed
        if (terminal.columns, terminal.rows) == size:
            raise GuardError(
                "not-shown-whole",
                "Nothing was answered. What was not shown to its end cannot be granted.",
            )
        terminal.write("The terminal has another size now: from the beginning.\n")


def _read(terminal: Asked, size: tuple[int, int], laid: Laid) -> str | None:
    """What was typed at the end; None where the person left, or the size is another."""
    from groundwire.audit.approving.paging import Reading

    columns, rows = size
    reading = Reading(laid(columns), rows, kept=_rows_of(LAST, columns))
    while True:
        terminal.write("".join(f"{line}\n" for line in reading.page()))
        reading.written()
        typed = terminal.ask(LAST if reading.is_last else _prompt(reading, columns)).strip()
        if (terminal.columns, terminal.rows) != size or typed.lower() == "q":
            return None
        if typed.lower() == "b":
            reading.back()
        elif reading.is_last and typed:
            reading.require_whole()
            return typed
        elif not typed:
            reading.forward()


def _prompt(reading: Reading, columns: int) -> str:
    """The prompt below a page, in as few rows as the last one takes."""
    place = f"{reading.at + 1}/{reading.count} "
    whole = f"{place}{NEXT}> "
    return whole if _rows_of(whole, columns) <= _rows_of(LAST, columns) else f"{place}> "


def _rows_of(prompt: str, columns: int) -> int:
    """The rows that a prompt and eight typed characters take."""
    return -(-(len(prompt) + 9) // max(columns, 1))
