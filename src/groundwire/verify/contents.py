"""Contents: each stands once, before the entry that names it first, and is what was committed to.

docs/reference/recording-format.md, Content lines and Where content lines stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, filterfalse, groupby
from typing import TypeAlias

from groundwire.canon import digest
from groundwire.documents.content import Content
from groundwire.documents.entry import AnyEntry, RequestEntry
from groundwire.errors import EncodingError
from groundwire.recording import content as contents
from groundwire.recording.lines import UnknownEntry
from groundwire.recording.reader import Files
from groundwire.verify.words import Broken, located

Entry: TypeAlias = AnyEntry | UnknownEntry


class Contents:
    """The contents of a segment so far: what stands, what waits for its entry, what is gone.

    `waiting` are the commitments of the content lines since the last entry, which stand one after
    the other, `waiting_lines` those lines, and `waiting_bytes` their bytes.
    """

    def __init__(self, files: Files) -> None:
        self.count = 0
        self.withheld = 0
        self.redacted: set[str] = set()
        self.waiting: list[str] = []
        self.waiting_lines: list[Content] = []
        self.waiting_bytes = 0
        self._files = files
        self._named: set[str] = set()
        self._missing: dict[str, int] = {}

    def take(self, content: Content, number: int, size: int) -> None:
        """The content line `number`, of `size` bytes, is what its commitment says.

        Its entry has to follow, and is looked at by `settle`.

        Raises:
            Broken: `commitment-broken`, `content-missing`, `attachment-changed`.
        """
        try:
            commitment = contents.commitment(content)
        except EncodingError as error:
            raise located(error, number) from error
        if commitment != content.commitment:
            raise Broken(
                "commitment-broken",
                "Salt and content do not make the commitment of their line.",
                number,
            )
        if content.file is not None:
            self._check_file(content.file, content.size, number)
        if content.parts is not None:
            self.withheld += contents.withheld_in(content)
        self.count += 1
        self.waiting.append(commitment)
        self.waiting_lines.append(content)
        self.waiting_bytes += size

    def named(self, entries: Sequence[Entry]) -> bool:
        """No content line waits, and these entries add no message and hold nothing new.

        For speed only: then there is nothing to settle.
        """
        if self.waiting:
            return False
        requests = [each for each in entries if type(each) is RequestEntry]
        if [each for each in requests if each.append or each.replaced]:
            return False
        # Entries often hold what the one before them does; to compare costs less than to look up.
        held = [holds.values() for holds, _ in groupby([entry.holds for entry in entries])]
        return self._named.issuperset(chain.from_iterable(held))

    def settle_all(self, documents: Sequence[AnyEntry | Content]) -> bool:
        """These lines, of which the last is an entry, were taken and settled as they stand.

        For speed: where any may be at fault, or a content is missing or stands in a file, False,
        and nothing has changed.
        """
        lines = [each for each in documents if type(each) is Content]
        if [each for each in lines if each.file] or not contents.are_committed(lines):
            return False
        named, waiting = self._named, self.waiting.copy()
        known, count, fits = named.__contains__, len(named), True
        new: list[str] = []
        for each in documents:
            if type(each) is Content:
                waiting.append(each.commitment)
                continue
            first = list(filterfalse(known, named_by(each)))
            fits = first == waiting
            if not fits:
                break
            if first:
                named.update(first)
                new += first
                waiting.clear()
        # As many names as lines: none of them twice.
        if not fits or len(named) - count != len(new):
            named.difference_update(new)
            return False
        self.count += len(lines)
        self.withheld += sum([contents.withheld_in(each) for each in lines if each.parts])
        self.waiting.clear()
        self.waiting_lines.clear()
        self.waiting_bytes = 0
        return True

    def take_back(self, documents: Sequence[AnyEntry | Content]) -> None:
        """These lines, the last ones of those settled, were never reached."""
        lines = [each for each in documents if type(each) is Content]
        self.count -= len(lines)
        self.withheld -= sum(map(contents.withheld_in, lines))

    def settle(self, entry: Entry, number: int) -> None:
        """The content lines since the last entry are those that this entry names first, in order.

        A name without a line is kept in mind: a redaction may account for it.

        Raises:
            Broken: `content-misplaced`, at the first content line that is not where it belongs.
        """
        waiting, named = self.waiting, self._named
        first = [each for each in named_by(entry) if each not in named]
        if not first and not waiting:
            return
        before = len(named)
        named.update(first)
        # As a rule every content stands where its entry names it first.
        if first != waiting or len(named) - before != len(first):
            self._account(first, number)
        waiting.clear()
        self.waiting_lines.clear()
        self.waiting_bytes = 0

    def redact(self, commitments: Iterable[str]) -> None:
        """These contents are gone and a signed redaction says so.

        Raises:
            Broken: `redaction-wrong`.
        """
        for commitment in commitments:
            if commitment in self.redacted:
                continue
            if commitment not in self._missing:
                what = "still stands in the file" if commitment in self._named else "nothing names"
                raise Broken("redaction-wrong", f"The redaction lists a content that {what}.")
            del self._missing[commitment]
            self.redacted.add(commitment)

    def require_all(self) -> None:
        """Every content that an entry names stands here or was redacted.

        Raises:
            Broken: `content-missing`, at the first entry that lacks one.
        """
        if self._missing:
            raise Broken(
                "content-missing",
                "A content that this entry names does not stand before it, and no signed redaction "
                "lists it.",
                min(self._missing.values()),
            )

    def _account(self, first: Iterable[str], number: int) -> None:
        """What waits are some of those that the entry names first, in order; the others miss."""
        waiting = self.waiting
        taken = 0
        for commitment in dict.fromkeys(first):
            if taken < len(waiting) and waiting[taken] == commitment:
                taken += 1
            else:
                self._missing[commitment] = number
        if taken < len(waiting):
            raise Broken(
                "content-misplaced",
                "The entry after this content line does not name it here for the first time.",
                number - len(waiting) + taken,
            )

    def _check_file(self, name: str, size: int | None, number: int) -> None:
        data = self._files(name)
        if data is None:
            raise Broken(
                "content-missing",
                f"The file {name.removeprefix('sha256:')} beside the recording is not there or "
                "cannot be read.",
                number,
            )
        if len(data) != size or digest.sha256(data) != name:
            raise Broken(
                "attachment-changed",
                f"The file {name.removeprefix('sha256:')} beside the recording has other bytes "
                "than its name says.",
                number,
            )


def named_by(entry: Entry) -> Iterable[str]:
    """The commitments of an entry in the order in which their content lines stand."""
    # `holds` is sorted by name: the line is canonical and decoding keeps its order.
    if type(entry) is RequestEntry:
        if entry.replaced:
            replaced = [each for _, each in sorted(entry.replaced)]
            return (*entry.append, *replaced, *entry.holds.values())
        if entry.append:
            return (*entry.append, *entry.holds.values())
    return entry.holds.values()
