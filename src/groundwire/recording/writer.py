"""The recorder: what happens in a run, one entry at a time, into a sink.

It opens nothing, reads no clock and draws no randomness of its own: all of that is given. An entry
stands once the sink took it with its contents; where the sink raises, the recorder is as if nobody
had asked. The format is docs/reference/recording-format.md's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, Self, TypeAlias, Unpack

import msgspec

from groundwire.attest.statements import inspect_certificate
from groundwire.canon import jcs
from groundwire.documents import entry as entries
from groundwire.documents.disposition import Row
from groundwire.documents.entry import Envelope, Previous
from groundwire.documents.event import Executed
from groundwire.documents.finding import Finding, tally_of
from groundwire.documents.statement import Certificate
from groundwire.errors import GroundwireError, HostError
from groundwire.keys.signer import Signer
from groundwire.keys.times import spell_time
from groundwire.recording.segments.contents import Contents, Draft, Salts
from groundwire.recording.segments.exchanges import Received, Sent, write_request, write_response
from groundwire.recording.segments.numbers import Numbers
from groundwire.recording.segments.opening import Opening, write_opening
from groundwire.recording.segments.said import Said, write_said
from groundwire.recording.segments.segment import Milestone, Place, Segment, Standing
from groundwire.recording.sink import Sink

Clock: TypeAlias = Callable[[], datetime]


class Recorder:
    """Writes one run. One caller at a time; `open` and `resume` make one.

    Every method returns the entry it wrote. Every method may raise `HostError`: what the sink
    says, `recording-closed`, `recorder-interrupted`.
    """

    def __init__(
        self, *, opening: Opening, clock: Clock, salts: Salts, run_key: Signer, segment: Segment,
        run_salt: bytes, numbers: Numbers | None = None,
    ) -> None:  # fmt: skip
        self.opening = opening
        self._clock = clock
        self._salts = salts
        self._run_salt = run_salt
        self._run_key = run_key
        self._segment = segment
        self._numbers = numbers or Numbers()
        self._before = (0, 0)
        self._milestone_before: Milestone | None = None
        self._latest: datetime | None = None
        self.began = ""
        self._certificate: Certificate | None = None

    @classmethod
    def open(
        cls, *, opening: Opening, sink: Sink, clock: Clock, salts: Salts, run_key: Signer,
        certificate: Envelope,
    ) -> Self:  # fmt: skip
        """A recorder of a new run, whose opening entry and certificate stand in the sink.

        `salts` gives 16 fresh random bytes at each call. `run_key` signs checkpoints;
        `certificate` vouches for it, for this run, from before now on.

        Raises:
            HostError: the sink could not take them.
        """
        run_salt = salts()
        segment = Segment(run=opening.run, number=0, sink=sink, contents=Contents(salts, run_salt))
        recorder = cls(
            opening=opening, clock=clock, salts=salts, run_key=run_key, segment=segment,
            run_salt=run_salt,
        )  # fmt: skip
        recorder._begin(None, certificate)
        return recorder

    @classmethod
    def resume(
        cls, *, opening: Opening, sink: Sink, clock: Clock, salts: Salts, run_key: Signer,
        certificate: Envelope, standing: Standing,
    ) -> Self:  # fmt: skip
        """A recorder that goes on with a file whose end a crash took; says so in the file.

        Lanes and contents begin anew: nothing of them is read back. The run key is a new one.

        Raises:
            HostError: the sink could not take the note and the certificate.
        """
        run_salt = salts()
        segment = Segment(
            run=standing.run, number=standing.number, sink=sink,
            contents=Contents(salts, run_salt), chain=standing.chain,
        )  # fmt: skip
        segment.exchanges, segment.findings = standing.exchanges, standing.findings
        segment.withheld = standing.withheld
        recorder = cls(
            opening=opening, clock=clock, salts=salts, run_key=run_key, segment=segment,
            run_salt=run_salt, numbers=standing.numbers,
        )  # fmt: skip
        for topic, count, text in standing.notes():
            recorder.note(topic=topic, count=count, text=text)
        recorder._certify(certificate)
        return recorder

    # -- where it stands ----------------------------------------------------------------------

    @property
    def segment(self) -> int:
        """The number of the segment that is being written."""
        return self._segment.number

    @property
    def size(self) -> int:
        """How many entries the segment has."""
        return self._segment.chain.size

    @property
    def head(self) -> str:
        """The leaf hash of the segment's last entry."""
        return self._segment.chain.head

    @property
    def root(self) -> str:
        """The tree head over all entries of the segment so far."""
        return self._segment.chain.root()

    @property
    def withheld(self) -> int:
        """How many secrets were kept out, in all segments so far."""
        return self._before[0] + self._segment.withheld

    @property
    def whole_bodies(self) -> int:
        """How many request bodies could not be stored by parts, in all segments so far."""
        return self._before[1] + self._segment.whole_bodies

    def now(self) -> str:
        """The time by the recorder's clock, as entries state it; it never goes back.

        A clock that is set back would put checkpoints before the certificate of their key.
        """
        now = self._clock()
        self._latest = now if self._latest is None else max(now, self._latest)
        return spell_time(self._latest)

    @property
    def milestone(self) -> Milestone | None:
        """The last checkpoint that stands; after `rotate` the old segment's closing one."""
        return self._segment.milestone or self._milestone_before

    @property
    def covered(self) -> tuple[int, int]:
        """The segment, and how many of its entries are durable and under a checkpoint."""
        segment = self._segment
        return segment.number, segment.covered

    def shown(self, data: bytes) -> bytes | None:
        """`data` as a reader of the recording will see it: a mark for each secret.

        None where nothing but a mark would stand there.
        """
        return self._segment.contents.shown(data)

    def is_sealed(self, entry: entries.AnyEntry) -> bool:
        """Whether something was withheld from what the entry shows anew, here or before."""
        return self._segment.contents.is_sealed(entry)

    # -- what the host says -------------------------------------------------------------------

    def declared(self, document: jcs.JSON) -> entries.DeclaredEntry:
        """These declarations hold from here on, beside the earlier ones."""
        draft, place = self._hold(declared=jcs.encode(document))
        entry = entries.DeclaredEntry(**place)
        self._segment.write(draft, entry)
        return entry

    def expected(self, tools: Sequence[str]) -> entries.ExpectedEntry:
        """From here on each request is expected to offer these tools."""
        draft, place = self._hold(tools=jcs.encode(list(tools)))
        entry = entries.ExpectedEntry(**place)
        self._segment.write(draft, entry)
        return entry

    def composed(self, tools: Sequence[str]) -> entries.ComposedEntry:
        """An SDK call was given these tools; the entry's `call` is its number in the run."""
        draft, place = self._hold(tools=jcs.encode(list(tools)))
        entry = entries.ComposedEntry(**place, call=self._numbers.calls)
        self._segment.write(draft, entry)
        self._numbers.calls += 1
        return entry

    def said(self, said: Said, *, keep_out: bool = False) -> Said:
        """What the host said of its run stands; returned as it is from here on.

        It has its step, its time and its number then, and a mark for each secret. With `keep_out`
        the results in it are not in the file, and stand in what is returned.
        """
        numbers = self._numbers
        told = write_said(self._segment, self.now(), said, numbers.executions, keep_out=keep_out)
        numbers.executions += isinstance(told, Executed)
        return told

    def number_guarded(self) -> int:
        """The number of a guarded call that begins; no other of the run gets it. Writes nothing."""
        self._numbers.guarded += 1
        return self._numbers.guarded - 1

    def child(self, *, run: str, name: str) -> entries.ChildEntry:
        """From here on the run has a child."""
        draft, place = self._hold(name=_utf8(name))
        entry = entries.ChildEntry(**place, run=run)
        self._segment.write(draft, entry)
        return entry

    def note(self, *, topic: str, count: int, text: str) -> entries.NoteEntry:
        """Something that the recorder has to say; `topic` is one of `NoteEntry`'s words."""
        draft, place = self._hold(text=_utf8(text))
        entry = entries.NoteEntry(**place, count=count, topic=topic)
        self._segment.write(draft, entry)
        return entry

    # -- what crossed the wire ----------------------------------------------------------------

    def request(self, **sent: Unpack[Sent]) -> entries.RequestEntry:
        """A request left, or is about to; `Sent` says what to give."""
        entry = write_request(self._segment, self.now(), sent)
        self._numbers.exchanges = max(self._numbers.exchanges, entry.exchange + 1)
        return entry

    def response(self, **received: Unpack[Received]) -> entries.ResponseEntry:
        """What came back, as far as it came; `Received` says what to give."""
        return write_response(self._segment, self.now(), received)

    # -- what the checks say ------------------------------------------------------------------

    def finding(self, finding: Finding) -> entries.FindingEntry:
        """A finding was filed for the first time."""
        draft, place = self._hold(finding=jcs.encode(msgspec.to_builtins(finding)))
        entry = entries.FindingEntry(
            **place,
            advisory=finding.advisory,
            finding_kind=finding.kind,
            lane=finding.lane,
            seam=finding.seam,
            synthetic=finding.synthetic,
        )
        self._segment.write(draft, entry)
        self._segment.findings += 1
        return entry

    def disposition(
        self, *, rows: Sequence[Row], findings: Sequence[Finding], posture: str, work: bool
    ) -> entries.DispositionEntry:
        """The ledger: what each check did, and each finding's identity with how often it came."""
        draft, place = self._hold(
            findings=jcs.encode([tally_of(finding) for finding in findings]),
            rows=jcs.encode([msgspec.to_builtins(row) for row in rows]),
        )
        entry = entries.DispositionEntry(**place, posture=posture, work=work)
        self._segment.write(draft, entry)
        return entry

    # -- the run log --------------------------------------------------------------------------

    def run_state(
        self, *, run: str, segment: int, size: int, root: str,
        state: Literal["opened", "checkpointed", "closed"], path: str,
    ) -> entries.RunEntry:  # fmt: skip
        """A line of a run log: where some run stands."""
        draft, place = self._hold(path=_utf8(path))
        entry = entries.RunEntry(
            **place, root=root, run=run, segment=segment, size=size, state=state
        )
        self._segment.write(draft, entry)
        return entry

    def deletion(self, envelope: Envelope) -> entries.DeletionEntry:
        """A line of a run log: a recording is about to be deleted; an identity signed that."""
        draft, place = self._hold()
        entry = entries.DeletionEntry(**place, envelope=envelope)
        self._segment.write(draft, entry)
        return entry

    # -- ends ---------------------------------------------------------------------------------

    def checkpoint(self) -> entries.CheckpointEntry:
        """Everything so far is durable and under the run key's signature, itself durable.

        Raises:
            HostError: also `sync-failed`; `certificate-over`: nothing is signed and nothing
                written until the key is certified again.
            TrustError: `run-key-forgotten`.
        """
        return self._segment.checkpoint(self._certified_now(), self._run_key, closed=False)

    def cover(self) -> None:
        """As `checkpoint`, but the checkpoint itself is written and not yet durable."""
        self._segment.cover(self._certified_now(), self._run_key, closed=False)

    def certify_again(self, certificate: Envelope) -> None:
        """From here on the run key signs under this certificate, for the same key and run."""
        self.note(
            topic="certified-again", count=0,
            text="the certificate before this note did not cover the time by the writer's clock",
        )  # fmt: skip
        self._certify(certificate)

    def close(self, *, lateness_us: int = 0) -> entries.CheckpointEntry:
        """The run is over: close entry and closing checkpoint stand, the sink is closed.

        `lateness_us` is the worst time that something waited to become durable. Does not forget
        the run key: whoever made it does.

        Raises: as `checkpoint`.
        """
        return self._close(lateness_us, next_segment=False)

    def rotate(
        self, *, sink: Sink, lateness_us: int = 0, certificate: Envelope,
        run_key: Signer | None = None,
    ) -> entries.Open:  # fmt: skip
        """The segment is closed and the run goes on in another sink, which names this one's end.

        The numbers of exchanges and calls go on. Contents and lanes begin anew: what a new segment
        shows stands in it. `certificate` may be the one from `open`, for the same run key.

        Raises: as `checkpoint`. Where the new sink fails the run has no segment any more.
        """
        self._close(lateness_us, next_segment=True)
        old = self._segment
        previous = Previous(head=old.chain.head, root=old.chain.root(), size=old.chain.size)
        self._before = (self.withheld, self.whole_bodies)
        self._milestone_before = old.milestone
        self._run_key = run_key or self._run_key
        self._segment = Segment(
            run=old.run,
            number=old.number + 1,
            sink=sink,
            contents=Contents(self._salts, self._run_salt),
        )
        entry = self._begin(previous, certificate)
        for topic, count, text in self._numbers.notes():
            self.note(topic=topic, count=count, text=text)
        return entry

    # -- inside -------------------------------------------------------------------------------

    def _begin(self, previous: Previous | None, certificate: Envelope) -> entries.Open:
        try:
            entry = write_opening(self._segment, self.now(), self.opening, previous)
            self.began = self.began or entry.at
            self._certify(certificate)
        except GroundwireError:
            # Nothing may stand where an opening entry belongs.
            self._segment.closed = True
            raise
        return entry

    def _certify(self, certificate: Envelope) -> None:
        draft, place = self._hold()
        self._segment.write(draft, entries.CertificateEntry(**place, envelope=certificate))
        self._certificate = inspect_certificate(certificate)[0]

    def _certified_now(self) -> str:
        """The time, within the window of the certificate: all that is signed outside is refused."""
        at, window = self.now(), self._certificate
        # Times of one spelling sort as they stand.
        if window is None or not window.not_before <= at <= window.not_after:
            raise HostError(
                "certificate-over",
                "The certificate of the run's key does not cover the time by this clock; the key "
                "has to be certified again. Look at the clock if the run is not that old.",
            )
        return at

    def _close(self, lateness_us: int, *, next_segment: bool) -> entries.CheckpointEntry:
        return self._segment.close(
            self._certified_now(), self._run_key, lateness_us=lateness_us, next_segment=next_segment
        )

    def _hold(self, **contents: bytes) -> tuple[Draft, Place]:
        return self._segment.hold(self.now(), **contents)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
