"""Run: one run of one agent, from the first frame to the closing checkpoint."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Token
from pathlib import Path
from types import TracebackType
from typing import Self

from groundwire.checks.seams import Encounter
from groundwire.documents.disposition import Row
from groundwire.documents.finding import Finding
from groundwire.documents.policy import Policy
from groundwire.errors import GroundwireError, HostError
from groundwire.recording.withholding.headers import recorded_clear
from groundwire.session.executions.given import names_given
from groundwire.session.executions.guarded_calls import GuardedTelling
from groundwire.session.keeping import Standing
from groundwire.session.live import shutdown
from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.live.binding import (
    Bound,
    current_call,
    current_lane,
    current_session,
    unbind,
)
from groundwire.session.live.callbacks import Callback, Callbacks, Topic
from groundwire.session.live.warned import RecordingWarning, warn
from groundwire.session.live.worker import hand_over
from groundwire.session.opening import Identification, Opened, open_rail
from groundwire.session.rail import Rail
from groundwire.session.watching import Headers
from groundwire.stores.disk.system import process_number

_log = logging.getLogger("groundwire")


class Run(GuardedTelling):
    """What crosses the wire while it is open is recorded and checked.

    An agent never fails because of the recorder unless the policy says
    `on_recording_error = "stop"`: what could not be recorded is warned of and counted in `lost`.
    A forked child does not record into its parent's run.
    """

    def __init__(self, policy: Callable[[], Policy], who: Identification) -> None:
        self._make_policy = policy
        self._who = who
        self._opened: Opened | None = None
        self._token: Token[Bound | None] | None = None
        self._callbacks = Callbacks()
        self._closed = False
        self._process = -1
        self._children = 0
        self._checkpoint_asked = False
        self._broken = False
        self._entered = False
        self.lost = 0
        self.lost_reason = ""
        self._error: GroundwireError | None = None

    # -- opening and closing ------------------------------------------------------------------

    def open(self, *, bind: bool = True) -> Self:
        """The recording exists and says who runs; with `bind`, requests from here on are its own.

        Raises:
            PolicyError: the declarations cannot be what was meant.
            HostError: the recording cannot be made and the policy says `stop`; or this run was
                opened before.
        """
        if self._process >= 0:
            raise HostError("run-used", "this run was opened before: make a new one")
        self._process = os.getpid()
        policy = self._make_policy()
        try:
            self._opened = open_rail(
                policy, self._who, self._callbacks, self._checkpoint_soon, self._heads_moved
            )
        except GroundwireError as error:
            self._failed(error, stop=policy.on_recording_error == "stop")
        else:
            if not self._opened.head_known:
                warn(
                    "no head of this recording was kept outside it, so nothing shows "
                    "whether its end was cut off before it was resumed; a note in it says so.",
                    RecordingWarning,
                )
            shutdown.remember(self)
            self._checkpoint_soon()
        if bind:
            self._token = current_session.set(self)
        return self

    def close(self, *, succeeded: bool = True) -> None:
        """Every check has filed what it did and the recording is closed under a last checkpoint.

        Raises:
            CheckerDeadError: posture `dev`, the run succeeded, and a check did not run.
        """
        if self._closed:
            return
        self._closed = True
        if self._token is not None:
            unbind(self, self._token, by_indent=self._entered)
        opened = self._opened
        if opened is None or self._process != os.getpid():
            return
        shutdown.forget(self)
        standing: list[Standing] = []
        with opened.rail.lock:
            self._door(opened.rail.end)
            failed = self._callbacks.settle()
            self._door(lambda: standing.append(opened.finish(failed)))
        for each in standing:
            opened.keeper.keep(each, closed=True)
        self._callbacks.tell("closed", self.path)
        self._callbacks.stop()
        if succeeded and opened.policy.posture == "dev":
            opened.rail.engine.require_alive()

    def __enter__(self) -> Self:
        self._entered = True
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(succeeded=kind is None)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(succeeded=kind is None)

    # -- what the host says -------------------------------------------------------------------

    def tools(self, names: Sequence[str]) -> None:
        """From now on each request of this run is expected to offer these tools.

        Raises:
            PolicyError: `not-tool-names`: something else than a list of names.
        """
        given = names_given(names, 'run.tools(["list_hosts", "find_snapshot"])')
        opened = self._recording()
        if opened is not None:
            with opened.rail.lock:
                self._door(lambda: opened.rail.expect(given))

    @contextmanager
    def lane(self, name: str) -> Iterator[None]:
        """Requests sent within belong to the conversation of this name."""
        token = current_lane.set(name)
        try:
            yield
        finally:
            current_lane.reset(token)

    def turn_ended(self) -> None:
        """A turn is over: what was recorded becomes durable and goes under a checkpoint soon."""
        self._checkpoint_soon()

    def child_path(self, name: str) -> Path | None:
        """Where the recording of a child run of this name goes: beside this one."""
        if self.path is None:
            return None
        self._children += 1
        shown, _ = recorded_clear(name)
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in shown)
        return self.path.with_name(f"{self.path.stem}-{safe[:40] or 'child'}-{self._children}.gw")

    def record_child(self, run: str, name: str) -> None:
        """The recording of this run names the child's."""
        opened = self._recording()
        if opened is not None:
            with opened.rail.lock:
                self._door(lambda: opened.rail.child(run=run, name=name))

    def on(self, topic: Topic, callback: Callback) -> None:
        """`callback` hears of each `finding`, of the `disposition`, of a `recording-error`, ….

        `guarded`: each state of a guarded call; `settled`: its result; `approval`: it needs a yes.
        Runs on a thread of its own and can change nothing, but for `notice`: its answer counts.

        Raises:
            PolicyError: an unknown topic, or something that cannot be called.
        """
        self._callbacks.on(topic, callback)

    # -- what the host may ask ----------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the run still takes requests, in this process."""
        return not self._closed and self._process == process_number()

    @property
    def run_id(self) -> str:
        """The run's id; it stands in the recording's opening entry."""
        if self._opened is not None:
            return self._opened.rail.recorder.opening.run
        return self._who.run

    @property
    def policy(self) -> Policy:
        """What is declared for this run; what its recording says, where it is recorded."""
        return self._make_policy() if self._opened is None else self._opened.policy

    @property
    def path(self) -> Path | None:
        """Where the recording is; None where it could not be made."""
        return None if self._opened is None else self._opened.path

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the checks have filed so far."""
        opened = self._recording()
        if opened is None:
            return () if self._opened is None else self._opened.rail.engine.findings()
        with opened.rail.lock:
            self._door(opened.rail.drain)
            return opened.rail.engine.findings()

    @property
    def rows(self) -> tuple[Row, ...]:
        """What each check did so far."""
        opened = self._recording()
        if opened is None:
            return () if self._opened is None else self._opened.rail.engine.rows()
        with opened.rail.lock:
            self._door(opened.rail.drain)
            return opened.rail.engine.rows()

    def latest(self, kind: str) -> Encounter | None:
        """What the check of this kind met last; None where it met nothing or nothing is recorded."""
        opened = self._recording()
        if opened is None:
            return None
        with opened.rail.lock:
            self._door(opened.rail.drain)
            return opened.rail.engine.latest(kind)

    # -- what crosses the wire ----------------------------------------------------------------

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> WatchedAttempt | None:
        """The request is recorded; what is told to the attempt is recorded when it is over.

        Raises:
            HostError: it could not be recorded and the policy says `stop`.
        """
        opened = self._recording()
        if self._error is not None and self._stops():
            self._lose()
            raise HostError(self._error.reason, self._error.message) from self._error
        if opened is None:
            self._lose()
            return None
        call = current_call.get()
        attempt = 0
        if call is not None:
            attempt, call.attempts = call.attempts, call.attempts + 1
        watched: list[WatchedAttempt] = []

        def record() -> None:
            composed = None
            if call is not None and call.tools is not None:
                composed = call.recorded.get(self.run_id)
                if composed is None:
                    composed = call.recorded[self.run_id] = opened.rail.compose(call.tools)
            watched.append(
                opened.rail.request(
                    method=method,
                    url=url,
                    headers=headers,
                    body=body,
                    attempt=attempt,
                    composed=composed,
                    lane_name=current_lane.get(),
                    settled=self._settled,
                )
            )

        with opened.rail.lock:
            self._door(record)
        return watched[0] if watched else None

    def _settled(self, attempt: WatchedAttempt) -> None:
        opened = self._opened
        if opened is not None:
            opened.rail.pending.append(attempt)
            hand_over(self._drain)

    def _drain(self) -> None:
        opened = self._recording()
        if opened is None:
            return
        ended: list[Standing | None] = []
        with opened.rail.lock:
            if self.is_open:  # it may have been closed while the lock was waited for
                self._door(opened.rail.drain, stop=False)
                self._door(lambda: ended.append(opened.rotate_if_long()), stop=False)
        for standing in ended:
            if standing is not None:
                opened.keeper.keep(standing, closed=True)
                self._checkpoint_soon()

    # -- checkpoints --------------------------------------------------------------------------

    def checkpoint_now(self) -> None:
        """Everything recorded so far is durable and under a checkpoint. Never raises."""
        self._checkpoint_asked = False
        opened = self._recording()
        if opened is None:
            return
        with opened.rail.lock:
            self._door(opened.rail.drain, stop=False)
        self._door(opened.make_durable, stop=False)
        standing: list[Standing] = []
        with opened.rail.lock:
            if self.is_open:
                self._door(lambda: standing.append(opened.checkpoint()), stop=False)
        for each in standing:
            opened.keeper.keep(each, closed=False)
            self._callbacks.tell("checkpoint", each)

    def _checkpoint_soon(self) -> None:
        if not self._checkpoint_asked:
            self._checkpoint_asked = True
            hand_over(self.checkpoint_now)

    # -- the one door for the recorder's errors -----------------------------------------------

    def _recording(self) -> Opened | None:
        if self._opened is None or self._broken or not self.is_open:
            return None
        return self._opened

    def _rail(self) -> Rail | None:
        opened = self._recording()
        return None if opened is None else opened.rail

    def _make_durable(self, *, covered: bool = False) -> None:
        if self._opened is not None:
            (self._opened.cover if covered else self._opened.make_durable)()

    def _door(self, act: Callable[[], object], *, stop: bool = True) -> None:
        """`act` is done, or the run is no longer recorded and says so."""
        if self._broken:
            self._lose()
            return
        try:
            act()
        except GroundwireError as error:
            self._failed(error, stop=stop and self._stops())
        except Exception as error:  # noqa: BLE001 -- a fault of ours must not become the agent's
            _log.exception("groundwire: a fault of the recorder itself; please report it")
            fault = HostError(
                "recorder-fault",
                f"the recorder failed on its own ({type(error).__name__}: {error}); please report "
                "it. The agent goes on.",
            )
            self._failed(fault, stop=stop and self._stops())

    def _stops(self) -> bool:
        return self._opened is not None and self._opened.policy.on_recording_error == "stop"

    def _failed(self, error: GroundwireError, *, stop: bool) -> None:
        self._broken = True
        self._report(error)
        if stop:
            raise HostError(error.reason, error.message) from error
        _log.error("groundwire: this run is no longer recorded: %s", error)
        warn(f"this run is no longer recorded: {error}", RecordingWarning)

    def _heads_moved(self, error: GroundwireError) -> None:
        """The recording goes on; under `stop` the agent does not."""
        self._report(error)
        warn(str(error), RecordingWarning)

    def _report(self, error: GroundwireError) -> None:
        self.lost_reason, self._error = error.reason, error
        self._lose()
        self._callbacks.tell("recording-error", error)

    def _lose(self) -> None:
        self.lost += 1
