"""A segment: entries into one sink, each with its contents before it and its link to the last."""

from __future__ import annotations

from typing import TypedDict

import msgspec

from groundwire.attest.statements import seal_checkpoint
from groundwire.documents.entry import AnyEntry, CheckpointEntry, CloseEntry
from groundwire.documents.statement import Checkpoint
from groundwire.documents.verdict import Head
from groundwire.errors import HostError
from groundwire.keys.signer import Signer
from groundwire.recording.chain import Chain
from groundwire.recording.lines import encode_line
from groundwire.recording.notes import encode_note, name_of, origin_of
from groundwire.recording.segments.bodies import Bodies
from groundwire.recording.segments.contents import Contents, Draft
from groundwire.recording.segments.numbers import Numbers
from groundwire.recording.sink import Sink
from groundwire.recording.withholding.secrets import Secret


class Place(TypedDict):
    """The fields that every entry has."""

    at: str
    holds: dict[str, str]
    prev: str
    seq: int


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a file that a crash left open, after `cut` bytes were cut off its end.

    `chain` is that of its entries, the last `unsigned` of which no checkpoint covered; `calls`,
    `next_exchange`, `next_execution` and `next_guarded` are the first numbers not used yet. `known`
    is how many entries a head that was kept outside the file knew of; None: there was no such head.
    """

    calls: int
    chain: Chain
    cut: int
    exchanges: int
    findings: int
    known: int | None
    next_exchange: int
    next_execution: int
    next_guarded: int
    number: int
    run: str
    unsigned: int
    withheld: int

    @property
    def numbers(self) -> Numbers:
        """The next numbers of the run."""
        return Numbers(
            calls=self.calls,
            exchanges=self.next_exchange,
            executions=self.next_execution,
            guarded=self.next_guarded,
        )

    def notes(self) -> list[tuple[str, int, str]]:
        """Topic, count and text of what the file has to say of having been left and gone on with."""
        recovered = (
            f"the writer of this recording crashed; {self.unsigned} entries before this one were"
            " under no checkpoint and stand as they were found"
        )
        found = [("recovered", self.cut, recovered)]
        if self.known is None:
            unknown = (
                "no head of this file was kept outside it: had its end been cut off before it was"
                " resumed, nothing would show it"
            )
            found.insert(0, ("head-unknown", self.chain.size, unknown))
        return found


class Milestone(msgspec.Struct, frozen=True):
    """A checkpoint that stands, durable; `head` is the end of the file with it, for keeping outside.

    `signer` is the run key that signed it.
    """

    checkpoint: Checkpoint
    head: Head
    signer: Signer

    def note(self) -> str:
        """The checkpoint as a signed note, for an anchor.

        Raises:
            TrustError: `run-key-forgotten`.
            EncodingError: `bad-note`, for a run id that cannot stand in a note.
        """
        said = self.checkpoint
        origin, name = origin_of(said.run, said.segment), name_of(said.run)
        return encode_note(origin, said.size, said.root, name, self.signer)


class Segment:
    """One file while it is written. Counts what its close entry will say of it.

    `covered` is how many of its entries are durable and under a checkpoint that stands.
    """

    def __init__(
        self, *, run: str, number: int, sink: Sink, contents: Contents, chain: Chain | None = None
    ) -> None:
        self.run = run
        self.number = number
        self.contents = contents
        self.bodies = Bodies(contents)
        self.chain = chain or Chain()
        self.exchanges = 0
        self.findings = 0
        self.withheld = 0
        self.whole_bodies = 0
        self.covered = 0
        self.milestone: Milestone | None = None
        self.closing = False
        self.closed = False
        self._sink = sink
        self._unsure = False

    def place(self, at: str, holds: dict[str, str]) -> Place:
        """The common fields of the entry that comes next."""
        return {"at": at, "holds": holds, "prev": self.chain.head, "seq": self.chain.size}

    def hold(self, at: str, **contents: bytes) -> tuple[Draft, Place]:
        """A draft with these contents, and the common fields of the entry that holds them."""
        draft = Draft()
        holds = {name: self.contents.put(draft, data) for name, data in contents.items()}
        return draft, self.place(at, holds)

    def put_digests(self, draft: Draft, data: bytes, *, sealed: bool) -> str:
        """The commitment of a body's digests; of a body that was kept out in part, of none.

        Whoever knows the rest of such a body could try what is missing against its digest.
        """
        everything = (Secret(0, len(data), "digests"),) if sealed else ()
        return self.contents.put(draft, data, everything, shape="digests", own=True)

    def write(self, draft: Draft, entry: AnyEntry) -> None:
        """The entry stands in the sink, its new contents directly before it.

        Raises:
            HostError: what the sink says, and then nothing has changed here or there;
                `recording-closed`; `recorder-interrupted`, for good, where an earlier write was
                torn out of (a keyboard interrupt): nobody knows any more what the sink has.
        """
        if self.closed:
            raise HostError("recording-closed", "This recording is closed: open a new run.")
        if self.closing and not isinstance(entry, CheckpointEntry):
            raise HostError("recording-closed", "This recording is being closed: open a new run.")
        if self._unsure:
            raise HostError(
                "recorder-interrupted",
                "A write of this recording was interrupted half-way; it takes nothing more. What "
                "was acknowledged stays readable; the next run records again.",
            )
        line = encode_line(entry)
        lines = self.contents.lines_before(draft, entry)
        lines.append(line)
        lines.append(b"")
        self._unsure = True
        try:
            for name, data in draft.files.items():
                self._sink.attach(name, data)
            self._sink.append(b"\n".join(lines))
        except HostError:
            self._unsure = False
            raise
        self.chain.append(line)
        self.contents.stands(draft)
        self.withheld += draft.withheld
        self._unsure = False

    def checkpoint(self, at: str, signer: Signer, *, closed: bool) -> CheckpointEntry:
        """Everything so far is durable and under the signer's checkpoint, which is durable too.

        Raises: as `cover`.
        """
        document, entry = self.cover(at, signer, closed=closed)
        self._sink.sync()
        size, root = self.chain.size, self.chain.root()
        head = Head(run=self.run, segment=self.number, size=size, root=root)
        self.milestone = Milestone(document, head, signer)
        return entry

    def cover(self, at: str, signer: Signer, *, closed: bool) -> tuple[Checkpoint, CheckpointEntry]:
        """Everything so far is durable, and under the signer's checkpoint, which is written.

        A power cut may take the checkpoint away, never what it covers.

        Raises:
            HostError: as `write`, and `sync-failed`.
            TrustError: `run-key-forgotten`.
        """
        # What is signed must outlive the machine: a checkpoint over lost lines would be a lie.
        self._sink.sync()
        document = Checkpoint(
            at=at,
            closed=closed,
            head=self.chain.head,
            root=self.chain.root(),
            run=self.run,
            segment=self.number,
            size=self.chain.size,
        )
        entry = CheckpointEntry(**self.place(at, {}), envelope=seal_checkpoint(document, signer))
        self.write(Draft(), entry)
        self.covered = document.size
        return document, entry

    def close(
        self, at: str, signer: Signer, *, lateness_us: int, next_segment: bool
    ) -> CheckpointEntry:
        """Close entry and closing checkpoint stand, the sink is closed.

        Where the checkpoint fails, only that is done again when asked again.

        Raises: as `checkpoint`.
        """
        if not self.closing:
            draft, place = self.hold(at)
            entry = CloseEntry(
                **place,
                exchanges=self.exchanges,
                findings=self.findings,
                lateness_us=lateness_us,
                next_segment=next_segment,
                withheld=self.withheld,
            )
            self.write(draft, entry)
            self.closing = True
        checkpoint = self.checkpoint(at, signer, closed=True)
        self.closed = True
        self._sink.close()
        return checkpoint
