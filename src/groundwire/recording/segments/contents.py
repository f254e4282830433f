"""Contents: bytes to the content lines of one segment, each once, with what must stay out kept out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from groundwire.canon import digest
from groundwire.canon.dsse import encode_base64
from groundwire.documents.content import Content, Withheld
from groundwire.documents.entry import AnyEntry, RequestEntry
from groundwire.recording.content import CONTINUED, LARGEST_INLINE, committed, plain
from groundwire.recording.lines import encode_content
from groundwire.recording.withholding.secrets import Secret, find_secrets

Salts = Callable[[], bytes]

# What is kept out and is no secret of its own.
_UNCOUNTED = {"digests", CONTINUED}
_SHOWN = frozenset({"body", "shell", "tools", "whole"})


class Stretch(Protocol):
    """`[start, end)` of some bytes; `canon.positions.Range` is one."""

    @property
    def start(self) -> int:
        """The first byte."""

    @property
    def end(self) -> int:
        """The byte after the last one."""


class Draft:
    """The new contents of one entry that is being made. They count once the entry stands."""

    __slots__ = ("files", "keys", "lines", "sealed", "withheld")

    def __init__(self) -> None:
        self.lines: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self.keys: dict[str, str] = {}
        self.sealed: set[str] = set()
        self.withheld = 0


class Contents:
    """The contents of one segment, by digest; holds no text.

    `run_salt` is one for the whole run and kept in memory only: equal secrets have equal
    commitments, and nobody can find one by trying.
    """

    def __init__(self, salts: Salts, run_salt: bytes) -> None:
        self._salts = salts
        self._run_salt = run_salt
        self._known: dict[str, str] = {}
        self._sealed: set[str] = set()

    def put(
        self,
        draft: Draft,
        data: bytes,
        withhold: Sequence[Stretch] = (),
        *,
        shape: str = "policy",
        own: bool = False,
    ) -> str:
        """The commitment of `data`, whose line stands in the file or in the draft.

        Secrets in it, and the stretches in `withhold`, are in neither. A stretch that cuts a
        character takes it whole. What is the recorder's `own`, digests, is not searched.
        """
        key = digest.sha256(data)
        if withhold:
            key += "".join([f" {stretch.start}-{stretch.end}" for stretch in withhold])
        known = self._known.get(key) or draft.keys.get(key)
        if known is not None:
            return known
        stretches = [] if own and not withhold else _merged(data, withhold, shape)
        content = self._withheld(data, stretches) if stretches else self._plain(draft, data)
        draft.keys[key] = content.commitment
        draft.lines[content.commitment] = encode_content(content)
        if stretches:
            draft.sealed.add(content.commitment)
            draft.withheld += sum(each.shape not in _UNCOUNTED for each in stretches)
        return content.commitment

    def any_sealed(self, draft: Draft, *commitments: str) -> bool:
        """Whether something was withheld from one of these contents."""
        if not self._sealed and not draft.sealed:
            return False
        return self.leading_clear(draft, commitments) < len(commitments)

    def is_sealed(self, entry: AnyEntry) -> bool:
        """Whether something was withheld from names of tools or a body, or from what is new of it.

        Also where the same content stood before, and nothing was kept out anew.
        """
        named = [held for name, held in entry.holds.items() if name in _SHOWN]
        if isinstance(entry, RequestEntry):
            named += [*entry.append, *[held for _, held in entry.replaced]]
        return not self._sealed.isdisjoint(named)

    def leading_clear(self, draft: Draft, commitments: Sequence[str]) -> int:
        """From how many of these contents nothing was withheld, before the first that is not so."""
        if self._sealed or draft.sealed:
            for index, commitment in enumerate(commitments):
                if commitment in self._sealed or commitment in draft.sealed:
                    return index
        return len(commitments)

    def lines_before(self, draft: Draft, entry: AnyEntry) -> list[bytes]:
        """The draft's lines in the order in which they stand before this entry."""
        if not draft.lines:
            return []
        order: list[str] = []
        if isinstance(entry, RequestEntry):
            order.extend(entry.append)
            order.extend([commitment for _, commitment in entry.replaced])
        order.extend([entry.holds[name] for name in sorted(entry.holds)])
        # An entry may name a content twice; its line stands where it is named first.
        return [draft.lines[each] for each in dict.fromkeys(order) if each in draft.lines]

    def shown(self, data: bytes) -> bytes | None:
        """`data` as a reader of the recording will see it: a mark for each secret.

        None where nothing but a mark would stand there.
        """
        stretches = _merged(data, (), "policy")
        if not stretches:
            return data
        content = self._withheld(data, stretches)
        return None if content.parts is None or len(content.parts) == 1 else plain(content)

    def stands(self, draft: Draft) -> None:
        """The entry of this draft was written: its contents are known from now on."""
        self._known.update(draft.keys)
        self._sealed |= draft.sealed

    def _plain(self, draft: Draft, data: bytes) -> Content:
        salt = self._salts()
        if len(data) > LARGEST_INLINE:
            name = digest.sha256(data)
            draft.files[name] = data
            over = digest.raw(name) + len(data).to_bytes(8, "big")
            commitment = digest.commitment(salt, "file", over)
            return Content(commitment=commitment, salt=salt.hex(), file=name, size=len(data))
        try:
            text = data.decode()
        except UnicodeDecodeError:
            commitment = digest.commitment(salt, "b64", data)
            return Content(commitment=commitment, salt=salt.hex(), b64=encode_base64(data))
        commitment = digest.commitment(salt, "text", data)
        return Content(commitment=commitment, salt=salt.hex(), text=text)

    def _withheld(self, data: bytes, stretches: list[Secret]) -> Content:
        try:
            data.decode()
        except UnicodeDecodeError:
            # Parts are text. Bytes that are none, with a secret among them, stay out altogether.
            stretches = [Secret(0, len(data), "not-text")]
        parts: list[str | Withheld] = []
        at = 0
        for each in stretches:
            if at < each.start:
                parts.append(data[at : each.start].decode())
            secret = each.joined or data[each.start : each.end]
            parts.append(
                Withheld(
                    shape=each.shape,
                    size=each.end - each.start,
                    withheld=digest.commitment(self._run_salt, "text", secret),
                )
            )
            at = each.end
        if at < len(data):
            parts.append(data[at:].decode())
        salt = self._salts()
        content = Content(commitment="", salt=salt.hex(), parts=tuple(parts))
        form, over = committed(content)
        commitment = digest.commitment(salt, form, over)
        return Content(commitment=commitment, salt=salt.hex(), parts=tuple(parts))


def _merged(data: bytes, withhold: Sequence[Stretch], shape: str) -> list[Secret]:
    """What stays out: secrets and the host's stretches, in order, apart, on character borders."""
    secrets = find_secrets(data)
    if not withhold:
        return secrets
    named = [Secret(*_whole_characters(data, each.start, each.end), shape) for each in withhold]
    merged: list[Secret] = []
    for each in sorted([*secrets, *[each for each in named if each.start < each.end]]):
        last = merged[-1] if merged else None
        if last is not None and each.start < last.end:
            # The host's word goes first: it also says that the rest is none of a reader's business.
            why = shape if shape in {each.shape, last.shape} else each.shape
            merged[-1] = Secret(last.start, max(each.end, last.end), why)
        else:
            merged.append(each)
    return merged


def _whole_characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    start, end = max(0, start), max(0, min(len(data), end))
    while 0 < start < len(data) and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end
