"""DeedOf: one guarded call's part in what is to be done once: it does it, or reads whether it was."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final

from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.declaration import Settling
from groundwire.documents.outcome import Executed, Outcome, Passed, Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GroundwireError, GuardError
from groundwire.grounding.once.keys import business_key, same_value
from groundwire.grounding.once.settling import settled
from groundwire.keys.times import format_time
from groundwire.session.executions.values import result_of
from groundwire.session.guarding.guard import fresh_id
from groundwire.session.guarding.once.giving import giving
from groundwire.session.guarding.tallies import RunGuard
from groundwire.stores.writing.grants import Beside
from groundwire.stores.writing.once import Deed, Deeds, DeedState, Try

_LONGEST_KEY: Final = 255


class DeedOf:
    """What one call has to do with deeds that are to be done once; mostly nothing.

    A deed is a tool's, in one working folder, by the values of the arguments that the declaration
    names. The environment is no part of it: what a host says of that makes nothing known.
    """

    def __init__(self, run: RunGuard, declared: ToolDeclaration | None, call: ToolCall) -> None:
        self._run = run
        self._call = call
        self._does = declared if declared is not None and declared.once_per else None
        self._settles = _settled_by(run, declared)
        self._pending: list[tuple[Settling, Deed]] = []
        self._lock = threading.Lock()
        self._within = 0
        self._try: Try | None = None
        self._settled = False
        self._key = ""

    def require_free(self) -> None:
        """Nothing forbids the deed: it was not done, is not being done, and no try is unsettled.

        Somebody else may be faster still: `beginning` says who does it.

        Raises:
            GuardError: `already-done`, `once-unsettled`, `once-for-person`, `once-running`.
            EncodingError: `once-key-missing`. HostError: as the store.
        """
        if self._does is None:
            return
        refused = self._deeds().refusal(self._key_of(self._does))
        if refused is not None:
            raise _by_whom(self._does, refused)

    def beginning(self, identity: str) -> Beside | None:
        """What is to happen with the use of the grant of this id: the deed is begun, by no other.

        Raises:
            EncodingError: `once-key-missing`.
        """
        if self._does is None:
            return None
        asked, deeds = self._asked(self._does, identity), self._deeds()
        does = self._does

        def begin(connection: sqlite3.Connection, moment: str) -> GroundwireError | None:
            self._key, refused = deeds.begin(connection, moment, asked)
            self._try = asked if refused is None else None
            return None if refused is None else _by_whom(does, refused)

        return begin

    def carried(self) -> AbstractContextManager[None]:
        """Within, the call is carried out: whatever is said of its end meanwhile is not the end."""
        if self._does is None and not self._settles:
            return giving("")  # no deed is this call's, and it tells of none
        return self._carried()

    @contextmanager
    def _carried(self) -> Iterator[None]:
        if self._does is not None and self._try is None:
            self._begin_unguarded(self._does)
        self._look()
        with self._lock:
            self._within += 1
        try:
            with giving(self._key):
                yield
        finally:
            with self._lock:
                self._within -= 1

    def settle(self, outcome: Outcome) -> None:
        """What became of the deed is kept; nothing while it is still being carried out.

        Raises:
            HostError: as the store; the deed then reads as unsettled.
        """
        self._settle(_state(outcome))

    def close(self) -> None:
        """The call is over; where no outcome of it was kept, nobody knows how it ended."""
        if not self._settled:
            with suppress(GroundwireError):  # it reads as unknown all the same
                self._settle("unknown")

    def _settle(self, state: DeedState) -> None:
        with self._lock:
            goes_on = self._within > 0
        if self._try is not None and not goes_on:
            self._deeds().settle(self._try.key, self._try.id, state)
            self._settled = True

    def read(self, value: object) -> None:
        """The call read this: what it says of deeds that were unsettled when it began is kept.

        What cannot be kept settles nothing.
        """
        if not self._pending:
            return
        text = result_of(value).text or ""
        for declared, deed in self._pending:
            stands = settled(declared, text)
            if stands is not None:
                with suppress(GroundwireError):  # the read was made all the same
                    self._deeds().read_as(deed, stands)

    # -- inside -------------------------------------------------------------------------------

    def _deeds(self) -> Deeds:
        return self._run.guard.state.deeds()

    def _begin_unguarded(self, does: ToolDeclaration) -> None:
        """Under a profile that only observes: the deed is noted, and nothing keeps it from happening."""
        self._key = f"gw-{fresh_id()}"
        try:
            asked = self._asked(does, fresh_id())
            moment = format_time(self._run.guard.now())
            self._key, refused = self._deeds().begin_alone(asked, moment)
        except GroundwireError:
            return
        self._try = asked if refused is None else None

    def _look(self) -> None:
        """Which unsettled deeds the read is about, before it is made: an earlier look says nothing."""
        self._pending = []
        for tool in self._settles:
            try:
                found = self._deeds().find(self._key_of(tool))
                if found is not None and tool.settled_by and self._deeds().is_unsettled(found):
                    self._pending.append((tool.settled_by, found))
            except GroundwireError:  # a read of something else, or nothing is known of it
                continue

    def _asked(self, does: ToolDeclaration, identity: str) -> Try:
        return Try(
            key=self._key_of(does),
            tool=does.name,
            id=identity,
            run=self._run.run.run_id,
            call=call_digest(self._call),
            idempotency=_given_key(self._call, does.once_key),
        )

    def _key_of(self, does: ToolDeclaration) -> str:
        """The digest by which the deed is known, by the values that this call has for it."""
        guard = self._run.guard
        parts = (str(guard.folder), does.name)
        values = business_key(self._call.arguments, does.once_per)
        return tagged("arguments", jcs.encode(parts), values.encode())


def _by_whom(does: ToolDeclaration, refused: GroundwireError) -> GroundwireError:
    """The refusal, and who settles the deed where nobody knows of it: the read declared, or a person."""
    if refused.reason != "once-unsettled":
        return refused
    if does.settled_by is not None:
        read = f"{refused.message} A call of `{does.settled_by.tool}` may settle it too."
        return GuardError("once-unsettled", read)
    alone = f"{refused.message} No read settles it: {does.name!r} is declared without `settled_by`."
    return GuardError("once-for-person", alone)


def _settled_by(run: RunGuard, declared: ToolDeclaration | None) -> tuple[ToolDeclaration, ...]:
    """The tools whose deeds this one says it of. Only one that is declared to read says anything."""
    if declared is None or declared.effect != "read":
        return ()
    return run.settling.get(declared.name, ())


def _given_key(call: ToolCall, name: str) -> str:
    """The idempotency key that the call gives itself; "" where it gives none. It is kept as it is.

    Raises:
        GuardError: `arguments-do-not-fit`.
    """
    value = jcs.decode_foreign(call.arguments.encode()).value if name else None
    found = value.get(name) if isinstance(value, dict) else None
    if found is None:
        return ""
    text = found if isinstance(found, str) else same_value(found)
    if len(text) > _LONGEST_KEY:
        raise GuardError(
            "arguments-do-not-fit",
            f"The idempotency key {name!r} of the call is longer than any service takes; nothing ran."
            " Leave it out.",
        )
    return text


def _state(outcome: Outcome) -> DeedState:
    match outcome:
        case Executed():
            return "landed"
        case Refused():
            return "refused"
        case Passed() if not outcome.error:
            return "landed"
        case _:
            return "unknown"
