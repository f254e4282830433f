"""Bodies by parts: what of a request is new, and how it is read back.

A frame is a delta to the lane's last one, so that a step costs what is new in it. Whatever the
delta says is hashed as it would be read back; if that is not the body that left, the body stands
whole (recording-format, Bodies by parts).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from groundwire.canon import digest, jcs
from groundwire.canon.digest import Sha256
from groundwire.canon.positions import Range
from groundwire.documents.split import Split
from groundwire.documents.strand import leading
from groundwire.recording.segments.contents import Contents, Draft, Stretch

Withhold: TypeAlias = Callable[[bytes], Sequence[Stretch]]

# More positions than this that differ inside what is kept: the frame was rewritten, not touched up.
MOST_REPLACED = 8
# Lanes whose last frame is remembered. One that was forgotten starts again with every message
# listed, none written twice.
MOST_LANES = 32

EMPTY_CHAIN = digest.tagged("context")
_NO_MESSAGES = digest.tagged_raw("context")


class Tail(msgspec.Struct, frozen=True):
    """What is new in a frame: from message `base` on, and for the hashes from `hashed` on.

    Of each message: its commitment, the chain's head after it, and the hash of the body up to it.
    Nothing was kept out of the first `clear` messages of the whole frame.
    """

    base: int
    hashed: int
    clear: int
    commitments: list[str]
    contexts: list[bytes]
    hashes: list[Sha256]


class LaneFrame:
    """A lane's last frame as it was written; it grows in place, at the cost of what is new."""

    __slots__ = ("clear", "commitments", "contexts", "exchange", "hashes", "shell", "split")

    def __init__(self) -> None:
        self.clear = 0
        self.exchange: int | None = None
        self.split: Split | None = None
        self.shell = ""
        self.commitments: list[str] = []
        self.contexts: list[bytes] = []
        self.hashes: list[Sha256] = []

    def take(self, exchange: int, split: Split, shell: str, tail: Tail) -> None:
        """The frame is the one of this exchange now."""
        self.exchange, self.split, self.shell = exchange, split, shell
        self.clear = tail.clear
        self.commitments[tail.base :] = tail.commitments
        self.contexts[tail.base :] = tail.contexts
        self.hashes[tail.hashed :] = tail.hashes


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """A body as a request entry states it.

    `holds` has `shell` or `whole`. `fresh` are the positions of `append`, then of `replaced`.
    `sealed`: something of it was kept out. `tail` is None where the body stands whole.
    """

    append: tuple[str, ...] = ()
    context: str = EMPTY_CHAIN
    frame: str
    fresh: tuple[int, ...] = ()
    holds: dict[str, str]
    keep: int = 0
    parent: int | None = None
    replaced: tuple[tuple[int, str], ...] = ()
    sealed: bool
    tail: Tail | None = None


class Delta(msgspec.Struct, frozen=True):
    """The first `keep` messages stand in the last frame too, but for those at `replaced`."""

    keep: int
    replaced: tuple[int, ...]

    @property
    def untouched(self) -> int:
        """How many leading messages are the very same."""
        return self.replaced[0] if self.replaced else self.keep


def delta_of(old: Sequence[bytes], new: Sequence[bytes]) -> Delta:
    """What of `old` goes on in `new`.

    A few messages inside that differ are replaced (a cache mark that moves on); where many differ,
    or none after them is the same, only the common beginning is kept.
    """
    most = min(len(old), len(new))
    same = leading(old, new)
    different: list[int] = []
    end = same
    for index in range(same, most):
        if old[index] == new[index]:
            end = index + 1
        elif len(different) == MOST_REPLACED:
            return Delta(same, ())
        else:
            different.append(index)
    return Delta(end, tuple([index for index in different if index < end]))


class Bodies:
    """The bodies of one segment; remembers the last frame of each lane."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._lanes: dict[int, LaneFrame] = {}

    def put(
        self, draft: Draft, body: bytes, split: Split | None, *, lane: int, withhold: Withhold
    ) -> Body:
        """The body by parts; whole, where it is not taken apart or would not come back exactly.

        Nothing is remembered before `stands`.
        """
        last = self._lanes.get(lane) or LaneFrame()
        if split is not None and _may_come_back(split, len(body), last.split):
            old = last.split.messages if last.split else ()
            delta = delta_of(old, split.messages)
            hashed = delta.untouched if _goes_on(last.split, split) else 0
            hashes, body_digest = _hashed(
                last.hashes[hashed - 1] if hashed else None, split, hashed
            )
            if body_digest == split.body_digest:
                return self._by_parts(draft, split, last, delta, (hashed, hashes), withhold)
        whole = self._contents.put(draft, body, _in_whole(body, split, withhold))
        return Body(
            frame=digest.tagged("frame", digest.raw(whole)),
            holds={"whole": whole},
            sealed=self._contents.any_sealed(draft, whole),
        )

    def stands(self, lane: int, exchange: int, split: Split, body: Body) -> None:
        """The entry with this body was written: the lane's next request is a delta to it."""
        if body.tail is None:
            return
        frame = self._lanes.pop(lane, None) or LaneFrame()
        frame.take(exchange, split, body.holds["shell"], body.tail)
        self._lanes[lane] = frame
        if len(self._lanes) > MOST_LANES:
            del self._lanes[next(iter(self._lanes))]

    def _by_parts(
        self, draft: Draft, split: Split, last: LaneFrame, delta: Delta,
        hashes: tuple[int, list[Sha256]], withhold: Withhold,
    ) -> Body:  # fmt: skip
        base = delta.untouched
        commitments = last.commitments[base : delta.keep]
        commitments.extend([""] * (len(split.messages) - delta.keep))
        fresh = (*range(delta.keep, len(split.messages)), *delta.replaced)
        for index in fresh:
            message = split.messages[index]
            commitments[index - base] = self._contents.put(draft, message, withhold(message))
        shell = self._shell(draft, split, last)
        contexts = _chained(last.contexts[base - 1] if base else _NO_MESSAGES, commitments)
        head = contexts[-1] if contexts else last.contexts[base - 1] if base else _NO_MESSAGES
        clear = last.clear
        if clear >= base:
            clear = base + self._contents.leading_clear(draft, commitments)
        return Body(
            append=tuple(commitments[delta.keep - base :]),
            context="gw1:" + head.hex(),
            frame=digest.tagged("frame", digest.raw(shell), head),
            fresh=fresh,
            holds={"shell": shell},
            keep=delta.keep,
            parent=last.exchange,
            replaced=tuple([(index, commitments[index - base]) for index in delta.replaced]),
            sealed=clear < len(split.messages) or self._contents.any_sealed(draft, shell),
            tail=Tail(base, hashes[0], clear, commitments, contexts, hashes[1]),
        )

    def _shell(self, draft: Draft, split: Split, last: LaneFrame) -> str:
        if _has_shell_of(last.split, split):
            return last.shell
        shell = {
            "after": split.after.decode(),
            "before": split.before.decode(),
            "between": split.between.decode(),
        }
        return self._contents.put(draft, jcs.encode(shell))


def _may_come_back(split: Split, size: int, last: Split | None) -> bool:
    """It is worth a look: one separator, the body's size, and a shell that can stand in JSON."""
    if not split.regular or split.size != size:
        return False
    if _has_shell_of(last, split):
        return True
    try:
        (split.before + split.between + split.after).decode()
    except UnicodeDecodeError:
        return False
    return True


def _goes_on(last: Split | None, split: Split) -> bool:
    """The bytes around the messages are the last frame's, up to its last message."""
    return last is not None and (last.before, last.between) == (split.before, split.between)


def _has_shell_of(last: Split | None, split: Split) -> bool:
    """All the bytes around the messages are the last frame's."""
    return last is not None and last.after == split.after and _goes_on(last, split)


def _hashed(state: Sha256 | None, split: Split, start: int) -> tuple[list[Sha256], str]:
    """The hash of the body after each message from `start` on, and of all of it.

    `state` is the hash up to there of what was written before, so that this is the body as it
    would be read back.
    """
    if state is None:
        state = Sha256()
        state.update(split.before)
    else:
        state = state.copy()
    hashes: list[Sha256] = []
    for index in range(start, len(split.messages)):
        if index:
            state.update(split.between)
        state.update(split.messages[index])
        hashes.append(state.copy())
    state.update(split.after)
    return hashes, state.text()


def _chained(head: bytes, commitments: list[str]) -> list[bytes]:
    """The chain's head after each of these messages; `head` is the one before them."""
    contexts: list[bytes] = []
    for commitment in commitments:
        head = digest.tagged_raw("context", head, digest.raw(commitment))
        contexts.append(head)
    return contexts


def _in_whole(body: bytes, split: Split | None, withhold: Withhold) -> list[Stretch]:
    """What the host wants kept out of a body that stands whole: of it, and of its messages."""
    stretches = list(withhold(body))
    at = 0
    for message in split.messages if split is not None else ():
        inside = withhold(message)
        found = body.find(message, at)
        if found < 0 and inside:
            # Not where it should be, so nothing can be told apart: all of it stays out.
            return [Range(0, len(body))]
        if found >= 0:
            stretches += [Range(found + each.start, found + each.end) for each in inside]
            at = found + len(message)
    return stretches
