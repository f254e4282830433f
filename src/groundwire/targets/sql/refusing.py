"""Refusals that the databases share, each in one wording. No row and no secret stands in any."""

from __future__ import annotations

from groundwire.documents.sql import GRANTS
from groundwire.errors import GuardError, HostError


def failed(code: str) -> GuardError:
    """The database refused the statement. `code` is its own word for why."""
    return GuardError(
        "statement-failed",
        f"The database refused the statement ({code}); nothing of it stands. Write it differently.",
    )


def busy(code: str) -> GuardError:
    """Somebody else was writing; `code` is the database's own word."""
    return GuardError(
        "database-busy",
        f"Others hold or changed what the statement is about ({code}); nothing of it stands. Try"
        " again.",
    )


def timed_out(seconds: float) -> GuardError:
    """The statement ran for longer than it may."""
    return GuardError(
        "statement-timed-out",
        f"The statement ran for more than {seconds:g} s; nothing of it stands. Ask for less at once.",
    )


def refused(why: str) -> GuardError:
    """The statement is none that runs under the guard."""
    return GuardError("statement-refused", f"{why}; nothing of it stands.")


def protected() -> GuardError:
    """The statement reaches our own table."""
    return GuardError(
        "protected-place",
        f"The statement touches {GRANTS}, in which the guard keeps what was carried out; nothing of"
        " it stands.",
    )


def misfit(why: str) -> GuardError:
    """The statement cannot be run with what its placeholders are to stand for."""
    return GuardError("arguments-do-not-fit", f"{why}; nothing ran. Make the call differently.")


def used() -> GuardError:
    """The grant stands in the database already."""
    return GuardError("grant-used", "The grant was used before; each is good for one effect.")


def unreachable(why: str) -> HostError:
    """The database does not answer. `why` is a word of its own, or of the library's."""
    return HostError(
        "database-unreachable", f"The database cannot be reached ({why}); nothing of it stands."
    )


def not_connected(name: str, why: str) -> HostError:
    """There is no connection to the database that the policy calls `name`, so nothing is sent to it."""
    return HostError(
        "database-unreachable",
        f"The database {name!r} cannot be reached ({why}); nothing was done in it now. See"
        f" [databases.{name}].",
    )


def unexpected(why: str) -> HostError:
    """The database answered what it cannot."""
    return HostError("database-failed", f"The database cannot be used ({why}); nothing ran.")


def no_table(name: str) -> HostError:
    """Nothing is written where no grant can be consumed with it."""
    return HostError(
        "grants-table-missing",
        f"The database has no table {GRANTS} of the guard's, or another's; nothing ran. Make it:"
        f" `groundwire init --sql {name}`.",
    )


def unsettled(why: str) -> HostError:
    """Nobody can say whether it stands."""
    return HostError(
        "write-unsettled",
        f"Nobody can say whether the statement stands ({why}); `groundwire guard recover` can, once"
        " the database is reached.",
    )
