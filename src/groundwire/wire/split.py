"""Split: a request body taken apart, at a cost that grows with what is new in it."""

from __future__ import annotations

from bisect import bisect_right

from groundwire.canon.digest import Sha256
from groundwire.documents.split import Split
from groundwire.documents.strand import Strand, leading
from groundwire.errors import EncodingError
from groundwire.wire.layout import Layout, carry_on, lay_out

MESSAGE_FIELDS = {"openai-chat": "messages", "openai-responses": "input", "anthropic": "messages"}
_REMEMBERED_BODIES = 16
_REMEMBERED_BYTES = 24 << 20
_KNOWN_SLICES = 8 << 20
_STRIDE = 64 << 10
_FIRST_STEP = 4096


class _Seen:
    """A body split before, at least up to the end of its last message, with hashes of prefixes."""

    __slots__ = ("body", "layout", "marks", "messages", "provider")

    def __init__(
        self,
        body: bytes | bytearray,
        provider: str,
        layout: Layout,
        messages: Strand[bytes],
        marks: list[tuple[int, Sha256]],
    ) -> None:
        self.body = body
        self.provider = provider
        self.layout = layout
        self.messages = messages
        self.marks = marks


class Splitter:
    """Splits the bodies of one run; remembers the last few, and goes on where a new one differs.

    Holds at most 16 bodies and, beyond the last one, 24 MiB of them. Not safe for two threads.
    """

    def __init__(self) -> None:
        self._seen: list[_Seen] = []
        # Two generations of slices, so that equal messages are one object.
        self._young: dict[bytes, bytes] = {}
        self._old: dict[bytes, bytes] = {}
        self._used = 0

    def split(self, body: bytes, provider: str) -> Split:
        """The body as exact slices: `before`, messages joined by `between`, `after`.

        Equal messages of successive bodies are one object. `kept` compares with the remembered
        body that has the longest prefix in common, else with the last one of this provider. Does
        not read what a message says, so one that is no message at all is still split off.

        Raises:
            EncodingError: `unknown-provider`, `not-json`, `not-an-object`, `too-deep`,
                `repeated-key`, `no-messages`, `messages-not-a-list`.
        """
        field = MESSAGE_FIELDS.get(provider)
        if field is None:
            raise EncodingError("unknown-provider", f"No protocol is called {provider!r}.")
        near, shared = self._nearest(body, provider)
        known: Strand[bytes] = Strand() if near is None else near.messages
        layout, kept = None, 0
        if near is not None:
            ends = near.layout.ends
            # Mostly all of it goes on.
            kept = len(ends) if shared == near.layout.settled else bisect_right(ends, shared)
            layout = carry_on(body, near.layout, kept)
        if layout is None:
            layout, kept = lay_out(body, field, may_be_text=field == "input"), 0
        messages = known.going_on(kept, self._same_objects(layout.fresh))
        kept = leading(known, messages)
        digest, marks = _digest(body, layout.settled, near.marks if near else [], shared)
        self._remember(_Seen(body, provider, layout, messages, marks), near, kept, shared)
        return Split(
            before=layout.before,
            between=layout.between,
            after=layout.after,
            messages=messages,
            kept=kept,
            body_digest=digest,
            size=len(body),
            regular=layout.regular,
        )

    def _nearest(self, body: bytes, provider: str) -> tuple[_Seen | None, int]:
        nearest, most = None, 0
        for seen in self._seen:
            if seen.provider != provider:
                continue
            if nearest is None:
                nearest = seen
            settled = seen.layout.settled
            if settled > most:
                shared = common_prefix(seen.body, body, settled)
                if shared > most:
                    nearest, most = seen, shared
        return nearest, most

    def _same_objects(self, messages: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """For each message the one object that stands for its bytes."""
        if self._used > _KNOWN_SLICES:
            self._old, self._young, self._used = self._young, {}, 0
        self._used += sum(map(len, messages))
        known = map(self._old.get, messages, messages) if self._old else messages
        return tuple(map(self._young.setdefault, messages, known))

    def _remember(self, seen: _Seen, near: _Seen | None, kept: int, shared: int) -> None:
        if near is not None and kept == len(near.messages):
            self._seen.remove(near)  # The new body holds all that the old one could tell.
            if shared == near.layout.settled:
                seen.body = _grown(near, seen)
        self._seen.insert(0, seen)
        del self._seen[_REMEMBERED_BODIES:]
        while len(self._seen) > 1 and sum(len(s.body) for s in self._seen[1:]) > _REMEMBERED_BYTES:
            self._seen.pop()


def _grown(near: _Seen, seen: _Seen) -> bytearray:
    """What was remembered of the old body, with what is new in the one that goes on from it.

    The caller's own body is let go, so that it is not for us to free a whole one at each step.
    """
    fresh = memoryview(seen.body)[: seen.layout.settled]
    if not isinstance(near.body, bytearray):
        return bytearray(fresh)
    near.body += fresh[near.layout.settled :]
    return near.body


def common_prefix(old: bytes | bytearray, new: bytes, limit: int) -> int:
    """How many of the first `limit` bytes of `old` `new` begins with, by comparing memory."""
    view = memoryview(old)[:limit]
    limit = min(limit, len(new))
    view = view[:limit]
    if new.startswith(view):
        return limit
    low, step = 0, _FIRST_STEP
    while low + step < limit and new.startswith(view[low : low + step], low):
        low += step
        step *= 2
    high = min(low + step, limit)
    while high - low > 1:
        middle = (low + high) // 2
        if new.startswith(view[low:middle], low):
            low = middle
        else:
            high = middle
    return low


def _digest(
    body: bytes, settled: int, marks: list[tuple[int, Sha256]], shared: int
) -> tuple[str, list[tuple[int, Sha256]]]:
    """The digest of `body`, and hashes of its prefixes: one every 64 KiB and one at `settled`."""
    marks = marks[: bisect_right(marks, min(shared, settled), key=lambda mark: mark[0])]
    position, state = marks[-1] if marks else (0, Sha256())
    state = state.copy()
    if position < settled and len(marks) > 1 and position - marks[-2][0] < _STRIDE:
        marks.pop()
    while position < settled:
        end = min(position + _STRIDE, settled)
        state.update(body[position:end])
        position = end
        marks.append((end, state.copy()))
    state.update(body[settled:])
    return state.text(), marks
