"""Opening: a run's recording is made, with its identity, its keys and the rail it goes by."""

from __future__ import annotations

import os
import platform
import sys
import unicodedata
from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib.metadata import version
from itertools import count
from pathlib import Path
from time import monotonic

import msgspec

from groundwire.attest.statements import seal_certificate
from groundwire.canon.dsse import encode_base64
from groundwire.checks.registry import ALL_CHECKS
from groundwire.documents.entry import Envelope
from groundwire.documents.policy import Policy
from groundwire.documents.statement import Certificate
from groundwire.errors import HostError
from groundwire.keys.run_keys import RunKey, new_run_key
from groundwire.keys.times import format_time
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.session.callbacks import Callbacks
from groundwire.session.clock import Salts, now, random_bytes
from groundwire.session.rail import Rail
from groundwire.stores.committer import Committed, Committer
from groundwire.stores.file import FileSink
from groundwire.stores.keys import KeyStore, default_folder

_VALID = timedelta(days=30)
_MOST_NAMES = 10_000

# One a process: every open run's entries become durable in its rounds.
_committer = Committer(monotonic)


class Identification(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run before it is opened."""

    run: str
    path: Path
    tags: Mapping[str, str]
    agent: str
    model: str
    on_behalf_of: str
    parent: str | None


def identify(
    *, path: Path | None, runs: Path, tags: Mapping[str, str] | None, agent: str, model: str,
    on_behalf_of: str, parent: str | None,
) -> Identification:  # fmt: skip
    """A run with an id of its own; without a path it is named after the id, in `runs`."""
    run = f"{now():%Y%m%dT%H%M%S}-{random_bytes(6).hex()}"
    return Identification(
        run=run,
        path=path or runs / f"{run}.gw",
        tags={str(name): str(value) for name, value in (tags or {}).items()},
        agent=agent,
        model=model,
        on_behalf_of=on_behalf_of,
        parent=parent,
    )


class Opened:
    """A run that is being recorded: its rail and what is done to it from outside."""

    def __init__(
        self,
        *,
        path: Path,
        policy: Policy,
        rail: Rail,
        sink: Committed,
        run_key: RunKey,
        certificate: Envelope,
    ) -> None:
        self.path = path
        self.policy = policy
        self.rail = rail
        self._sink = sink
        self._run_key = run_key
        self._certificate = certificate

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

    def checkpoint(self) -> None:
        """Everything recorded so far is durable and signed. The caller holds the rail's lock."""
        self.rail.recorder.checkpoint()

    def finish(self, failed_callbacks: int) -> None:
        """The recording is closed. The caller holds the rail's lock."""
        if failed_callbacks:
            self.rail.recorder.note(
                topic="callback-failed", count=failed_callbacks, text="callbacks that failed"
            )
        self.rail.recorder.close(lateness_us=self._sink.lateness_us)
        self._run_key.forget()


def open_rail(
    policy: Policy, who: Identification, callbacks: Callbacks, turn_ended: Callable[[], None]
) -> Opened:
    """The recording exists, is opened and certified; the rail knows what is declared.

    Raises:
        HostError: it cannot be made, or there is no identity to certify it.
    """
    identity = KeyStore(default_folder(os.environ)).identity(now(), random_bytes(32))
    run_key = new_run_key(random_bytes(32))
    begins = now()
    certificate = seal_certificate(
        Certificate(
            identity=identity.key_id,
            key=run_key.signer.key_id,
            not_after=format_time(begins + _VALID),
            not_before=format_time(begins),
            public_key=encode_base64(run_key.signer.public_key),
            run=who.run,
        ),
        identity,
    )
    file = _new_sink(who.path)
    sink = _committer.serve(file)
    recorder = Recorder.open(
        opening=_opening(policy, who), sink=sink, clock=now, salts=Salts(),
        run_key=run_key.signer, certificate=certificate,
    )  # fmt: skip
    rail = Rail(recorder, policy, callbacks, turn_ended)
    rail.declare(0, recorder.now())
    return Opened(
        path=file.path,
        policy=policy,
        rail=rail,
        sink=sink,
        run_key=run_key,
        certificate=certificate,
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


def _opening(policy: Policy, who: Identification) -> Opening:
    return Opening(
        run=who.run,
        agent=who.agent,
        model=who.model,
        on_behalf_of=who.on_behalf_of,
        parent=who.parent,
        policy=policy,
        tags=who.tags,
        trace=_trace(),
        pins={
            "groundwire": version("groundwire"),
            "python": platform.python_version(),
            "tokenizer": "none",
            "unicode": unicodedata.unidata_version,
            **{f"check.{check.seam}.{check.kind}": str(check.version) for check in ALL_CHECKS},
        },
    )


def _trace() -> str | None:
    """The id of the OpenTelemetry trace this runs in, where the host uses OpenTelemetry."""
    if "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry import trace  # noqa: PLC0415 -- an extra, and only where it is in use

    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None
