"""The run log: which runs there were, in recordings of their own, outside of any run's folder.

`$XDG_STATE_HOME/groundwire/runlog` holds one recording per process that wrote runs,
`<start>-<process>.gw`, with `run/1` entries (a run was opened, checkpointed, closed) and
`deletion/1` entries (`groundwire prune` deleted one). Each verifies like any recording; that none
of them is missing, only an anchor of their heads could show.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from groundwire.attest.statements import open_deletion, seal_certificate, seal_deletion
from groundwire.canon.dsse import encode_base64
from groundwire.documents.entry import DeletionEntry, Envelope
from groundwire.documents.statement import Certificate, Deletion
from groundwire.documents.verdict import Head
from groundwire.errors import GroundwireError, HostError
from groundwire.keys.keyring import Keyring
from groundwire.keys.run_keys import RunKey
from groundwire.keys.signer import Signer
from groundwire.keys.times import format_time, parse_time
from groundwire.recording.lines import decode_line
from groundwire.recording.segments.contents import Salts
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Clock, Recorder
from groundwire.stores.file import FileSink
from groundwire.stores.heads import RunState

# A file is gone on with for a month; its key may sign for long enough to close it then, also in a
# process that was asleep in between.
_FILE_LASTS = timedelta(days=30)
_KEY_LASTS = timedelta(days=400)
_MOST_NAMES = 1000
_DELETION = b'{"@":"deletion/1",'


class RunLog:
    """Writes this process's run log; the file is made with the first line.

    Any thread may write. A forked child gets a file of its own. `new_key` gives a fresh run key,
    `identity` the user's current identity: one that was rotated away meanwhile signs nothing more.

    Raises, from every method:
        HostError: what the file says: `disk-full`, `recording-unwritable`, ….
        TrustError: the identity may sign no more.
    """

    def __init__(
        self, folder: Path, *, identity: Callable[[], Signer], new_key: Callable[[], RunKey], clock: Clock,
        salts: Salts,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._identity = identity
        self._new_key = new_key
        self._clock = clock
        self._salts = salts
        self._lock = threading.Lock()
        self._process = -1
        self._recorder: Recorder | None = None
        self._key: RunKey | None = None
        self._until: datetime | None = None

    def wrote(self, head: Head, *, state: RunState, path: str) -> None:
        """The log says where a run stands; once it is closed, durably and under a checkpoint."""
        with self._own_lock():
            recorder = self._ready()
            recorder.run_state(
                run=head.run, segment=head.segment, size=head.size, root=head.root, state=state,
                path=path,
            )  # fmt: skip
            if state == "closed":
                recorder.checkpoint()

    def deleting(self, head: Head, *, reason: str) -> None:
        """The log says, signed by the identity and durable, that this recording is to be deleted."""
        with self._own_lock():
            identity = self._identity()
            document = Deletion(
                at=format_time(self._clock()), identity=identity.key_id, reason=reason,
                root=head.root, run=head.run, segment=head.segment, size=head.size,
            )  # fmt: skip
            recorder = self._ready()
            recorder.deletion(seal_deletion(document, identity))
            recorder.checkpoint()

    def close(self) -> None:
        """The log's file is closed under its last checkpoint; another line opens a new one."""
        with self._own_lock():
            self._end()

    def _own_lock(self) -> threading.Lock:
        if self._process != os.getpid():
            # What a fork left here is the parent's: its file, its key, and a lock that may be held.
            self._process = os.getpid()
            self._lock = threading.Lock()
            self._recorder = self._key = None
        return self._lock

    def _ready(self) -> Recorder:
        now = self._clock()
        if self._recorder is not None and self._until is not None and now >= self._until:
            self._end()
        if self._recorder is None:
            self._recorder = self._begin(now)
        return self._recorder

    def _begin(self, now: datetime) -> Recorder:
        name = f"{now:%Y%m%dT%H%M%S}-{os.getpid()}"
        for number in count(1):
            run = f"runlog-{name}" if number == 1 else f"runlog-{name}-{number}"
            try:
                sink = FileSink.create(self._folder / f"{run.removeprefix('runlog-')}.gw")
            except HostError as error:
                if error.reason != "recording-exists" or number == _MOST_NAMES:
                    raise
                continue
            break
        key = self._new_key()
        recorder = Recorder.open(
            opening=Opening(run=run, agent="groundwire", tags={"is": "run log"}),
            sink=sink,
            clock=self._clock,
            salts=self._salts,
            run_key=key.signer,
            certificate=self._vouch(run, key, now),
        )
        self._key, self._until = key, now + _FILE_LASTS
        return recorder

    def _vouch(self, run: str, key: RunKey, now: datetime) -> Envelope:
        identity = self._identity()
        certificate = Certificate(
            identity=identity.key_id,
            key=key.signer.key_id,
            not_after=format_time(now + _KEY_LASTS),
            # Clocks are set back now and then; the log's checkpoints must not fall out for that.
            not_before=format_time(now - timedelta(minutes=5)),
            public_key=encode_base64(key.signer.public_key),
            run=run,
        )
        return seal_certificate(certificate, identity)

    def _end(self) -> None:
        recorder, key = self._recorder, self._key
        self._recorder = self._key = None
        if recorder is not None and key is not None:
            try:
                recorder.close()
            except HostError as error:
                if error.reason != "certificate-over":
                    raise
                at = parse_time(recorder.now())
                recorder.certify_again(self._vouch(recorder.opening.run, key, at))
                recorder.close()
        if key is not None:
            key.forget()


def deletions(folder: Path, keyring: Keyring) -> Iterator[Deletion]:
    """Every deletion in the run logs of a folder that a key of the keyring signed.

    Lines that do not read, and deletions that do not verify, are passed over: this answers "was
    that deletion recorded", and what is passed over is no record.

    Raises:
        HostError: `runlog-unreadable`.
    """
    try:
        paths = sorted(folder.glob("*.gw")) if folder.is_dir() else []
        for path in paths:
            for line in path.read_bytes().split(b"\n"):
                if line.startswith(_DELETION) and (deletion := _deletion(line, keyring)):
                    yield deletion
    except OSError as error:
        raise HostError(
            "runlog-unreadable", f"The run log in {folder} cannot be read ({error.strerror})."
        ) from error


def _deletion(line: bytes, keyring: Keyring) -> Deletion | None:
    try:
        entry = decode_line(line)
        return open_deletion(entry.envelope, keyring) if isinstance(entry, DeletionEntry) else None
    except GroundwireError:
        return None
