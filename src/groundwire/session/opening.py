"""Opening: a run's recording is made, with its identity, its keys and the rail it goes by."""

from __future__ import annotations

import os
import platform
import sys
import threading
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TypeVar

import msgspec

from groundwire.attest.statements import seal_certificate
from groundwire.canon.dsse import encode_base64
from groundwire.checks.registry import ALL_CHECKS
from groundwire.documents.entry import Envelope
from groundwire.documents.policy import Policy
from groundwire.documents.statement import Certificate
from groundwire.errors import GroundwireError, HostError
from groundwire.keys.run_keys import RunKey, new_run_key
from groundwire.keys.times import format_time, parse_time
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.session.clock import Salts, now, random_bytes
from groundwire.session.keeping import Keeper, Standing, known_head
from groundwire.session.live.callbacks import Callbacks
from groundwire.session.rail import Rail
from groundwire.stores.committer import Committed, Committer
from groundwire.stores.disk.reading import open_to_read
from groundwire.stores.file import FileSink
from groundwire.stores.keys import KeyStore, default_folder
from groundwire.stores.recover import Recovered, recover

_VALID = timedelta(days=365)
_LEEWAY = timedelta(minutes=5)
_MOST_NAMES = 10_000

SignedT = TypeVar("SignedT")

# One a process: every open run's entries become durable in its rounds.
_committer = Committer(monotonic)


class Identification(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run before it is opened."""

    run: str
    path: Path
    folder: Path
    tags: Mapping[str, str]
    agent: str
    model: str
    on_behalf_of: str
    parent: str | None
    resume: bool = False
    clock: Callable[[], datetime] = now


def new_run_id() -> str:
    """An id that no other run has; it begins with the time, so that names sort."""
    return f"{now():%Y%m%dT%H%M%S}-{random_bytes(6).hex()}"


class Opened:
    """A run that is being recorded: its rail and what is done to it from outside."""

    def __init__(
        self,
        *,
        file: FileSink,
        keeper: Keeper,
        policy: Policy,
        rail: Rail,
        sink: Committed,
        run_key: RunKey,
        certificate: Envelope,
        head_known: bool,
    ) -> None:
        self.path = self._first = file.path
        self._file = file
        self.policy = policy
        self.rail = rail
        self.keeper = keeper
        self._sink = sink
        self._run_key = run_key
        self._certificate = certificate
        self.head_known = head_known
        self._covering = threading.Lock()

    def make_durable(self) -> None:
        """Everything recorded so far is durable. Needs no lock, so that nobody waits for the disk.

        Raises:
            HostError: as the sink's `sync`, but for a run that was closed meanwhile: it is durable.
        """
        try:
            self._sink.sync()
        except HostError as error:
            if error.reason != "recording-closed":
                raise

    def cover(self) -> None:
        """Everything recorded until this was called is durable and under a checkpoint.

        The checkpoint is written, and durable with what comes next: a power cut may take it away,
        never what it covers. Who comes while another waits for the medium shares its checkpoint.
        The caller must not hold the rail's lock. Keeps no head outside the file.

        Raises:
            HostError: as the recorder's `checkpoint`.
        """
        recorder = self.rail.recorder
        wanted = recorder.segment, recorder.size
        if recorder.covered >= wanted:
            return
        with self._covering:
            if recorder.covered >= wanted:
                return
            self.make_durable()  # most of it, while the others still record
            with self.rail.lock:
                if recorder.covered < wanted:
                    self._certified(recorder.cover)

    def checkpoint(self) -> Standing:
        """Everything recorded so far is durable and signed. The caller holds the rail's lock."""
        self._certified(self.rail.recorder.checkpoint)
        return self._standing()

    def finish(self, failed_callbacks: int) -> Standing:
        """The recording is closed. The caller holds the rail's lock."""
        recorder = self.rail.recorder
        if failed_callbacks:
            recorder.note(
                topic="callback-failed", count=failed_callbacks, text="callbacks that failed"
            )
        if self.keeper.failures:
            recorder.note(
                topic="head-not-kept",
                count=self.keeper.failures,
                text="heads that could not be kept outside the file, or not everywhere",
            )
        self._certified(lambda: recorder.close(lateness_us=self._sink.lateness_us))
        standing = self._standing()
        self._run_key.forget()
        return standing

    def rotate_if_long(self) -> Standing | None:
        """A file over the policy's size is closed and the run goes on in the next one.

        Returns where the old file ended. Only between exchanges, so that a response stands in its
        request's file. The caller holds the rail's lock.
        """
        if self._file.size < self.policy.rotate_bytes or self.rail.busy:
            return None
        recorder = self.rail.recorder
        name = self._first.with_name(
            f"{self._first.stem}.{recorder.segment + 1}{self._first.suffix}"
        )
        file = _new_sink(name)
        sink = _committer.serve(file)
        late = self._sink.lateness_us
        self._certified(
            lambda: recorder.rotate(sink=sink, certificate=self._certificate, lateness_us=late)
        )
        ended = self._standing()
        self.path, self._file, self._sink = file.path, file, sink
        return ended

    def _certified(self, sign: Callable[[], SignedT]) -> SignedT:
        """`sign` is done, under another certificate where the last one does not cover the time.

        A run may be open for longer than its certificate lasts, and a clock may jump.
        """
        try:
            return sign()
        except HostError as error:
            if error.reason != "certificate-over":
                raise
        recorder = self.rail.recorder
        # By the recorder's clock, which never goes back: checkpoints are dated by it.
        begins = parse_time(recorder.now())
        self._certificate = _certified(recorder.opening.run, self._run_key, begins)
        recorder.certify_again(self._certificate)
        return sign()

    def _standing(self) -> Standing:
        milestone = self.rail.recorder.milestone
        if milestone is None:
            raise HostError("no-checkpoint", "The run has no checkpoint yet.")
        return Standing(
            head=milestone.head,
            at=milestone.checkpoint.at,
            note=milestone.note() if self.policy.anchors else "",
            path=str(self.path),
        )


def open_rail(
    policy: Policy, who: Identification, callbacks: Callbacks, turn_ended: Callable[[], None],
    heads_moved: Callable[[GroundwireError], None],
) -> Opened:  # fmt: skip
    """The recording exists, is opened and certified; the rail knows what is declared.

    `heads_moved` hears of it where the heads kept outside the file were taken away.

    Raises:
        HostError: it cannot be made, or there is no identity to certify it.
    """
    recovered = _recovered(who.path) if who.resume else None
    run = recovered.standing.run if recovered else who.run
    run_key = new_run_key(random_bytes(32))
    certificate = _certified(run, run_key, who.clock())
    opening = _opening(policy, who, run)
    file = recovered.sink if recovered else _new_sink(who.path)
    sink = _committer.serve(file)
    if recovered:
        recorder = Recorder.resume(
            opening=opening, sink=sink, clock=who.clock, salts=Salts(), run_key=run_key.signer,
            certificate=certificate, standing=recovered.standing,
        )  # fmt: skip
        declared = recorder.declared(msgspec.to_builtins(policy))
        step, at = declared.seq, declared.at
    else:
        recorder = Recorder.open(
            opening=opening, sink=sink, clock=who.clock, salts=Salts(), run_key=run_key.signer,
            certificate=certificate,
        )  # fmt: skip
        step, at = 0, recorder.began
    rail = Rail(recorder, policy, callbacks, turn_ended)
    rail.exchanges = recovered.standing.next_exchange if recovered else 0
    rail.declare(step, at)
    return Opened(
        file=file,
        keeper=Keeper(policy, who.folder, heads_moved),
        policy=policy,
        rail=rail,
        sink=sink,
        run_key=run_key,
        certificate=certificate,
        head_known=recovered is None or recovered.standing.known is not None,
    )


def _recovered(path: Path) -> Recovered:
    keyring = KeyStore(default_folder(os.environ)).keyring()
    with open_to_read(path) as file:
        opening = file.opening
    known = known_head(opening.run, opening.segment) if opening else None
    return recover(path, keyring, known_head=known)


def _certified(run: str, run_key: RunKey, begins: datetime) -> Envelope:
    identity = KeyStore(default_folder(os.environ)).identity(begins, random_bytes(32))
    return seal_certificate(
        Certificate(
            identity=identity.key_id,
            key=run_key.signer.key_id,
            not_after=format_time(begins + _VALID),
            # A clock that is set back a little must not put a run outside its own certificate.
            not_before=format_time(begins - _LEEWAY),
            public_key=encode_base64(run_key.signer.public_key),
            run=run,
        ),
        identity,
    )


def _new_sink(path: Path) -> FileSink:
    """A file of this name, or of the next free one: `triage.gw`, `triage-2.gw`, …."""
    for number in count(1):
        name = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            return FileSink.create(name)
        except HostError as error:
            if error.reason != "recording-exists" or number == _MOST_NAMES:
                raise
    raise AssertionError  # `count` has no end


def _opening(policy: Policy, who: Identification, run: str) -> Opening:
    return Opening(
        run=run,
        agent=who.agent,
        model=who.model,
        on_behalf_of=who.on_behalf_of,
        parent=who.parent,
        policy=policy,
        tags=who.tags,
        trace=_trace(),
        pins={
            "groundwire": installed_version(),
            "python": platform.python_version(),
            "tokenizer": "none",
            "unicode": unicodedata.unidata_version,
            **{f"check.{check.seam}.{check.kind}": str(check.version) for check in ALL_CHECKS},
        },
    )


def installed_version() -> str:
    """The version of the installed package; `unknown` where it runs from a tree of its source."""
    try:
        return version("groundwire")
    except PackageNotFoundError:
        return "unknown"


def _trace() -> str | None:
    """The id of the OpenTelemetry trace this runs in, where the host uses OpenTelemetry."""
    if "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry import trace  # noqa: PLC0415 -- an extra, and only where it is in use

    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None
