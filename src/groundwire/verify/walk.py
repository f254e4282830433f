"""The walk: one pass over the lines of a recording that stops at the first thing that fails.

The steps are those of docs/reference/recording-format.md; memory grows with the number of
contents (their commitments), not with their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress, count

from groundwire.canon.digest import leaf_hashes
from groundwire.documents.content import Content
from groundwire.documents.entry import (
    FORMAT,
    AnyEntry,
    CertificateEntry,
    CheckpointEntry,
    CloseEntry,
    DeclaredEntry,
    DeletionEntry,
    GuardedEntry,
    NoteEntry,
    Open,
    RedactionEntry,
    RequestEntry,
)
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.recording.chain import Chain, are_linked, links
from groundwire.recording.lines import (
    KINDS,
    Line,
    UnknownEntry,
    decode_line,
    decode_lines,
)
from groundwire.recording.reader import Files
from groundwire.verify.chains import Chains
from groundwire.verify.contents import Contents, Entry
from groundwire.verify.guarded.judging import Guarding, judge
from groundwire.verify.guarded.telling import Telling, Told
from groundwire.verify.order import Stage, next_stage, says
from groundwire.verify.signatures import Signatures, Signed
from groundwire.verify.words import Broken, located

# Kinds that the walk itself acts on; the others only have a link, a place and contents.
_ACTED_ON: frozenset[type] = frozenset(
    (
        Open,
        CertificateEntry,
        CheckpointEntry,
        CloseEntry,
        DeclaredEntry,
        DeletionEntry,
        GuardedEntry,
        NoteEntry,
        RedactionEntry,
        UnknownEntry,
    )
)
_BATCH_BYTES = 1 << 17
_LINE_START = b'{"@":"'


class Walk:
    """What is known of a recording after its lines so far; `failure` once something failed.

    `marks` are the sizes at which root and head are to be kept, `closed_size` is how many entries
    the segment had with its first closing checkpoint, `whole` says that all lines were gone over;
    `checkpoints` and `leaves` are kept where asked. `resumed_blindly` counts how often the file was
    resumed with no head known. `preceded` and `followed` say that the segments beside this one were
    seen to fit; `told_before` is what those before it tell of guarded calls.
    """

    def __init__(
        self,
        keyring: Keyring,
        files: Files,
        marks: Iterable[int] = (),
        *,
        anchored_at: str | None = None,
        keep: bool = False,
    ) -> None:
        self.chain = Chain()
        self.contents = Contents(files)
        self.chains = Chains()
        self.telling = Telling(files)
        self.told_before: list[Told] = []
        self.signatures = Signatures(keyring, anchored_at)
        self.opening: Open | None = None
        self.stage: Stage = "empty"
        self.number = 0
        self.torn = 0
        self.not_understood = 0
        self.closed_size = 0
        self.next_segment = False
        self.resumed_blindly = 0
        self.preceded = False
        self.followed = False
        self.whole = False
        self.failure: Broken | None = None
        self.doubt: Broken | None = None
        self.roots: dict[int, tuple[str, str]] = {}
        self.checkpoints: list[Signed] = []
        self.leaves: list[str] = []
        self._keyring = keyring
        self._anchored_at = anchored_at
        self._marks = frozenset(marks)
        self._keep = keep
        self._before: Entry | None = None

    def over(self, lines: Iterable[bytes]) -> Walk:
        """The same walk after all of these lines, each with its line feed; it stops where one fails.

        Whatever the bytes, nothing is raised: the reason is in `failure`. What `lines` or `files`
        raise of their own, as a disk that fails, comes out.
        """
        try:
            for batch in _batches(lines):
                self._batch(batch)
            self.whole = True
            self._end()
        except (EncodingError, TrustError) as error:
            self.failure = located(error, self.number)
        return self

    @property
    def torn_bytes(self) -> int:
        """Bytes at the end that belong to no entry: a torn line, or contents of an entry to come."""
        return self.torn + self.contents.waiting_bytes

    def guarding(self) -> Guarding:
        """What the entries of guarded calls say together, with those of the segments before."""
        opening = self.opening
        first = opening is not None and opening.segment == 0
        return judge(
            self.telling.told,
            self.told_before,
            "" if opening is None else opening.run,
            self._keyring,
            self._anchored_at,
            whole=first or self.preceded,
            goes_on=self.next_segment,
        )

    def _batch(self, batch: list[bytes]) -> None:
        # For speed many lines are decoded at once, and the links of many entries compared at once.
        # Wherever that finds anything, the lines are taken one by one, which says what and where.
        documents = None if self.torn else decode_lines(batch)
        if documents is None:
            if not self.number and not any(map(_begins_a_line, batch)):
                raise Broken("not-a-recording", "This is no groundwire recording.", 0)
            for raw in batch:
                self._line(raw)
            return
        start = 0
        if not _ACTED_ON.isdisjoint(map(type, documents)):
            for at in [at for at, each in enumerate(documents) if type(each) in _ACTED_ON]:
                self._run(documents[start:at], batch[start:at])
                self._one(documents[at], batch[at])
                start = at + 1
        self._run(documents[start:], batch[start:])

    def _run(self, documents: list[AnyEntry | Content], batch: list[bytes]) -> None:
        """Steps 3 to 7 for lines of which none is one to act on."""
        # To ask for the type itself is many times faster than `isinstance`, where the answer is no.
        entries = [each for each in documents if type(each) is not Content]
        is_entry = [type(each) is not Content for each in documents]
        leaves = leaf_hashes(compress(batch, is_entry))
        end = self.chain.size + len(entries)
        if (
            self.stage != "running"
            or [entry.seq for entry in entries] != list(range(self.chain.size, end))
            or not are_linked([entry.prev for entry in entries], self.chain.head, leaves)
            or not self._marks.isdisjoint(range(self.chain.size + 1, end + 1))
        ):
            for raw, document in zip(batch, documents, strict=True):
                self._one(document, raw)
            return
        try:
            for at in range(self._follow_entries(documents, entries, is_entry), len(documents)):
                self._follow(documents[at], self.number + at + 1, len(batch[at]))
        except Broken as broken:
            # What stands before the line at fault is known, as it is when lines are taken singly.
            at = max(0, (broken.line or 0) - self.number - 1)
            self.chain.extend(leaves[: sum(is_entry[:at])])
            raise
        self.number += len(documents)
        if entries:
            self._before = entries[-1]
        self.chain.extend(leaves)
        if self._keep:
            self.leaves += links(leaves)

    def _follow_entries(
        self,
        documents: list[AnyEntry | Content],
        entries: list[AnyEntry],
        is_entry: list[bool],
    ) -> int:
        """How many of these lines, whose links are known to hold, are done with steps 3, 5 and 6.

        Those up to the last entry, or none.
        """
        contents, numbers = self.contents, compress(count(self.number + 1), is_entry)
        if not entries:
            return 0
        if len(entries) == len(documents) and contents.named(entries):
            self.chains.follow(entries, numbers)
            return len(documents)
        end = len(documents)
        while not is_entry[end - 1]:
            end -= 1
        settled = documents[:end]
        if not contents.settle_all(settled):
            return 0
        try:
            self.chains.follow(entries, numbers)
        except Broken as broken:
            contents.take_back(settled[(broken.line or 0) - self.number :])
            raise
        return end

    def _follow(self, document: AnyEntry | Content, number: int, size: int) -> None:
        """Steps 3, 5 and 6 for one line whose link is known to hold."""
        if type(document) is Content:
            self.contents.take(document, number, size)
            return
        self.contents.settle(document, number)
        if type(document) is RequestEntry:
            self.chains.check(document, number)

    def _line(self, raw: bytes) -> None:
        # Step 1: bytes after the last line feed are a torn end, and nothing comes after them.
        if self.torn:
            raise Broken("line-malformed", "The line has no end and is followed by another.")
        if not raw.endswith(b"\n"):
            self.torn = len(raw)
            return
        # Step 2: the line is the one spelling of a document.
        try:
            document = decode_line(raw[:-1])
        except EncodingError as error:
            raise located(error, self.number + 1) from error
        self._one(document, raw)

    def _one(self, document: Line, raw: bytes) -> None:
        self.number += 1
        if isinstance(document, Content):
            # Step 3: salt and content make the commitment. Its place is checked with its entry.
            self.contents.take(document, self.number, len(raw))
        else:
            self._entry(document, raw[:-1])

    def _entry(self, entry: Entry, line: bytes) -> None:
        # Step 4: the entry is the next one and names the one before it.
        chain = self.chain
        if entry.seq != chain.size:
            raise Broken(
                "sequence-wrong",
                f"Entry {chain.size} should stand here; the one that does says {entry.seq}.",
            )
        if entry.prev != chain.head:
            raise Broken("chain-broken", "The entry does not name the entry that stands before it.")
        # Step 5: its contents stand before it.
        match entry:
            case GuardedEntry():
                self.telling.take(entry, self.contents.waiting_lines, self.number)
            case DeclaredEntry():
                self.telling.declare(entry, self.contents.waiting_lines)
            case _:
                pass
        self.contents.settle(entry, self.number)
        # Step 6: a request shows what its delta and digests say.
        if isinstance(entry, RequestEntry):
            self.chains.check(entry, self.number)
        # Step 7: an entry of its kind may stand here, and what it says is so.
        if self.stage != "running" or type(entry) in _ACTED_ON:
            self._act(entry)
        self._before = entry
        chain.append(line)
        if chain.size in self._marks:
            self.roots[chain.size] = (chain.root(), chain.head)
        if self._keep:
            self.leaves.append(chain.head)

    def _act(self, entry: Entry) -> None:
        if isinstance(entry, UnknownEntry):
            self.not_understood += 1
            if self.stage == "empty" and entry.kind.startswith("open/"):
                raise Broken("format-unknown", f"The recording opens with {entry.kind}.")
        self.stage = next_stage(self.stage, entry, self._before)
        if isinstance(entry, Open):
            self._open(entry)
        if self.opening is None:
            raise Broken("opening-wrong", "The first entry is not an opening entry.")
        match entry:
            case CertificateEntry():
                if says(self._before, "recovered"):
                    self.signatures.recovered(self.chain)
                self.signatures.certify(entry, self.opening, self.number)
            case CheckpointEntry():
                self._checkpoint(entry, self.opening)
            case RedactionEntry():
                redaction = self.signatures.redaction(entry, self.opening, self.number)
                self.contents.redact(redaction.commitments)
            case DeletionEntry():
                self.signatures.deletion(entry, self.number)
            case CloseEntry():
                self.next_segment = entry.next_segment
            case NoteEntry():
                self.resumed_blindly += says(entry, "head-unknown")
            case _:
                pass

    def _open(self, entry: Open) -> None:
        if entry.format != FORMAT:
            raise Broken("format-unknown", "The recording's format is not " + FORMAT + ".")
        self.opening = entry
        self.telling.open(entry)
        unknown = sorted(set(entry.must_understand) - KINDS)
        if unknown:
            self.doubt = Broken(
                "not-understood",
                f"The recording demands that a reader know {len(unknown)} kinds of entry that this "
                "version does not.",
                self.number,
            )

    def _checkpoint(self, entry: CheckpointEntry, opening: Open) -> None:
        closed = self.stage == "closed"
        self.signatures.check(entry, opening, self.chain, closed=closed)
        if closed and not self.closed_size:
            self.closed_size = self.chain.size + 1
        if self._keep and self.signatures.last is not None:
            self.checkpoints.append(self.signatures.last)

    def _end(self) -> None:
        # Step 8: what may be unfinished is only the end of an open recording.
        waiting = self.contents.waiting
        if self.stage in ("closed", "certified", "redacting"):
            if self.torn or waiting:
                raise Broken("after-closing", "Bytes follow the closing checkpoint.")
            if self.stage != "closed":
                raise Broken("after-closing", "A redaction after the closing checkpoint is cut.")
        # Step 9: no content is missing that no redaction accounts for.
        self.contents.require_all()


def _begins_a_line(raw: bytes) -> bool:
    """The bytes, which may be torn or blanked by a crash, begin as every line of a recording does.

    Only of use to tell a file of another kind: what begins otherwise is no line either.
    """
    return raw.startswith(_LINE_START) or _LINE_START.startswith(raw) or not raw.strip(b"\0")


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines in lists of some 128 kB: longer ones are no faster, and one line may be large."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
