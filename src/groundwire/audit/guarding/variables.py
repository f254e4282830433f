"""Variables: whether the environment has what a policy says stands there, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from groundwire.audit.doctor import Line
from groundwire.documents.policy import Policy
from groundwire.stores.posting.notices import LEAST_SECRET

_SET: Final = "set it where the agent is started"


def examine_variables(policy: Policy, environment: Mapping[str, str]) -> Iterator[Line]:
    """Each variable that the policy reads a connection or a secret from. Shows no value.

    One that is not set here may be set where the agent is started: that is a note. Does not connect,
    and does not know whether a secret is the one that the other side has.
    """
    for database in policy.guard.databases:
        if database.dsn_from:
            what = f"the connection of database {database.name!r}"
            yield _line(database.dsn_from, what, environment, 1)
    for notice in policy.notices:
        what = f"the secret of {notice.url}"
        yield _line(notice.secret_from, what, environment, LEAST_SECRET)


def _line(variable: str, what: str, environment: Mapping[str, str], least: int) -> Line:
    value = environment.get(variable, "")
    if not value:
        says = f"{variable} is not set here: {what}"
        return Line(topic="variables", state="note", says=says, next_step=_SET)
    if len(value.encode("utf-8", "surrogateescape")) < least:
        says = f"{variable} is too short for {what}: every notice fails"
        step = f"a secret of {least} bytes or more, on both sides"
        return Line(topic="variables", state="todo", says=says, next_step=step)
    return Line(topic="variables", state="ok", says=f"{variable} is set: {what}")
