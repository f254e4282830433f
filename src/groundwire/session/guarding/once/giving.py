"""Giving: the idempotency key of the deed that a tool's own code is doing."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, TypeVar

from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.arguments import Arguments
from groundwire.session.live.binding import Within

Made = TypeVar("Made")

_current: ContextVar[str] = ContextVar("groundwire_idempotency_key", default="")
_STANDS_IN: Final = "gw-" + 40 * "0"


def idempotency_key() -> str:
    """The idempotency key of the deed that the tool which asks is doing: the same for each try.

    To be called in the code of a guarded tool that is declared `once_per`; give it to the service,
    which then takes a second try for the first. Says nothing of whether the service does.

    Raises:
        GuardError: `no-idempotency-key`: nothing that is to be done once is being done here.
    """
    found = _current.get()
    if not found:
        raise GuardError(
            "no-idempotency-key",
            "Nothing that is to be done once is being done here: declare `once_per` of the tool,"
            " and ask within its own code.",
        )
    return found


def giving(key: str) -> Within[str]:
    """Within, `idempotency_key` is this; "" for none."""
    return Within(_current, key)


def with_key(
    declared: ToolDeclaration, work: Callable[[Arguments], Callable[[], Made]] | None
) -> Callable[[Arguments], Callable[[], Made]] | None:
    """The tool's code, to which the idempotency key is given where the call leaves it out.

    That the arguments fit is seen before anything is asked, with a key that stands in for it. What is
    recorded of the call, and what its receipt covers, is what the model chose.
    """
    name = declared.once_key
    if not name or work is None:
        return work
    made = work

    def filled(arguments: Arguments) -> Callable[[], Made]:
        if arguments.get(name) is not None:
            return made(arguments)
        made({**arguments, name: _STANDS_IN})

        def with_it() -> Made:
            return made({**arguments, name: idempotency_key()})()

        return with_it

    return filled
